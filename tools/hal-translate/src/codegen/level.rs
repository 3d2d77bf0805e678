//! Determines the level of an export when it arrives, or after a stage.
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op,
    form::{self, Export, Level, Signature},
    names,
};

/// Returns the level of an export. Without `hal.interface`, which a module of functions alone need not have, its own
/// type is the interface.
pub(crate) fn signature(export: Op) -> Result<Signature> {
    let view = Export { op: export };
    let (name, ty) = (view.name(), view.signature());
    if !form::is_lowered(export) || export.has_attr(names::INTERFACE) {
        return view.level().map_err(|why| Error::input(format!("export `@{name}` {why}")).code("unsupported-type"));
    }
    let (inputs, results) = (ty.inputs(), ty.results());
    let plain = |level| Ok(Signature::plain(level));
    if export.is("func.func") && inputs.iter().any(|t| t.is_memref()) && results.is_empty() {
        plain(Level::Buffers)
    } else if inputs.iter().any(|t| t.is_pointer()) && results.iter().all(|t| t.to_string() == "!llvm.void") {
        plain(Level::Kernel)
    } else {
        Err(Error::input(format!("export `@{name}` of type `{ty}` is no kernel"))
            .code("unsupported-type")
            .note("a kernel is a function on tensors, on memrefs without results, or with the kernel signature"))
    }
}
