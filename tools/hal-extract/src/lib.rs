//! `hal-extract`: writes executables of a program to files for other tools and for people.
//!
//! [`select`] finds the executables, [`extract`] makes their files: MLIR, C ([`c`]), GLSL and CUDA ([`gpu`]), objects
//! ([`objects`]), code that has to be generated ([`ObjectGenerator`], which the driver implements with
//! `hal-translate`'s library and the tool, in [`sibling`], with its command), and programs that measure one executable
//! ([`benchmark`]).

mod args;
mod benchmark;
mod bodies;
mod c;
mod device;
mod expression;
mod extract;
mod folder;
mod generated;
mod gpu;
mod list;
mod objects;
mod request;
mod run;
mod schedules;
mod select;
mod tool_lookup;

pub use args::{ExtractArgs, ExtractKind};
pub use extract::extract;
pub use folder::write_files;
pub use request::{Extract, File, Generated, Inputs, ObjectGenerator, Scheduled};
pub use run::run;
pub use schedules::scheduled;
pub use select::select;
pub use tool_lookup::{SiblingTools, record};

/// The entry point of the tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
