//! Replaces masked stores of a single known lane by stores of one number. LLVM 22's x86 code generator drops the truncation of the stored
//! value: it writes four bytes where a byte was meant (`vpmovdb` with a mask of one lane becomes `vmovd`). Floats are stored correctly.
use halyard_diag::{Error, Result};
use inkwell::{
    context::Context,
    llvm_sys::core::{LLVMConstIntGetZExtValue, LLVMGetAggregateElement, LLVMIsAConstantInt},
    module::Module,
    values::{AsValueRef, BasicValueEnum, InstructionOpcode, InstructionValue},
};

/// A store of the lane of a vector.
struct Store<'c> {
    call: InstructionValue<'c>,
    lane: u64,
}

/// Rewrites the masked stores of integers for x86. Runs after LLVM's passes, which make masks known and never undo it.
pub(super) fn write_out<'c>(context: &'c Context, module: &Module<'c>) -> Result<()> {
    if !module.get_triple().as_str().to_bytes().starts_with(b"x86_64") {
        return Ok(());
    }
    let stores: Vec<_> = module
        .get_functions()
        .flat_map(|f| f.get_basic_block_iter())
        .flat_map(|b| b.get_instructions())
        .filter_map(of_one_lane)
        .collect();
    for store in stores {
        replace(context, &store).map_err(|e| Error::input(format!("cannot rewrite a masked store: {e}")))?;
    }
    Ok(())
}

fn of_one_lane(call: InstructionValue<'_>) -> Option<Store<'_>> {
    if call.get_opcode() != InstructionOpcode::Call {
        return None;
    }
    let operand = |at: u32| call.get_operand(at)?.value();
    let callee = operand(call.get_num_operands().checked_sub(1)?)?;
    let is_store = callee.is_pointer_value()
        && callee.into_pointer_value().get_name().to_bytes().starts_with(b"llvm.masked.store.");
    let (BasicValueEnum::VectorValue(value), BasicValueEnum::VectorValue(mask)) =
        (is_store.then(|| operand(0)).flatten()?, operand(call.get_num_operands().checked_sub(2)?)?)
    else {
        return None;
    };
    if !value.get_type().get_element_type().is_int_type() || !mask.is_const() {
        return None;
    }
    let is_set = |lane: u32| {
        // SAFETY: the mask is a constant; the result is a constant of its context, or null.
        let bit = unsafe { LLVMGetAggregateElement(mask.as_value_ref(), lane) };
        // SAFETY: as above.
        let is_number = !bit.is_null() && unsafe { !LLVMIsAConstantInt(bit).is_null() };
        // SAFETY: it is an integer.
        is_number.then(|| unsafe { LLVMConstIntGetZExtValue(bit) } != 0)
    };
    let lanes: Vec<bool> = (0..mask.get_type().get_size()).map(is_set).collect::<Option<_>>()?;
    let mut set = (0..).zip(&lanes).filter(|(_, set)| **set).map(|(lane, _)| lane);
    match (set.next(), set.next()) {
        (Some(lane), None) => Some(Store { call, lane }),
        _ => None,
    }
}

fn replace(context: &Context, store: &Store<'_>) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let operand = |at: u32| store.call.get_operand(at).and_then(|o| o.value()).ok_or("an operand is missing");
    let (value, to) = (operand(0)?.into_vector_value(), operand(1)?.into_pointer_value());
    let at = context.create_builder();
    at.position_before(&store.call);
    let lane = context.i64_type().const_int(store.lane, false);
    let number = at.build_extract_element(value, lane, "")?;
    // SAFETY: masked stores write where their lanes are, and this lane is one of them.
    let place = unsafe { at.build_in_bounds_gep(value.get_type().get_element_type(), to, &[lane], "") }?;
    at.build_store(place, number)?.set_alignment(1)?;
    store.call.erase_from_basic_block();
    Ok(())
}
