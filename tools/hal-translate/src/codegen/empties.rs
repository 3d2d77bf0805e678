//! Works around upstream's elimination of empty tensors, which computes a result in its final memory from the first
//! value of its chain on, and does not see other users of that value: two loops with one initial value overwrote each
//! other's results. Each user of a `tensor.empty` gets a separate one, and so does each operation that overwrites a
//! value with other users.
use halyard_ir::{Attr, Builder, Op, Value};

/// Separates the empty tensors of a module.
pub(crate) fn separate(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| found.push(op));
    for op in found {
        for at in overwritten(op) {
            let start = op.operand(at);
            if start.uses().len() > 1 && start.def().is_some_and(writes_over) {
                op.set_operand(at, another(op, start));
            }
        }
    }
    cut(module);
    let mut empties = Vec::new();
    module.walk(&mut |op| {
        if op.is("tensor.empty") {
            empties.push(op);
        }
    });
    for op in empties {
        for (user, operand) in op.result(0).uses().into_iter().skip(1) {
            user.set_operand(operand, Builder::before(op).insert(op.duplicate()).result(0));
        }
    }
}

/// Makes slices of empty tensors empty tensors of their size: tiles of what scripts fuse, which would keep all of it.
fn cut(module: Op) {
    let mut slices = Vec::new();
    module.walk(&mut |op| {
        if op.is("tensor.extract_slice") && op.operand(0).def().is_some_and(|d| d.is("tensor.empty")) {
            slices.push(op);
        }
    });
    for slice in slices {
        let ty = slice.result(0).ty();
        let segments = slice.attr("operandSegmentSizes").and_then(Attr::as_i64s).unwrap_or_default();
        let sizes = slice.attr("static_sizes").and_then(Attr::as_i64s).unwrap_or_default();
        // Dimensions that the slice drops are of size 1, so that the dynamic ones are those of the result.
        let skip = 1 + usize::try_from(segments.get(1).copied().unwrap_or(0)).unwrap_or(0);
        let count = sizes.iter().filter(|&&n| n == i64::MIN).count();
        if count != ty.shape().iter().filter(|d| d.is_none()).count() {
            continue;
        }
        let given: Vec<Value> = slice.operands().into_iter().skip(skip).take(count).collect();
        slice.result(0).replace_all_uses(Builder::before(slice).value("tensor.empty", &given, ty, &[]));
        slice.erase();
    }
}

/// Whether an operation returns an operand with changes, so that it may overwrite it.
fn writes_over(op: Op) -> bool {
    let name = op.name();
    matches!(&*name, "tensor.insert" | "tensor.insert_slice" | "scf.for") || name.starts_with("linalg.")
}

/// The tensors in whose place an operation writes, by operand.
fn overwritten(op: Op) -> Vec<usize> {
    let is_tensor = |at: &usize| op.operand(*at).ty().is_tensor();
    let operands = match &*op.name() {
        "tensor.insert" | "tensor.insert_slice" => 1..2,
        "scf.for" => 3..op.operand_count(),
        name if name.starts_with("linalg.") && op.result_count() <= op.operand_count() => {
            op.operand_count() - op.result_count()..op.operand_count()
        }
        _ => 0..0,
    };
    operands.filter(is_tensor).collect()
}

/// Duplicates a value for a user.
fn another(user: Op, value: Value) -> Value {
    let at = Builder::before(user);
    match value.def().filter(|def| def.is("linalg.fill")) {
        Some(fill) => at.insert(fill.duplicate()).result(0),
        None => at.value(
            "bufferization.alloc_tensor",
            &[value],
            value.ty(),
            &[("operandSegmentSizes", Attr::i32s(at.context(), &[0, 1, 0]))],
        ),
    }
}
