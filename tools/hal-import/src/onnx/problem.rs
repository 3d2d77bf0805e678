//! Why a node cannot be imported.
use super::Value;

/// What the import of a node gives: its results.
pub(crate) type Outcome<T = Vec<Value>> = Result<T, Problem>;

/// Why a node cannot be imported.
#[derive(Debug)]
pub(crate) enum Problem {
    /// Correct ONNX that is not supported: what.
    Unsupported(String),
    /// The model is wrong: how.
    Invalid(String),
    /// Something outside the model, e.g. a file.
    Missing(halyard_diag::Error),
}

/// Something that is not supported.
pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Unsupported(what.into()))
}

/// Something wrong.
pub(crate) fn invalid<T>(what: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Invalid(what.into()))
}
