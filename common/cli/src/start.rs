//! Starts tools: parses arguments, calls `run`, and reports the result.
use crate::{GlobalArgs, Printer, closed, exit, manual, panic};
use clap::error::{ContextKind, ContextValue, ErrorKind as UsageErrorKind};
use halyard_diag::{Diagnostic, Error, ErrorKind, Result, Severity};
use std::{ffi::OsString, process::ExitCode};

/// A tool's arguments.
pub trait ToolArgs: clap::Parser {
    /// Command lines worth copying, one a line, shown at the end of `--help` and in the manual page.
    const EXAMPLES: &'static str = "";

    /// Returns the common flags.
    fn global(&self) -> &GlobalArgs;

    /// A flag that was perhaps meant by an unknown one, beside those that the parser knows.
    fn suggest(_unknown: &str) -> Option<String> {
        None
    }

    /// Maps a flag of another project to the equivalent flag of this tool, or to `Some(None)` if there is none. The
    /// result replaces the parser's own suggestion.
    fn foreign(_unknown: &str) -> Option<Option<String>> {
        None
    }

    /// Maps a flag that a shared crate names in a message to its name in this tool. The result may include the tool
    /// that has the flag: `hal-link --weights-path`.
    fn renamed(_flag: &str) -> Option<&'static str> {
        None
    }

    /// Additional text for `--help` with this command line: the options of the plugins that it enables.
    fn help_more(_argv: &[OsString]) -> Option<String> {
        None
    }

    /// Rewrites the command line (the first is the tool's name) before it is parsed.
    fn prepare(argv: Vec<OsString>) -> Vec<OsString> {
        argv
    }
}

/// Parses the command line, runs the tool, reports its failure and turns it into an exit code.
pub fn main<A: ToolArgs>(run: fn(A, &Printer) -> Result<()>) -> ExitCode {
    let command = command::<A>();
    panic::install(command.get_name(), env!("CARGO_PKG_VERSION"));
    let argv = A::prepare(std::env::args_os().collect());
    if let Some(result) = manual::requested(&argv, &command) {
        return finish(result, &Printer::new(&GlobalArgs::default()));
    }
    let command = match argv.iter().any(|word| word == "--help").then(|| A::help_more(&argv)).flatten() {
        Some(more) => {
            let long = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            command.after_long_help(format!("{}\n\n{long}", more.trim_end()))
        }
        None => command,
    };
    let args = match command.try_get_matches_from(&argv).and_then(|matches| A::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(mut e) if e.use_stderr() => {
            advise::<A>(&mut e);
            let _ = e.print();
            return ExitCode::from(exit::USAGE);
        }
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

/// The clap command of a tool, with what all tools share: the version text, the examples and the exit codes.
pub fn command<A: ToolArgs>() -> clap::Command {
    let mut after = String::new();
    let examples = A::EXAMPLES.trim_matches('\n');
    if !examples.is_empty() {
        after += "Examples:\n";
        after.extend(examples.lines().map(|line| format!("  {}\n", line.trim())));
        after += "\n";
    }
    after += exit::HELP;
    A::command()
        .version(concat!(env!("CARGO_PKG_VERSION"), " (LLVM ", env!("HALYARD_LLVM_VERSION"), ")"))
        .after_help("See `--help` for details, examples and exit codes.")
        .after_long_help(after)
}

/// Improves on what the parser says about an unknown flag: no advice on files named like flags, but the tool's own.
fn advise<A: ToolArgs>(error: &mut clap::Error) {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg).cloned() else { return };
    if error.kind() == UsageErrorKind::UnknownArgument
        && let Some(ours) = A::foreign(&unknown)
    {
        error.remove(ContextKind::Suggested);
        error.remove(ContextKind::SuggestedArg);
        if let Some(ours) = ours {
            error.insert(ContextKind::SuggestedArg, ContextValue::String(ours));
        }
        return;
    }
    if error.kind() != UsageErrorKind::UnknownArgument || error.get(ContextKind::SuggestedArg).is_some() {
        return;
    }
    error.remove(ContextKind::Suggested);
    if let Some(meant) = A::suggest(&unknown) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(meant));
    }
}

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
