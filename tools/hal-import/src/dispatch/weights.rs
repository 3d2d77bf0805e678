//! Arguments that are weights: every call of the export passes the value of a constant global. `hal-translate` may have a variant take
//! these in another layout.
use crate::weights::{LEAST_BYTES, LEAST_MATRIX};
use halyard_ir::{
    AffineKind, Op, Structured, Value, WeightLayout,
    form::{Program, calls_of_entries, weight_of},
    is_contraction,
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
            let has_layout = shape.as_ref().is_some_and(|s| WeightLayout::exists_for(s, &ty.element().to_string()));
            let elements = shape.map_or(0, |s| s.into_iter().fold(1, u64::saturating_mul));
            let bytes = elements.saturating_mul(u64::from(ty.element().bits())) / 8;
            let large = bytes >= if ty.element().is_float() { LEAST_MATRIX } else { LEAST_BYTES };
            let matrix = ty.rank() == 2 && large;
            let constant = || calls.iter().all(|c| weight_of(&globals, c.operand(i)).is_some());
            let reads = |how: fn(Value) -> bool| export.op.body().is_some_and(|b| how(b.args()[i]));
            let known = ty.rank() > 3 || reads(is_cut) || matrix && reads(is_factor);
            if has_layout && known && !calls.is_empty() && !interface.tied.contains(&Some(i)) && constant() {
                export.set_weight(i, true);
            }
        }
    }
}

/// Whether a value is a matrix of weights, as stored or made wider, that is large enough to be worth another layout.
pub(super) fn is_large_weight(value: Value) -> bool {
    let ty = value.ty();
    let elements = || ty.shape().into_iter().try_fold(1u64, |n, d| n.checked_mul(u64::try_from(d?).ok()?));
    let bytes = |n: u64| n.saturating_mul(u64::from(ty.element().bits())) / 8;
    ty.is_ranked_tensor() && elements().is_some_and(|n| bytes(n) >= LEAST_MATRIX) && is_of_constants(value, MOST_STEPS)
}

/// What makes numbers wider goes through at most so many operations.
const MOST_STEPS: usize = 4;

/// Whether constants alone make a value, in at most so many operations.
fn is_of_constants(value: Value, steps: usize) -> bool {
    let Some(def) = value.def() else { return false };
    if matches!(&*def.name(), "ml_program.global_load_const" | "arith.constant" | "tensor.empty") {
        return true;
    }
    let reads =
        matches!(&*def.name(), "tensor.collapse_shape" | "tensor.expand_shape") || Structured::of(def).is_some();
    reads && steps > 0 && def.operands().into_iter().all(|v| is_of_constants(v, steps - 1))
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

/// Whether a product alone reads a value, perhaps made wider for it.
fn is_factor(value: Value) -> bool {
    let [(user, operand)] = value.uses()[..] else { return false };
    if is_contraction(user) {
        return operand == 1;
    }
    let is_wider = |cast: Op| cast.is("arith.extf") || cast.is("arith.extsi");
    let widens = || user.body().is_some_and(|b| matches!(b.ops()[..], [cast, _] if is_wider(cast)));
    user.is("linalg.generic")
        && operand == 0
        && widens()
        && matches!(user.result(0).uses()[..], [(product, 1)] if is_contraction(product))
}
