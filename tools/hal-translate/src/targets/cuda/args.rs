//! Flags for NVIDIA GPUs.
use halyard_diag::{Error, Result};
use std::path::{Path, PathBuf};

/// The assembler of a vendor.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct AssemblerArgs {
    /// Use this `ptxas` for --emit=cubin [default: the one on PATH]
    #[arg(long, value_name = "FILE")]
    pub ptxas: Option<PathBuf>,
}

impl AssemblerArgs {
    /// Errors: an assembler is given, and none `runs`.
    pub(crate) fn check(&self, runs: bool) -> Result<()> {
        match self.ptxas.is_some() && !runs {
            true => Err(Error::usage("`--ptxas` requires `--emit=cubin`")),
            false => Ok(()),
        }
    }

    /// Returns the path of the assembler, if it is given.
    pub(crate) fn tool(&self) -> Option<&Path> {
        self.ptxas.as_deref()
    }
}
