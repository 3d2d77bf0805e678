//! Code for each kind of device: a folder each, which implements [`CodeTarget`].
//!
//! A device whose code LLVM generates implements [`crate::llvm::LlvmTarget`], too; [`llvm_code`] takes its exports from MLIR's LLVM
//! dialect to objects. [`pipelines`] holds the pipelines that lead an export there.

mod block;
mod cpu;
mod cuda;
mod hip;
mod llvm_code;
mod pipelines;
mod translate;
mod vulkan;

pub use pipelines::{Pipelines, pipelines};
pub(crate) use vulkan::holds_kernel;

use crate::{code_target::CodeTarget, target::Target};

/// The code of a target.
pub(crate) fn of(target: &Target) -> &dyn CodeTarget {
    match target {
        Target::Cpu(cpu) => cpu,
        Target::Vulkan(vulkan) => vulkan,
        Target::Cuda(cuda) => cuda,
        Target::Hip(hip) => hip,
    }
}
