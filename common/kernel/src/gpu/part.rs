//! Results that the same threads compute.
use crate::emit::index::Index;
use crate::graph::Memory;

/// Tensors of the same sizes that are computed by the same threads, and where they go.
#[derive(Clone)]
pub(super) struct Part {
    /// The tensors and their memory.
    pub(super) roots: Vec<(usize, Memory)>,
    /// Their sizes.
    pub(super) dims: Vec<Index>,
    /// The neighbours that a thread computes together, where each has elements of its own.
    pub(super) run: i64,
    /// Whether sums that other sums are made of are computed for each element.
    pub(super) inner_sums: bool,
}
