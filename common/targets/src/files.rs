//! Code for GPUs that somebody gives: whether it runs on a target and holds the kernels that it shall.
use crate::{
    Target,
    gpu_code::{GpuCode, GpuFile, GpuKernel},
    target::{KINDS, kind_of_file},
};
use halyard_diag::{Error, Result};
use halyard_objects::FileFormat;

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
    match Target::of_file(file) {
        Some(target) => target,
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
