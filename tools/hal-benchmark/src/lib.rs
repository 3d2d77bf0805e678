//! `hal-benchmark`: measures functions of linked programs, their dispatches, and one program against another.
//!
//! `measure` is the loop, `limits` compares with what the machine can do, `report` has a file per form of output.

mod args;
mod compare;
mod dispatches;
mod functions;
mod limits;
mod machine;
mod measure;
mod peaks;
mod record;
mod report;
mod run;
mod sizes;
mod warn;

pub use args::BenchmarkArgs;
pub use run::run;

/// The tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
