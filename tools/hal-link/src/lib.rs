//! `hal-link`: programs and objects → one loadable shared object.
//!
//! [`link()`] lowers the host program to host commands (`lower`), places transients (`plan`) and weights (`weights`),
//! collects the objects of all executables (`kernels`, `objects`), and runs `ld.lld` to make the shared object
//! (`linker`).

mod archive;
mod args;
mod clib;
mod code;
mod device;
mod digest;
mod features;
mod image;
mod imports;
mod kernels;
mod link;
mod linker;
mod lower;
mod modules;
mod objects;
mod packing;
mod plan;
mod run;
mod weights;
mod work;

pub use args::LinkArgs;
pub use code::ObjectInput;
pub use device::MergeArgs;
pub use link::{Link, Linked, ProgramInput, link};
pub use linker::Linker;
pub use run::{run, run_stages, write_linked};
pub use weights::WeightsHome;

/// The entry point of the tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
