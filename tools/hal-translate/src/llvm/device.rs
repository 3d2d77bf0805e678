//! Mathematical functions for GPUs, which have no C library, and for most functions no LLVM intrinsics either.
//!
//! The functions are compiled from `halyard/device.c` of the runtime, which states their accuracy. Calls of the C
//! library and of LLVM intrinsics are replaced by calls of them, lane by lane for vectors.
use halyard_diag::{Error, Result};
use inkwell::{
    builder::{Builder, BuilderError},
    context::Context,
    memory_buffer::MemoryBuffer,
    module::{Linkage, Module},
    types::{BasicTypeEnum, FloatType},
    values::{AnyValue, AnyValueEnum, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue},
};

/// The library in LLVM IR.
const SOURCE: &str = include_str!("device.ll");
/// The prefix of its functions.
const PREFIX: &str = "hal_";

/// Functions of the C library for memory, which have a twin of the same signature.
const MEMORY: &[&str] = &["aligned_alloc", "malloc", "free"];

/// Adds the functions that a module calls, as private functions.
pub(crate) fn provide<'c>(context: &'c Context, module: &Module<'c>) -> Result<()> {
    let calls = calls(module);
    let memory: Vec<_> = MEMORY.iter().filter_map(|name| Some((name, module.get_function(name)?))).collect();
    if calls.is_empty() && memory.is_empty() {
        return Ok(());
    }
    // Functions that are only declared come from the library once it is linked.
    memory.iter().for_each(|(name, function)| function.as_global_value().set_name(&format!("{PREFIX}{name}")));
    let bug = |what: String| Error::input(format!("cannot add the functions of mathematics: {what}"));
    let library = library(context, module).map_err(bug)?;
    module.link_in_module(library).map_err(|e| bug(e.to_string()))?;
    // Only after this: linking drops private functions that are not called yet.
    for function in module.get_functions().filter(is_ours) {
        function.set_linkage(Linkage::Internal);
    }
    let builder = context.create_builder();
    for (call, function) in calls {
        replace(context, &builder, module, call, &function).map_err(|e| bug(format!("{function}: {e}")))?;
    }
    // Removes unused functions; removing one may make another unused.
    let unused = |f: &FunctionValue<'_>| is_ours(f) && f.as_global_value().as_pointer_value().get_first_use().is_none();
    while let Some(function) = module.get_functions().find(unused) {
        // SAFETY: it has no uses.
        unsafe { function.delete() };
    }
    Ok(())
}

/// Returns the functions that a module calls and does not define, except intrinsics, by name.
pub(crate) fn missing_functions(module: &Module<'_>) -> Vec<String> {
    module
        .get_functions()
        .filter(|f| f.count_basic_blocks() == 0 && f.get_intrinsic_id() == 0)
        .filter(|f| f.as_global_value().as_pointer_value().get_first_use().is_some())
        .map(|f| f.get_name().to_string_lossy().into_owned())
        .collect()
}

/// Whether a function belongs to the library.
fn is_ours(function: &FunctionValue<'_>) -> bool {
    function.count_basic_blocks() > 0 && function.get_name().to_bytes().starts_with(PREFIX.as_bytes())
}

/// The library, for the machine of a module.
fn library<'c>(context: &'c Context, module: &Module<'c>) -> std::result::Result<Module<'c>, String> {
    // The copy ends with a zero, which the parser wants.
    let buffer = MemoryBuffer::create_from_memory_range_copy(SOURCE.as_bytes(), "device");
    let library = context.create_module_from_ir(buffer).map_err(|e| e.to_string())?;
    library.set_triple(&module.get_triple());
    library.set_data_layout(&module.get_data_layout());
    for function in library.get_functions().filter(|f| f.count_basic_blocks() > 0) {
        // It is compiled for the chip of the module that it comes into.
        for attribute in ["target-cpu", "target-features"] {
            function.remove_string_attribute(inkwell::attributes::AttributeLoc::Function, attribute);
        }
    }
    Ok(library)
}

/// Returns the calls to replace, with the C function of each.
fn calls<'c>(module: &Module<'c>) -> Vec<(InstructionValue<'c>, String)> {
    let mut found = Vec::new();
    for function in module.get_functions().filter(|f| f.count_basic_blocks() == 0) {
        let Some(name) = c_name(&function.get_name().to_string_lossy()) else { continue };
        let mut next = function.as_global_value().as_pointer_value().get_first_use();
        while let Some(used) = next {
            let call = match used.get_user().as_any_value_enum() {
                AnyValueEnum::FloatValue(value) => value.as_instruction(),
                AnyValueEnum::VectorValue(value) => value.as_instruction(),
                _ => None,
            };
            found.extend(call.map(|call| (call, name.clone())));
            next = used.get_next_use();
        }
    }
    // LLVM's code for remainders on GPUs is x - trunc(x / y) y, which is not exact.
    let instructions = module.get_functions().flat_map(|f| f.get_basic_block_iter()).flat_map(|b| b.get_instructions());
    found.extend(instructions.filter(|i| i.get_opcode() == InstructionOpcode::FRem).map(|i| (i, "fmod".to_owned())));
    found
}

/// The name in C, without the suffix for `float`, of a function of the library, which may be an intrinsic of LLVM.
fn c_name(symbol: &str) -> Option<String> {
    let known = |name: &str| SOURCE.contains(&format!(" @{PREFIX}{name}(double"));
    let name = match symbol.strip_prefix("llvm.") {
        Some(intrinsic) => intrinsic.split('.').next().unwrap_or_default(),
        None if known(symbol) => symbol,
        None => symbol.strip_suffix('f')?,
    };
    known(name).then(|| name.to_owned())
}

