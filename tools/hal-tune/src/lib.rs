//! `hal-tune`: chooses kernels by measurement.
//!
//! A [`subject`] is an executable for one target. [`space`] reads what may be chosen for its kernel, [`search`] proposes
//! candidates, [`build`] makes kernels of them, and `halyard_verify::contest` checks each and times it beside the kernel that the
//! program has. [`judge`] decides by [`halyard_statistics`] what is faster; [`trials`] keeps a line of JSON for each candidate,
//! and [`install`] puts the winners into the program.

mod args;
mod assignment;
mod bound;
mod budget;
mod build;
mod candidate;
mod compilers;
mod contender;
mod database;
mod device;
mod entrants;
mod files;
mod generate;
mod host;
mod incumbent;
mod install;
mod judge;
mod judged;
mod present;
mod prune;
mod ready;
mod report;
mod run;
mod script;
mod search;
mod serve;
mod space;
mod store;
mod subject;
mod target;
mod trial;
mod trials;
mod tune;
mod unbuilt;

pub use args::TuneArgs;
pub use run::run;

/// The tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
