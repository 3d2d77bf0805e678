//! What a graph says of itself, whatever its form: where the elements of a result come from, as linear forms over its loops,
//! and which neighbouring loops are as good as one. Nothing is chosen here, and nothing is emitted.

pub(crate) mod access;
pub(crate) mod argminmax_law;
pub(crate) mod combiner;
pub(crate) mod constants;
pub(crate) mod extreme;
pub(crate) mod layout;
pub(crate) mod merge;
mod open_loops;
