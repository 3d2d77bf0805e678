//! Code for GPUs that somebody gives, and what it shall hold.
use halyard_ir::form::Launch;
use halyard_objects::KernelAbi;

/// A file of code.
#[derive(Debug, Clone, Copy)]
pub struct GpuFile<'a> {
    /// Its name in messages.
    pub owner: &'a str,
    /// Its contents.
    pub bytes: &'a [u8],
}

/// A kernel that the files shall hold.
#[derive(Debug, Clone)]
pub struct GpuKernel {
    /// What it takes.
    pub abi: KernelAbi,
    /// Threads of a workgroup, if that is said.
    pub size: Option<[u32; 3]>,
    /// Where a launch may say it: threads of a workgroup where neither that nor the code says how many.
    pub usual_size: Option<[u32; 3]>,
    /// Where a launch may say it: bytes of shared memory beyond what the code declares.
    pub shared_memory: u64,
}

/// Code that was checked.
#[derive(Debug, Clone)]
pub struct GpuCode {
    /// Format and bytes of each object, as a variant has them.
    pub objects: Vec<(&'static str, Vec<u8>)>,
    /// How each kernel runs, in order.
    pub launches: Vec<Launch>,
    /// What the device must have, as `hal.features` says it.
    pub features: Vec<String>,
    /// What people should know.
    pub remarks: Vec<String>,
}
