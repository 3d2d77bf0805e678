//! Comparisons, logic, bits, selection.
use super::{
    Entry,
    arithmetic::{fold, operands, same_type},
};
use crate::onnx::{
    Body, Context, Elem, Node, Num, Order, Outcome, Scalar, Value, layout::as_usize, problem::invalid,
    tensor::broadcast_source,
};

pub(super) const OPS: &[Entry] = &[
    ("Equal", |c, n| compare(c, n, Order::Eq)),
    ("Less", |c, n| compare(c, n, Order::Lt)),
    ("LessOrEqual", |c, n| compare(c, n, Order::Le)),
    ("Greater", |c, n| compare(c, n, Order::Gt)),
    ("GreaterOrEqual", |c, n| compare(c, n, Order::Ge)),
    ("And", |c, n| bits(c, n, |a, b| a & b, |b, x, y| b.and(x, y))),
    ("Or", |c, n| bits(c, n, |a, b| a | b, |b, x, y| b.or(x, y))),
    ("Xor", |c, n| bits(c, n, |a, b| a ^ b, |b, x, y| b.xor(x, y))),
    ("BitwiseAnd", |c, n| bits(c, n, |a, b| a & b, |b, x, y| b.and(x, y))),
    ("BitwiseOr", |c, n| bits(c, n, |a, b| a | b, |b, x, y| b.or(x, y))),
    ("BitwiseXor", |c, n| bits(c, n, |a, b| a ^ b, |b, x, y| b.xor(x, y))),
    ("Not", |c, n| not(c, n)),
    ("BitwiseNot", |c, n| not(c, n)),
    ("BitShift", shift),
    ("IsNaN", |c, n| {
        let x = n.input(0)?.clone();
        Ok(vec![c.elementwise(&[x], Elem::Bool, |b, v| b.is_nan(&v[0]))?])
    }),
    ("IsInf", is_inf),
    ("Where", choose),
];

fn compare(c: &mut Context<'_>, n: &Node, order: Order) -> Outcome {
    if let (Some(a), Some(b)) = (n.optional(0), n.optional(1))
        && (a.words.is_some() || b.words.is_some())
    {
        let (a, b) = (n.input(0)?.clone(), n.input(1)?.clone());
        return Ok(vec![c.equal_strings(&a, &b)?]);
    }
    let [a, b] = operands(c, n)?;
    same_type(n, &a, &b)?;
    let inputs = [a, b];
    let folded = fold(c, &inputs, Elem::Bool, |v| {
        let (a, b) = (v[0], v[1]);
        let result = match order {
            Order::Eq => a == b,
            Order::Lt => less(a, b),
            Order::Le => less(a, b) || a == b,
            Order::Gt => less(b, a),
            Order::Ge => less(b, a) || a == b,
        };
        Some(Num::I(result.into()))
    })?;
    if let Some(folded) = folded {
        return Ok(vec![folded]);
    }
    // Sizes that differ by a constant compare the same in every run.
    if let (Some(x), Some(y)) = (inputs[0].as_dims(), inputs[1].as_dims()) {
        let shape = c.broadcast_shape(&[&inputs[0].shape, &inputs[1].shape])?;
        let to = as_usize(&shape);
        let (from_x, from_y) =
            (broadcast_source(&as_usize(&inputs[0].shape), &to), broadcast_source(&as_usize(&inputs[1].shape), &to));
        let flags: Option<Vec<_>> = (0..to.iter().product())
            .map(|i| {
                let (x, y) = (&x[from_x(i)], &y[from_y(i)]);
                // A size is never negative.
                let difference = x
                    .minus(y)
                    .get()
                    .or_else(|| c.is_size(x).then(|| y.get().filter(|&y| y < 0)).flatten().map(|_| 1))
                    .or_else(|| c.is_size(y).then(|| x.get().filter(|&x| x < 0)).flatten().map(|_| -1))?;
                let flag = match order {
                    Order::Eq => difference == 0,
                    Order::Lt => difference < 0,
                    Order::Le => difference <= 0,
                    Order::Gt => difference > 0,
                    Order::Ge => difference >= 0,
                };
                Some(Num::I(flag.into()))
            })
            .collect();
        if let Some(flags) = flags {
            return Ok(vec![Value::constant(crate::onnx::Tensor::from_numbers(Elem::Bool, to, flags))]);
        }
    }
    Ok(vec![c.elementwise(&inputs, Elem::Bool, |b, v| b.compare(order, &v[0], &v[1]))?])
}

