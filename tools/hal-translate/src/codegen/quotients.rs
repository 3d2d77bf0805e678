//! Defines signed divisions for every divisor except zero: the least integer divided by -1 wraps, as sums and products
//! do. CPUs trap in that case, and LLVM and SPIR-V leave it undefined.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Rewrites the divisions of a module by what may be -1, on numbers and vectors.
pub(crate) fn rewrite(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        let signed = matches!(&*op.name(), "arith.divsi" | "arith.remsi" | "arith.floordivsi" | "arith.ceildivsi");
        let plain = |ty: Type| !ty.is_tensor() && (!ty.is_vector() || ty.is_static());
        if signed && plain(op.result(0).ty()) && may_be_minus_one(op.operand(1)) {
            found.push(op);
        }
    });
    for op in found {
        let value = wrapped(op);
        op.result(0).replace_all_uses(value);
        op.erase();
    }
}

fn may_be_minus_one(divisor: Value) -> bool {
    let Some(constant) = divisor.constant_attr() else {
        let broadcast = divisor.def().filter(|d| d.is("vector.broadcast"));
        return broadcast.is_none_or(|d| d.operand(0).ty().is_vector() || may_be_minus_one(d.operand(0)));
    };
    let number = if constant.is_elements() { constant.splat_value() } else { Some(constant) };
    number.and_then(Attr::as_int).is_none_or(|n| n == -1)
}

fn wrapped(op: Op) -> Value {
    let (a, b, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let at = Builder::before(op);
    let number = |n: i64| {
        let number = at.constant(Attr::integer(ty.element(), n));
        if ty.is_vector() { at.value("vector.broadcast", &[number], ty, &[]) } else { number }
    };
    let remainder = op.is("arith.remsi");
    // The only divisor of one bit is -1.
    if ty.element().is_integer() && ty.element().bits() == 1 {
        return if remainder { number(0) } else { a };
    }
    let bit = Type::integer(at.context(), 1);
    let bits = if ty.is_vector() { with_elements(ty, bit) } else { bit };
    let equal = Attr::integer(Type::integer(at.context(), 64), 0);
    let opposite = at.value("arith.cmpi", &[b, number(-1)], bits, &[("predicate", equal)]);
    let divisor = at.value("arith.select", &[opposite, number(1), b], ty, &[]);
    let quotient = at.value(&op.name(), &[a, divisor], ty, &[]);
    if remainder {
        return quotient;
    }
    let negated = at.value("arith.subi", &[number(0), a], ty, &[]);
    at.value("arith.select", &[opposite, negated, quotient], ty, &[])
}

/// Returns a vector type with another element type.
fn with_elements(ty: Type, element: Type) -> Type {
    let sizes: String = ty.shape().into_iter().map(|n| format!("{}x", n.expect("the vector is static"))).collect();
    Type::parse(element.context(), &format!("vector<{sizes}{element}>")).expect("a vector type")
}
