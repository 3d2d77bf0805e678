//! Sets up LLVM's code generator for AMD GPUs.
use crate::llvm::{missing_functions, provide_functions};
use halyard_diag::{Error, Result};
use halyard_targets::HipTarget;
use inkwell::{
    AddressSpace, OptimizationLevel,
    attributes::AttributeLoc,
    context::Context,
    module::Module,
    targets::{CodeModel, RelocMode, Target, TargetMachine, TargetTriple},
    types::BasicTypeEnum,
    values::{AnyValue, AnyValueEnum, InstructionOpcode, InstructionValue},
};

/// The triple of code for ROCm's runtime.
const TRIPLE: &str = "amdgcn-amd-amdhsa";

/// Returns LLVM's code generator for a chip.
pub(super) fn machine(target: HipTarget, level: OptimizationLevel) -> Result<TargetMachine> {
    let triple = TargetTriple::create(TRIPLE);
    Target::from_triple(&triple)
        .ok()
        .and_then(|t| t.create_target_machine(&triple, target.chip, "", level, RelocMode::PIC, CodeModel::Default))
        .ok_or_else(|| Error::usage(format!("LLVM cannot generate code for `{target}`")).code("bad-target"))
}

/// Adds the functions that a module's kernels call, and moves their local memory to its address space. Fails for calls
/// of functions that a GPU lacks, naming all of them.
pub(super) fn complete<'c>(context: &'c Context, module: &Module<'c>, target: HipTarget) -> Result<()> {
    provide_functions(context, module)?;
    let missing: Vec<String> = missing_functions(module).into_iter().map(|name| format!("`{name}`")).collect();
    if !missing.is_empty() {
        let text = format!("it calls {}, which an AMD GPU does not have", missing.join(", "));
        return Err(Error::input(text).code("unsupported-op"));
    }
    // Declarations of the library were made for another GPU.
    module.get_functions().for_each(|f| f.remove_string_attribute(AttributeLoc::Function, "target-features"));
    let chip = context.create_string_attribute("target-cpu", target.chip);
    for function in module.get_functions().filter(|f| f.count_basic_blocks() > 0) {
        function.add_attribute(AttributeLoc::Function, chip);
        let instructions = function.get_basic_block_iter().flat_map(|b| b.get_instructions());
        let allocas: Vec<_> = instructions.filter(|i| i.get_opcode() == InstructionOpcode::Alloca).collect();
        for alloca in allocas {
            private(context, alloca).map_err(|e| Error::input(format!("cannot move local memory: {e}")))?;
        }
    }
    Ok(())
}

/// A builder allocates in the address space that the layout of the module has for it.
fn private<'c>(
    context: &'c Context,
    alloca: InstructionValue<'c>,
) -> std::result::Result<(), inkwell::builder::BuilderError> {
    let generic = context.ptr_type(AddressSpace::default());
    let AnyValueEnum::PointerValue(old) = alloca.as_any_value_enum() else { return Ok(()) };
    let Ok(ty) = alloca.get_allocated_type() else { return Ok(()) };
    if old.get_type() != generic {
        return Ok(());
    }
    // Marks of its lifetime are for allocas alone.
    let is_mark = |call: &InstructionValue<'c>| {
        let callee = call.get_num_operands().checked_sub(1).and_then(|last| call.get_operand(last)?.value());
        let name = callee.filter(|c| c.is_pointer_value()).map(|c| c.into_pointer_value().get_name().to_owned());
        call.get_opcode() == InstructionOpcode::Call
            && name.is_some_and(|n| n.to_bytes().starts_with(b"llvm.lifetime."))
    };
    let mut marks = Vec::new();
    let mut next = alloca.get_first_use();
    while let Some(used) = next {
        if let AnyValueEnum::InstructionValue(user) = used.get_user().as_any_value_enum() {
            marks.extend(Some(user).filter(is_mark));
        }
        next = used.get_next_use();
    }
    marks.into_iter().for_each(InstructionValue::erase_from_basic_block);
    let builder = context.create_builder();
    builder.position_before(&alloca);
    let ty: BasicTypeEnum<'c> = ty;
    let count = alloca.get_operand(0).and_then(|o| o.value()).filter(|v| v.is_int_value());
    let place = match count {
        Some(count) => builder.build_array_alloca(ty, count.into_int_value(), "")?,
        None => builder.build_alloca(ty, "")?,
    };
    let pointer = builder.build_address_space_cast(place, generic, "")?;
    if let Some(new) = pointer.as_instruction() {
        alloca.replace_all_uses_with(&new);
        alloca.erase_from_basic_block();
    }
    Ok(())
}
