//! Code for GPUs that somebody gives: whether it runs on a target and holds the kernels that it shall.
use crate::{
    Target,
    device::{KINDS, kind_of_file},
};
use halyard_diag::{Error, Result};
use halyard_ir::form::Launch;
use halyard_objects::{FileFormat, KernelAbi};

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

/// The kind of GPU that a file is for: `vulkan` or `cuda`; `None` for files for CPUs and anything else.
pub fn gpu_of(kind: FileFormat) -> Option<&'static str> {
    kind_of_file(kind).map(|kind| kind.name)
}

/// The devices that a file runs on, for messages, if it is code for a GPU: "Vulkan".
pub fn devices_of(kind: FileFormat) -> Option<&'static str> {
    kind_of_file(kind).and_then(|kind| kind.files.as_ref()).map(|files| files.devices)
}

/// A command that compiles a source of code for a GPU; `None` for other files.
pub fn compile_command(kind: FileFormat) -> Option<&'static str> {
    let sources = KINDS.iter().filter_map(|k| k.files.as_ref()).flat_map(|files| files.sources);
    sources.into_iter().find(|(source, _)| *source == kind).map(|(_, command)| *command)
}

/// The target that a file says itself: any device with what the code needs; the chip of the code. Errors: it is no code for a
/// GPU; what the kind of GPU says of it.
pub fn target_of_gpu_file(file: GpuFile<'_>) -> Result<Target> {
    match kind_of_file(FileFormat::of(file.bytes)).and_then(|kind| kind.files.as_ref()) {
        Some(files) => (files.target)(file),
        None => Err(Error::input(format!("{}: it is no code for a GPU", file.owner)).code("wrong-kind")),
    }
}

/// Checks that files hold kernels for a target of a GPU; specialisation constants (number or name, and value) are set.
/// Several SPIR-V modules become one. Errors: what is wrong with the files, by name.
pub fn fit_gpu(
    files: &[GpuFile<'_>],
    target: &Target,
    kernels: &[GpuKernel],
    spec_constants: &[(String, i64)],
) -> Result<GpuCode> {
    target.this().fit(files, kernels, spec_constants)
}
