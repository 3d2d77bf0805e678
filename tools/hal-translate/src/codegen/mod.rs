//! From an export, a function on tensors, to the LLVM dialect.
//!
//! The way is the pipeline `cpu`, a pipeline file of passes and steps ([`halyard_stages::Pipeline`]); [`lowering`] does the
//! steps, and knows what happened to an export. Tensor programs go through [`crate::kernel`] where it knows how to make
//! good code of them, and through upstream's bufferization ([`loops`]) otherwise, which takes everything. Both give a
//! function with the signature of the kernel ABI ([`frame`]); [`grid`] makes workgroups of an outermost `scf.forall`. Exports that arrive lower than on tensors come in by
//! [`wrap_lowered`]. [`route`] takes an export there, and [`result`] checks what came out.

pub(crate) mod abi;
mod counts;
pub(crate) mod decompose;
pub(crate) mod empties;
pub(crate) mod export_state;
mod fastmath;
mod floats;
mod frame;
mod freed;
mod functions;
pub(crate) mod grid;
pub(crate) mod level;
pub(crate) mod loops;
pub(crate) mod lower;
mod lowering;
mod outs;
mod plain;
pub(crate) mod quotients;
mod reductions;
mod result;
pub(crate) mod route;
mod scratch;
mod small;
mod tiles;
mod untouched;
mod widened;
mod workgroup;
pub(crate) mod workgroup_count;
mod wrap_lowered;
pub(crate) mod writes;

pub(crate) use crate::options::Options;
pub(crate) use abi::workgroups_name;
pub(crate) use counts::normalize as normalize_counts;
pub(crate) use route::{LlvmExport, lower_export};

/// The dialects of operations that code generation builds; a session must have them loaded.
pub(crate) const DIALECTS: &[&str] =
    &["arith", "bufferization", "cf", "func", "linalg", "llvm", "math", "memref", "scf", "tensor", "ub", "vector"];
