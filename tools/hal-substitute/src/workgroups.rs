//! Workgroup counts of hand-written kernels.
use crate::{SubstitutionName, Variants, settings::VariantSettings};
pub(crate) use halyard_ir::form::count_function;
use halyard_ir::{
    Attr, Op,
    form::{Executable, Export, Variant},
    names,
};
use std::collections::BTreeSet;

/// The workgroup counts that are asked for; remarks on those that are not.
pub(crate) fn counts(
    executable: Executable,
    variant: Option<Variant>,
    given: &[String],
    settings: &VariantSettings<'_>,
    remarks: &mut Vec<String>,
    details: &mut Vec<String>,
) -> Vec<(String, [u32; 3])> {
    let mut counts = Vec::new();
    for export in given {
        let variants = variant.map_or(Variants::All, |v| Variants::One(v.name()));
        let place = SubstitutionName { executable: executable.name(), variants, export: Some(export.clone()) };
        let asked = settings.workgroups.iter().find(|w| w.name.overlaps(&place)).map(|w| w.count);
        let flag = format!("`--workgroups={}=X,Y,Z`", SubstitutionName::executable(&executable.name()));
        let old = variant.and_then(|v| count_of(v, export));
        match (asked, old) {
            (Some(count), _) => counts.push((export.clone(), count)),
            (None, None) => {
                remarks.push(format!("`{export}` runs in 1 workgroup; {flag} gives it more"));
                counts.push((export.clone(), [1; 3]));
            }
            (None, Some(count)) => {
                let numbers = constant_count(count).map(|c| format!("{} workgroups", c.join(",")));
                let text = numbers.unwrap_or_else(|| "its workgroup count".to_owned());
                details.push(format!("`{export}` keeps {text}; {flag} changes that"));
            }
        }
    }
    counts
}

/// The workgroup count of an export of a variant: the one that it names or, where the variant came as code, the function
/// beside it.
pub(crate) fn count_of(variant: Variant, export: &str) -> Option<Op> {
    let declared = variant.exports().into_iter().find(|e| e.name() == export)?;
    let beside = format!("{export}_workgroups");
    let ops = || variant.op.body_ops();
    variant.workgroups(declared).or_else(|| ops().into_iter().find(|op| op.symbol().as_deref() == Some(&*beside)))
}

/// Returns the values of a workgroup count, if they are constants.
fn constant_count(function: Op) -> Option<Vec<String>> {
    let results = function.body()?.terminator()?.operands();
    results.into_iter().map(|v| v.constant().map(|n| n.to_string())).collect()
}

/// Sets the workgroup count of a variant's export. Removes the old function unless another export uses it.
pub(crate) fn set_count(variant: Variant, export: Export, count: [u32; 3]) {
    let old = variant.workgroups(export);
    let taken: BTreeSet<String> = variant.op.body_ops().into_iter().filter_map(|op| op.symbol()).collect();
    let base = format!("{}_workgroups", export.name());
    let mut names = std::iter::once(base.clone()).chain((2..).map(|i| format!("{base}_{i}")));
    let name = names.find(|n| !taken.contains(n)).expect("numbers do not end");
    let function = count_function(export, &name, count);
    let body = variant.op.body().expect("a module has a body");
    body.append(function);
    export.op.set_attr(names::WORKGROUPS, Attr::symbol(export.op.context(), &name));
    let used = |op: Op| variant.exports().into_iter().any(|e| variant.workgroups(e) == Some(op));
    if let Some(old) = old.filter(|&op| !used(op)) {
        old.erase();
    }
}
