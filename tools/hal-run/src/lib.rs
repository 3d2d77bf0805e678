//! `hal-run`: runs a function of a linked program, prints or writes what it returns, and compares that with what is
//! expected.

mod args;
mod check;
mod compare;
mod expect;
mod inputs;
mod list;
mod record;
mod run;

pub use args::RunArgs;
pub use run::run;

/// The tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
