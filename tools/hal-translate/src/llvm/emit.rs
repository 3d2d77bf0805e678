//! Translates MLIR's LLVM dialect through LLVM IR to assembly or an object.
use super::{
    bf16_bits, half, packed_weights,
    passes::{self, Shape},
    single_lane_stores,
    target::LlvmTarget,
};
use halyard_diag::{Error, Result};
use halyard_ir::{Op, Session};
use halyard_targets::{collect_messages, take_messages};
use inkwell::{
    OptimizationLevel,
    context::{AsContextRef, Context},
    llvm_sys,
    module::{Linkage, Module},
    passes::PassBuilderOptions,
    targets::{FileType, TargetMachine},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// LLVM set up for one target. One per thread.
pub(crate) struct Backend<'t> {
    machine: TargetMachine,
    target: &'t dyn LlvmTarget,
    level: u8,
}

/// The kind of code to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Code {
    /// What each stage of the pipeline changed, as text.
    Stages,
    /// LLVM IR as text, before LLVM's passes.
    Raw,
    /// LLVM IR as text, after LLVM's passes.
    Llvm,
    /// Assembly; PTX for NVIDIA GPUs.
    Asm,
    /// A relocatable object; PTX for NVIDIA GPUs.
    Obj,
}

impl<'t> Backend<'t> {
    /// Sets LLVM up. Errors: it cannot generate code for the target.
    pub(crate) fn new(target: &'t dyn LlvmTarget, level: u8) -> Result<Self> {
        halyard_targets::initialize();
        Ok(Self { machine: target.machine(codegen_level(level))?, target, level })
    }

    /// Translates modules in the LLVM dialect into one LLVM module: the exports are global, all else is private.
    pub(crate) fn translate<'c>(
        &self,
        session: &Session,
        context: &'c Context,
        modules: &[Op],
        exports: &[String],
    ) -> Result<Module<'c>> {
        take_messages();
        let merged = context.create_module("");
        self.describe(&merged);
        for module in modules {
            session.take_diagnostics();
            // SAFETY: operation and context are live; the result is a new module of that context, or null.
            let part = unsafe {
                let raw = mlir_sys::mlirTranslateModuleToLLVMIR(module.0, context.as_ctx_ref().cast());
                if raw.is_null() {
                    return Err(session.error("the LLVM dialect could not be translated to LLVM IR"));
                }
                Module::new(raw.cast())
            };
            self.describe(&part);
            hide(&part, exports);
            merged.link_in_module(part).map_err(|e| Error::input(format!("the exports cannot be linked: {e}")))?;
        }
        merged
            .verify()
            .map_err(|e| Error::input(format!("the generated LLVM IR is not valid: {}", e.to_string().trim())))?;
        self.target.complete(context, &merged, exports)?;
        // Only here, because the translation installs its own handler.
        // SAFETY: the context is live; the handler has no user data and lives as long as the program.
        unsafe {
            llvm_sys::core::LLVMContextSetDiagnosticHandler(
                context.as_ctx_ref(),
                Some(collect_messages),
                std::ptr::null_mut(),
            )
        };
        Ok(merged)
    }

    /// Runs LLVM's passes. `narrow` says that the module computes with floats of 16 bits or less. Errors: what LLVM reports.
    pub(crate) fn optimize<'c>(
        &self,
        context: &'c Context,
        module: &Module<'c>,
        shape: Shape,
        narrow: bool,
    ) -> Result<()> {
        let options = PassBuilderOptions::create();
        options.set_loop_vectorization(!self.target.is_gpu());
        options.set_loop_slp_vectorization(true);
        options.set_loop_interleaving(true);
        options.set_loop_unrolling(true);
        module
            .run_passes(&self.passes(shape), &self.machine, options)
            .map_err(|e| Error::input(format!("LLVM's passes failed: {e}")))?;
        single_lane_stores::write_out(context, module)?;
        if narrow && !self.target.is_gpu() {
            bf16_bits::hide(context, module)?;
            // Which helpers are called shows only after instruction selection, which uses the module up: try on a copy.
            let object = self.generate(&module.clone(), FileType::Object)?;
            let called: Vec<String> = undefined(&object)?.into_iter().filter(|name| half::is_helper(name)).collect();
            if !called.is_empty() {
                half::add(context, module, &called)?;
            }
        }
        check_messages()
    }

    /// Emits code for an optimised module, its functions renamed. `packed` is what texts say of packed weights, by the new names.
    /// Errors: what LLVM reports.
    pub(crate) fn emit(
        &self,
        module: &Module<'_>,
        names: &[(String, String)],
        packed: &[u8],
        code: Code,
    ) -> Result<Vec<u8>> {
        // Generating code uses a module up.
        let module = module.clone();
        self.describe(&module);
        let renamed: Vec<_> = names.iter().filter_map(|(old, new)| Some((module.get_function(old)?, new))).collect();
        // Renames through unused names, since the old name of one may be the new name of another.
        renamed
            .iter()
            .enumerate()
            .for_each(|(i, (function, _))| function.as_global_value().set_name(&format!("\u{1}{i}")));
        renamed.iter().for_each(|(function, new)| function.as_global_value().set_name(new));
        if !packed.is_empty() {
            packed_weights::note(&module, packed);
        }
        match code {
            Code::Stages | Code::Raw | Code::Llvm => Ok(module.print_to_string().to_string().into_bytes()),
            Code::Obj if self.target.has_objects() => self.generate(&module, FileType::Object),
            Code::Asm | Code::Obj => self.generate(&module, FileType::Assembly),
        }
    }

    fn generate(&self, module: &Module<'_>, kind: FileType) -> Result<Vec<u8>> {
        let own = self.target.generates_once().then(|| self.target.machine(codegen_level(self.level))).transpose()?;
        let buffer = own
            .as_ref()
            .unwrap_or(&self.machine)
            .write_to_memory_buffer(module, kind)
            .map_err(|e| Error::input(format!("LLVM cannot generate code: {e}")))?;
        check_messages()?;
        Ok(buffer.as_slice().to_vec())
    }

    /// Triple and layout: without them LLVM expands `memcpy` into a loop over bytes. No names: objects do not depend on
    /// where their sources came from.
    fn describe(&self, module: &Module<'_>) {
        module.set_name("");
        module.set_source_file_name("");
        module.set_triple(&self.machine.get_triple());
        module.set_data_layout(&self.machine.get_target_data().get_data_layout());
    }

    fn passes(&self, shape: Shape) -> String {
        // GPUs use threads instead of vectors, and `function-attrs` finds the loads that can be `ld.global.nc`.
        passes::pipeline(if self.target.is_gpu() { Shape::Loops } else { shape }, self.level)
    }
}

