//! What is said of data that is wrong, and the checks on the host that say it.
use super::{
    hazards::{Danger, Hazard},
    safe::{compare, size_value},
    size::Size,
    space::Space,
};
use halyard_diag::Template;
use halyard_ir::{Attr, Builder, Op, Type, Value, form::Checks, line_of, node_of};

/// What messages call an operation: by its node of the model, else by its name, function and line.
pub(super) fn subject(op: Op) -> String {
    if let Some((name, operator)) = node_of(op) {
        return match operator {
            Some(operator) => format!("{operator} `{name}`"),
            None => format!("`{name}`"),
        };
    }
    let function = std::iter::successors(op.parent(), |op| op.parent()).find(|op| op.is("func.func"));
    let function = function.and_then(Op::symbol).map_or_else(String::new, |name| format!(" of `@{name}`"));
    let line = line_of(op).map_or_else(String::new, |line| format!(", line {line}"));
    format!("`{}`{function}{line}", op.name())
}

/// The message of a hazard. `{0}` is the number that was found, `{1}` the size.
pub(super) fn message(subject: &str, hazard: &Hazard) -> String {
    let subject = Template::escape(subject);
    let said = || hazard.op.attr("msg").and_then(Attr::as_string).unwrap_or_default();
    match hazard.danger {
        Danger::Index { dimension, length: 1, .. } => {
            format!("{subject}: index {{0}} is out of range for dimension {dimension} of size {{1}}")
        }
        Danger::Index { dimension, length, .. } => {
            format!(
                "{subject}: offset {{0}} of {length} elements is out of range for dimension {dimension} of size {{1}}"
            )
        }
        Danger::Divisor => format!("{subject}: division by zero"),
        Danger::Shift => format!("{subject}: an integer of {} bits is shifted by {{0}}", hazard.bits),
        // A model's own assertion speaks for itself; those of a node are ours.
        Danger::Broken if node_of(hazard.op).is_none() => Template::escape(&said()),
        Danger::Broken => format!("{subject}: {}", Template::escape(&said())),
    }
}

/// Whether one of some loops does not run at all, where that is not known.
pub(super) fn is_idle(at: &Builder, space: &Space) -> Option<Value> {
    let flag = Type::integer(at.context(), 1);
    let sizes: Vec<Size> = (0..space.extents.len())
        .filter(|d| space.known(*d).is_none())
        .filter_map(|d| space.extents[d].first().copied())
        .collect();
    sizes.into_iter().fold(None, |idle, size| {
        let empty = compare(at, 0, size_value(at, size), at.index(0));
        Some(idle.map_or(empty, |idle| at.value("arith.ori", &[idle, empty], flag, &[])))
    })
}

/// Checks the number that was found for a hazard.
pub(super) fn check(checks: &mut Checks, at: &Builder, space: &Space, hazard: &Hazard, found: Value, subject: &str) {
    let shifted = matches!(hazard.danger, Danger::Index { size, .. } if counts_from_end(hazard.value, size));
    check_number(checks, at, space, hazard, shifted, found, &message(subject, hazard));
}

/// As [`check`], where the body is not what it was any more. `shifted`: the size was added to an index below zero.
pub(super) fn check_number(
    checks: &mut Checks,
    at: &Builder,
    space: &Space,
    hazard: &Hazard,
    shifted: bool,
    found: Value,
    message: &str,
) {
    let context = at.context();
    let (i64, flag) = (Type::integer(context, 64), Type::integer(context, 1));
    let number = |n: i64| at.constant(Attr::integer(i64, n));
    let (fine, values) = match hazard.danger {
        Danger::Index { size, length, .. } => {
            let own = match size {
                Size::Known(n) => number(n),
                _ => at.value("arith.index_cast", &[size_value(at, size)], i64, &[]),
            };
            let mut end = own;
            if length > 1 {
                end = at.value("arith.subi", &[own, number(length - 1)], i64, &[]);
                end = at.value("arith.maxsi", &[end, number(0)], i64, &[]);
            }
            let mut shown = found;
            if hazard.may_be_absent {
                // It is `counted`.
                let index = at.value("arith.subi", &[found, number(1)], i64, &[]);
                shown = at.value("arith.select", &[compare(at, 5, index, number(0)), index, found], i64, &[]);
            }
            if shifted {
                // As it was before the size was added to it.
                let before = at.value("arith.subi", &[shown, own], i64, &[]);
                shown = at.value("arith.select", &[compare(at, 2, shown, number(0)), before, shown], i64, &[]);
            }
            let predicate = if hazard.may_be_absent { 7 } else { 6 };
            (compare(at, predicate, found, end), vec![shown, own])
        }
        Danger::Shift => (compare(at, 6, found, number(hazard.bits.into())), vec![found]),
        Danger::Divisor | Danger::Broken => (compare(at, 0, found, number(0)), Vec::new()),
    };
    let fine = match is_idle(at, space) {
        Some(idle) => at.value("arith.ori", &[fine, idle], flag, &[]),
        None => fine,
    };
    checks.call(at, fine, message, &values);
}

/// Whether a size was added to an index where it was negative.
pub(super) fn counts_from_end(value: Value, size: Size) -> bool {
    let Some(op) = value.def() else { return false };
    match &*op.name() {
        "arith.index_cast" if op.operand(0).ty().bits() == 64 => counts_from_end(op.operand(0), size),
        "arith.select" => {
            let (Some(negative), Some(sum)) = (op.operand(0).def(), op.operand(1).def()) else { return false };
            let index = op.operand(2);
            let zero = |v: Value| Size::from(v) == Size::Known(0);
            let added = |v: Value| {
                Size::from(v) == size
                    || v.def().is_some_and(|d| d.is("arith.index_cast") && Size::from(d.operand(0)) == size)
            };
            negative.is("arith.cmpi")
                && negative.attr("predicate").and_then(Attr::as_int) == Some(2)
                && negative.operand(0) == index
                && zero(negative.operand(1))
                && sum.is("arith.addi")
                && (sum.operand(0) == index && added(sum.operand(1))
                    || sum.operand(1) == index && added(sum.operand(0)))
        }
        _ => false,
    }
}
