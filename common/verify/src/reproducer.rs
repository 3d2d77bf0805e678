//! All that is needed to see a wrong kernel again: a folder per executable and variant.
//!
//! - `executable.mlir`: the executable alone; with its objects, where the tool did not make them;
//! - `replay`: a script that verifies it again;
//! - `argument_N.npy`, `got_N.npy`, `wanted_N.npy`: the run that went wrong;
//! - `versions.txt`.
use crate::{Array, Case, npy, reproducer_folder::ReproducerFolder};
use halyard_cli::write_atomically;
use halyard_diag::{Error, Result};
use halyard_ir::form::{Executable, write_standalone};
use std::path::PathBuf;

/// Tensors are kept up to this size.
const LARGE: usize = 64 << 20;

/// Where reproducers go, and how a kernel is verified again.
pub struct KernelReproducer<'a> {
    folder: ReproducerFolder,
    words: &'a dyn Fn(&Case) -> Vec<String>,
    version: String,
}

impl<'a> KernelReproducer<'a> {
    /// `folder` is where they go; a new one, if there is none. `words` is the command that verifies `executable.mlir` again.
    pub fn new(folder: Option<PathBuf>, words: &'a dyn Fn(&Case) -> Vec<String>, version: String) -> Self {
        Self { folder: ReproducerFolder::new(folder), words, version }
    }

    /// Saves a reproducer and adds its place to the error, or the reason why it could not be saved.
    pub(crate) fn save(&mut self, case: &Case, arrays: &[Array], error: Error) -> Error {
        ReproducerFolder::note(self.write(case, arrays), error)
    }

    fn write(&mut self, case: &Case, arrays: &[Array]) -> Result<PathBuf> {
        let folder = self.folder.make(&case.executable.name(), &case.variant.name())?;
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
        ReproducerFolder::write_replay(&folder, "the tools", &(self.words)(case), &self.version)?;
        for array in arrays.iter().filter(|a| a.bytes.len() <= LARGE) {
            write_atomically(&folder.join(format!("{}.npy", array.name)), &npy::write(array))?;
        }
        Ok(folder)
    }
}
