//! Bodies that do no harm, whatever their data: indices are moved into their tensors, divisors that are 0 become 1.
use super::{
    hazards::{Danger, Hazard, width},
    ranges::Ranges,
    size::Size,
    space::Space,
};
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// The size as an `index`, computed by `at`.
pub(super) fn size_value(at: &Builder, size: Size) -> Value {
    match size {
        Size::Known(n) => at.index(n),
        Size::Value(value) => value,
        Size::Dim(tensor, dimension) => {
            let index = Type::index(at.context());
            let d = at.index(dimension as i64);
            at.value("tensor.dim", &[tensor, d], index, &[])
        }
    }
}

/// Lets the operation of a hazard use a value that does no harm. Sizes are asked for by `outside`, where the body allows it.
pub(super) fn make_safe(hazard: &Hazard, outside: Option<&Builder>) {
    let at = Builder::before(hazard.op);
    let (value, ty) = (hazard.value, hazard.value.ty());
    let number = |n: i64| at.constant(Attr::integer(ty, n));
    let new = match hazard.danger {
        Danger::Index { size, length, .. } => {
            let last = match size {
                Size::Known(n) => at.index((n - length).max(0)),
                _ => last_of(outside.unwrap_or(&at), size, length),
            };
            // An index below zero is a very large one without a sign.
            at.value("arith.minui", &[value, last], ty, &[])
        }
        Danger::Broken => return,
        Danger::Divisor => {
            let zero = compare(&at, 0, value, number(0));
            at.value("arith.select", &[zero, number(1), value], ty, &[])
        }
        Danger::Shift => at.value("arith.minui", &[value, number(i64::from(width(ty)) - 1)], ty, &[]),
    };
    hazard.op.set_operand(hazard.operand, new);
}

/// The last place for something of that length in a dimension; 0 if there is none.
fn last_of(at: &Builder, size: Size, length: i64) -> Value {
    let size = size_value(at, size);
    let index = size.ty();
    let last = at.value("arith.subi", &[size, at.index(length)], index, &[]);
    at.value("arith.maxsi", &[last, at.index(0)], index, &[])
}

/// `arith.cmpi` with a predicate by number.
pub(super) fn compare(at: &Builder, predicate: i64, a: Value, b: Value) -> Value {
    let context = at.context();
    let predicate = Attr::integer(Type::integer(context, 64), predicate);
    at.value("arith.cmpi", &[a, b], Type::integer(context, 1), &[("predicate", predicate)])
}

/// Takes the assertions out of a body.
pub(super) fn drop_assertions(op: Op) {
    let mut found = Vec::new();
    op.walk(&mut |inner| {
        if inner.is("cf.assert") {
            found.push(inner);
        }
    });
    found.into_iter().for_each(Op::erase);
}

/// Lets the quotient of the least integer and -1 wrap around, which is undefined in MLIR and traps on some machines.
pub(super) fn wrap_quotients(space: &Space) {
    let mut found = Vec::new();
    space.op.walk(&mut |op| {
        if matches!(&*op.name(), "arith.divsi" | "arith.remsi" | "arith.floordivsi" | "arith.ceildivsi") {
            found.push(op);
        }
    });
    for op in found {
        let (x, y, ty) = (op.operand(0), op.operand(1), op.operand(0).ty());
        let ranges = Ranges::new(space, &[]);
        let least = -(1i128 << (width(ty) - 1));
        if ty.is_tensor() || width(ty) == 1 || !ranges.interval(y).contains(-1) || !ranges.interval(x).contains(least) {
            continue;
        }
        let at = Builder::before(op);
        let number = |n: i64| at.constant(Attr::integer(ty, n));
        let flips = compare(&at, 0, y, number(-1));
        op.set_operand(1, at.value("arith.select", &[flips, number(1), y], ty, &[]));
        if op.is("arith.remsi") {
            continue;
        }
        let after = Builder { before: op.next(), ..at };
        let quotient = op.result(0);
        let users = quotient.uses();
        let negative = after.value("arith.subi", &[after.constant(Attr::integer(ty, 0)), x], ty, &[]);
        let wrapped = after.value("arith.select", &[flips, negative, quotient], ty, &[]);
        for (user, operand) in users {
            user.set_operand(operand, wrapped);
        }
    }
}

/// Whether an operation of a body is there only to keep a division or a shift from what is undefined: it is not worth a word.
pub(in crate::dispatch) fn protects(op: Op) -> bool {
    if op.result_count() != 1 || !op.has_uses() {
        return false;
    }
    let name = op.name();
    let divides = |user: Op, operand: usize| {
        let name = user.name();
        operand == 1
            && ["arith.div", "arith.rem", "arith.floordiv", "arith.ceildiv"].iter().any(|p| name.starts_with(p))
            && !name.ends_with('f')
    };
    let all = |f: &dyn Fn(Op, usize) -> bool| op.result(0).uses().into_iter().all(|(user, operand)| f(user, operand));
    match &*name {
        "arith.select" => {
            let negates =
                op.operand(1).def().is_some_and(|d| d.is("arith.subi") && Size::from(d.operand(0)) == Size::Known(0));
            let quotient = op.operand(2).def().is_some_and(|d| d.operand_count() == 2 && divides(d, 1));
            let chosen = |user: Op| matches!(&*user.name(), "arith.select" | "arith.cmpi") && protects(user);
            let divisor = |user: Op, operand: usize| divides(user, operand) || chosen(user);
            negates && quotient || all(&divisor)
        }
        "arith.cmpi" | "arith.subi" => all(&|user, _| user.is("arith.select") && protects(user)),
        "arith.minui" => all(&|user, operand| operand == 1 && user.name().starts_with("arith.sh")),
        _ => false,
    }
}
