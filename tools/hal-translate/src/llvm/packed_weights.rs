//! Adds the list of packed weights to code as text, so that it can be edited and substituted.
use halyard_objects::PACKED_WEIGHTS_SECTION;
use inkwell::{
    AddressSpace,
    module::{Linkage, Module},
};

/// Adds the contents of [`PACKED_WEIGHTS_SECTION`] to a module, as `HAL_PACKED_WEIGHTS` of `halyard/kernel.h` does.
pub(super) fn note(module: &Module<'_>, contents: &[u8]) {
    let context = module.get_context();
    let text = context.const_string(contents, false);
    let global = module.add_global(text.get_type(), None, "hal_packed_weights");
    global.set_initializer(&text);
    global.set_constant(true);
    global.set_linkage(Linkage::Private);
    global.set_section(Some(PACKED_WEIGHTS_SECTION));
    // As in our objects: `hal-link` reads it, and programs do not hold it.
    global.set_metadata(context.metadata_node(&[]), context.get_kind_id("exclude"));
    // Passes drop what nothing uses.
    let used = context.ptr_type(AddressSpace::default()).const_array(&[global.as_pointer_value()]);
    let list = module.add_global(used.get_type(), None, "llvm.compiler.used");
    list.set_initializer(&used);
    list.set_linkage(Linkage::Appending);
    list.set_section(Some("llvm.metadata"));
}
