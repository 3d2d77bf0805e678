//! Parses the names of files in a folder: the part that they replace, and their kind.
use std::fmt;

/// Suffixes of MLIR files, what was written as both is the same; and of schedules.
const SOURCES: &[&str] = &["mlir", "mlirbc", "schedule"];
/// Suffixes of objects and what objects are made of, from what runs to what is far from it.
const OBJECTS: &[&str] = &[
    "o",
    "a",
    "so",
    "s",
    "S",
    "optimized.ll",
    "optimized.bc",
    "ll",
    "bc",
    "ptx",
    "spv",
    "spvasm",
    "cubin",
    "fatbin",
    "obj",
];
/// Files that tools write beside them, which replace nothing.
const BESIDE: &[&str] = &["benchmark.mlir", "benchmark.mlirbc"];

/// A suffix of a file that may replace something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Suffix(&'static str);

impl Suffix {
    /// Returns all suffixes.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        SOURCES.iter().chain(OBJECTS).copied().map(Self)
    }

    /// Returns the suffix of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::all().find(|s| s.0 == name)
    }

    /// Whether such files are MLIR or schedules.
    pub(crate) fn is_source(self) -> bool {
        SOURCES.contains(&self.0)
    }

    /// Whether such files are MLIR.
    pub(crate) fn is_mlir(self) -> bool {
        self.0.starts_with("mlir")
    }

    /// Returns how many steps such files are away from machine code.
    pub(crate) fn rank(self) -> usize {
        Self::all().position(|s| s == self).unwrap_or(usize::MAX)
    }
}

impl fmt::Display for Suffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The name without a suffix that says that the file may replace something, and the suffix. Hidden files and copies of
/// editors are none.
pub(crate) fn stem(file: &str) -> Option<(&str, Suffix)> {
    let without = |suffix: &str| file.strip_suffix(suffix)?.strip_suffix('.').filter(|s| !s.is_empty());
    if file.starts_with(['.', '#', '~']) || BESIDE.iter().any(|s| without(s).is_some()) {
        return None;
    }
    // Of `optimized.ll` and `ll`, the longer one.
    let fitting = Suffix::all().filter_map(|suffix| Some((without(suffix.0)?, suffix)));
    fitting.min_by_key(|(stem, _)| stem.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_say_what_may_replace_something() {
        let stem = |file| stem(file).map(|(stem, suffix)| (stem, suffix.0));
        assert_eq!(stem("e.mlir"), Some(("e", "mlir")));
        assert_eq!(stem("e.cpu.o"), Some(("e.cpu", "o")));
        assert_eq!(stem("e.cpu.optimized.ll"), Some(("e.cpu", "optimized.ll")));
        for other in ["e.c", "e.benchmark.mlir", ".e.mlir", "#e.mlir#", "e.mlir~", "e", ".o", "kernel.h"] {
            assert_eq!(stem(other), None, "{other}");
        }
    }
}
