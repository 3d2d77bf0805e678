//! Checks replies for SPIR-V modules.
use super::launches;
use halyard_diag::{Error, Result};
use halyard_ir::form::{Variant, kernel_abi};
use halyard_objects::{SpirvModule, fit_spirv};

/// Checks that a reply has the entry points of the original, and needs no more of the device. Errors: it does not.
pub(super) fn check(variant: Variant, old: &SpirvModule, mut new: SpirvModule) -> Result<()> {
    let known = variant.features().unwrap_or_default();
    if let Some(more) = new.features().into_iter().find(|f| !known.contains(f) && !old.features().contains(f)) {
        let text = format!("the reply needs `{more}` of the device, which the original does not");
        return Err(Error::input(text).code("bad-object"));
    }
    for (export, launch) in launches(variant) {
        let name = export.name();
        if !old.entries.iter().any(|e| e.name == name) {
            continue;
        }
        if !new.entries.iter().any(|e| e.name == name) {
            let names: Vec<_> = new.entries.iter().map(|e| format!("`{}`", e.name)).collect();
            let text = format!("the reply lacks the entry point `{name}`");
            return Err(Error::input(text).code("bad-object").note(format!("it has {}", names.join(", "))));
        }
        fit_spirv(&mut new, &kernel_abi(export.op), Some(launch.workgroup_size))?;
    }
    Ok(())
}
