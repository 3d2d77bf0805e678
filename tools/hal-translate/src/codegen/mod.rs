//! From an export, a function on tensors, to the LLVM dialect.
//!
//! Tensor programs go through [`crate::kernel`] where it knows how to make good code of them, and through [`loops`]
//! otherwise, which takes everything. Both give a function with the signature of the kernel ABI ([`frame`]); [`lower`] does
//! the rest. Exports that arrive lower than on tensors come in by [`given`].

mod abi;
mod counts;
mod decompose;
mod fastmath;
mod floats;
mod frame;
mod functions;
mod given;
mod loops;
mod lower;
mod route;
mod tiles;
mod workgroup;
mod writes;

pub(crate) use abi::workgroups_name;
pub(crate) use counts::normalize as normalize_counts;
pub use route::Options;
pub(crate) use route::lower_export;

/// The dialects of operations that code generation builds; a session must have them loaded.
pub(crate) const DIALECTS: &[&str] =
    &["arith", "bufferization", "cf", "func", "linalg", "llvm", "math", "memref", "scf", "tensor", "ub", "vector"];
