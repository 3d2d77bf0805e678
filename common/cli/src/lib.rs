//! The command-line layer that all tools share: arguments, input and output, printing, exit codes.
//!
//! A tool's `main` is [`main()`] over its clap parser and a `run` function. All output for people goes through the
//! [`Printer`] that `run` receives, and every failure is a [`halyard_diag::Error`].

mod args;
mod closed;
mod depfile;
pub mod exit;
mod flags;
mod help;
mod input;
mod libraries;
mod manual;
mod mapped;
mod output;
mod panic;
mod patient;
mod printer;
mod progress;
mod spill;
mod start;
mod tool;
mod units;
mod unnamed;
mod usage;

pub use args::{ColorChoice, GlobalArgs, JobsArgs, MessageFormat, ModuleFormat, OutputArgs};
pub use depfile::{DepfileArgs, depend_on, files_read, write_depfile};
pub use help::command;
pub use input::{Input, read_input};
pub use libraries::{DialectLibraryArgs, LibraryArgs};
pub use mapped::{Origin, contains, give_back, in_pieces, map_file, map_weights, origin, places, try_in_pieces};
pub use output::{create_atomically, folder_of, write_atomically, write_ir, write_output, write_pieces_atomically};
pub use printer::Printer;
pub use progress::{Progress, ProgressStep};
pub use spill::{Kept, Spill, filled, spilled};
pub use start::{conclude, main};
pub use tool::ToolArgs;
pub use units::{duration, duration_or_zero, size};
