//! Loaded programs.
use crate::{FunctionInfo, KernelInfo};
use halyard_diag::{Error, Result};
use std::{path::Path, sync::Arc};

/// The weights and constants of a program, in memory.
#[derive(Debug)]
pub(crate) struct Constants;

/// A linked program, checked and mapped. Cheap to clone; instances share it.
#[derive(Debug, Clone)]
pub struct Program {
    inner: Arc<(Vec<FunctionInfo>, Vec<KernelInfo>)>,
}

impl Program {
    /// Loads a shared object that `hal-link` made. Its weights are looked for beside it. Errors: not a linked program,
    /// damaged, of another version or machine, a missing or different weight archive.
    pub fn load(path: &Path) -> Result<Self> {
        Err(Error::input("not a linked program").in_file(path.display().to_string()))
    }

    /// The functions that can be called, in the order of the source.
    pub fn functions(&self) -> &[FunctionInfo] {
        &self.inner.0
    }

    /// The function of that name, or the only one, or `main`, if no name is given. Errors: no such function (with the
    /// names that there are).
    pub fn function(&self, _name: Option<&str>) -> Result<&FunctionInfo> {
        Err(Error::usage("no function"))
    }

    /// The kernels, in the order of the source.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.inner.1
    }
}
