//! Hides from LLVM that the bits of a scalar come from a `bf16`. Where code needs the sign of such a number alone, as
//! `copysign` does, LLVM 22's x86 code generator reads it by an operation that has no form for 16 bits, and drops it
//! (<https://github.com/llvm/llvm-project/pull/189129>).
use halyard_diag::{Error, Result};
use inkwell::{
    context::Context,
    module::Module,
    types::AnyTypeEnum,
    values::{BasicMetadataValueEnum, BasicValue, BasicValueEnum, InstructionOpcode, InstructionValue},
};

/// Reads bits of `bf16` scalars as `i16`: by a load of that type where the number is loaded, else through an empty
/// inline assembly. Runs after LLVM's passes, none of which sees through either.
pub(super) fn hide<'c>(context: &'c Context, module: &Module<'c>) -> Result<()> {
    if !module.get_triple().as_str().to_bytes().starts_with(b"x86_64") {
        return Ok(());
    }
    let casts: Vec<_> = module
        .get_functions()
        .flat_map(|f| f.get_basic_block_iter())
        .flat_map(|b| b.get_instructions())
        .filter_map(|i| Some((i, bits(context, i)?)))
        .collect();
    for (cast, number) in casts {
        replace(context, cast, number).map_err(|e| Error::input(format!("cannot rewrite a cast of bf16: {e}")))?;
    }
    Ok(())
}

/// The `bf16` scalar whose bits an instruction returns.
fn bits<'c>(context: &'c Context, cast: InstructionValue<'c>) -> Option<BasicValueEnum<'c>> {
    let is_cast =
        cast.get_opcode() == InstructionOpcode::BitCast && cast.get_type() == AnyTypeEnum::IntType(context.i16_type());
    let number = is_cast.then(|| cast.get_operand(0)?.value()).flatten()?;
    (number.get_type() == context.bf16_type().into()).then_some(number)
}

fn replace<'c>(
    context: &'c Context,
    cast: InstructionValue<'c>,
    number: BasicValueEnum<'c>,
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let half = context.i16_type();
    let at = context.create_builder();
    let load = number.as_instruction_value().filter(|i| i.get_opcode() == InstructionOpcode::Load);
    let loaded = load.and_then(|load| Some((load, load.get_operand(0)?.value()?.into_pointer_value())));
    let bits = if let Some((load, from)) = loaded {
        at.position_before(&load);
        let bits = at.build_load(half, from, "")?.as_instruction_value().expect("a load is an instruction");
        bits.set_alignment(load.get_alignment()?)?;
        bits.set_volatile(load.get_volatile()?)?;
        bits
    } else {
        at.position_before(&cast);
        // The copy of the cast is the operand; nothing but the assembly uses it.
        let bits = at.build_bit_cast(number, half, "")?;
        let ty = half.fn_type(&[half.into()], false);
        let identity = context.create_inline_asm(ty, String::new(), "=r,0".into(), false, false, None, false);
        let call = at.build_indirect_call(ty, identity, &[BasicMetadataValueEnum::from(bits)], "")?;
        call.try_as_basic_value().basic().and_then(|v| v.as_instruction_value()).expect("it returns a number")
    };
    cast.replace_all_uses_with(&bits);
    cast.erase_from_basic_block();
    Ok(())
}
