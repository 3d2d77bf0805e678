//! Performs signed comparisons of a widened value with a constant in the narrow type. In Mesa 22.3, an `i64` widened
//! from an `i32` never compares less than a constant.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// The comparison in the narrow type; `None` if it is of another kind.
pub(super) fn narrow(at: &Builder, op: Op) -> Option<Value> {
    let predicate = op.attr("predicate").filter(|_| op.name() == "arith.cmpi")?;
    // Less, not greater, greater, not less.
    let (2..=5) = predicate.as_int()? else { return None };
    // Positions have 32 bits here, too.
    let widens = |d: &Op| {
        let position = || d.operand(0).ty().is_index() && d.result(0).ty().bits() == 64;
        d.name() == "arith.extsi" || d.name() == "arith.index_cast" && position()
    };
    let wide = |v: Value| v.def().filter(widens).map(|d| d.operand(0));
    let constant = |v: Value| v.def().filter(|d| d.name() == "arith.constant")?.attr("value")?.as_int();
    let (a, b) = (op.operand(0), op.operand(1));
    let (number, bound, first) = match (wide(a), constant(b), constant(a), wide(b)) {
        (Some(x), Some(c), ..) => (x, c, true),
        (.., Some(c), Some(x)) => (x, c, false),
        _ => return None,
    };
    // Single bits are no numbers to SPIR-V.
    let bits = if number.ty().is_index() { 32 } else { number.ty().bits() };
    if !(8..64).contains(&bits) {
        return None;
    }
    let (least, most) = (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1);
    let truth = Type::integer(at.context(), 1);
    if !(least..=most).contains(&bound) {
        let is_less = (bound > most) == first;
        return Some(at.constant(Attr::integer(truth, i64::from(is_less == (predicate.as_int()? < 4)))));
    }
    let bound = at.constant(Attr::integer(number.ty(), bound));
    let operands = if first { [number, bound] } else { [bound, number] };
    Some(at.value("arith.cmpi", &operands, truth, &[("predicate", predicate)]))
}
