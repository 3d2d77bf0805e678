//! `hal-benchmark`: measures functions of linked programs, their dispatches, and one program against another.
//!
//! [`stats`] is the arithmetic, `measure` the loop, `report` one file per form of output.

mod args;
mod compare;
mod dispatches;
mod functions;
mod machine;
mod measure;
mod record;
mod report;
mod run;
mod warn;

pub use args::BenchmarkArgs;
pub use run::run;

/// The tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
