//! Operations on numbers, which rewrites are made of.
use halyard_ir::{Attr, Builder, Op, Type, Value};

pub(super) fn is_short(ty: Type) -> bool {
    ty.is_float() && ty.bits() == 16
}

/// An operation on 16-bit floats in 32 bits.
pub(super) fn in_f32(at: &Builder, op: Op, compute: impl FnOnce(&Builder, &[Value]) -> Value) -> Value {
    let wide = Type::f32(at.context());
    let operands = op.operands().into_iter();
    let operands: Vec<Value> =
        operands.map(|v| if is_short(v.ty()) { at.value("arith.extf", &[v], wide, &[]) } else { v }).collect();
    let y = compute(at, &operands);
    at.value("arith.truncf", &[y], op.result(0).ty(), &[])
}

/// A comparison by the number of its predicate in the dialect.
pub(super) fn compare(at: &Builder, name: &str, predicate: i64, a: Value, b: Value) -> Value {
    let predicate = Attr::integer(Type::integer(at.context(), 64), predicate);
    at.value(name, &[a, b], Type::integer(at.context(), 1), &[("predicate", predicate)])
}

/// One of two values.
pub(super) fn select(at: &Builder, condition: Value, a: Value, b: Value) -> Value {
    at.value("arith.select", &[condition, a, b], a.ty(), &[])
}
