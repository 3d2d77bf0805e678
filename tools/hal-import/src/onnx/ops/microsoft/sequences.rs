//! The sequences of a call of `GroupQueryAttention`.
use crate::onnx::{Dim, Value};

/// The sequence lengths of a call.
pub(super) struct Run {
    /// The position of the first new token of each row: `[batch]`.
    pub(super) start: Value,
    /// The position of the last token of each row: `[batch]`.
    pub(super) end: Value,
    /// The number of new tokens.
    pub(super) length: Dim,
    /// The number of tokens for which the past has room.
    pub(super) room: Dim,
    /// The largest number of tokens that are attended to.
    pub(super) total: Dim,
}

/// What queries attend to, and what the next call is given.
pub(super) struct Attended {
    pub(super) keys: Value,
    pub(super) values: Value,
    /// The addend of scores, or which of them count.
    pub(super) mask: Value,
    pub(super) present: [Value; 2],
}
