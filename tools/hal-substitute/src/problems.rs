//! Collects errors, so that all are reported together.
use halyard_diag::{Error, Result};

/// The errors so far.
#[derive(Debug, Default)]
pub(crate) struct Problems(Option<Error>);

impl Problems {
    /// Adds an error.
    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(first) => {
                first.kind = first.kind.max(error.kind);
                first.diagnostics.extend(error.diagnostics);
            }
            None => self.0 = Some(error),
        }
    }

    /// The value of a result, its error kept.
    pub(crate) fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|e| self.add(e)).ok()
    }

    /// Fails if there is any error.
    pub(crate) fn finish(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}
