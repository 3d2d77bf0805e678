//! From `main` to `run`.
use crate::{Global, Printer, exit};
use halyard_diag::{Kind, Result};
use std::process::ExitCode;

/// A tool's arguments.
pub trait ToolArgs: clap::Parser {
    /// The common flags among them.
    fn global(&self) -> &Global;
}

/// Parses the command line, runs the tool, reports its failure and turns it into an exit code.
pub fn main<A: ToolArgs>(run: fn(A, &Printer) -> Result<()>) -> ExitCode {
    let args = match A::try_parse() {
        Ok(args) => args,
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { exit::USAGE } else { exit::OK });
        }
    };
    let printer = Printer::new(args.global());
    match run(args, &printer) {
        Ok(()) => ExitCode::from(exit::OK),
        Err(e) => {
            if e.kind != Kind::ClosedPipe {
                printer.error(&e);
            }
            ExitCode::from(exit::code(e.kind))
        }
    }
}
