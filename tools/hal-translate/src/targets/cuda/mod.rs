//! Code generation for NVIDIA GPUs: kernels with blocks, PTX.
pub(super) mod args;
pub(super) mod block;
mod nvptx;
mod ptxas;

use super::{llvm_code, translate::STAGES};
use crate::{
    code_target::{CodeTarget, DeviceFormat, Task},
    job::Done,
    llvm::{BlockLaunch, BlockThreads, Code, LlvmTarget},
    options::Options,
};
use halyard_diag::Result;
use halyard_ir::{Builder, Module, Type, Value};
use halyard_kernel::MachineModel;
use halyard_stages::Step;
use halyard_targets::CudaTarget;
use inkwell::{OptimizationLevel, context::Context, module::Module as LlvmModule, targets::TargetMachine};
use std::path::Path;

/// The kinds of `--emit` for such devices alone.
pub(super) const FORMATS: [DeviceFormat; 2] = [
    DeviceFormat {
        name: "ptx",
        help: "One executable as PTX, for a target `cuda`",
        device: "cuda",
        code: Code::Obj,
        is_binary: false,
        is_assembled: false,
    },
    DeviceFormat {
        name: "cubin",
        help: "One executable as GPU machine code, for a target `cuda`; runs `ptxas`",
        device: "cuda",
        code: Code::Obj,
        is_binary: true,
        is_assembled: true,
    },
];

impl CodeTarget for CudaTarget {
    /// Lowers to the LLVM dialect, as for CPUs.
    fn pipeline(&self) -> &'static str {
        super::cpu::PIPELINE.name
    }

    fn dialects(&self) -> &'static [&'static str] {
        &["gpu", "nvvm"]
    }

    fn machine_model(&self, _step: &Step, options: Options) -> MachineModel {
        MachineModel::cuda(self.capability()).with_tf32(options.tf32)
    }

    fn suffix(&self, code: Code) -> Option<&'static str> {
        match code {
            Code::Stages => Some(STAGES),
            Code::Raw => Some("ll"),
            Code::Llvm => Some("optimized.ll"),
            Code::Asm => None,
            Code::Obj => Some("ptx"),
        }
    }

    fn object_kind(&self) -> &'static str {
        "ptx"
    }

    fn llvm(&self) -> Option<&dyn LlvmTarget> {
        Some(self)
    }

    fn translate(&self, task: &Task<'_, '_>) -> Result<Vec<Done>> {
        llvm_code::run(self, task)
    }

    fn assemble(&self, tool: Option<&Path>, object: &[u8]) -> Result<Vec<u8>> {
        ptxas::assemble(tool, *self, object)
    }
}

impl LlvmTarget for CudaTarget {
    fn machine(&self, level: OptimizationLevel) -> Result<TargetMachine> {
        nvptx::machine(*self, level)
    }

    fn format(&self) -> &'static str {
        "ptx"
    }

    /// LLVM writes PTX, which the driver compiles.
    fn has_objects(&self) -> bool {
        false
    }

    fn dialect(&self) -> Option<&'static str> {
        Some("nvvm")
    }

    fn narrow_floats(&self) -> (bool, bool) {
        (true, self.capability() >= 80)
    }

    fn features(&self) -> Vec<String> {
        vec![self.chip.to_owned()]
    }

    fn threads(&self) -> Option<BlockThreads> {
        Some(BlockThreads { most: 1024, id: thread_id })
    }

    fn finish(&self, module: &Module<'_>, export: &str) -> Result<Option<BlockLaunch>> {
        block::finish(module, export).map(Some)
    }

    fn complete<'c>(&self, context: &'c Context, module: &LlvmModule<'c>, exports: &[String]) -> Result<()> {
        exports.iter().try_for_each(|name| nvptx::check_entry(name))?;
        nvptx::complete(context, module)
    }
}

/// The number of a thread in x, y or z.
fn thread_id(at: &Builder, axis: usize) -> Value {
    let word = Type::integer(at.context(), 32);
    let register = format!("nvvm.read.ptx.sreg.tid.{}", ["x", "y", "z"][axis]);
    let value = at.value(&register, &[], word, &[]);
    at.value("arith.index_castui", &[value], Type::index(at.context()), &[])
}
