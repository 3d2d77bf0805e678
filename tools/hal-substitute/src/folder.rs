//! Files that are named after what they replace, as `hal-extract` names them.
use crate::{Folder, Name, Only, Variants};
use halyard_diag::{Diagnostic, Error, Result, either, nearest};
use halyard_ir::form::{Executable, escape_symbol};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Suffixes of MLIR files.
const SOURCES: &[&str] = &["mlirbc", "mlir"];
/// Suffixes of objects and what objects are made of. The longer ones come first.
const OBJECTS: &[&str] =
    &["optimized.ll", "optimized.bc", "o", "a", "so", "ll", "bc", "s", "S", "ptx", "spv", "cubin", "fatbin", "obj"];
/// Files that tools write beside them, which replace nothing.
const BESIDE: &[&str] = &["benchmark.mlir", "benchmark.mlirbc"];

/// What a folder offers.
#[derive(Debug, Default)]
pub(crate) struct Offer {
    /// Files by what they replace.
    pub(crate) files: Vec<(Name, PathBuf)>,
    /// Files that are named like nothing in the program.
    pub(crate) unmatched: Vec<PathBuf>,
}

/// Looks through a folder. Errors: it cannot be read; names that fit nothing (unless they may), two files for one name.
pub(crate) fn scan(folder: &Folder, executables: &[Executable], allow_unmatched: bool) -> Result<Offer> {
    let places = places(executables);
    let mut found: BTreeMap<Name, Vec<PathBuf>> = BTreeMap::new();
    let mut offer = Offer::default();
    let mut problems = Vec::new();
    let (path, suffix) = chosen(&folder.path)?;
    for path in list(&path)? {
        let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let Some((stem, kind)) = stem(&file) else { continue };
        let is_source = SOURCES.contains(&kind);
        if suffix.as_ref().is_some_and(|wanted| wanted != kind) {
            continue;
        }
        if (folder.only == Only::Sources && !is_source) || (folder.only == Only::Objects && is_source) {
            continue;
        }
        match places.iter().filter(|(name, _)| name == stem).map(|(_, place)| place).collect::<Vec<_>>().as_slice() {
            [] => {
                if !allow_unmatched {
                    problems.push(unmatched(&path, stem, &places));
                }
                offer.unmatched.push(path);
            }
            [place] => found.entry((*place).clone()).or_default().push(path),
            several => {
                let names: Vec<_> = several.iter().map(|p| p.to_string()).collect();
                let text = format!("`{}` may mean {}", path.display(), either(&names));
                problems.push(Diagnostic::error(text).code("ambiguous-name").hint("give it by name: `NAME=FILE`"));
            }
        }
    }
    let (several, single): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, files)| files.len() > 1);
    offer.files.extend(single.into_iter().map(|(name, mut files)| (name, files.remove(0))));
    if let Some((name, files)) = several.first() {
        let suffix = files[0].file_name().and_then(|n| stem(n.to_str()?)).map_or("o", |(_, suffix)| suffix);
        let mut d = twice(name, files);
        if several.len() > 1 {
            d = d.note(format!("and so for {} other names", several.len() - 1));
        }
        problems.push(d.hint(format!("`{}` takes one kind of files", path.join(format!("*.{suffix}")).display())));
    }
    if problems.is_empty() { Ok(offer) } else { Err(Error::many(problems)) }
}

/// Two files for one name.
pub(crate) fn twice(name: &Name, files: &[PathBuf]) -> Diagnostic {
    let shown: Vec<_> = files.iter().map(|f| format!("`{}`", f.display())).collect();
    Diagnostic::error(format!("several files are given for `{name}`: {}", shown.join(", ")))
        .code("given-twice")
        .hint(format!("name the one that is meant: `{name}={}`", files[files.len() - 1].display()))
}

fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let fail = |e: std::io::Error| Error::io("read the folder", folder, &e);
    let entries = fs::read_dir(folder).map_err(fail)?;
    let mut paths = entries.map(|e| e.map(|e| e.path())).collect::<std::io::Result<Vec<_>>>().map_err(fail)?;
    paths.sort();
    Ok(paths)
}

/// `FOLDER/*.SUFFIX` taken apart. Errors: another pattern.
fn chosen(path: &Path) -> Result<(PathBuf, Option<String>)> {
    let last = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    if !last.contains('*') {
        return Ok((path.to_owned(), None));
    }
    let suffix = last.strip_prefix("*.").filter(|s| SOURCES.contains(s) || OBJECTS.contains(s));
    match suffix {
        Some(suffix) => Ok((path.with_file_name(""), Some(suffix.to_owned()))),
        None => {
            let known: Vec<_> = SOURCES.iter().chain(OBJECTS).map(|s| format!("`*.{s}`")).collect();
            Err(Error::usage(format!("`{}` is no choice of files", path.display()))
                .note(format!("known are {}", known.join(", "))))
        }
    }
}

/// The name without a suffix that says that the file may replace something, and the suffix. Hidden files and copies of
/// editors are none.
fn stem(file: &str) -> Option<(&str, &'static str)> {
    let without = |suffix: &str| file.strip_suffix(suffix)?.strip_suffix('.').filter(|s| !s.is_empty());
    if file.starts_with(['.', '#', '~']) || BESIDE.iter().any(|s| without(s).is_some()) {
        return None;
    }
    SOURCES.iter().chain(OBJECTS).find_map(|suffix| Some((without(suffix)?, *suffix)))
}

/// The stems of all files that the program could have.
fn places(executables: &[Executable]) -> Vec<(String, Name)> {
    let mut places = Vec::new();
    for executable in executables {
        let name = executable.name();
        places.push((escape_symbol(&name), Name::executable(&name)));
        for variant in executable.variants() {
            let stem = format!("{}.{}", escape_symbol(&name), escape_symbol(&variant.name()));
            let variants = Variants::One(variant.name());
            places.push((stem, Name { executable: name.clone(), variants, export: None }));
        }
    }
    places
}

fn unmatched(path: &Path, stem: &str, places: &[(String, Name)]) -> Diagnostic {
    let d =
        Diagnostic::error(format!("`{}` is named like nothing in the program", path.display())).code("unknown-name");
    let near = nearest(stem, places.iter().map(|(name, _)| name.as_str()));
    let parent =
        places.iter().find(|(name, _)| stem.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.')));
    let d = match (parent, near.is_empty()) {
        (Some((executable, _)), true) => d.note(format!("executable `{executable}` has no variant of that name")),
        (_, true) => d,
        (_, false) => d.hint(format!("did you mean {}?", either(&near))),
    };
    d.hint("`--allow-unmatched` leaves such files alone")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_say_what_may_replace_something() {
        assert_eq!(stem("e.mlir"), Some(("e", "mlir")));
        assert_eq!(stem("e.cpu.o"), Some(("e.cpu", "o")));
        assert_eq!(stem("e.cpu.optimized.ll"), Some(("e.cpu", "optimized.ll")));
        for other in ["e.c", "e.benchmark.mlir", ".e.mlir", "#e.mlir#", "e.mlir~", "e", ".o", "kernel.h"] {
            assert_eq!(stem(other), None, "{other}");
        }
    }
}