/// Replaces an instruction by calls of a function of the library.
fn replace<'c>(
    context: &'c Context,
    builder: &Builder<'c>,
    module: &Module<'c>,
    call: InstructionValue<'c>,
    function: &str,
) -> std::result::Result<(), BuilderError> {
    builder.position_before(&call);
    // The last operand of a call is its callee.
    let is_call = call.get_opcode() == InstructionOpcode::Call;
    let count = call.get_num_operands() - u32::from(is_call);
    let operands: Vec<BasicValueEnum<'c>> =
        (0..count).filter_map(|i| call.get_operand(i).and_then(|o| o.value())).collect();
    let index = context.i32_type();
    let result: BasicValueEnum<'c> = match operands[0].get_type() {
        BasicTypeEnum::VectorType(ty) => {
            let mut result: BasicValueEnum<'c> = ty.get_poison().into();
            for lane in 0..ty.get_size() {
                let at = index.const_int(u64::from(lane), false);
                let of_lane = |value: &BasicValueEnum<'c>| match value {
                    BasicValueEnum::VectorValue(v) => builder.build_extract_element(*v, at, ""),
                    other => Ok(*other),
                };
                let arguments = operands.iter().map(of_lane).collect::<std::result::Result<Vec<_>, _>>()?;
                let one = scalar(context, builder, module, function, &arguments)?;
                result = builder.build_insert_element(result.into_vector_value(), one, at, "")?.into();
            }
            result
        }
        _ => scalar(context, builder, module, function, &operands)?,
    };
    match result {
        BasicValueEnum::VectorValue(v) => v.as_instruction().into_iter().for_each(|i| call.replace_all_uses_with(&i)),
        BasicValueEnum::FloatValue(v) => v.as_instruction().into_iter().for_each(|i| call.replace_all_uses_with(&i)),
        _ => {}
    }
    call.erase_from_basic_block();
    Ok(())
}

/// A call on numbers. Floats of 16 bits are computed as those of 32.
fn scalar<'c>(
    context: &'c Context,
    builder: &Builder<'c>,
    module: &Module<'c>,
    function: &str,
    arguments: &[BasicValueEnum<'c>],
) -> std::result::Result<BasicValueEnum<'c>, BuilderError> {
    let ty: FloatType<'c> = arguments[0].into_float_value().get_type();
    let double = ty == context.f64_type();
    let wide = if double { ty } else { context.f32_type() };
    let widen = |value: &BasicValueEnum<'c>| match value {
        BasicValueEnum::FloatValue(v) if v.get_type() != wide => builder.build_float_ext(*v, wide, "").map(Into::into),
        // The exponents of `powi` and `ldexp`.
        BasicValueEnum::IntValue(v) => {
            builder.build_int_cast_sign_flag(*v, context.i32_type(), true, "").map(Into::into)
        }
        other => Ok(*other),
    };
    let arguments = arguments.iter().map(widen).collect::<std::result::Result<Vec<BasicValueEnum<'c>>, _>>()?;
    let suffix = if double { "" } else { "f" };
    let callee = module.get_function(&format!("{PREFIX}{function}{suffix}")).ok_or(BuilderError::UnsetPosition)?;
    let arguments: Vec<_> = arguments.into_iter().map(Into::into).collect();
    let call = builder.build_call(callee, &arguments, "")?;
    let result = call.try_as_basic_value().basic().ok_or(BuilderError::UnsetPosition)?.into_float_value();
    if ty == wide { Ok(result.into()) } else { Ok(builder.build_float_trunc(result, ty, "")?.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_by_their_names_in_c_and_in_llvm() {
        for (symbol, name) in [
            ("expf", Some("exp")),
            ("exp", Some("exp")),
            ("llvm.exp.v4f32", Some("exp")),
            ("llvm.powi.f64.i32", Some("powi")),
            ("erf", Some("erf")),
            ("erff", Some("erf")),
            ("fmodf", Some("fmod")),
            ("llvm.fma.f32", None),
            ("malloc", None),
            ("f", None),
        ] {
            assert_eq!(c_name(symbol).as_deref(), name, "{symbol}");
        }
    }

    #[test]
    fn calls_become_those_of_the_library() {
        halyard_targets::initialize();
        let context = Context::create();
        let text = "declare <2 x float> @llvm.exp.v2f32(<2 x float>)
            declare double @asin(double)
            declare half @llvm.tanh.f16(half)
            define <2 x float> @f(<2 x float> %x) {
              %r = call <2 x float> @llvm.exp.v2f32(<2 x float> %x)
              ret <2 x float> %r }
            define double @g(double %x, double %y) {
              %r = call double @asin(double %x)
              %s = frem double %r, %y
              ret double %s }
            define half @h(half %x) {
              %r = call half @llvm.tanh.f16(half %x)
              ret half %r }\0";
        let buffer = MemoryBuffer::create_from_memory_range_copy(&text.as_bytes()[..text.len() - 1], "test");
        let module = context.create_module_from_ir(buffer).unwrap();
        provide(&context, &module).unwrap();
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        assert_eq!(text.matches("call float @hal_expf(").count(), 2, "{text}");
        assert!(text.contains("call double @hal_asin(") && text.contains("call double @hal_fmod("), "{text}");
        assert!(text.contains("call float @hal_tanhf(") && !text.contains("@hal_sinf("), "{text}");
        assert!(!text.contains("frem") && !text.contains("call <2 x float> @llvm.exp"), "{text}");
    }
}
