//! Writes Makefile fragments, as `-MF` of C compilers does: the files that an output depends on.
//!
//! Code that reads a file which affects the output calls [`depend_on`]; [`DepfileArgs::write`] lists all of these
//! files.
use crate::write_atomically;
use halyard_diag::{Error, Result};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

static READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Remembers that a file was read and that the output depends on it.
pub fn depend_on(path: &Path) {
    READ.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
}

/// The files that were read so far, sorted.
pub fn files_read() -> Vec<PathBuf> {
    READ.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
}

/// The flag.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct DepfileArgs {
    /// Write a Makefile fragment with all files that the output depends on
    #[arg(long, value_name = "FILE", help_heading = None)]
    pub depfile: Option<PathBuf>,
}

impl DepfileArgs {
    /// Fails if no output file can be the target of a rule. Call it before doing any work.
    pub fn check(&self, output: &Path) -> Result<()> {
        if self.depfile.is_some() && output == Path::new("-") {
            return Err(Error::usage(
                "`--depfile` says what a file depends on, but the output goes to standard output",
            )
            .hint("name it with `-o FILE`"));
        }
        Ok(())
    }

    /// Writes the fragment, if it is asked for.
    pub fn write(&self, outputs: &[&Path]) -> Result<()> {
        self.depfile.as_deref().map_or(Ok(()), |path| write_depfile(path, outputs))
    }
}

/// Writes the fragment: outputs depend on all that was read.
pub fn write_depfile(path: &Path, outputs: &[&Path]) -> Result<()> {
    write_atomically(path, text(outputs, &files_read()).as_bytes())
}

/// `OUTPUT…: INPUT…`, with an empty rule for each input, so that make does not fail when one is gone.
fn text(outputs: &[&Path], inputs: &[PathBuf]) -> String {
    let outputs: Vec<String> = outputs.iter().map(|p| escape(p)).collect();
    let inputs: Vec<String> = inputs.iter().map(|p| escape(p)).collect();
    let list: String = inputs.iter().map(|i| format!(" {i}")).collect();
    let mut text = format!("{}:{list}\n", outputs.join(" "));
    text.extend(inputs.iter().map(|n| format!("\n{n}:\n")));
    text
}

/// Blanks, `#`, `%`, `:` and `$` as make reads them.
fn escape(path: &Path) -> String {
    let mut text = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            ' ' | '#' | '\\' | '%' | ':' => text.extend(['\\', c]),
            '$' => text.push_str("$$"),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        assert_eq!(text(&["m.so".as_ref()], &["a b.onnx".into()]), "m.so: a\\ b.onnx\n\na\\ b.onnx:\n");
        assert_eq!(text(&["x".as_ref(), "y$".as_ref()], &[]), "x y$$:\n");
    }
}
