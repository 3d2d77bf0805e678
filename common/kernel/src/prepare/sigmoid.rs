//! Sigmoids: where `f32` code says 1 / (1 + e^-x), it becomes what that is worth by e^-|x|, z: w - w (z / (1 + z)),
//! where w is z for x below zero, and else 1. That is good to 1.9 ulp instead of 2.4, also where e^-x is no number any more but the
//! result still is.
//!
//! 1 + tanh u, as in a GELU, is twice the sigmoid of 2 u, which becomes 2 / (1 + e^-2u): an exponential instead of a hyperbolic
//! tangent, and nothing cancels below zero.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Rewrites the sigmoids of a module that is made of generic operations; `fused` is whether there are fused
/// multiply-adds.
pub(crate) fn rewrite(module: Op, fused: bool) {
    tangents(module);
    let mut found = Vec::new();
    module.walk(&mut |op| {
        if let Some(x) = of_sigmoid(op) {
            found.push((op, x));
        }
    });
    for (op, x) in found {
        let sigmoid = sigmoid(&Builder::before(op), x, fused);
        op.result(0).replace_all_uses(sigmoid);
        op.erase();
    }
}

/// Rewrites sums of one and a tangent that nobody else needs.
fn tangents(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        if !op.is("arith.addf") || op.result(0).ty() != Type::f32(op.context()) {
            return;
        }
        let sides = [(op.operand(0), op.operand(1)), (op.operand(1), op.operand(0))];
        let tanh = sides.into_iter().filter(|(one, _)| is_number(*one, 1.0)).find_map(|(_, t)| made_by(t, "math.tanh"));
        found.extend(tanh.filter(|t| t.result(0).uses().len() == 1).map(|t| (op, t)));
    });
    for (sum, tanh) in found {
        let (at, ty) = (Builder::before(sum), sum.result(0).ty());
        let two = |name: &str, a: Value, b: Value| at.value(name, &[a, b], ty, &[]);
        let number = |value: f64| at.constant(Attr::float(ty, value));
        let power = at.value("math.exp", &[two("arith.mulf", tanh.operand(0), number(-2.0))], ty, &[]);
        let y = two("arith.divf", number(2.0), two("arith.addf", power, number(1.0)));
        sum.result(0).replace_all_uses(y);
        sum.erase();
        tanh.erase();
    }
}

fn made_by(value: Value, name: &str) -> Option<Op> {
    value.def().filter(|d| d.is(name))
}

fn is_number(value: Value, number: f64) -> bool {
    made_by(value, "arith.constant").and_then(|c| c.attr("value")).and_then(Attr::as_float) == Some(number)
}

fn sigmoid(at: &Builder, x: Value, fused: bool) -> Value {
    let ty = x.ty();
    let two = |name: &str, a: Value, b: Value| at.value(name, &[a, b], ty, &[]);
    let number = |value: f64| at.constant(Attr::float(ty, value));
    let one = number(1.0);
    let magnitude = at.value("math.absf", &[x], ty, &[]);
    let minus = at.value("arith.negf", &[magnitude], ty, &[]);
    let z = at.value("math.exp", &[minus], ty, &[]);
    let sum = two("arith.addf", z, one);
    let share = two("arith.divf", z, sum);
    // Whether the sign is set: NaN stays, and both sides are 1/2 for zeros.
    let int = |value: i64| at.constant(Attr::integer(Type::integer(at.context(), 32), value));
    let bits = at.value("arith.bitcast", &[x], Type::integer(at.context(), 32), &[]);
    let predicate = Attr::integer(Type::integer(at.context(), 64), 2);
    let bool = Type::integer(at.context(), 1);
    let negative = at.value("arith.cmpi", &[bits, int(0)], bool, &[("predicate", predicate)]);
    let whole = at.value("arith.select", &[negative, z, one], ty, &[]);
    if fused {
        let minus = at.value("arith.negf", &[share], ty, &[]);
        at.value("math.fma", &[minus, whole, whole], ty, &[])
    } else {
        two("arith.subf", whole, two("arith.mulf", whole, share))
    }
}

/// The x of a division that is 1 / (1 + e^-x), whose parts nobody else needs.
fn of_sigmoid(div: Op) -> Option<Value> {
    if !div.is("arith.divf") || div.result(0).ty() != Type::f32(div.context()) || !is_number(div.operand(0), 1.0) {
        return None;
    }
    let sum = made_by(div.operand(1), "arith.addf")?;
    let power = match (sum.operand(0), sum.operand(1)) {
        (one, power) | (power, one) if is_number(one, 1.0) => power,
        _ => return None,
    };
    let exp = made_by(power, "math.exp")?;
    let minus = exp.operand(0).def()?;
    let x = match &*minus.name() {
        "arith.negf" => minus.operand(0),
        "arith.subf" if is_number(minus.operand(0), 0.0) => minus.operand(1),
        "arith.mulf" if is_number(minus.operand(1), -1.0) => minus.operand(0),
        _ => return None,
    };
    [sum, exp].iter().all(|op| op.result(0).uses().len() == 1).then_some(x)
}
