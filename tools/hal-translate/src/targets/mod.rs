//! Code for each kind of device: a folder each, which implements [`CodeTarget`].
//!
//! A device whose code LLVM generates implements [`LlvmTarget`], too; [`llvm_code`] takes its exports from MLIR's LLVM dialect to
//! objects. [`pipelines`] holds the pipelines that lead an export there.

mod block;
mod cpu;
mod cuda;
mod hip;
mod llvm_code;
mod pipelines;
mod translate;
mod vulkan;

pub use pipelines::{Pipelines, pipelines};
pub(crate) use translate::Lowered;
pub(crate) use vulkan::holds_kernel;

use crate::{
    codegen::Options,
    job::{Done, Job},
    llvm::Code,
    target::Target,
    worker::Worker,
};
use halyard_diag::{Error, Result};
use halyard_ir::Module;
use halyard_kernel::MachineModel;
use halyard_stages::{CompiledPipeline, Step};
use inkwell::{OptimizationLevel, context::Context, module::Module as LlvmModule, targets::TargetMachine};
use std::path::Path;

/// What a kind of device has to give for its code.
pub(crate) trait CodeTarget {
    /// The pipeline from an export to what code is made of: a name that `--bundle` takes.
    fn pipeline(&self) -> &'static str;

    /// The dialects of operations that are built for it, beside those of [`crate::codegen`].
    fn dialects(&self) -> &'static [&'static str] {
        &[]
    }

    /// What the emitter of kernels knows of the device. `step` is the step of the pipeline, which may say otherwise.
    fn machine_model(&self, step: &Step, options: Options) -> MachineModel;

    /// The suffix of a file with code; `None` if there is no such code.
    fn suffix(&self, code: Code) -> Option<&'static str>;

    /// The value of `--emit` for what its objects are.
    fn object_kind(&self) -> &'static str;

    /// LLVM's view of it; `None` if its code does not go by way of LLVM.
    fn llvm(&self) -> Option<&dyn LlvmTarget> {
        None
    }

    /// Translates the executables of a job, which are for this target.
    fn translate(
        &self,
        worker: &Worker<'_>,
        job: &Job,
        pipeline: &CompiledPipeline<'_>,
        code: Code,
    ) -> Result<Vec<Done>>;

    /// Machine code of an object, by the vendor's assembler: `tool`, or the one on `PATH`. Errors: it has none; what it says.
    fn assemble(&self, _tool: Option<&Path>, _object: &[u8]) -> Result<Vec<u8>> {
        Err(Error::usage("there is no assembler for this target"))
    }
}

/// What LLVM needs to know of a device.
pub(crate) trait LlvmTarget {
    /// Its code generator. Errors: LLVM has none.
    fn machine(&self, level: OptimizationLevel) -> Result<TargetMachine>;

    /// The format of objects, as `hal.objects` has it.
    fn format(&self) -> &'static str;

    /// Whether LLVM writes objects for it; it writes text otherwise, which is what is in a program.
    fn has_objects(&self) -> bool;

    /// Whether threads take the place of vectors.
    fn is_gpu(&self) -> bool;

    /// The dialect of the operations that stand for its registers and instructions; `None` for CPUs.
    fn dialect(&self) -> Option<&'static str>;

    /// Whether it computes with `f16` itself, and converts between `f32` and `bf16` itself.
    fn narrow_floats(&self) -> (bool, bool);

    /// What a device must have, as `hal.features` has it.
    fn features(&self) -> Vec<String> {
        Vec::new()
    }

    /// For a GPU: makes a kernel of an export in the LLVM dialect.
    fn finish(&self, _module: &Module<'_>, _export: &str) -> Result<Option<BlockLaunch>> {
        Ok(None)
    }

    /// Gives a module for it what it lacks: attributes, functions. Errors: calls of what the device does not have; names of
    /// kernels that it does not allow.
    fn complete<'c>(&self, context: &'c Context, module: &LlvmModule<'c>, exports: &[String]) -> Result<()>;
}

/// How a kernel of a GPU is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockLaunch {
    /// The threads of a block.
    pub block: [i64; 3],
    /// The bytes of shared memory that the launch gives to a block.
    pub shared_memory: u64,
    /// Whether it came the way of CPUs.
    pub fallback: bool,
}

/// The code of a target.
pub(crate) fn of(target: &Target) -> &dyn CodeTarget {
    match target {
        Target::Cpu(cpu) => cpu,
        Target::Vulkan(vulkan) => vulkan,
        Target::Cuda(cuda) => cuda,
        Target::Hip(hip) => hip,
    }
}
