//! Depthwise convolutions, each channel with a filter of its own, with lanes along the channels: windows may have any step, and rows
//! need not fill vectors.
//!
//! The input of a stripe of rows of one vector of channels is transposed into scratch memory, with its padding. Results are computed
//! there, several pixels of a row in registers, and transposed back. Bytes are multiplied as `f32`, or where an instruction multiplies
//! four of them at once, with lanes along the rows.
mod bytes;
mod emit;
mod emit_rows;
mod form;
mod input;
mod plan;
mod row_dots;
#[cfg(test)]
mod tests;

pub(super) use plan::DepthwisePlan;
