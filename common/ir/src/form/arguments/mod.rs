//! Interfaces of hand-written kernels that are not the kernel ABI: `hal.arguments` lists the code's arguments, in
//! order.
//!
//! ```text
//! hal.arguments = ["arg1 : i32", "arg0", "result0", "dim(arg0, 0) : i32", "64 * workgroup_id(x)"]
//! ```
//! An item is a buffer, a scalar with a type, or a group of either; [`parse`] has the grammar, [`resolve`] the
//! meaning.
mod kinds;
mod parse;
mod resolve;
#[cfg(test)]
mod tests;

use super::{Interface, Variant, device_of_target};
use crate::{Attr, Op, names};
use halyard_objects::CodeArgument;
use resolve::Place;

/// The list of a declaration or of an entry of it. Errors: it is no list of strings.
pub fn argument_list(attr: Attr) -> Result<Vec<String>, String> {
    let list = attr.as_array().and_then(|items| items.into_iter().map(Attr::as_string).collect::<Option<Vec<_>>>());
    list.ok_or_else(|| {
        format!("`{}` is `{attr}`, not a list of strings such as [\"buffers\", \"sizes : i32\"]", names::ARGUMENTS)
    })
}

/// Returns the arguments of code for a device (`cpu`, `cuda`, `vulkan`) from a function's interface. Fails if an item
/// has no meaning on this device, or if a buffer is missing that the code needs.
pub fn code_arguments(function: Op, items: &[String], device: &str) -> Result<Vec<CodeArgument>, String> {
    Place { interface: &Interface::of(function), device }.all(items)
}

/// The list as variants hold it: without groups, each number with its type, each buffer with its number.
pub fn written_arguments(context: mlir_sys::MlirContext, function: Op, list: &[CodeArgument]) -> Attr {
    let interface = Interface::of(function);
    let buffers = resolve::buffers(&interface);
    let text = |argument: &CodeArgument| match argument {
        CodeArgument::Buffer { binding, number } => format!("{} @ {number}", buffers[*binding]),
        CodeArgument::Number(number) => format!("{} : {}", number.what, number.kind.name()),
        CodeArgument::Workgroup => "workgroup".to_owned(),
    };
    Attr::array(context, &list.iter().map(|a| Attr::string(context, &text(a))).collect::<Vec<_>>())
}

/// Checks the list of an export in a variant, whose code it describes.
pub(super) fn verify_arguments(export: Op, say: &mut dyn FnMut(Op, String)) {
    let Some(attr) = export.attr(names::ARGUMENTS) else { return };
    let variant = export.parent().and_then(Variant::view);
    let device = variant.and_then(Variant::target).and_then(device_of_target).unwrap_or("cpu");
    let found = argument_list(attr).and_then(|items| code_arguments(export, &items, device));
    if let Err(why) = found {
        say(export, format!("export `@{}`: {why}", export.symbol().unwrap_or_default()));
    }
}
