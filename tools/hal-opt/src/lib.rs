//! `hal-opt`: transforms MLIR by stages.
//!
//! Reads any MLIR, runs the stages that the command line names, writes MLIR. Without a stage it is the identity. Where
//! the module is a Halyard program, the exchange form is verified before and after.
//!
//! [`Stages`] is what other tools run stages with.

mod args;
mod chunks;
mod expect;
mod grammar;
mod preprocess;
mod report;
mod run;
mod stages;
mod suggest;

pub use args::Args;
pub use halyard_ir::PipelineOptions;
pub use preprocess::{Converted, Hook, Preprocess, PreprocessArgs};
pub use run::run;
pub use stages::{Matching, StageArgs, Stages, Timing};

/// The tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
