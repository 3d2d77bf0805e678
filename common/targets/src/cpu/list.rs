//! The names of CPUs and their features, for `--list-targets`.
use super::{
    CpuTarget,
    parse::{is_wide_enough, parse, usual_features},
    subtarget as llvm,
};
use crate::device::NameList;
use halyard_diag::Result;

/// Lists what may follow `cpu:`. `rest` is `@TRIPLE` or empty for the chips of an architecture, or a chip for its features.
/// Errors: an unknown triple or chip.
pub(super) fn names(rest: &str) -> Result<Vec<NameList>> {
    let (chip, _) = rest.split_once('@').unwrap_or((rest, ""));
    let target = parse(if rest.is_empty() { "host" } else { rest }, Vec::new())?;
    if chip.is_empty() {
        let mut chips = llvm::cpus(&target.triple).unwrap_or_default();
        let triple = &target.triple;
        chips.retain(|chip| {
            let usual = usual_features(triple, chip);
            is_wide_enough(&CpuTarget::new(triple.clone(), chip.clone(), usual))
        });
        return Ok(vec![NameList { title: format!("chips of {}", target.arch()), names: chips }]);
    }
    let on = llvm::features(&target.triple, &target.chip, &target.feature_string());
    // LLVM also has a feature for the tuning of each chip.
    let chips = llvm::cpus(&target.triple).unwrap_or_default();
    let on = on.iter().filter(|(name, _)| !chips.contains(name) && !name.starts_with("tune"));
    let names = on.map(|(name, on)| format!("{}{name}", if *on { '+' } else { '-' })).collect();
    Ok(vec![NameList { title: format!("features of {} that it has (+) or lacks (-)", target.chip), names }])
}
