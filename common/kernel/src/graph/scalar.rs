//! Scalars that a function computes outside of its structured operations.

/// A scalar of the function, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scalar(pub(crate) usize);
