//! The error type of all tools and crates.
use crate::{Diagnostic, Span};
use std::{fmt, path::Path};

/// Who must act on an error; determines the exit code (see `halyard_cli::exit`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum ErrorKind {
    /// The input was rejected, or a comparison failed: exit code 1.
    Input,
    /// The command line asks for something impossible: exit code 2.
    Usage,
    /// A file cannot be read or written, or a program is not installed: exit code 3.
    Environment,
    /// A child program failed, timed out or replied nonsense: exit code 4.
    Tool,
    /// The reader of our output is gone: no message, exit code 0.
    ClosedPipe,
}

/// An error: its kind and at least one diagnostic.
#[derive(Debug)]
pub struct Error {
    /// The kind, which determines the exit code.
    pub kind: ErrorKind,
    /// The messages, in order. Notes and hints are added to the last one.
    pub diagnostics: Vec<Diagnostic>,
}

/// A result with [`Error`] as its error type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Makes an error from one diagnostic.
    pub fn new(kind: ErrorKind, diagnostic: Diagnostic) -> Self {
        Self { kind, diagnostics: vec![diagnostic] }
    }

    /// Makes an error about an input that was rejected.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, Diagnostic::error(message))
    }

    /// The command line asks for something impossible.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, Diagnostic::error(message))
    }

    /// Makes an error about the environment: a file, a device or a permission that is missing.
    pub fn environment(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Environment, Diagnostic::error(message))
    }

    /// Makes an error about a child process that failed.
    pub fn tool(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Tool, Diagnostic::error(message))
    }

    /// An input or output error on a file: ``cannot {verb} `path`: why``. A closed pipe becomes [`ErrorKind::ClosedPipe`].
    pub fn io(verb: &str, path: impl AsRef<Path>, error: &std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self { kind: ErrorKind::ClosedPipe, diagnostics: Vec::new() };
        }
        Self::system(&format!("cannot {verb} `{}`", path.as_ref().display()), error)
    }

    /// An error of the system: ``{what}: why``, with what to do where that is known.
    pub fn system(what: &str, error: &std::io::Error) -> Self {
        let why = error.to_string();
        // Rust appends " (os error 2)", which says nothing to people.
        let why = why.split(" (os error").next().unwrap_or(&why);
        let failed = Self::environment(format!("{what}: {}", lower_first(why)));
        match remedy(error) {
            Some(remedy) => failed.hint(remedy),
            None => failed,
        }
    }

    /// Makes one error of several diagnostics about the input.
    pub fn many(diagnostics: Vec<Diagnostic>) -> Self {
        Self { kind: ErrorKind::Input, diagnostics }
    }

    fn map(mut self, f: impl FnOnce(Diagnostic) -> Diagnostic) -> Self {
        if let Some(last) = self.diagnostics.pop() {
            self.diagnostics.push(f(last));
        }
        self
    }

    /// Adds a fact to the last diagnostic.
    #[must_use]
    pub fn note(self, text: impl Into<String>) -> Self {
        self.map(|d| d.note(text))
    }

    /// Adds a next step to the last diagnostic.
    #[must_use]
    pub fn hint(self, text: impl Into<String>) -> Self {
        self.map(|d| d.hint(text))
    }

    /// Sets the place of the last diagnostic, where there is one.
    #[must_use]
    pub fn at(self, span: impl Into<Option<Span>>) -> Self {
        self.map(|d| d.at(span))
    }

    /// Names the file that the last diagnostic is about.
    #[must_use]
    pub fn in_file(self, name: impl Into<String>) -> Self {
        self.map(|d| d.in_file(name))
    }

    /// Sets the stable name of the last diagnostic.
    #[must_use]
    pub fn code(self, code: &'static str) -> Self {
        self.map(|d| d.code(code))
    }
}

/// The next step after an error that something outside our files causes.
fn remedy(error: &std::io::Error) -> Option<&'static str> {
    use std::io::ErrorKind as Kind;
    /// `EMFILE`, which has no kind.
    const TOO_MANY_FILES: i32 = 24;
    Some(match error.kind() {
        Kind::StorageFull => "make room on the disk, or name a place on another one",
        Kind::QuotaExceeded => "make room in the quota, or name a place on another disk",
        Kind::ReadOnlyFilesystem => "name a place that can be written",
        Kind::StaleNetworkFileHandle => "it was replaced meanwhile on the server that has it: try again",
        Kind::OutOfMemory => "`ulimit -v` shows the limit of memory; fewer jobs (`-j`) take less",
        _ if error.raw_os_error() == Some(TOO_MANY_FILES) => "raise the limit of open files: `ulimit -n 1024`",
        _ => return None,
    })
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    // "No such file" becomes "no such file"; an acronym such as "IO" stays.
    match (chars.next(), chars.clone().next()) {
        (Some(a), Some(b)) if a.is_uppercase() && b.is_lowercase() => a.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.diagnostics.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            f.write_str(&d.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::new(ErrorKind::Input, diagnostic)
    }
}
