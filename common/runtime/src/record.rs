//! The records of profiling and recording.
use crate::{AlignedBytes, constants::Constants};
use std::sync::Arc;

/// One dispatch of a profiled call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchRecord {
    /// The index in [`crate::LoadedProgram::kernels`].
    pub kernel: usize,
    /// The workgroup count.
    pub workgroups: [u32; 3],
    /// The scalars, as the kernel gets them.
    pub constants: Vec<i64>,
    /// The bytes of each binding, in order.
    pub bindings: Vec<u64>,
    /// The time that it took, in nanoseconds.
    pub nanos: u64,
}

/// A dispatch as it happened, with the contents that its buffers had before, to be run again by
/// [`crate::Instance::run_dispatch`].
#[derive(Debug)]
pub struct CapturedDispatch {
    /// The index in [`crate::LoadedProgram::kernels`].
    pub kernel: usize,
    /// The workgroup count.
    pub workgroups: [u32; 3],
    /// The scalars, as the kernel gets them.
    pub constants: Vec<i64>,
    /// The bytes of each binding, in order.
    pub binding_bytes: Vec<u64>,
    /// The number of dispatches of this kernel with the same workgroup count, constants and binding sizes in the call.
    pub occurrences: usize,
    /// Their total time in the call, in nanoseconds.
    pub nanos: u64,
    /// Whether the kernel writes each binding.
    pub written: Vec<bool>,
    pub(crate) bindings: Vec<CapturedBinding>,
    /// Keeps the weights alive that bindings point into.
    pub(crate) weights: Arc<Constants>,
}

impl CapturedDispatch {
    /// Returns the contents of a buffer: those before the dispatch, or those after [`crate::Instance::run_dispatch`].
    pub fn binding(&self, index: usize) -> &[u8] {
        match &self.bindings[index] {
            CapturedBinding::Owned(bytes) => bytes,
            CapturedBinding::Constant { constant, offset, bytes } => {
                &self.weights.bytes(*constant)[*offset as usize..][..*bytes as usize]
            }
            CapturedBinding::Same(earlier) => self.binding(*earlier),
        }
    }
}

#[derive(Debug)]
pub(crate) enum CapturedBinding {
    /// A copy.
    Owned(AlignedBytes),
    /// A part of a constant of the program.
    Constant { constant: u32, offset: u64, bytes: u64 },
    /// The same buffer as an earlier binding (a tied result).
    Same(usize),
}
