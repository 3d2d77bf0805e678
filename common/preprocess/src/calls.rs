//! Runs one command many times in parallel, and reports failures.
use crate::{Command, Kept, PreprocessArgs, Request};
use halyard_cache::CacheChoice;
use halyard_cli::Printer;
use halyard_diag::{Diagnostic, Error, ErrorKind, Result, Severity};
use halyard_exec::{Call, Cancel, ExitOutcome, Finished, OUTPUT, Slots, TAIL, Tool, parallel_map_in};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// All variables that calls set; those that a call does not set are removed from the inherited environment.
const VARIABLES: &[&str] = &[
    "HALYARD_PROTOCOL",
    "HALYARD_HOOK",
    "HALYARD_PHASE",
    "HALYARD_PROGRAM",
    "HALYARD_FORMAT",
    "HALYARD_TARGET",
    "HALYARD_INDEX",
    "HALYARD_COUNT",
    "HALYARD_EXECUTABLE",
    "HALYARD_VARIANT",
    "HALYARD_OBJECT",
    "HALYARD_EXPORTS",
];

/// Time for calls that precede a failed one to fail themselves, so that the reported failure is the first one in most
/// cases, whatever the timing.
const PATIENCE: Duration = Duration::from_millis(200);

/// Makes the calls of one command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller<'a> {
    /// Where replies of pure commands are kept.
    pub(crate) cache: Option<&'a CacheChoice>,
    pub(crate) printer: &'a Printer,
    pub(crate) slots: &'a Slots,
    pub(crate) timeout: Option<Duration>,
    pub(crate) memory: Option<u64>,
    /// The largest reply of a command in bytes, and the flag that sets it, if there is one.
    pub(crate) output: (u64, Option<&'static str>),
}

/// The limit on replies where no flag sets it.
pub(crate) const NO_FLAG: (u64, Option<&str>) = (OUTPUT, None);

/// Returns the limit on replies that the flags set.
pub(crate) fn output(args: &PreprocessArgs) -> (u64, Option<&'static str>) {
    (args.preprocess_output.unwrap_or(OUTPUT), Some("`--preprocess-output=SIZE` allows more"))
}

impl Caller<'_> {
    /// Calls a command for each request and waits for all. The first failure ends the others. Errors: the first request
    /// (in order) that failed; its files are kept.
    pub(crate) fn call(&self, command: &Command, requests: &[&Request], kept: &Kept) -> Result<Vec<Finished>> {
        if self.slots.is_unreachable() {
            let d = Diagnostic::warning("the job server of `make` cannot be reached: one command runs at a time");
            self.printer.diagnostic(&d.hint("put `+` before the command in the recipe, or give `-j`"));
        }
        let tool = Tool::shell(&command.line)?;
        let cancels: Vec<Cancel> = requests.iter().map(|_| Cancel::default()).collect();
        let results = parallel_map_in(self.slots, requests, |i, request| {
            if cancels[i].is_set() {
                return None;
            }
            let result = self.prepare(&tool, command, request, &cancels[i]).run_unchecked();
            if !result.as_ref().is_ok_and(|f| succeeded(command, f)) {
                cancels[i + 1..].iter().for_each(Cancel::set);
                cancels[..i].iter().for_each(|c| c.set_in(PATIENCE));
            }
            Some(result)
        });
        let mut finished = Vec::new();
        let mut failure = None;
        for (&request, result) in requests.iter().zip(results) {
            match result {
                Some(Ok(f)) if succeeded(command, &f) => {
                    if kept.always() {
                        kept.write(command, request, &f)?;
                    }
                    finished.push(f);
                }
                Some(Ok(f)) if f.ending == ExitOutcome::Cancelled => {}
                // Only the first failure is reported and kept.
                Some(Ok(f)) if failure.is_none() || kept.always() => {
                    let folder = kept.write(command, request, &f);
                    failure.get_or_insert_with(|| self.failure(command, request, &f, folder));
                }
                Some(Ok(_)) => {}
                Some(Err(e)) => drop(failure.get_or_insert(e)),
                None => {}
            }
        }
        failure.map_or(Ok(finished), Err)
    }

    fn prepare<'t>(&self, tool: &'t Tool, command: &Command, request: &Request, cancel: &Cancel) -> Call<'t> {
        let mut call = tool
            .call([] as [&str; 0])
            .stdin(request.stdin.clone())
            .cancel(cancel)
            .slots(self.slots)
            .output(self.output.0);
        for name in VARIABLES {
            call = match command.variables(request).find(|(n, _)| n == name) {
                Some((_, value)) => call.env(*name, value),
                None => call.without_env(*name),
            };
        }
        if let Some(timeout) = self.timeout {
            call = call.limit(timeout);
        }
        if let Some(memory) = self.memory {
            call = call.memory(memory);
        }
        call
    }

    /// Shows what a child that went well said on standard error. To be called in the order of the requests, once the reply
    /// is known to be good.
    pub(crate) fn show(&self, command: &Command, request: &Request, finished: &Finished) {
        if finished.left_behind || finished.staying > 0 {
            let held = if finished.left_behind { ", which held its output open" } else { "" };
            let d =
                Diagnostic::warning(format!("`{}` left processes behind for {}{held}", command.name(), request.name));
            let d = match staying(finished) {
                Some(words) => d.note(words),
                None => d.note("they were ended; what they would still have written is not part of the reply"),
            };
            self.printer.diagnostic(&d);
        }
        if finished.stderr.is_blank() || self.printer.is_quiet() {
            return;
        }
        let (title, lines) = (format!("`{}` on {}", command.name(), request.name), finished.stderr.lines(TAIL));
        if self.printer.is_human() {
            self.printer.stderr(&format!("{title}:\n{lines}\n"));
        } else {
            self.printer.diagnostic(&Diagnostic::new(Severity::Note, format!("{title} said")).note(lines));
        }
    }

    fn failure(&self, command: &Command, request: &Request, finished: &Finished, folder: Result<PathBuf>) -> Error {
        let name = command.name();
        let error = if finished.ending.is_success() {
            Error::tool(format!("`{name}` wrote nothing for {}", request.name))
                .code("empty-reply")
                .hint(command.may_be_empty)
        } else {
            Error::tool(format!("`{name}` {} on {}", finished.ending.words(), request.name)).code("tool-failed")
        };
        let error = with_output(error, finished);
        let error = match finished.ending.explanation() {
            Some(why) => error.note(why),
            None => error,
        };
        let error = match self.output.1.filter(|_| matches!(finished.ending, ExitOutcome::TooMuch(_))) {
            Some(flag) => error.hint(flag),
            None => error,
        };
        let error = match staying(finished) {
            Some(words) => error.note(format!("it left processes behind; {words}")),
            None => error,
        };
        let error = match advice(&command.line, finished.ending) {
            Some(hint) => error.hint(hint),
            None => error,
        };
        let error = match self.memory {
            Some(bytes) => error.note(format!("its memory was limited to {bytes} bytes")),
            None => error,
        };
        with_files(at(error, request), folder)
    }
}