fn less(a: Num, b: Num) -> bool {
    match (a, b) {
        (Num::I(a), Num::I(b)) => a < b,
        _ => a.float() < b.float(),
    }
}

fn bits(
    c: &mut Context<'_>,
    n: &Node,
    f: fn(i128, i128) -> i128,
    emit: fn(&mut Body<'_>, &Scalar, &Scalar) -> Scalar,
) -> Outcome {
    let [a, b] = operands(c, n)?;
    same_type(n, &a, &b)?;
    let elem = a.elem;
    if elem.is_float() {
        return invalid(format!("`{}` is of floats", n.op));
    }
    let inputs = [a, b];
    if let Some(folded) = fold(c, &inputs, elem, |v| Some(Num::I(f(v[0].int(), v[1].int()))))? {
        return Ok(vec![folded]);
    }
    Ok(vec![c.elementwise(&inputs, elem, |b, v| emit(b, &v[0], &v[1]))?])
}

fn not(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let elem = x.elem;
    if let Some(folded) = fold(c, std::slice::from_ref(&x), elem, |v| {
        Some(if elem == Elem::Bool { Num::I(v[0].is_zero().into()) } else { Num::I(!v[0].int()) })
    })? {
        return Ok(vec![folded]);
    }
    Ok(vec![c.elementwise(&[x], elem, |b, v| b.not(&v[0]))?])
}

fn shift(c: &mut Context<'_>, n: &Node) -> Outcome {
    let [a, b] = operands(c, n)?;
    same_type(n, &a, &b)?;
    let left = match n.string("direction", "").as_str() {
        "LEFT" => true,
        "RIGHT" => false,
        other => return invalid(format!("`direction` is `{other}`")),
    };
    let elem = a.elem;
    Ok(vec![c.elementwise(&[a, b], elem, |b, v| b.shift(&v[0], &v[1], left))?])
}

fn is_inf(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let (positive, negative) = (n.int("detect_positive", 1) != 0, n.int("detect_negative", 1) != 0);
    Ok(vec![c.elementwise(&[x], Elem::Bool, |b, v| {
        let x = if v[0].elem.is_some_and(Elem::is_narrow) { b.cast(&v[0], Elem::F32) } else { v[0].clone() };
        match (positive, negative) {
            (false, false) => b.int(Elem::Bool, 0),
            (true, true) => {
                let (size, infinity) = (b.abs(&x), b.like(&x, f64::INFINITY));
                b.compare(Order::Eq, &size, &infinity)
            }
            _ => {
                let infinity = b.like(&x, if positive { f64::INFINITY } else { f64::NEG_INFINITY });
                b.compare(Order::Eq, &x, &infinity)
            }
        }
    })?])
}

fn choose(c: &mut Context<'_>, n: &Node) -> Outcome {
    let inputs = n.all()?;
    let [condition, yes, no] = &inputs[..] else { return invalid("there must be three inputs") };
    same_type(n, yes, no)?;
    if let Some(folded) = fold(c, &inputs, yes.elem, |v| Some(if v[0].is_zero() { v[2] } else { v[1] }))? {
        return Ok(vec![folded]);
    }
    if let (Some(flags), Some(a), Some(b)) = (condition.tensor(), yes.as_dims(), no.as_dims()) {
        let shape = c.broadcast_shape(&[&condition.shape, &yes.shape, &no.shape])?;
        let to = as_usize(&shape);
        let source = |v: &Value| broadcast_source(&as_usize(&v.shape), &to);
        let (from_flag, from_a, from_b) = (source(condition), source(yes), source(no));
        let dims = (0..to.iter().product())
            .map(|i| if flags.get(from_flag(i)).is_zero() { b[from_b(i)].clone() } else { a[from_a(i)].clone() })
            .collect();
        return Ok(vec![Value::dims(yes.elem, shape, dims)]);
    }
    let elem = yes.elem;
    Ok(vec![c.elementwise(&inputs, elem, |b, v| b.select(&v[0], &v[1], &v[2]))?])
}