fn codegen_level(level: u8) -> OptimizationLevel {
    match level {
        0 => OptimizationLevel::None,
        1 => OptimizationLevel::Less,
        2 => OptimizationLevel::Default,
        _ => OptimizationLevel::Aggressive,
    }
}

/// Makes everything private but the exports and what is only declared.
fn hide(module: &Module<'_>, exports: &[String]) {
    for function in module.get_functions() {
        if function.count_basic_blocks() > 0 && !exports.iter().any(|e| e.as_bytes() == function.get_name().to_bytes())
        {
            function.set_linkage(Linkage::Internal);
        }
    }
    for global in module.get_globals() {
        if global.get_initializer().is_some() {
            global.set_linkage(Linkage::Internal);
        }
    }
}

/// The symbols that an object needs from elsewhere, sorted.
pub(crate) fn undefined(object: &[u8]) -> Result<Vec<String>> {
    use object::{Object, ObjectSymbol};
    let file = object::File::parse(object)
        .map_err(|e| Error::input(format!("the object that LLVM made cannot be read: {e}")))?;
    let names: BTreeSet<String> = file
        .symbols()
        .filter(|s| s.is_undefined())
        .filter_map(|s| s.name().ok().map(str::to_owned))
        .filter(|n| !n.is_empty())
        .collect();
    Ok(names.into_iter().collect())
}

/// The global symbols that an object defines, sorted.
pub(crate) fn defined(object: &[u8]) -> Result<Vec<String>> {
    use object::{Object, ObjectSymbol};
    let file = object::File::parse(object)
        .map_err(|e| Error::input(format!("the object that LLVM made cannot be read: {e}")))?;
    let names: BTreeSet<String> = file
        .symbols()
        .filter(|s| s.is_definition() && s.is_global())
        .filter_map(|s| s.name().ok().map(str::to_owned))
        .collect();
    Ok(names.into_iter().collect())
}

/// Fails if LLVM reported an error.
fn check_messages() -> Result<()> {
    let said = take_messages();
    if said.is_empty() { Ok(()) } else { Err(Error::input(format!("LLVM cannot generate code: {}", said.join("; ")))) }
}
