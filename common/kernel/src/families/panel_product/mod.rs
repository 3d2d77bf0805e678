//! Products with matrices of floats or bytes that the layout pass of `hal-translate` has put in panels, [`ROWS`](super::panels::ROWS) results of a row side by side:
//! `x · W`, where `W` is of f32, f16 or bf16, or of bytes, where a CPU multiplies them.
//!
//! Lanes go along the results, so that no sum runs across lanes. Short floats become f32 in registers, and bytes are multiplied in groups of
//! four, which take the place of elements: nothing but the packed matrix is
//! ever in memory, and each of its elements is read once for each tile of rows, from the first to the last.
mod emit;
mod form;
mod plan;
#[cfg(test)]
mod tests;
mod tiles;

pub(super) use plan::PanelPlan;
