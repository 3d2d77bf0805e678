//! A sequence of tensors whose length is known only at run time.
use super::{Dim, Value};

/// A sequence of tensors of one rank.
#[derive(Debug, Clone)]
pub(crate) struct Ragged {
    /// The elements of all tensors: `[total]`.
    pub(crate) data: Value,
    /// A row for each tensor: where it ends in the data, then its sizes. `[length, 1 + rank]` of i64.
    pub(crate) table: Value,
    /// The rank of the tensors.
    pub(crate) rank: usize,
}

impl Ragged {
    /// Returns the number of tensors.
    pub(crate) fn length(&self) -> Dim {
        self.table.shape[0].clone()
    }
}
