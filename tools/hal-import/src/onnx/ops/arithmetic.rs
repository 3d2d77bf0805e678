//! Elementwise arithmetic, with folding of constants and of shape arithmetic.
use super::Entry;
use crate::onnx::{
    Body, Context, Dim, Elem, Node, Num, Order, Outcome, Scalar, Tensor, Value,
    context::require::{Rule, shown},
    evaluate,
    problem::invalid,
    tensor::broadcast_source,
};

pub(super) const OPS: &[Entry] = &[
    ("Add", |c, n| binary(c, n, Some(|a, b| numbers(a, b, |a, b| a + b, |a, b| Some(a + b))), |b, x, y| b.add(x, y))),
    ("Sub", |c, n| binary(c, n, Some(|a, b| numbers(a, b, |a, b| a - b, |a, b| Some(a - b))), |b, x, y| b.sub(x, y))),
    ("Mul", |c, n| binary(c, n, Some(|a, b| numbers(a, b, |a, b| a * b, i128::checked_mul)), |b, x, y| b.mul(x, y))),
    ("Div", |c, n| binary(c, n, Some(|a, b| numbers(a, b, |a, b| a / b, i128::checked_div)), |b, x, y| b.div(x, y))),
    ("Mod", modulo),
    ("Pow", pow),
    ("Max", |c, n| variadic(c, n, |b, x, y| b.max(x, y))),
    ("Min", |c, n| variadic(c, n, |b, x, y| b.min(x, y))),
    ("Sum", |c, n| variadic(c, n, |b, x, y| b.add(x, y))),
    ("Mean", mean),
    ("Abs", |c, n| unary(c, n, Some(|x| one(x, f64::abs, i128::abs)), |b, x| b.abs(x))),
    ("Neg", |c, n| unary(c, n, Some(|x| one(x, |v| -v, |v| -v)), |b, x| b.neg(x))),
    ("Sign", |c, n| {
        unary(c, n, Some(|x| one(x, |v| if v == 0.0 || v.is_nan() { v } else { v.signum() }, i128::signum)), sign)
    }),
    ("Reciprocal", |c, n| {
        unary(c, n, Some(|x| one(x, f64::recip, |v| v)), |b, x| {
            let one = b.like(x, 1.0);
            b.div(&one, x)
        })
    }),
    ("Sqrt", |c, n| unary(c, n, Some(|x| one(x, f64::sqrt, |v| v)), |b, x| b.math("sqrt", x))),
    ("Exp", |c, n| unary(c, n, Some(|x| one(x, f64::exp, |v| v)), |b, x| b.math("exp", x))),
    ("Log", |c, n| unary(c, n, Some(|x| one(x, f64::ln, |v| v)), |b, x| b.math("log", x))),
    ("Floor", |c, n| unary(c, n, Some(|x| one(x, f64::floor, |v| v)), |b, x| b.math("floor", x))),
    ("Ceil", |c, n| unary(c, n, Some(|x| one(x, f64::ceil, |v| v)), |b, x| b.math("ceil", x))),
    ("Round", |c, n| unary(c, n, Some(|x| one(x, f64::round_ties_even, |v| v)), |b, x| b.math("roundeven", x))),
    ("Sin", |c, n| unary(c, n, None, |b, x| b.math("sin", x))),
    ("Cos", |c, n| unary(c, n, None, |b, x| b.math("cos", x))),
    ("Tan", |c, n| unary(c, n, None, |b, x| b.math("tan", x))),
    ("Asin", |c, n| unary(c, n, None, |b, x| b.math("asin", x))),
    ("Acos", |c, n| unary(c, n, None, |b, x| b.math("acos", x))),
    ("Atan", |c, n| unary(c, n, None, |b, x| b.math("atan", x))),
    ("Sinh", |c, n| unary(c, n, None, |b, x| b.math("sinh", x))),
    ("Cosh", |c, n| unary(c, n, None, |b, x| b.math("cosh", x))),
    ("Asinh", |c, n| unary(c, n, None, |b, x| b.math("asinh", x))),
    ("Acosh", |c, n| unary(c, n, None, |b, x| b.math("acosh", x))),
    ("Atanh", |c, n| unary(c, n, None, |b, x| b.math("atanh", x))),
    ("Erf", |c, n| unary(c, n, None, |b, x| b.math("erf", x))),
];

/// The largest number of floats that fold here, and of elements of any type that do so from fewer; larger ones fold only if all
/// elements are equal, or by `evaluate`.
const FOLD_LIMIT: usize = 4096;

