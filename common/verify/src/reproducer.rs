//! All that is needed to see a wrong kernel again: a folder per executable and variant.
//!
//! - `executable.mlir`: the executable alone; with its objects, where the tool did not make them;
//! - `replay`: a script that verifies it again;
//! - `argument_N.npy`, `got_N.npy`, `wanted_N.npy`: the run that went wrong;
//! - `versions.txt`.
use crate::{Array, Case, npy};
use halyard_cli::write_atomically;
use halyard_diag::{Error, Result, quote};
use halyard_exec::Scratch;
use halyard_ir::form::{Executable, escape_symbol, write_standalone};
use std::{os::unix::fs::PermissionsExt, path::PathBuf};

/// Tensors are kept up to this size.
const LARGE: usize = 64 << 20;

/// Where reproducers go, and how a kernel is verified again.
pub struct KernelReproducer<'a> {
    folder: Option<PathBuf>,
    words: &'a dyn Fn(&Case) -> Vec<String>,
    version: String,
}

impl<'a> KernelReproducer<'a> {
    /// `folder` is where they go; a new one, if there is none. `words` is the command that verifies `executable.mlir` again.
    pub fn new(folder: Option<PathBuf>, words: &'a dyn Fn(&Case) -> Vec<String>, version: String) -> Self {
        Self { folder, words, version }
    }

    /// Saves a reproducer and says where in the error; one that cannot be saved is told instead.
    pub(crate) fn save(&mut self, case: &Case, arrays: &[Array], error: Error) -> Error {
        match self.write(case, arrays) {
            Ok(folder) => {
                error.note(format!("to reproduce it, run `{}`", quote(&folder.join("replay").display().to_string())))
            }
            Err(e) => error.note(format!("a reproducer could not be saved: {e}")),
        }
    }

    fn write(&mut self, case: &Case, arrays: &[Array]) -> Result<PathBuf> {
        let top = match &self.folder {
            Some(folder) => folder.clone(),
            None => self.folder.insert(Scratch::new("reproducers")?.keep()).clone(),
        };
        let name = format!("{}.{}", escape_symbol(&case.executable.name()), escape_symbol(&case.variant.name()));
        let folder = top.join(name);
        std::fs::create_dir_all(&folder).map_err(|e| Error::io("make the folder", &folder, &e))?;
        // The source that was compared with may stand elsewhere.
        let whole = Executable { op: case.source.duplicate() };
        if case.made {
            whole.variants().into_iter().for_each(|v| v.op.erase());
        }
        write_atomically(&folder.join("executable.mlir"), &write_standalone(whole, false))?;
        whole.op.erase();
        if case.source != case.executable.op {
            write_atomically(&folder.join("replaced.mlir"), &write_standalone(case.executable, false))?;
        }
        let words: Vec<String> = (self.words)(case).iter().map(|w| quote(w).to_string()).collect();
        let script = format!(
            "#!/bin/sh\n# Needs the tools on PATH; see versions.txt. Arguments are added to it.\nset -e\ncd \"$(dirname \"$0\")\"\nexec {} \"$@\"\n",
            words.join(" ")
        );
        let replay = folder.join("replay");
        write_atomically(&replay, script.as_bytes())?;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&replay, mode).map_err(|e| Error::io("make executable", &replay, &e))?;
        write_atomically(&folder.join("versions.txt"), self.version.as_bytes())?;
        for array in arrays.iter().filter(|a| a.bytes.len() <= LARGE) {
            write_atomically(&folder.join(format!("{}.npy", array.name)), &npy::write(array))?;
        }
        Ok(folder)
    }
}
