//! `hal-compile`: the driver, from a model to a linked program in one command.
//!
//! A `plan` determines which tools run, in which order, with which flags. It can be printed as a pipe of commands
//! (`--dry-run`), or run with the tools' libraries in this process (`run`); both give the same program.

mod args;
mod dump_args;
mod flags;
mod format;
mod graph;
mod hook;
mod iree;
mod kernels;
mod pipe;
mod plan;
mod plugins;
mod preprocess;
mod report;
mod reproduce;
mod run;
mod steps;
mod substitute;
mod times;

pub use args::CompileArgs;
pub use run::run;

/// The entry point of the tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
