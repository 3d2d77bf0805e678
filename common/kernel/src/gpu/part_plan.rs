//! What is stored by the same threads, as it is known before anything is emitted.
use crate::analysis::layout::Layout;
use crate::graph::Size;
use halyard_ir::Type;

/// Tensors of the same sizes that are computed by the same threads, and what is known of their memory.
#[derive(Clone)]
pub(super) struct PartPlan {
    /// The tensors and their memory.
    pub(super) roots: Vec<(usize, Layout)>,
    /// Their sizes.
    pub(super) dims: Vec<Size>,
}

/// The bytes of a number as threads share it: what is narrower than a word is kept in one.
pub(super) fn word_bytes(ty: Type) -> i64 {
    let bytes = if ty.is_index() { 8 } else { ty.byte_width() as i64 };
    if ty.is_integer() && ty.bits() < 32 { 4 } else { bytes }
}
