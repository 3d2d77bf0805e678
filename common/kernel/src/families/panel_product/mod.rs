//! Products with matrices of floats that the layout pass of `hal-translate` has put in panels, [`ROWS`](super::panels::ROWS) results of a row side by side:
//! `x · W`, where `W` is of f32, f16 or bf16.
//!
//! Lanes go along the results, so that no sum runs across lanes. Short floats become f32 in registers: nothing but the packed matrix is
//! ever in memory, and each of its elements is read once for each tile of rows, from the first to the last.
mod emit;
mod form;
mod plan;
#[cfg(test)]
mod tests;

pub(super) use plan::PanelPlan;
