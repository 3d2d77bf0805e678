//! Places of errors in replies: the file, if there is no text to point into.
use halyard_diag::Error;

/// Names the file of a reply where there is no text to point into.
pub(super) fn placed(mut error: Error, name: &str) -> Error {
    for d in error.diagnostics.iter_mut().filter(|d| d.primary.is_none() && d.origin.is_none()) {
        d.origin = Some(name.to_owned());
    }
    error
}
