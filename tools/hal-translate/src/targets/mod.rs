//! Code generation for each kind of device: a folder each, which implements [`CodeTarget`].
//!
//! A device whose code LLVM generates also implements [`crate::llvm::LlvmTarget`]; [`llvm_code`] translates its
//! exports from MLIR's LLVM dialect to objects. [`pipelines`] holds the pipelines that lower exports to it.

mod cpu;
mod cuda;
mod hip;
mod llvm_code;
mod opencl;
mod pipelines;
mod translate;
mod vulkan;

pub use cuda::args::AssemblerArgs;
pub use pipelines::{Pipelines, pipeline_names, pipelines};
pub(crate) use vulkan::holds_kernel;

use crate::{
    code_target::{CodePipeline, CodeTarget, DeviceFormat},
    target::Target,
};

/// All pipelines of targets.
pub(crate) const PIPELINES: [CodePipeline; 2] = [cpu::PIPELINE, vulkan::PIPELINE];

/// The kinds of `--emit` that are for one kind of device.
pub(crate) static FORMATS: [DeviceFormat; 4] = {
    let ([ptx, cubin], [spirv, spvasm]) = (cuda::FORMATS, vulkan::FORMATS);
    [ptx, cubin, spirv, spvasm]
};

/// The formats of assembly and objects for GPUs, for help.
pub(crate) const GPU_CODE: [&str; 2] = ["PTX or disassembled SPIR-V", "PTX or SPIR-V"];

/// Returns the code generation of a target.
pub(crate) fn of(target: &Target) -> &dyn CodeTarget {
    match target {
        Target::Cpu(cpu) => cpu,
        Target::Vulkan(vulkan) => vulkan,
        Target::Cuda(cuda) => cuda,
        Target::Hip(hip) => hip,
        Target::Opencl(opencl) => opencl,
    }
}