fn one(x: Num, float: impl Fn(f64) -> f64, int: impl Fn(i128) -> i128) -> Option<Num> {
    Some(match x {
        Num::F(v) => Num::F(float(v)),
        Num::I(v) => Num::I(int(v)),
    })
}

fn numbers(a: Num, b: Num, float: impl Fn(f64, f64) -> f64, int: impl Fn(i128, i128) -> Option<i128>) -> Option<Num> {
    match (a, b) {
        (Num::F(a), Num::F(b)) => Some(Num::F(float(a, b))),
        (Num::I(a), Num::I(b)) => int(a, b).map(Num::I),
        _ => None,
    }
}

/// The value of an elementwise operation where all elements of its inputs are known.
pub(super) fn fold(
    c: &mut Context<'_>,
    inputs: &[Value],
    elem: Elem,
    f: impl Fn(&[Num]) -> Option<Num>,
) -> Outcome<Option<Value>> {
    let Some(tensors) = inputs.iter().map(Value::tensor).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let shapes: Vec<_> = inputs.iter().map(|v| &*v.shape).collect();
    let shape = crate::onnx::layout::as_usize(&c.broadcast_shape(&shapes)?);
    let count = shape.iter().fold(1, |n: usize, &d| n.saturating_mul(d));
    if let Some(splats) = tensors.iter().map(|t| t.as_splat()).collect::<Option<Vec<_>>>() {
        return Ok(f(&splats).map(|v| Value::constant(Tensor::splat(elem, shape, v))));
    }
    let floats = elem.is_float() || tensors.iter().any(|t| t.elem.is_float());
    let all = tensors.iter().map(|t| t.len()).sum();
    if count > FOLD_LIMIT && (floats || !evaluate::worthwhile(elem, count, all)) {
        return Ok(None);
    }
    let sources: Vec<_> = tensors.iter().map(|t| broadcast_source(&t.shape, &shape)).collect();
    let mut args = Vec::new();
    let numbers: Option<Vec<_>> = (0..count)
        .map(|i| {
            args.clear();
            args.extend(tensors.iter().zip(&sources).map(|(t, s)| t.get(s(i))));
            f(&args)
        })
        .collect();
    Ok(numbers.map(|numbers| Value::constant(Tensor::from_numbers(elem, shape, numbers))))
}

/// Shape arithmetic on sizes that are not all known.
fn fold_dims(c: &mut Context<'_>, op: &str, a: &Value, b: &Value) -> Outcome<Option<Value>> {
    let (Some(x), Some(y)) = (a.as_dims(), b.as_dims()) else { return Ok(None) };
    // Sizes do not wrap as narrower integers do.
    if !matches!(a.elem, Elem::I32 | Elem::I64) {
        return Ok(None);
    }
    let shape = c.broadcast_shape(&[&a.shape, &b.shape])?;
    let to = crate::onnx::layout::as_usize(&shape);
    let count = to.iter().fold(1, |n: usize, &d| n.saturating_mul(d));
    if count > 64 {
        return Ok(None);
    }
    let (from_a, from_b) = (
        broadcast_source(&crate::onnx::layout::as_usize(&a.shape), &to),
        broadcast_source(&crate::onnx::layout::as_usize(&b.shape), &to),
    );
    let mut dims: Vec<Dim> = Vec::new();
    for i in 0..count {
        let (x, y) = (&x[from_a(i)], &y[from_b(i)]);
        dims.push(match op {
            "Add" => x.plus(y),
            "Sub" => x.minus(y),
            "Mul" => c.size_times(x, y),
            "Div" | "Mod" if !y.is(0) => {
                if op == "Mod" && !(c.is_size(x) && c.is_size(y)) {
                    // The signs decide.
                    return Ok(None);
                }
                let text = format!("the divisor {} is {{0}}", shown(b));
                c.require(Rule::NotZero(y.clone()), &text, &[y])?;
                if op == "Div" { c.size_over(x, y) } else { c.size_rem(x, y) }
            }
            "Max" => c.size_max(x, y),
            "Min" => c.size_min(x, y),
            _ => return Ok(None),
        });
    }
    let fits = |d: &Dim| a.elem == Elem::I64 || d.get().is_none_or(|n| i32::try_from(n).is_ok());
    Ok(dims.iter().all(fits).then(|| Value::dims(a.elem, shape, dims)))
}

