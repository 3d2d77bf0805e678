//! Flags for SPIR-V.
use super::merge::merge;
use halyard_cli::Printer;
use halyard_diag::Result;
use halyard_ir::{Session, form::Program};

/// How SPIR-V modules are prepared for linking; shared with the driver.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct MergeArgs {
    /// Merge the SPIR-V modules of executables with equal device requirements
    #[arg(long)]
    pub merge_spirv: bool,
}

impl MergeArgs {
    /// The flag that asks for a preparation, if one is given.
    pub fn flag(&self) -> Option<&'static str> {
        self.merge_spirv.then_some("--merge-spirv")
    }

    /// Returns the flags as words of a command line.
    pub fn words(&self) -> Vec<String> {
        self.flag().map(str::to_owned).into_iter().collect()
    }

    /// Merges the modules of a program, if that is asked for. Errors: a damaged module.
    pub fn apply(&self, session: &Session, program: Program, name: &str, printer: &Printer) -> Result<()> {
        if self.merge_spirv {
            let (before, after) = merge(session, program)?;
            printer.verbose(format!("`{name}`: {before} SPIR-V modules became {after}"));
        }
        Ok(())
    }
}
