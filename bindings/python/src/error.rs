//! Errors become exceptions of `halyard.errors`, with our messages.
use halyard_diag::{Error, ErrorKind};
use pyo3::{exceptions::PyRuntimeError, prelude::*, sync::PyOnceLock};

static CLASSES: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// Makes the exception that a caller in Python sees.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error.kind {
        ErrorKind::Input => "InputError",
        ErrorKind::Usage => "UsageError",
        ErrorKind::Environment | ErrorKind::ClosedPipe => "ResourceError",
        ErrorKind::Tool => "ToolError",
    };
    made(py, class, error).unwrap_or_else(|why| why)
}

/// A call that passes the wrong number of arguments, or names that the function does not have.
pub(crate) fn wrong_arguments(py: Python<'_>, error: &Error) -> PyErr {
    made(py, "ArgumentError", error).unwrap_or_else(|why| why)
}

fn made(py: Python<'_>, class: &str, error: &Error) -> PyResult<PyErr> {
    let classes = CLASSES.get_or_try_init(py, || py.import("halyard.errors").map(Bound::unbind))?;
    let value = classes.bind(py).getattr(class)?.call1((text(error),))?;
    let code = error.diagnostics.iter().find_map(|d| d.code);
    value.setattr("code", code)?;
    Ok(PyErr::from_value(value))
}

/// The messages with their facts and next steps, one a line.
fn text(error: &Error) -> String {
    let mut lines = Vec::new();
    for d in &error.diagnostics {
        let place = d.origin.as_ref().map_or(String::new(), |o| format!("{o}: "));
        lines.push(format!("{place}{}", d.message));
        lines.extend(d.notes.iter().map(|n| format!("note: {n}")));
        lines.extend(d.hints.iter().map(|h| format!("hint: {h}")));
    }
    lines.join("\n")
}

/// Adds the exception to the result of a function of the runtime.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for halyard_diag::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

/// An exception for what cannot be, such as a lock whose holder panicked.
pub(crate) fn bug(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("a bug in halyard: {what}"))
}