/// An operation of one input whose result has its type.
pub(super) fn unary(
    c: &mut Context<'_>,
    n: &Node,
    f: Option<fn(Num) -> Option<Num>>,
    emit: impl FnOnce(&mut Body<'_>, &Scalar) -> Scalar,
) -> Outcome {
    let x = n.input(0)?.clone();
    if let Some(f) = f
        && let Some(folded) = fold(c, std::slice::from_ref(&x), x.elem, |v| f(v[0]))?
    {
        return Ok(vec![folded]);
    }
    Ok(vec![c.elementwise(std::slice::from_ref(&x), x.elem, |b, v| emit(b, &v[0]))?])
}

/// The two inputs of an operation that broadcasts, by the rules of its version: before opset 7 the second input is
/// aligned to the first at attribute `axis`.
pub(super) fn operands(c: &mut Context<'_>, n: &Node) -> Outcome<[Value; 2]> {
    let (a, mut b) = (n.input(0)?.clone(), n.input(1)?.clone());
    if n.opset < 7 && n.int("broadcast", 0) != 0 && n.has("axis") {
        let axis = n.axis(n.int("axis", 0), a.rank().max(1))?;
        let mut shape = b.shape.clone();
        while axis + shape.len() < a.rank() {
            shape.push(Dim::fixed(1));
        }
        b = c.reshape(&b, &shape)?;
    }
    Ok([a, b])
}

pub(super) fn same_type(n: &Node, a: &Value, b: &Value) -> Outcome<()> {
    if a.elem == b.elem {
        Ok(())
    } else {
        invalid(format!("the inputs of `{}` have element types {:?} and {:?}", n.op, a.elem, b.elem))
    }
}

fn binary(
    c: &mut Context<'_>,
    n: &Node,
    f: Option<fn(Num, Num) -> Option<Num>>,
    emit: impl FnOnce(&mut Body<'_>, &Scalar, &Scalar) -> Scalar,
) -> Outcome {
    let [a, b] = operands(c, n)?;
    same_type(n, &a, &b)?;
    if let Some(f) = f
        && let Some(folded) = fold(c, &[a.clone(), b.clone()], a.elem, |v| f(v[0], v[1]))?
    {
        return Ok(vec![folded]);
    }
    if let Some(folded) = fold_dims(c, &n.op, &a, &b)? {
        return Ok(vec![folded]);
    }
    let elem = a.elem;
    Ok(vec![c.elementwise(&[a, b], elem, |body, v| emit(body, &v[0], &v[1]))?])
}

fn variadic(c: &mut Context<'_>, n: &Node, emit: impl Fn(&mut Body<'_>, &Scalar, &Scalar) -> Scalar) -> Outcome {
    let inputs = n.all()?;
    let Some(first) = inputs.first() else { return invalid("there is no input") };
    inputs.iter().try_for_each(|v| same_type(n, first, v))?;
    if let [a, b] = &inputs[..]
        && let Some(folded) = fold_dims(c, &n.op, a, b)?
    {
        return Ok(vec![folded]);
    }
    Ok(vec![c.elementwise(&inputs, first.elem, |b, v| v[1..].iter().fold(v[0].clone(), |a, x| emit(b, &a, x)))?])
}

fn mean(c: &mut Context<'_>, n: &Node) -> Outcome {
    let inputs = n.all()?;
    let Some(first) = inputs.first() else { return invalid("there is no input") };
    let count = inputs.len() as f64;
    Ok(vec![c.elementwise(&inputs, first.elem, |b, v| {
        let sum = v[1..].iter().fold(v[0].clone(), |a, x| b.add(&a, x));
        let count = b.like(&sum, count);
        b.div(&sum, &count)
    })?])
}

fn sign(b: &mut Body<'_>, x: &Scalar) -> Scalar {
    let (zero, one) = (b.like(x, 0.0), b.like(x, 1.0));
    let positive = b.compare(Order::Gt, x, &zero);
    if x.elem.is_some_and(Elem::is_unsigned) {
        return b.select(&positive, &one, &zero);
    }
    let minus = b.like(x, -1.0);
    let negative = b.compare(Order::Lt, x, &zero);
    // Zero and NaN are their own signs.
    let rest = b.select(&negative, &minus, x);
    b.select(&positive, &one, &rest)
}

/// `fmod = 0`: the sign of the divisor, as Python; `fmod = 1`: the sign of the dividend, as C.
fn modulo(c: &mut Context<'_>, n: &Node) -> Outcome {
    let fmod = n.int("fmod", 0) != 0;
    if fmod || n.input(0)?.elem.is_unsigned() {
        return binary(c, n, Some(|a, b| numbers(a, b, |a, b| a % b, i128::checked_rem)), |b, x, y| b.rem(x, y));
    }
    binary(
        c,
        n,
        Some(|a, b| match (a, b) {
            (Num::I(a), Num::I(b)) => {
                a.checked_rem(b).map(|r| Num::I(if r != 0 && (r < 0) != (b < 0) { r + b } else { r }))
            }
            _ => None,
        }),
        |b, x, y| {
            let rem = b.rem(x, y);
            let zero = b.like(x, 0.0);
            let (a_negative, b_negative) = (b.compare(Order::Lt, &rem, &zero), b.compare(Order::Lt, y, &zero));
            let differ = b.xor(&a_negative, &b_negative);
            let exact = b.compare(Order::Eq, &rem, &zero);
            let inexact = b.not(&exact);
            let fix = b.and(&differ, &inexact);
            let fixed = b.add(&rem, y);
            b.select(&fix, &fixed, &rem)
        },
    )
}

fn pow(c: &mut Context<'_>, n: &Node) -> Outcome {
    let [x, y] = operands(c, n)?;
    let elem = x.elem;
    if elem.is_float()
        && let Some(folded) = fold(c, &[x.clone(), y.clone()], elem, |v| Some(Num::F(v[0].float().powf(v[1].float()))))?
    {
        return Ok(vec![folded]);
    }
    let exponent = y.splat().map(Num::float);
    if let Some(p) = exponent.filter(|p| elem.is_float() && [0.5, 1.0, 2.0, 3.0, -1.0].contains(p)) {
        let shape = c.broadcast_shape(&[&x.shape, &y.shape])?;
        return Ok(vec![c.elementwise_to(&shape, &[x], elem, |b, v| match p {
            0.5 => b.math("sqrt", &v[0]),
            2.0 => b.mul(&v[0], &v[0]),
            3.0 => {
                let square = b.mul(&v[0], &v[0]);
                b.mul(&square, &v[0])
            }
            -1.0 => {
                let one = b.like(&v[0], 1.0);
                b.div(&one, &v[0])
            }
            _ => v[0].clone(),
        })?]);
    }
    let to = y.elem;
    // The bits that the magnitude of an exponent can have.
    let bits = match y.splat() {
        Some(Num::I(p @ 0..=63)) => 128 - p.leading_zeros(),
        _ => 6,
    };
    let may_be_negative = !to.is_unsigned() && exponent.is_none_or(|p| p < 0.0);
    Ok(vec![c.elementwise(&[x, y], elem, |b, v| {
        if elem.is_float() {
            let y = b.cast(&v[1], elem);
            b.math2("powf", &v[0], &y)
        } else if to.is_float() {
            let (x, y) = (b.cast(&v[0], Elem::F64), b.cast(&v[1], Elem::F64));
            let result = b.math2("powf", &x, &y);
            b.cast(&result, elem)
        } else {
            int_power(b, &v[0], &v[1], bits, may_be_negative)
        }
    })?])
}

/// Computes an integer power by squaring, over the six lowest bits of the exponent; products wrap around. A higher
/// power of 2 or more overflows every type, and the powers of -1, 0 and 1 are those for 62 or 63. A negative power is
/// 0, except for -1 and 1, which are their own reciprocals, and for 0, where it is an error. `may_be_negative` states
/// whether an exponent can be negative.
fn int_power(b: &mut Body<'_>, x: &Scalar, y: &Scalar, bits: u32, may_be_negative: bool) -> Scalar {
    let (zero, one, none) = (b.like(x, 0.0), b.like(x, 1.0), b.like(y, 0.0));
    let negative = may_be_negative.then(|| b.compare(Order::Lt, y, &none));
    if may_be_negative {
        let (natural, is_zero) = (b.compare(Order::Ge, y, &none), b.compare(Order::Eq, x, &zero));
        let not_zero = b.not(&is_zero);
        let fine = b.or(&natural, &not_zero);
        b.demand(&fine, "0 has no negative power");
    }
    let magnitude = if may_be_negative { b.abs(y) } else { y.clone() };
    let (most, even, unit) = (b.like(y, 63.0), b.like(y, 62.0), b.like(y, 1.0));
    let odd = b.and(&magnitude, &unit);
    let last = b.add(&even, &odd);
    let high = b.compare(Order::Gt, &magnitude, &most);
    let y = &b.select(&high, &last, &magnitude);
    let (mut result, mut power) = (one.clone(), x.clone());
    for bit in 0..bits.min(6) {
        let mask = b.like(y, f64::from(1 << bit));
        let on = b.and(y, &mask);
        let off = b.compare(Order::Eq, &on, &none);
        let more = b.mul(&result, &power);
        result = b.select(&off, &result, &more);
        power = b.mul(&power, &power);
    }
    let Some(negative) = negative else { return result };
    let size = b.abs(x);
    let is_unit = b.compare(Order::Eq, &size, &one);
    let reciprocal = b.select(&is_unit, &result, &zero);
    b.select(&negative, &reciprocal, &result)
}
