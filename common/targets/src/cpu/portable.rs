//! `cpu:portable`: a few levels of an architecture, so that one program runs well on most of its machines.
use super::subtarget as llvm;
use crate::device::usage;
use halyard_diag::Result;

/// The levels of an architecture, the least demanding first. x86: the levels of the psABI from SSE4.2 on. AArch64: ARMv8.0,
/// and the first server chip with dot products and half precision.
const LEVELS: &[(&str, &[&str])] =
    &[("x86_64", &["x86-64-v2", "x86-64-v3", "x86-64-v4"]), ("aarch64", &["generic", "neoverse-n1"])];

/// Returns the items of `--target` that `cpu:portable` and what follows it stand for; `None` if the item is another. Errors: features,
/// which would not hold for all levels.
pub(crate) fn portable(rest: &str, features: &[String]) -> Result<Option<Vec<String>>> {
    let (name, triple) = rest.split_once('@').unwrap_or((rest, ""));
    if name != "portable" {
        return Ok(None);
    }
    if let Some(feature) = features.first() {
        return Err(usage(format!("feature `{feature}` stands after `cpu:portable`, which is several CPUs"))
            .hint("name the levels: `--target=cpu:x86-64-v2,cpu:x86-64-v3,+FEATURE`"));
    }
    let triple = llvm::normalize(&if triple.is_empty() { llvm::host_triple() } else { triple.to_owned() });
    let arch = triple.split('-').next().unwrap_or_default();
    let levels = LEVELS.iter().find(|(name, _)| *name == arch).map_or(&["generic"][..], |(_, levels)| levels);
    Ok(Some(levels.iter().map(|chip| format!("cpu:{chip}@{triple}")).collect()))
}
