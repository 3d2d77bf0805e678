//! Arguments that are weights: every call of the export passes the value of a constant global. `hal-translate` may have a variant take
//! these in another layout.
use halyard_ir::{
    AffineKind, Structured, Value, WeightLayout,
    form::{Program, calls_of_entries, weight_of},
};

/// Marks the arguments of exports that are weights of a type that a layout exists for.
pub(super) fn mark(program: Program) {
    let globals = program.globals().into_iter().map(|g| (g.name(), g)).collect();
    let executables = program.executables_by_name();
    let calls = calls_of_entries(program);
    for entry in program.entries() {
        let calls = &calls[&entry.name()];
        let Ok((executable, export)) = entry.target() else { continue };
        let exports = executables.get(&executable).map(|e| e.exports()).unwrap_or_default();
        let Some(export) = exports.into_iter().find(|e| e.name() == export) else { continue };
        let interface = export.interface();
        for i in interface.tensor_inputs() {
            let ty = interface.inputs[i];
            let shape: Option<Vec<u64>> = ty.shape().into_iter().map(|d| u64::try_from(d?).ok()).collect();
            let has_layout = shape.is_some_and(|s| WeightLayout::exists_for(&s, &ty.element().to_string()));
            let constant = || calls.iter().all(|c| weight_of(&globals, c.operand(i)).is_some());
            let known = ty.rank() > 3 || export.op.body().is_some_and(|b| is_cut(b.args()[i]));
            if has_layout && known && !calls.is_empty() && !interface.tied.contains(&Some(i)) && constant() {
                export.set_weight(i, true);
            }
        }
    }
}

/// Whether all that reads a value cuts a dimension of it into blocks: numbers that are quantised, or their scales.
fn is_cut(value: Value) -> bool {
    let cuts = |e: &AffineKind| matches!(e, AffineKind::FloorDiv(..));
    let uses = value.uses();
    !uses.is_empty()
        && uses.iter().all(|(op, operand)| {
            Structured::of(*op).is_some_and(|s| s.maps.get(*operand).is_some_and(|m| m.results().iter().any(cuts)))
        })
}
