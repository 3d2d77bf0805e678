//! What is known now of memory that results go to.
use crate::graph::Memory;
use crate::graph::{Extent, Form};
use halyard_ir::Type;

/// Memory of a result; `None` is what only a run knows.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The element type.
    pub(crate) elem: Type,
    /// The sizes.
    pub(crate) dims: Vec<Option<i64>>,
    /// The elements from one index to the next, per dimension.
    pub(crate) strides: Vec<Option<i64>>,
    /// The elements from the start to the first one.
    pub(crate) offset: Option<i64>,
}

impl<F: Form> From<&Memory<F>> for Layout {
    fn from(memory: &Memory<F>) -> Self {
        let known = |sizes: &[F::Size]| sizes.iter().map(|s| s.known()).collect();
        Layout {
            elem: memory.elem,
            dims: known(&memory.dims),
            strides: known(&memory.strides),
            offset: memory.offset.known(),
        }
    }
}

impl Layout {
    /// Row-major memory of these sizes.
    pub(crate) fn contiguous(elem: Type, dims: &[Option<i64>]) -> Layout {
        let mut strides = vec![Some(1); dims.len()];
        for d in (0..dims.len().saturating_sub(1)).rev() {
            strides[d] = match (strides[d + 1], dims[d + 1]) {
                (Some(a), Some(b)) => Some(a * b),
                (Some(0), _) | (_, Some(0)) => Some(0),
                _ => None,
            };
        }
        Layout { elem, dims: dims.to_vec(), strides, offset: Some(0) }
    }
}
