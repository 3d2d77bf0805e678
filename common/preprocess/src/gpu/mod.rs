//! Checks replies for GPU objects: they must still hold the kernels of their exports.
mod cuda;
mod spirv;

use halyard_diag::Result;
use halyard_ir::form::{Export, Launch, Variant};
use halyard_objects::{FileFormat, inspect_spirv};

/// Checks a reply of the same kind as the original, if that is for a GPU; false if it is not. Errors: a kernel that the
/// original has is missing or takes something else, has other workgroups, or needs more of the device.
pub(super) fn check(variant: Variant, original: &[u8], reply: &[u8]) -> Result<bool> {
    match FileFormat::of(original) {
        FileFormat::SpirV => {
            let old = inspect_spirv(original, "the original")?;
            spirv::check(variant, &old, inspect_spirv(reply, "the reply")?)?;
        }
        FileFormat::Ptx | FileFormat::Cubin | FileFormat::Fatbin => cuda::check(variant, original, reply)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The exports of a variant with how they run.
fn launches(variant: Variant) -> impl Iterator<Item = (Export, Launch)> {
    variant.exports().into_iter().filter_map(|e| Some((e, Launch::of(e.op).ok()??)))
}
