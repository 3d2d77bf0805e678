//! Replies to objects for GPUs: they must still be the kernels of their exports.
use halyard_diag::{Error, Result};
use halyard_ir::form::{Export, Launch, Variant, kernel_abi};
use halyard_objects::{
    CudaKind, CudaWishes, FileFormat, SpirvModule, fit_cuda, fit_spirv, inspect_cuda, inspect_spirv,
};

/// The suffix of the file that an object is kept in.
pub(super) fn suffix(format: &str) -> &'static str {
    match format {
        "spirv" => "spv",
        "ptx" => "ptx",
        "cubin" => "cubin",
        "fatbin" => "fatbin",
        _ => "o",
    }
}

/// Checks a reply of the same kind as the original, if that is for a GPU; false if it is not. Errors: a kernel that the
/// original has is missing or takes something else, has other workgroups, or needs more of the device.
pub(super) fn check(variant: Variant, original: &[u8], reply: &[u8]) -> Result<bool> {
    match FileFormat::of(original) {
        FileFormat::SpirV => {
            let old = inspect_spirv(original, "the original")?;
            spirv(variant, &old, inspect_spirv(reply, "the reply")?)?;
        }
        FileFormat::Ptx | FileFormat::Cubin | FileFormat::Fatbin => cuda(variant, original, reply)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The exports of a variant with how they run.
fn launches(variant: Variant) -> impl Iterator<Item = (Export, Launch)> {
    variant.exports().into_iter().filter_map(|e| Some((e, Launch::of(e.op).ok()??)))
}

fn spirv(variant: Variant, old: &SpirvModule, mut new: SpirvModule) -> Result<()> {
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

fn cuda(variant: Variant, original: &[u8], reply: &[u8]) -> Result<()> {
    let (old, new) = (inspect_cuda(original, "the original")?, inspect_cuda(reply, "the reply")?);
    let newest = |all: &[halyard_objects::CudaCode]| all.iter().map(|c| c.capability).max().unwrap_or(0);
    let (was, is) = (newest(&old), newest(&new));
    if is > was {
        let text = format!("the reply is for `sm_{is}`, the original for `sm_{was}`");
        return Err(Error::input(text).code("bad-object"));
    }
    for (export, launch) in launches(variant) {
        let name = export.name();
        let defines =
            |all: &[halyard_objects::CudaCode]| all.iter().position(|c| c.kernels.iter().any(|k| k.name == name));
        if defines(&old).is_none() {
            continue;
        }
        let Some(code) = defines(&new) else {
            return Err(Error::input(format!("the reply lacks the kernel `{name}`")).code("bad-object"));
        };
        // What the code of the original asks for, the reply may ask for.
        let dynamic = new[code].dynamic_shared && old.iter().any(|c| c.dynamic_shared || c.kind == CudaKind::Cubin);
        let shared_memory = if dynamic { launch.shared_memory.max(1) } else { launch.shared_memory };
        let wishes = CudaWishes { size: Some(launch.workgroup_size), usual: None, shared_memory };
        fit_cuda(&new[code], &kernel_abi(export.op), wishes)?;
    }
    Ok(())
}
