//! Code generation for OpenCL devices: kernels with workgroups, SPIR-V modules by LLVM. Halyard cannot run them yet, and
//! `hal-link` refuses them.
//!
//! Kernels are first generated as for NVIDIA GPUs without tensor cores, in MLIR's LLVM dialect. [`builtins`] converts
//! their registers and instructions to OpenCL's functions, [`types`] refuses numbers that it lacks, [`aggregates`] takes
//! descriptors of memory apart, [`pointers`] says where each pointer leads, [`spirv`] sets up LLVM's code generator.
mod aggregates;
mod builtins;
mod pointers;
mod spirv;
mod types;

use super::{cuda::block, llvm_code, translate::STAGES};
use crate::{
    code_target::{CodeTarget, Task},
    job::Done,
    llvm::{BlockLaunch, Code, LlvmTarget},
    options::Options,
};
use halyard_diag::Result;
use halyard_ir::{Module, lines::LineTables};
use halyard_kernel::MachineModel;
use halyard_stages::Step;
use halyard_targets::OpenclTarget;
use inkwell::{OptimizationLevel, context::Context, module::Module as LlvmModule, targets::TargetMachine};

impl CodeTarget for OpenclTarget {
    /// Lowers to the LLVM dialect, as for CPUs.
    fn pipeline(&self) -> &'static str {
        super::cpu::PIPELINE.name
    }

    fn dialects(&self) -> &'static [&'static str] {
        &["gpu", "nvvm"]
    }

    fn machine_model(&self, _step: &Step, _options: Options) -> MachineModel {
        MachineModel::opencl()
    }

    fn suffix(&self, code: Code) -> Option<&'static str> {
        Some(match code {
            Code::Stages => STAGES,
            Code::Raw => "ll",
            Code::Llvm => "optimized.ll",
            Code::Asm => "spvasm",
            Code::Obj => "spv",
        })
    }

    fn llvm(&self) -> Option<&dyn LlvmTarget> {
        Some(self)
    }

    /// LLVM writes none into modules for OpenCL 2.2.
    fn line_tables(&self) -> Option<LineTables> {
        None
    }

    fn translate(&self, task: &Task<'_, '_>) -> Result<Vec<Done>> {
        let mut done = llvm_code::run(self, task)?;
        if task.code == Code::Obj {
            done.iter_mut().for_each(|each| each.features = types::needs(&each.code));
        }
        Ok(done)
    }
}

impl LlvmTarget for OpenclTarget {
    fn machine(&self, _level: OptimizationLevel) -> Result<TargetMachine> {
        spirv::machine()
    }

    fn format(&self) -> &'static str {
        "spirv"
    }

    /// Names of entry points are words of the module.
    fn has_symbols(&self) -> bool {
        false
    }

    /// It keeps types of the module, of a context that is gone.
    fn generates_once(&self) -> bool {
        true
    }

    fn dialect(&self) -> Option<&'static str> {
        Some("nvvm")
    }

    fn narrow_floats(&self) -> (bool, bool) {
        (true, false)
    }

    fn finish(&self, module: &Module<'_>, export: &str) -> Result<Option<BlockLaunch>> {
        types::check(module)?;
        let launch = block::finish(module, export)?;
        builtins::replace(module, export, launch.block)?;
        aggregates::dissolve(module);
        pointers::place(module, export);
        Ok(Some(launch))
    }

    fn complete<'c>(&self, _context: &'c Context, module: &LlvmModule<'c>, _exports: &[String]) -> Result<()> {
        spirv::complete(module)
    }
}
