//! The reasons why a node cannot be imported.
use super::Value;

/// The result of importing a node: its outputs.
pub(crate) type Outcome<T = Vec<Value>> = Result<T, Problem>;

/// The reason why a node cannot be imported.
#[derive(Debug)]
pub(crate) enum Problem {
    /// Correct ONNX that is not supported: what.
    Unsupported(String),
    /// The model is invalid, for this reason.
    Invalid(String),
    /// Something outside the model, e.g. a file.
    Missing(halyard_diag::Error),
}

/// Makes an error for something that is not supported.
pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Unsupported(what.into()))
}

/// Makes an error for something invalid.
pub(crate) fn invalid<T>(what: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Invalid(what.into()))
}
