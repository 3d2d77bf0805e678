//! Where the scalars of a function come from.
use super::{Scalar, Size};
use halyard_ir::{Attr, Op, Type};

/// Where a scalar has its value from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Definition {
    /// A constant.
    Constant(Attr),
    /// The constant of this number that the kernel is given.
    Argument(usize, Type),
    /// A size as an `index`.
    Size(Size),
    /// An element of a tensor.
    Element(usize, Vec<Size>),
    /// A result of an operation on scalars; the operation's results follow each other.
    Result(Op, Vec<Scalar>, usize),
}
