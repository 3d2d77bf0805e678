//! Code generation for AMD GPUs: kernels with workgroups, machine code by LLVM. Halyard cannot run them yet, and
//! `hal-link` refuses them.
//!
//! Kernels are first generated as for NVIDIA GPUs without tensor cores, in MLIR's LLVM dialect; [`intrinsics`]
//! converts their registers and instructions to those of AMD GPUs, [`amdgpu`] sets up LLVM's code generator.
mod amdgpu;
mod intrinsics;

use super::{cuda::block, llvm_code};
use crate::{
    code_target::{CodeTarget, Task},
    job::Done,
    llvm::{BlockLaunch, Code, LlvmTarget},
    options::Options,
};
use halyard_diag::Result;
use halyard_ir::Module;
use halyard_kernel::MachineModel;
use halyard_stages::Step;
use halyard_targets::HipTarget;
use inkwell::{OptimizationLevel, context::Context, module::Module as LlvmModule, targets::TargetMachine};

impl CodeTarget for HipTarget {
    /// Lowers to the LLVM dialect, as for CPUs.
    fn pipeline(&self) -> &'static str {
        super::cpu::PIPELINE.name
    }

    fn dialects(&self) -> &'static [&'static str] {
        &["gpu", "nvvm", "rocdl"]
    }

    fn machine_model(&self, _step: &Step, _options: Options) -> MachineModel {
        MachineModel::hip()
    }

    fn suffix(&self, code: Code) -> Option<&'static str> {
        Some(llvm_code::elf_suffix(code))
    }

    fn llvm(&self) -> Option<&dyn LlvmTarget> {
        Some(self)
    }

    fn translate(&self, task: &Task<'_, '_>) -> Result<Vec<Done>> {
        llvm_code::run(self, task)
    }
}

impl LlvmTarget for HipTarget {
    fn machine(&self, level: OptimizationLevel) -> Result<TargetMachine> {
        amdgpu::machine(*self, level)
    }

    fn format(&self) -> &'static str {
        "amdgpu"
    }

    fn dialect(&self) -> Option<&'static str> {
        Some("nvvm")
    }

    fn narrow_floats(&self) -> (bool, bool) {
        (true, false)
    }

    fn features(&self) -> Vec<String> {
        vec![self.chip.to_owned()]
    }

    fn finish(&self, module: &Module<'_>, export: &str) -> Result<Option<BlockLaunch>> {
        let launch = block::finish(module, export)?;
        intrinsics::replace(module, export, launch.block, *self)?;
        Ok(Some(launch))
    }

    fn complete<'c>(&self, context: &'c Context, module: &LlvmModule<'c>, _exports: &[String]) -> Result<()> {
        amdgpu::complete(context, module, *self)
    }
}
