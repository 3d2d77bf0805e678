//! Lowers an export, a function on tensors, to the LLVM dialect.
//!
//! The lowering is the pipeline `cpu`, a list of passes and steps ([`halyard_stages::Pipeline`]); [`lowering`]
//! implements the steps and tracks the state of an export. Tensor programs are compiled by [`crate::kernel`] where it
//! supports them, and otherwise by upstream's bufferization ([`loops`]), which is general. Both produce a function
//! with the signature of the kernel ABI ([`frame`]); [`grid`] turns an outermost `scf.forall` into workgroups. Exports
//! that arrive below tensors are wrapped by [`wrap_lowered`]. [`route`] runs the pipeline, and [`result`] checks its
//! result.

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
mod pads;
mod plain;
pub(crate) mod quotients;
mod reductions;
pub(crate) mod result;
mod rolled;
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
