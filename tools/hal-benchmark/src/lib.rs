//! `hal-benchmark`: measures functions of linked programs and their dispatches, and compares programs.
//!
//! `measure` is the loop, `limits` compares with the machine's peaks, `report` has a file per output format.

mod args;
mod compare;
mod dispatches;
mod functions;
mod limits;
mod machine;
mod measure;
mod peaks;
mod perf;
mod record;
mod report;
mod run;
mod sizes;
mod warn;

pub use args::BenchmarkArgs;
pub use run::run;

/// The entry point of the tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
