//! One message with its place.
use crate::Span;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Severity {
    /// The tool fails.
    Error,
    /// The tool goes on, the result may not be what was meant.
    Warning,
    /// Something worth knowing.
    Note,
    /// MLIR's remarks.
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
    /// Where.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
}

/// One message: what, where, why, what next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name for programs, e.g. `wrong-phase`.
    pub code: Option<&'static str>,
    /// The message, one line where possible.
    pub message: String,
    /// The main place.
    pub primary: Option<Span>,
    /// A name for the place when there is no text to show, e.g. a file name.
    pub origin: Option<String>,
    /// Further places.
    pub labels: Vec<Label>,
    /// Facts that explain.
    pub notes: Vec<String>,
    /// What to do next.
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

    /// An error.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// A warning.
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

    /// Sets the stable name.
    #[must_use]
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// Adds a further place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a next step.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hints.push(text.into());
        self
    }
}
