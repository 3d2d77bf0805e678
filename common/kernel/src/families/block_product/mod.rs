//! Products with matrices that are quantised in blocks, whose rows the layout pass of `hal-translate` has put side by side in panels of
//! [`ROWS`](super::panels::ROWS): `x · ((q - zero) · scale)ᵀ`, numbers of 2, 4 or 8 bits, a scale and perhaps a zero point for each block of a row.
//!
//! Lanes go along the rows of the matrix, so that no sum runs across lanes, and the numbers are unpacked in registers: nothing
//! but the packed bytes is ever in memory. On CPUs that multiply bytes, activations are cut into digits of eight bits for each block of
//! [`form::BlockProduct::step`] steps: a scale that is a power of two and three digits, as exact as f32. On others, numbers become floats.
mod digits;
mod emit;
mod floats;
mod form;
mod plan;
#[cfg(test)]
mod tests;
mod tile;
mod unpack;

pub(super) use plan::BlockPlan;

/// The bytes of a row that stand together.
const GROUP: i64 = 4;
