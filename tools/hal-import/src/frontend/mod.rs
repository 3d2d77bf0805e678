//! Reads a model of any known format into functions on tensors.
mod check;
mod foreign;
mod kind;
mod mlir;
mod tosa;

pub use check::check_supported;
pub use kind::{InputKind, kind_of};
pub use mlir::{lower_mlir, parse_mlir};
