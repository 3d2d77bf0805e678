//! What profiling and capturing tell.
use crate::{AlignedBytes, constants::Constants};
use std::sync::Arc;

/// One dispatch of a profiled call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchRecord {
    /// The index in [`crate::Program::kernels`].
    pub kernel: usize,
    /// The workgroup count.
    pub workgroups: [u32; 3],
    /// The scalars, as the kernel gets them.
    pub constants: Vec<i64>,
    /// The bytes of each binding, in order.
    pub bindings: Vec<u64>,
    /// How long it took.
    pub nanos: u64,
}

/// A dispatch as it happened, with the contents that its buffers had before, to be run again by
/// [`crate::Instance::run_dispatch`].
#[derive(Debug)]
pub struct CapturedDispatch {
    /// The index in [`crate::Program::kernels`].
    pub kernel: usize,
    /// The workgroup count.
    pub workgroups: [u32; 3],
    /// The scalars, as the kernel gets them.
    pub constants: Vec<i64>,
    /// The bytes of each binding, in order.
    pub binding_bytes: Vec<u64>,
    /// How often a dispatch of this kernel with the same workgroups, constants and binding sizes happened in the call.
    pub occurrences: usize,
    /// What those took together in the call, in nanoseconds.
    pub nanos: u64,
    pub(crate) bindings: Vec<CapturedBinding>,
    /// Keeps the weights alive that bindings point into.
    pub(crate) _constants: Arc<Constants>,
}

#[derive(Debug)]
pub(crate) enum CapturedBinding {
    /// A copy.
    Owned(AlignedBytes),
    /// In the constants of the program.
    Constant { address: u64, bytes: usize },
    /// The same buffer as an earlier binding (a tied result).
    Same(usize),
}