/// Adds to an error in a reply the command, the item and the place of the files.
pub(crate) fn refuse(error: Error, command: &Command, request: &Request, finished: &Finished, kept: &Kept) -> Error {
    let folder = kept.write(command, request, finished);
    let mut error = Error { kind: ErrorKind::Tool, diagnostics: error.diagnostics };
    if let (Some(span), Some(first)) = (&request.span, error.diagnostics.first_mut())
        && first.labels.is_empty()
        && first.primary.as_ref() != Some(span)
    {
        *first = first.clone().label(span.clone(), "what it was given");
    }
    let error = error.note(format!("this is what `{}` replied for {}", command.name(), request.name));
    let error = if finished.stderr.is_blank() { error } else { with_output(error, finished) };
    with_files(error, folder)
}

/// Whether a call has succeeded, as far as can be told without reading its reply.
pub(crate) fn succeeded(command: &Command, finished: &Finished) -> bool {
    finished.ending.is_success() && (command.empty_is_unchanged || !is_empty(finished))
}

fn is_empty(finished: &Finished) -> bool {
    finished.stdout.iter().all(u8::is_ascii_whitespace)
}

/// Reports processes that could not be ended.
fn staying(finished: &Finished) -> Option<String> {
    let which = match finished.staying {
        0 => return None,
        1 => "one of them".into(),
        n => format!("{n} of them"),
    };
    Some(format!("{which} could not be ended: what runs as another user, or waits inside the system, stays"))
}

/// Whether a reply changes nothing: it is empty, or equal to the input.
pub(crate) fn is_unchanged(request: &Request, finished: &Finished) -> bool {
    is_empty(finished) || finished.stdout == request.stdin
}

fn at(error: Error, request: &Request) -> Error {
    match &request.span {
        Some(span) => error.at(span.clone()),
        None => error,
    }
}

fn with_output(error: Error, finished: &Finished) -> Error {
    match finished.stderr.lines(TAIL) {
        lines if lines.is_empty() => error.note("it printed nothing on standard error"),
        lines => error.note(format!("it printed:\n{lines}")),
    }
}

fn with_files(error: Error, folder: Result<PathBuf>) -> Error {
    match folder {
        Ok(folder) => {
            let cut = folder.join("stdout-is-cut").exists();
            let error = if cut { error.note("only the beginning of its output is kept") } else { error };
            let folder = folder.display();
            error
                .note(format!("its input and output are in `{folder}`"))
                .hint(format!("`{folder}/replay` runs it again"))
        }
        Err(e) => error.note(format!("what it was given and what it wrote could not be kept: {e}")),
    }
}

/// Suggests a correction of a command that a shell cannot run.
fn advice(line: &str, ending: ExitOutcome) -> Option<String> {
    if !matches!(ending, ExitOutcome::Exit(126 | 127)) {
        return None;
    }
    let line = line.trim();
    if halyard_ir::is_pass(line.split('{').next().unwrap_or(line)) {
        return Some(format!("for the pass, write `builtin.module({line})` or `stage:{line}`"));
    }
    (line.contains(char::is_whitespace) && Path::new(line).is_file())
        .then(|| format!("a file name with blanks needs quotes of its own: `{}`", halyard_diag::quote(line)))
}
