//! The arguments of a kernel for Vulkan: a flat buffer for each binding, then one block of push constants in words of 32 bits.
use crate::{
    emit::arguments::{Arguments, Constant},
    emit::ir_builder::Supported,
};
use halyard_ir::{Block, Op, Type, form::kernel_abi};

/// The arguments for an export: bindings of these element types and so many constants. Errors: constants that the kernel ABI
/// does not order, or an element type that no buffer has.
pub(super) fn pushed(func: Op, elements: &[Type], constants: usize) -> Supported<Arguments> {
    let (context, loc) = (func.context(), func.loc());
    let abi = kernel_abi(func);
    let layout = abi.push_constants()?;
    // What the device gives follows in words of its own, which become specialisation constants.
    let pushed = layout.size as usize / 4;
    let words = pushed + abi.load_constants.len();
    let places: Vec<usize> = layout.places.iter().map(|&(at, _)| at as usize / 4).chain(pushed..words).collect();
    if places.len() != constants {
        return Err("constants in an unknown order".into());
    }
    let buffer = |length: &str, element: Type, class: &str| {
        let element = if element.is_index() {
            Type::integer(context, 64)
        } else if element.is_integer() {
            Type::integer(context, 8 * element.byte_width() as u32)
        } else {
            element
        };
        Type::parse(context, &format!("memref<{length}x{element}, #spirv.storage_class<{class}>>"))
            .ok_or_else(|| format!("a buffer of `{element}`").into())
    };
    let mut types = elements.iter().map(|&e| buffer("?", e, "StorageBuffer")).collect::<Supported<Vec<_>>>()?;
    if words > 0 {
        types.push(buffer(&words.to_string(), Type::integer(context, 32), "PushConstant")?);
    }
    let entry = Block::create(&types, loc);
    let args = entry.args();
    let constants = places.into_iter().map(|word| Constant::Word(args[elements.len()], word)).collect();
    Ok(Arguments { entry, types, bindings: args[..elements.len()].to_vec(), workgroup: None, constants })
}
