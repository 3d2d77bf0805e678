//! A message with its place in a source.
use crate::Span;

/// The severity of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Severity {
    /// The tool fails.
    Error,
    /// The tool goes on, the result may not be what was meant.
    Warning,
    /// Information that does not need action.
    Note,
    /// A remark from MLIR.
    Remark,
}

impl Severity {
    /// The severity as printed before the message.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
            Self::Remark => "remark",
        }
    }
}

/// A secondary location with its own text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place in the source.
    pub span: Span,
    /// The text at the place; may be empty.
    pub text: String,
}

/// One message: what failed, where, why, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// A stable name for programs, e.g. `wrong-phase`.
    pub code: Option<&'static str>,
    /// The message, one line where possible.
    pub message: String,
    /// The place that the message is about, if there is one.
    pub primary: Option<Span>,
    /// A name for the place when there is no text to show, e.g. a file name.
    pub origin: Option<String>,
    /// Further places, with a text for each.
    pub labels: Vec<Label>,
    /// Facts that explain the message.
    pub notes: Vec<String>,
    /// Suggestions of what to do next.
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// Makes a diagnostic with a message only.
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self {
            severity,
            code: None,
            message: message.into(),
            primary: None,
            origin: None,
            labels: Vec::new(),
            notes: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// Makes an error.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// Makes a warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// Sets the main place, where there is one.
    #[must_use]
    pub fn at(mut self, span: impl Into<Option<Span>>) -> Self {
        self.primary = span.into().or(self.primary);
        self
    }

    /// Names the file (or `<stdin>`) that the message is about, where there is no text to show.
    #[must_use]
    pub fn in_file(mut self, name: impl Into<String>) -> Self {
        self.origin = Some(name.into());
        self
    }

    /// Sets the stable code.
    #[must_use]
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// Adds a further place with a text.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hints.push(text.into());
        self
    }
}
