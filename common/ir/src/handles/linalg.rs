//! What linalg operations say about themselves.
use super::{Affine, Op};
use mlir_sys::*;

/// The loop structure of a linalg operation, named or generic.
#[derive(Debug, Clone)]
pub struct Structured {
    /// One map per operand: from loops to the dimensions of the operand. Inputs first, then inits.
    pub maps: Vec<Affine>,
    /// The number of inputs; the operands after them are inits, one per result.
    pub inputs: usize,
}

impl Structured {
    /// The structure of a structured linalg operation on tensors; `None` for other operations (`linalg.softmax`,
    /// `linalg.pack` and the like have no indexing maps).
    pub fn of(op: Op) -> Option<Self> {
        // SAFETY: the operation is live; the C API gives null for anything that is not a structured operation.
        let attr = unsafe { mlirLinalgGetIndexingMapsAttribute(op.0) };
        if attr.ptr.is_null() {
            return None;
        }
        let maps: Vec<Affine> =
            super::Attr(attr).as_array()?.into_iter().filter_map(super::Attr::as_affine_map).collect();
        let inputs = maps.len().checked_sub(op.result_count())?;
        Some(Self { maps, inputs })
    }

    /// The number of loops.
    pub fn loops(&self) -> usize {
        self.maps.first().map_or(0, |m| m.dims())
    }

    /// For each loop, whether it is parallel: it indexes the inits. The others are reductions.
    pub fn parallel(&self) -> Vec<bool> {
        let mut parallel = vec![false; self.loops()];
        for map in &self.maps[self.inputs..] {
            for (d, flag) in parallel.iter_mut().enumerate() {
                *flag |= map.results().iter().any(|e| e.uses_dim(d));
            }
        }
        parallel
    }
}

/// Whether a linalg operation is a contraction: sums of products over projected permutations (matmul and its kin).
pub fn is_contraction(op: Op) -> bool {
    // SAFETY: the operation is live; any operation may be asked.
    unsafe { mlirLinalgIsAContractionOp(op.0) }
}

/// Whether a linalg operation slides a window over its input: a convolution or a pooling.
pub fn is_convolution(op: Op) -> bool {
    // SAFETY: the operation is live; any operation may be asked.
    unsafe { mlirLinalgIsAConvolutionOp(op.0) }
}
