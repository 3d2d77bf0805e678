//! Prints all messages of a tool.
use crate::{ColorChoice, GlobalArgs, MessageFormat, flags, output::write_stdout, patient::Patient};
use halyard_diag::{Diagnostic, DiagnosticFormat, Error, render, render_diagnostic};
use indicatif::MultiProgress;
use std::{
    io::{IsTerminal, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Decides once about colour, verbosity and format; writes messages to standard error. Copies share the progress bar.
#[derive(Debug, Clone)]
pub struct Printer {
    format: DiagnosticFormat,
    color: bool,
    quiet: u8,
    verbose: u8,
    /// The bar that must make room for what is written.
    bar: Arc<Mutex<Option<MultiProgress>>>,
    /// Maps flags of other tools to their names in this tool.
    renamed: fn(&str) -> Option<&'static str>,
}

impl Printer {
    /// Makes a printer from the common flags and the environment.
    pub fn new(global: &GlobalArgs) -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let color = match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => set("CLICOLOR_FORCE") || (!set("NO_COLOR") && std::io::stderr().is_terminal()),
        };
        let format = match global.message_format {
            MessageFormat::Human => DiagnosticFormat::Human,
            MessageFormat::Short => DiagnosticFormat::Short,
            MessageFormat::Json => DiagnosticFormat::Json,
        };
        Self { format, color, quiet: global.quiet, verbose: global.verbose, bar: Arc::default(), renamed: |_| None }
    }

    /// Renames flags in messages to this tool's names.
    #[must_use]
    pub(crate) fn renaming(self, renamed: fn(&str) -> Option<&'static str>) -> Self {
        Self { renamed, ..self }
    }

    /// Prints an error.
    pub fn error(&self, error: &Error) {
        let diagnostics = error.diagnostics.iter().map(|d| flags::rename(d, self.renamed)).collect();
        self.stderr(&render(&Error { kind: error.kind, diagnostics }, self.format, self.color));
    }

    /// Writes a warning or note, as far as the verbosity allows.
    pub fn diagnostic(&self, diagnostic: &Diagnostic) {
        use halyard_diag::Severity;
        let allowed = match diagnostic.severity {
            Severity::Error => true,
            Severity::Warning => self.quiet < 2,
            Severity::Note | Severity::Remark => self.quiet < 1,
        };
        if allowed {
            let renamed = flags::rename(diagnostic, self.renamed);
            self.stderr(&render_diagnostic(&renamed, self.format, self.color));
        }
    }

    /// A line about what was done, unless `-q`.
    pub fn note(&self, text: impl Into<String>) {
        self.diagnostic(&Diagnostic::new(halyard_diag::Severity::Note, text));
    }

    /// Prints a line if `-v` is given.
    pub fn verbose(&self, text: impl AsRef<str>) {
        if self.verbose > 0 {
            self.stderr(&format!("{}\n", text.as_ref()));
        }
    }

    /// Whether notes are suppressed (`-q`).
    pub fn is_quiet(&self) -> bool {
        self.quiet > 0
    }

    /// Whether more than usual is printed (`-v`).
    pub fn is_verbose(&self) -> bool {
        self.verbose > 0
    }

    /// Attaches a progress bar, which is cleared while text is printed.
    pub(crate) fn attach(&self, bar: &MultiProgress) {
        *self.bar() = Some(bar.clone());
    }

    fn bar(&self) -> MutexGuard<'_, Option<MultiProgress>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes without tearing the progress bar.
    fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &*self.bar() {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Whether standard error is coloured.
    pub fn color(&self) -> bool {
        self.color
    }

    /// Whether messages are for people (not `short` or `json`).
    pub fn is_human(&self) -> bool {
        self.format == DiagnosticFormat::Human
    }

    /// Writes text to standard error unchanged, if messages are for people.
    pub fn stderr(&self, text: &str) {
        // A closed standard error is no reason to fail.
        let _ = self.aside(|| Patient(std::io::stderr().lock()).write_all(text.as_bytes()));
    }

    /// Data on standard output. A closed pipe ends the tool quietly.
    pub fn stdout(&self, text: &str) -> halyard_diag::Result<()> {
        self.aside(|| write_stdout(text.as_bytes()))
    }
}
