//! `hal-opt`: transforms MLIR by stages.
//!
//! Reads any MLIR, runs the stages that the command line names, writes MLIR. Without a stage it is the identity. Where
//! the module is a Halyard program, the exchange form is verified before and after. Stages are `halyard-stages`', external
//! tools are `halyard-preprocess`'.

mod args;
mod chunks;
mod expect;
mod reproducer;
mod run;

pub use args::OptArgs;
pub use run::run;

/// The tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
