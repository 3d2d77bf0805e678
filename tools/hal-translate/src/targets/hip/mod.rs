//! AMD GPUs: kernels of workgroups, machine code by LLVM. Nothing runs them yet, and `hal-link` refuses them.
//!
//! Kernels come as those for NVIDIA GPUs without tensor cores, on the way through MLIR's LLVM dialect; [`intrinsics`] puts the
//! registers and instructions of AMD GPUs in the place of NVIDIA's, [`amdgpu`] does what LLVM's code generator asks for.
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
    /// To the LLVM dialect, as for CPUs.
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
        Some(match code {
            Code::Raw => "ll",
            Code::Llvm => "optimized.ll",
            Code::Asm => "s",
            Code::Obj => "o",
        })
    }

    fn object_kind(&self) -> &'static str {
        "obj"
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

    fn has_objects(&self) -> bool {
        true
    }

    fn is_gpu(&self) -> bool {
        true
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
