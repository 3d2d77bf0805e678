//! Starts tools: parses arguments, calls `run`, and reports the result.
use crate::{GlobalArgs, Printer, ToolArgs, closed, exit, help, manual, panic, usage};
use halyard_diag::{Diagnostic, Error, ErrorKind, Result, Severity};
use std::process::ExitCode;

/// Parses the command line, runs the tool, reports its failure and turns it into an exit code.
pub fn main<A: ToolArgs>(run: fn(A, &Printer) -> Result<()>) -> ExitCode {
    let command = help::command::<A>();
    panic::install(command.get_name(), env!("CARGO_PKG_VERSION"));
    let argv = A::prepare(std::env::args_os().collect());
    if let Some(result) = manual::requested::<A>(&argv) {
        return finish(result, &Printer::new(&GlobalArgs::default()));
    }
    let command = match argv.iter().any(|word| word == "--help").then(|| A::help_more(&argv)).flatten() {
        Some(more) => {
            let long = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            command.after_long_help(format!("{}\n\n{long}", more.trim_end()))
        }
        None => command,
    };
    let matches = command.clone().try_get_matches_from(&argv);
    let args = match matches.and_then(|matches| A::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(e) if e.use_stderr() => return ExitCode::from(usage::report::<A>(e, &argv, &command)),
        // Help and version go to standard output as data, so that a full disk is an error.
        Err(e) => {
            let result = closed::writable().and_then(|()| e.print()).map_err(|e| Error::io("write", "<stdout>", &e));
            return finish(result, &Printer::new(&GlobalArgs::default()));
        }
    };
    let printer = Printer::new(args.global()).renaming(A::renamed);
    for (former, now) in FORMER {
        if argv.iter().any(|word| word.to_str().is_some_and(|w| w.split('=').next() == Some(former))) {
            printer.diagnostic(&Diagnostic::new(Severity::Note, format!("`{former}` is called `{now}` now")));
        }
    }
    finish(run(args, &printer), &printer)
}

/// Flags that have another name now, and are accepted for one version.
const FORMER: [(&str, &str); 1] = [("--bundle", "--pipeline")];

fn finish(result: Result<()>, printer: &Printer) -> ExitCode {
    ExitCode::from(conclude(result, printer))
}

/// Reports what failed; gives the exit code.
pub fn conclude(result: Result<()>, printer: &Printer) -> u8 {
    match result {
        Ok(()) => exit::OK,
        Err(e) => {
            if e.kind != ErrorKind::ClosedPipe {
                printer.error(&e);
            }
            exit::code(e.kind)
        }
    }
}
