//! The command-line layer that all tools share: arguments, input and output, printing, exit codes.
//!
//! A tool's `main` is [`main()`] over its clap parser and a `run` function; everything that a tool says goes through the
//! [`Printer`] that `run` is given, and every failure is a [`halyard_diag::Error`].

mod args;
pub mod exit;
mod input;
mod output;
mod printer;
mod start;

pub use args::{ColorChoice, EmitKind, Global, MessageFormat, OutputArgs};
pub use input::{Input, read_input};
pub use output::{write_atomically, write_output};
pub use printer::Printer;
pub use start::{ToolArgs, main};
