//! Tensors that loops carry and only write into: they keep their sizes.
use halyard_ir::{Op, Value};

/// So many writes in a row are followed.
const DEPTH: usize = 64;

/// The tensor that a loop started from, where `tensor` is what it carries or gives, with the same sizes.
pub(super) fn start_of(tensor: Value) -> Option<Value> {
    if let Some(op) = tensor.def() {
        if op.is("scf.forall") {
            return Some(op.operand(op.operand_count() - op.result_count() + tensor.index()));
        }
        let start = op.is("scf.for").then(|| op.operand(3 + tensor.index()))?;
        return is_written_into(tensor, start, 0).then_some(start);
    }
    let parent = tensor.argument_block()?.parent()?;
    if parent.is("scf.forall") {
        let arguments = parent.body()?.args().len();
        return Some(parent.operand(parent.operand_count() + tensor.index() - arguments));
    }
    if !parent.is("scf.for") {
        return None;
    }
    let carried = tensor.index().checked_sub(1)?;
    let next = parent.body()?.terminator()?.operand(carried);
    is_written_into(next, tensor, 0).then(|| parent.operand(3 + carried))
}

/// Whether a tensor is another one with elements written into it.
fn is_written_into(value: Value, start: Value, depth: usize) -> bool {
    if value == start {
        return true;
    }
    let Some(op) = value.def().filter(|_| depth < DEPTH) else { return false };
    let inner = |op: Op, region: usize| {
        op.region(region).first_block().and_then(|b| b.terminator()).map(|end| end.operand(value.index()))
    };
    match &*op.name() {
        "tensor.insert" | "tensor.insert_slice" => is_written_into(op.operand(1), start, depth + 1),
        "scf.for" => {
            let carried = op.body().map(|b| b.args()[1 + value.index()]);
            is_written_into(op.operand(3 + value.index()), start, depth + 1)
                && inner(op, 0).zip(carried).is_some_and(|(next, carried)| is_written_into(next, carried, depth + 1))
        }
        "scf.if" => (0..2).all(|region| inner(op, region).is_some_and(|v| is_written_into(v, start, depth + 1))),
        _ => false,
    }
}
