//! `hal-substitute`: replaces executables with MLIR files and objects.
//!
//! [`Rule`]s and [`Folder`]s name the replacements; `request` finds what they refer to in a program and reads the
//! files; `carry` finds where files of an earlier version of the program belong; `source` checks MLIR for executables,
//! `code` MLIR for their variants, `variant` objects for CPUs and `gpu` those for GPUs (`object` reads them, `llvm`
//! compiles LLVM IR and assembly, in a `child` process); [`substitute()`] applies all replacements or none.

mod args;
mod arguments;
mod carry;
mod checked_object;
mod child;
mod code;
mod files;
mod folder;
mod gpu;
mod gpu_args;
mod llvm;
mod merge;
mod name;
mod object;
mod others;
mod plugin;
mod problems;
mod provenance;
mod rename;
mod request;
mod rule;
mod run;
mod schedule;
mod select;
mod settings;
mod signature;
mod source;
mod substitute;
mod suffix;
mod unclaimed;
mod variant;
mod variant_source;
mod verified;
mod workgroups;

pub use args::SubstituteArgs;
pub use arguments::ArgumentsArg;
pub use gpu_args::{GpuArgs, SharedMemory, SpecConstantArg};
pub use name::{SubstitutionName, Variants};
pub use rule::{Folder, Only, Rule, Workgroups};
pub use run::{run, tell};
pub use substitute::{Made, Substitution, SubstitutionReport, substitute};
pub use verified::Before;

/// The entry point of the tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
