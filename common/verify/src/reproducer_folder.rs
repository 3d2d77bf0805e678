//! Folders of what it takes to see a failure again: one per executable and variant, each with `replay`, a script that runs
//! the tool again, and `versions.txt`.
use halyard_cli::write_atomically;
use halyard_diag::{Error, Result, quote};
use halyard_exec::Scratch;
use halyard_ir::form::escape_symbol;
use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The folder of the reproducers of a run.
#[derive(Debug)]
pub struct ReproducerFolder {
    top: Option<PathBuf>,
}

impl ReproducerFolder {
    /// Keeps reproducers in a folder, in a new one if none is given; it is created for the first of them.
    pub fn new(top: Option<PathBuf>) -> Self {
        Self { top }
    }

    /// Makes the folder of an executable and a variant.
    pub fn make(&mut self, executable: &str, variant: &str) -> Result<PathBuf> {
        let top = match &self.top {
            Some(folder) => folder.clone(),
            None => self.top.insert(Scratch::new("reproducers")?.keep()).clone(),
        };
        let folder = top.join(format!("{}.{}", escape_symbol(executable), escape_symbol(variant)));
        std::fs::create_dir_all(&folder).map_err(|e| Error::io("make the folder", &folder, &e))?;
        Ok(folder)
    }

    /// Writes `replay`, which runs a command in the folder and says what that `needs`, and the text of `versions.txt`.
    pub fn write_replay(folder: &Path, needs: &str, words: &[String], version: &str) -> Result<()> {
        let words: Vec<String> = words.iter().map(|w| quote(w).to_string()).collect();
        let script = format!(
            "#!/bin/sh\n# Needs {needs} on PATH; see versions.txt. Arguments are added to it.\nset -e\ncd \"$(dirname \"$0\")\"\nexec {} \"$@\"\n",
            words.join(" ")
        );
        let replay = folder.join("replay");
        write_atomically(&replay, script.as_bytes())?;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&replay, mode).map_err(|e| Error::io("make executable", &replay, &e))?;
        write_atomically(&folder.join("versions.txt"), version.as_bytes())
    }

    /// Adds to an error where its reproducer is, or the reason why that could not be saved.
    pub fn note(saved: Result<PathBuf>, error: Error) -> Error {
        match saved {
            Ok(folder) => {
                error.note(format!("to reproduce it, run `{}`", quote(&folder.join("replay").display().to_string())))
            }
            Err(e) => error.note(format!("a reproducer could not be saved: {e}")),
        }
    }
}
