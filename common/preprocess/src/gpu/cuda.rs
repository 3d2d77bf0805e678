//! Checks replies for PTX, cubins and fatbins.
use super::launches;
use halyard_diag::{Error, Result};
use halyard_ir::form::{Variant, kernel_abi};
use halyard_objects::{CudaCode, CudaKind, CudaLaunch, fit_cuda, inspect_cuda};

/// Checks that a reply has the kernels of the original, and is for no newer device. Errors: it does not.
pub(super) fn check(variant: Variant, original: &[u8], reply: &[u8]) -> Result<()> {
    let (old, new) = (inspect_cuda(original, "the original")?, inspect_cuda(reply, "the reply")?);
    let newest = |all: &[CudaCode]| all.iter().map(|c| c.capability).max().unwrap_or(0);
    let (was, is) = (newest(&old), newest(&new));
    if is > was {
        let text = format!("the reply is for `sm_{is}`, the original for `sm_{was}`");
        return Err(Error::input(text).code("bad-object"));
    }
    for (export, launch) in launches(variant) {
        let name = export.name();
        let defines = |all: &[CudaCode]| all.iter().position(|c| c.kernels.iter().any(|k| k.name == name));
        if defines(&old).is_none() {
            continue;
        }
        let Some(code) = defines(&new) else {
            return Err(Error::input(format!("the reply lacks the kernel `{name}`")).code("bad-object"));
        };
        // The reply may require what the original code requires.
        let dynamic = new[code].dynamic_shared && old.iter().any(|c| c.dynamic_shared || c.kind == CudaKind::Cubin);
        let shared_memory = if dynamic { launch.shared_memory.max(1) } else { launch.shared_memory };
        let required = CudaLaunch { size: Some(launch.workgroup_size), usual: None, shared_memory };
        fit_cuda(&new[code], &kernel_abi(export.op), required)?;
    }
    Ok(())
}
