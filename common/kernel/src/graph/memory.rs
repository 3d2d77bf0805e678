//! Tensors in memory.
use super::{Form, InKernel};
use halyard_ir::Type;

/// A tensor in memory.
#[derive(Clone, Debug)]
pub(crate) struct Memory<F: Form = InKernel> {
    /// Where it starts; in a kernel see [`crate::emit::place`].
    pub(crate) ptr: F::Place,
    /// The element type of the tensor.
    pub(crate) elem: Type,
    /// The sizes.
    pub(crate) dims: Vec<F::Size>,
    /// The elements from one index to the next, per dimension.
    pub(crate) strides: Vec<F::Size>,
    /// The elements from `ptr` to the first one.
    pub(crate) offset: F::Size,
}
