//! The two forms of a graph: as it is read, and as a kernel computes it.
use super::{Input, Place, Scalar, Size};
use crate::ix::Ix;
use halyard_ir::Value;
use std::fmt::Debug;

/// What sizes, scalars and places in memory are.
pub(crate) trait Form: Clone + Copy + Debug {
    /// A size, an offset, or a stride.
    type Size: Clone + Copy + Debug + PartialEq;
    /// A scalar.
    type Scalar: Clone + Copy + Debug + PartialEq;
    /// Where memory starts.
    type Place: Clone + Copy + Debug + PartialEq;
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
    type Size = Ix;
    type Scalar = Value;
    type Place = Value;
}

impl<F: Form> Input<F> {
    /// The tensor, unless it is a scalar.
    pub(crate) fn tensor(self) -> Option<usize> {
        match self {
            Input::Tensor(tensor) => Some(tensor),
            Input::Scalar(_) => None,
        }
    }
}
