//! `hal-opt`: transforms MLIR with stages.
//!
//! Reads any MLIR, runs the stages that the command line names, writes MLIR. Without a stage it is the identity. If
//! the module is a Halyard program, the exchange form is verified before and after. Stages are implemented in
//! `halyard-stages`, preprocessors in `halyard-preprocess`.

mod args;
mod chunks;
mod expect;
mod reproducer;
mod run;

pub use args::OptArgs;
pub use run::run;

/// The entry point of the tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
