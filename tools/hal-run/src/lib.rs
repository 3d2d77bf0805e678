//! `hal-run`: runs a function of a linked program, prints or writes its outputs, and compares them with expected ones.

mod args;
mod check;
mod compare;
mod expect;
mod inputs;
mod list;
mod record;
mod run;
mod trace;

pub use args::RunArgs;
pub use run::run;

/// The entry point of the tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
