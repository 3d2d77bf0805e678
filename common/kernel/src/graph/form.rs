//! The two forms of a graph: as it is read, and as a kernel computes it.
use super::{Place, Scalar, Size};
use crate::emit::index::Index;
use halyard_ir::Value;
use std::fmt::Debug;

/// What sizes, scalars and places in memory are.
pub(crate) trait Form: Clone + Copy + Debug {
    /// A size, an offset, or a stride.
    type Size: Extent;
    /// A scalar.
    type Scalar: Clone + Copy + Debug + PartialEq;
    /// Where memory starts.
    type Place: Clone + Copy + Debug + PartialEq;
}

/// A size as analysis looks at it: a number that is known now, or not.
pub(crate) trait Extent: Clone + Copy + Debug + PartialEq {
    /// A number.
    fn number(number: i64) -> Self;
    /// The number, if it is known now.
    fn known(self) -> Option<i64>;
}

impl Extent for Size {
    fn number(number: i64) -> Self {
        Size::constant(number)
    }

    fn known(self) -> Option<i64> {
        Size::known(self)
    }
}

impl Extent for Index {
    fn number(number: i64) -> Self {
        Index::constant(number)
    }

    fn known(self) -> Option<i64> {
        Index::known(self)
    }
}

/// As an export is read: nothing is emitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbolic;

impl Form for Symbolic {
    type Size = Size;
    type Scalar = Scalar;
    type Place = Place;
}

/// In a kernel: values of its entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InKernel;

impl Form for InKernel {
    type Size = Index;
    type Scalar = Value;
    type Place = Value;
}
