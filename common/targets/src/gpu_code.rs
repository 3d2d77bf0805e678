//! GPU code that users provide, and its expected kernels.
use halyard_ir::form::Launch;
use halyard_objects::KernelAbi;

/// A code file.
#[derive(Debug, Clone, Copy)]
pub struct GpuFile<'a> {
    /// The name in messages.
    pub owner: &'a str,
    /// Its contents.
    pub bytes: &'a [u8],
}

/// A kernel that the files shall hold.
#[derive(Debug, Clone)]
pub struct GpuKernel {
    /// The parameters.
    pub abi: KernelAbi,
    /// The threads of a workgroup, if stated.
    pub size: Option<[u32; 3]>,
    /// For launches that may choose it: the threads of a workgroup if neither the user nor the code states them.
    pub usual_size: Option<[u32; 3]>,
    /// For launches that may choose it: bytes of shared memory beyond what the code declares.
    pub shared_memory: u64,
}

/// Code that was checked.
#[derive(Debug, Clone)]
pub struct GpuCode {
    /// Format and bytes of each object, as a variant has them.
    pub objects: Vec<(&'static str, Vec<u8>)>,
    /// The launch parameters of each kernel, in order.
    pub launches: Vec<Launch>,
    /// The features that the device must have, as in `hal.features`.
    pub features: Vec<String>,
    /// Remarks for the user.
    pub remarks: Vec<String>,
}
