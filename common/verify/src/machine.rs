//! Code for this machine, by LLVM's ordinary passes.
use halyard_diag::{Error, Result};
use halyard_ir::Op;
use halyard_targets::{CpuTarget, collect_messages, take_messages};
use inkwell::{
    OptimizationLevel,
    attributes::{Attribute, AttributeLoc},
    context::{AsContextRef, Context},
    llvm_sys,
    module::{Linkage, Module},
    passes::PassBuilderOptions,
    targets::{CodeModel, FileType, RelocMode, Target, TargetMachine, TargetTriple},
    values::{InstructionOpcode, InstructionValue},
};
use std::sync::atomic::AtomicI32;

/// Set by a reference that was given what its source has no meaning for: sizes that do not fit, indices out of range.
pub(crate) static ILLEGAL: AtomicI32 = AtomicI32::new(0);

/// LLVM set up for this machine.
pub(crate) struct Machine {
    machine: TargetMachine,
    host: CpuTarget,
}

impl Machine {
    pub(crate) fn new() -> Result<Self> {
        halyard_targets::initialize();
        let host = CpuTarget::host();
        let triple = TargetTriple::create(&host.triple);
        let machine = Target::from_triple(&triple).ok().and_then(|t| {
            let level = OptimizationLevel::Less;
            t.create_target_machine(
                &triple,
                &host.chip,
                &host.feature_string(),
                level,
                RelocMode::PIC,
                CodeModel::Default,
            )
        });
        let machine = machine.ok_or_else(|| Error::environment("LLVM cannot generate code for this machine"))?;
        Ok(Self { machine, host })
    }

    /// An object of a module in the LLVM dialect, of which these functions are public. Errors: what LLVM says.
    pub(crate) fn compile(&self, module: Op, public: &[String]) -> Result<Vec<u8>> {
        take_messages();
        let context = &Context::create();
        // SAFETY: operation and context are live; the result is a new module of that context, or null.
        let code = unsafe {
            let raw = mlir_sys::mlirTranslateModuleToLLVMIR(module.0, context.as_ctx_ref().cast());
            if raw.is_null() {
                return Err(Error::input("the reference could not be translated to LLVM IR"));
            }
            Module::new(raw.cast())
        };
        // SAFETY: the context is live; the handler has no user data and lives as long as the program.
        unsafe {
            let handler = Some(collect_messages as extern "C" fn(_, _));
            llvm_sys::core::LLVMContextSetDiagnosticHandler(context.as_ctx_ref(), handler, std::ptr::null_mut());
        }
        code.set_triple(&self.machine.get_triple());
        code.set_data_layout(&self.machine.get_target_data().get_data_layout());
        let texts = [("target-cpu", self.host.chip.clone()), ("target-features", self.host.feature_string())];
        let texts = texts.map(|(key, value)| context.create_string_attribute(key, &value));
        let nounwind = context.create_enum_attribute(Attribute::get_named_enum_kind_id("nounwind"), 0);
        for function in code.get_functions().filter(|f| f.count_basic_blocks() > 0) {
            let name = function.get_name().to_string_lossy().into_owned();
            if !public.contains(&name) {
                function.set_linkage(Linkage::Internal);
            }
            texts.iter().for_each(|&text| function.add_attribute(AttributeLoc::Function, text));
            function.add_attribute(AttributeLoc::Function, nounwind);
        }
        for global in code.get_globals().filter(|g| g.get_initializer().is_some()) {
            global.set_linkage(Linkage::Internal);
        }
        give_up_quietly(context, &code);
        code.verify().map_err(|e| Error::input(format!("the reference is not valid: {}", e.to_string().trim())))?;
        let passes = "always-inline,cgscc(inline),globaldce,function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm))";
        code.run_passes(passes, &self.machine, PassBuilderOptions::create())
            .map_err(|e| Error::input(format!("LLVM's passes failed: {e}")))?;
        let object = self
            .machine
            .write_to_memory_buffer(&code, FileType::Object)
            .map_err(|e| Error::input(format!("LLVM cannot generate code: {e}")))?;
        match take_messages() {
            said if said.is_empty() => Ok(object.as_slice().to_vec()),
            said => Err(Error::input(format!("LLVM cannot generate code: {}", said.join("; ")))),
        }
    }
}

/// A check that fails ends the function instead of the process.
fn give_up_quietly<'c>(context: &'c Context, code: &Module<'c>) {
    let is_abort = |i: &InstructionValue<'c>| {
        i.get_opcode() == InstructionOpcode::Call
            && i.get_operands()
                .last()
                .flatten()
                .and_then(|o| o.value())
                .is_some_and(|v| v.is_pointer_value() && v.into_pointer_value().get_name().to_bytes() == b"abort")
    };
    let builder = context.create_builder();
    for function in code.get_functions() {
        for block in function.get_basic_blocks() {
            if !block.get_instructions().any(|i| is_abort(&i)) {
                continue;
            }
            while let Some(last) = block.get_last_instruction() {
                last.erase_from_basic_block();
            }
            builder.position_at_end(block);
            let flag = context.i64_type().const_int((&raw const ILLEGAL) as u64, false);
            let flag = flag.const_to_pointer(context.ptr_type(inkwell::AddressSpace::default()));
            let _ = builder.build_store(flag, context.i32_type().const_int(1, false));
            let _ = match function.get_type().get_return_type() {
                None => builder.build_return(None),
                Some(ty) => builder.build_return(Some(&ty.const_zero())),
            };
        }
    }
}
