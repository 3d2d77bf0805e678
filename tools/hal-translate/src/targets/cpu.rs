//! Code generation for CPUs.
use super::llvm_code;
use crate::{
    code_target::RenameExports,
    code_target::{CodePipeline, CodeTarget, Task},
    job::Done,
    llvm::{self, Code, LlvmTarget},
    options::Options,
};
use halyard_diag::{Error, Result};
use halyard_kernel::{ByteLookups, DotProducts, MachineModel};
use halyard_stages::Step;
use halyard_targets::CpuTarget;
use inkwell::{
    OptimizationLevel,
    attributes::{Attribute, AttributeLoc},
    context::Context,
    module::{Linkage, Module},
    targets::{CodeModel, RelocMode, Target, TargetMachine, TargetTriple},
};

/// The pipeline to the LLVM dialect, from which LLVM generates code for several kinds of devices.
pub(super) const PIPELINE: CodePipeline = CodePipeline { name: "cpu", has_fast_math: true };

impl CodeTarget for CpuTarget {
    fn pipeline(&self) -> &'static str {
        PIPELINE.name
    }

    fn machine_model(&self, step: &Step, options: Options) -> MachineModel {
        let (l1, l2) = self.caches();
        let small = |name: &str| step.number(name).and_then(|n| u32::try_from(n).ok());
        let vector_bits = small("vector-bits").unwrap_or(self.vector_bits());
        MachineModel {
            vector_bits,
            registers: small("registers").unwrap_or(self.vector_registers()),
            l1: step.number("l1").unwrap_or(l1),
            l2: step.number("l2").unwrap_or(l2),
            fma: self.has_fma(),
            dots: DotProducts::of(self.arch(), vector_bits, options.fast_math, |feature| self.has(feature)),
            lookups: ByteLookups::of(self.arch(), vector_bits, |feature| self.has(feature)),
            ..MachineModel::default()
        }
    }

    fn suffix(&self, code: Code) -> Option<&'static str> {
        Some(llvm_code::elf_suffix(code))
    }

    fn llvm(&self) -> Option<&dyn LlvmTarget> {
        Some(self)
    }

    fn rename(&self) -> Option<RenameExports> {
        Some(llvm::rename)
    }

    fn translate(&self, task: &Task<'_, '_>) -> Result<Vec<Done>> {
        llvm_code::run(self, task)
    }
}

impl LlvmTarget for CpuTarget {
    /// Errors: a target whose pointers are not 64 bits wide (the kernel ABI passes sizes as such).
    fn machine(&self, level: OptimizationLevel) -> Result<TargetMachine> {
        let triple = TargetTriple::create(&self.triple);
        let machine = Target::from_triple(&triple)
            .map_err(|e| Error::usage(format!("unknown triple `{}`", self.triple)).note(e.to_string()))?
            .create_target_machine(
                &triple,
                &self.chip,
                &self.feature_string(),
                level,
                RelocMode::PIC,
                CodeModel::Default,
            )
            .ok_or_else(|| Error::usage(format!("LLVM cannot generate code for `{self}`")))?;
        if machine.get_target_data().get_pointer_byte_size(None) != 8 {
            return Err(Error::usage(format!("target `{self}` is not a 64-bit CPU"))
                .code("bad-target")
                .note("kernels take sizes as 64-bit integers"));
        }
        Ok(machine)
    }

    fn format(&self) -> &'static str {
        "elf"
    }

    fn narrow_floats(&self) -> (bool, bool) {
        (self.has_f16_arithmetic(), self.has_bf16_conversion())
    }

    /// Sets the attributes of functions.
    fn complete<'c>(&self, context: &'c Context, module: &Module<'c>, exports: &[String]) -> Result<()> {
        let mut texts = vec![("target-cpu", self.chip.clone()), ("frame-pointer", "non-leaf".into())];
        if !self.features.is_empty() {
            texts.push(("target-features", self.feature_string()));
        }
        if self.vector_bits() == 512 {
            // Several AVX-512 CPUs prefer 256 bits by default, for the sake of code around the kernels.
            texts.push(("prefer-vector-width", "512".into()));
        }
        let texts: Vec<_> = texts.iter().map(|(key, value)| context.create_string_attribute(key, value)).collect();
        let flag = |name: &str| context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0);
        let nounwind = flag("nounwind");
        for function in module.get_functions() {
            function.add_attribute(AttributeLoc::Function, nounwind);
            if function.count_basic_blocks() == 0 {
                continue;
            }
            texts.iter().for_each(|&text| function.add_attribute(AttributeLoc::Function, text));
            if exports.iter().any(|e| e.as_bytes() == function.get_name().to_bytes()) {
                function.set_linkage(Linkage::External);
            }
        }
        Ok(())
    }
}
