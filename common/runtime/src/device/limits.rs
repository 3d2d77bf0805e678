//! Limits of a device that kernels must keep.
use serde::{Deserialize, Serialize};

/// What a kernel may take on a device; 0 where the driver does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceLimits {
    /// Threads of a workgroup in all.
    pub workgroup_threads: u32,
    /// Threads of a workgroup in x, y and z.
    pub workgroup_size: [u32; 3],
    /// Workgroups of a dispatch in x, y and z.
    pub workgroup_count: [u32; 3],
    /// Threads that run in step.
    pub subgroup_threads: u32,
    /// Bytes of memory that the threads of a workgroup share.
    pub shared_bytes: u32,
    /// Bytes of scalars that a dispatch passes.
    pub constant_bytes: u32,
    /// Buffers that a kernel takes.
    pub bindings: u32,
    /// Bytes of a buffer.
    pub binding_bytes: u64,
    /// The features that it has, as `hal.features` names them.
    pub features: Vec<String>,
    /// Whether it says itself when a kernel begins and ends; else the host's clock is read.
    pub has_timestamps: bool,
}
