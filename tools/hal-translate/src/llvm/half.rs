//! Conversions of `f16` and `bf16` that a CPU lacks. LLVM calls the compiler's runtime library for them; programs are
//! linked without one, so the functions are added to the object as private symbols.
use halyard_diag::{Error, Result};
use inkwell::{
    context::Context,
    memory_buffer::MemoryBuffer,
    module::{Linkage, Module},
    values::{BasicValue, FunctionValue},
};

/// The functions, in LLVM IR.
const SOURCE: &str = include_str!("half.ll");

/// Whether a symbol is a function of the compiler's runtime library for 16-bit floats that is implemented here.
pub(crate) fn is_helper(symbol: &str) -> bool {
    SOURCE.contains(&format!("@{symbol}("))
}

/// Adds the named helpers to a module, private and kept.
pub(crate) fn add<'c>(context: &'c Context, module: &Module<'c>, names: &[String]) -> Result<()> {
    let bug = |what: String| Error::input(format!("cannot add the conversions of 16-bit floats: {what}"));
    // The copy ends with a zero, which the parser wants.
    let buffer = MemoryBuffer::create_from_memory_range_copy(SOURCE.as_bytes(), "half");
    let helpers = context.create_module_from_ir(buffer).map_err(|e| bug(e.to_string()))?;
    helpers.set_triple(&module.get_triple());
    helpers.set_data_layout(&module.get_data_layout());
    module.link_in_module(helpers).map_err(|e| bug(e.to_string()))?;
    let is_ours = |f: &FunctionValue<'_>| f.count_basic_blocks() > 0 && is_helper(&f.get_name().to_string_lossy());
    for function in module.get_functions().filter(is_ours) {
        // Calls to it appear only while instructions are selected; until then nothing drops private functions any more.
        function.set_linkage(Linkage::Internal);
    }
    // Out with what neither LLVM nor a helper calls; dropping one may leave another unused.
    loop {
        let unused = |f: &FunctionValue<'_>| {
            !names.iter().any(|n| n.as_bytes() == f.get_name().to_bytes())
                && f.as_global_value().as_pointer_value().get_first_use().is_none()
        };
        let Some(function) = module.get_functions().filter(is_ours).find(unused) else { break };
        // SAFETY: it has no uses.
        unsafe { function.delete() };
    }
    Ok(())
}
