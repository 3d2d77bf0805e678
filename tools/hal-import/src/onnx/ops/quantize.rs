//! Quantisation.
use super::{
    Entry,
    conv::padded_conv,
    dequantised,
    matmul::product,
    scales::scaled,
    zero_points::{along, centred, listed},
};
use crate::onnx::{
    Body, Context, Elem, Node, Num, Order, Outcome, Quantised, Scalar, Value,
    narrow::Narrowing,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("QuantizeLinear", quantize),
    ("DequantizeLinear", dequantize),
    ("DynamicQuantizeLinear", dynamic),
    ("QLinearConv", qlinear_conv),
    ("QLinearMatMul", qlinear_matmul),
];

/// `saturate(round(x / scale) + zero)`: the float is already divided.
fn saturated(b: &mut Body<'_>, x: &Scalar, zero: Option<&Scalar>, to: Elem, narrowing: Narrowing) -> Scalar {
    if to.is_float() {
        // The zero points of floats of eight bits are 0.
        let zero = zero.filter(|_| to.bits() < 8).map(|zero| b.cast(zero, Elem::F32));
        let value = zero.map_or_else(|| x.clone(), |zero| b.add(x, &zero));
        return b.convert(&value, to, narrowing);
    }
    let mut value = b.math("roundeven", x);
    let elem = value.elem.expect("an element");
    if let Some(zero) = zero {
        let zero = b.cast(zero, elem);
        value = b.add(&value, &zero);
    }
    let bits = to.bits();
    let (low, high) = if to.is_unsigned() {
        (0.0, f64::from((1u32 << bits) - 1))
    } else {
        (-f64::from(1u32 << (bits - 1)), f64::from((1u32 << (bits - 1)) - 1))
    };
    let (low, high) = (b.like(&value, low), b.like(&value, high));
    // NaN is the lowest number, as with onnxruntime; these comparisons are one instruction each.
    let above = b.compare(Order::Gt, &value, &low);
    let value = b.select(&above, &value, &low);
    let below = b.compare(Order::Lt, &value, &high);
    let value = b.select(&below, &value, &high);
    let value = b.whole(&value);
    b.cast(&value, to)
}

/// The types that numbers are quantised to.
fn checked(to: Elem) -> Outcome<Elem> {
    match to {
        Elem::U8 | Elem::I8 | Elem::U16 | Elem::I16 => Ok(to),
        _ if to.is_narrow() && to != Elem::F8E8M0 => Ok(to),
        _ => invalid(format!("it quantises to {}, which is no type for that", to.shown())),
    }
}

/// A type that an attribute names, if it does.
fn type_of(n: &Node, name: &str) -> Outcome<Option<Elem>> {
    match n.int(name, 0) {
        0 => Ok(None),
        code => match Elem::from_onnx(code as i32) {
            Ok(elem) => Ok(Some(elem)),
            Err(other) => unsupported(format!("`{name}` is {other}")),
        },
    }
}

/// An axis of scales, of which one that is a number needs none.
fn axis_of(n: &Node, x: &Value, scale: &Value) -> Outcome<usize> {
    if scale.rank() == 0 || x.rank() == 0 {
        return Ok(0);
    }
    n.axis(n.int("axis", 1).min(x.rank() as i64 - 1), x.rank())
}

fn quantize(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, scale) = (n.input(0)?.clone(), n.input(1)?.clone());
    let zero = n.optional(2).cloned();
    let to = match (&zero, type_of(n, "output_dtype")?) {
        (Some(zero), Some(to)) if zero.elem != to => {
            return invalid(format!(
                "`output_dtype` is {}, the zero point is of type {}",
                to.shown(),
                zero.elem.shown()
            ));
        }
        (Some(zero), _) => zero.elem,
        (None, to) => to.unwrap_or(Elem::U8),
    };
    let to = checked(to)?;
    let axis = axis_of(n, &x, &scale)?;
    // The quotient is of this type.
    let precision = type_of(n, "precision")?.unwrap_or(scale.elem);
    let precision = Some(precision).filter(|p| matches!(p, Elem::F16 | Elem::Bf16));
    let narrowing = Narrowing { saturate: n.int("saturate", 1) != 0, ..Narrowing::default() };
    let exact = precision.is_none() && n.int("block_size", 0) == 0;
    if let Some(numbers) = dequantised::unchanged(&x, &scale, zero.as_ref(), to).filter(|_| exact) {
        return Ok(vec![numbers]);
    }
    let mut list = vec![scale];
    list.extend(zero);
    let result = scaled(c, n, &x, &list, axis, to, |b, v| {
        let (mut wide, mut scale) = (b.cast(&v[0], Elem::F32), b.cast(&v[1], Elem::F32));
        if let Some(precision) = precision {
            for factor in [&mut wide, &mut scale] {
                let short = b.cast(factor, precision);
                *factor = b.cast(&short, Elem::F32);
            }
        }
        let mut ratio = b.div(&wide, &scale);
        if let Some(precision) = precision {
            let short = b.cast(&ratio, precision);
            ratio = b.cast(&short, Elem::F32);
        }
        saturated(b, &ratio, v.get(2), to, narrowing)
    })?;
    Ok(vec![result])
}

fn dequantize(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, scale) = (n.input(0)?.clone(), n.input(1)?.clone());
    let to = type_of(n, "output_dtype")?.unwrap_or(scale.elem);
    if !to.is_float() || to.is_narrow() {
        return invalid(format!("its result would be of type {}; `output_dtype` says another one", to.shown()));
    }
    let axis = axis_of(n, &x, &scale)?;
    let (zero, block) = (n.optional(2).cloned(), n.int("block_size", 0));
    Ok(vec![dequantised::as_floats(c, n, Quantised { numbers: x, scale, zero, axis, block }, to)?])
}

fn dynamic(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axes: Vec<_> = (0..x.rank()).collect();
    super::reduce::some(c, &x, &axes, "extreme")?;
    Ok(by_own_range(c, &x)?.into())
}

/// Quantises to u8 with the range of the input, extended to contain 0, like the function body in the specification; the
/// range of no elements is that of a 0, as in onnxruntime. Gives the numbers, their scale and their zero point.
pub(super) fn by_own_range(c: &mut Context<'_>, x: &Value) -> Outcome<[Value; 3]> {
    let axes: Vec<_> = (0..x.rank()).collect();
    let most = c.reduce(x, &axes, Elem::F32, Num::F(0.0), |b, v, a| b.max(a, v));
    let least = c.reduce(x, &axes, Elem::F32, Num::F(0.0), |b, v, a| b.min(a, v));
    let scale = c.elementwise(&[most, least.clone()], Elem::F32, |b, v| {
        let range = b.sub(&v[0], &v[1]);
        let (zero, one, steps) = (b.like(&range, 0.0), b.like(&range, 1.0), b.like(&range, 255.0));
        let scale = b.div(&range, &steps);
        // Zeros alone are zeros with any scale but 0; onnxruntime takes 1.
        let empty = b.compare(Order::Eq, &range, &zero);
        b.select(&empty, &one, &scale)
    })?;
    let zero = c.elementwise(&[least, scale.clone()], Elem::U8, |b, v| {
        let ratio = b.div(&v[0], &v[1]);
        let minus = b.neg(&ratio);
        // 0 - least / scale is not negative; it is rounded after it is clipped.
        saturated(b, &minus, None, Elem::U8, Narrowing::default())
    })?;
    let result = c.elementwise_to(&x.shape.clone(), &[x.clone(), scale.clone(), zero.clone()], Elem::U8, |b, v| {
        let ratio = b.div(&v[0], &v[1]);
        saturated(b, &ratio, Some(&v[2]), Elem::U8, Narrowing::default())
    })?;
    Ok([result, scale, zero])
}

/// Sums of products of quantised numbers, quantised again: `sum · (a · b / y)`.
fn requantised(c: &mut Context<'_>, sum: &Value, scales: [Value; 3], zero: &Value) -> Outcome {
    let to = checked(zero.elem)?;
    let [a, b, y] = scales;
    Ok(vec![c.elementwise_to(&sum.shape.clone(), &[sum.clone(), a, b, y, zero.clone()], to, |body, v| {
        let float = body.cast(&v[0], Elem::F32);
        let scales: Vec<_> = v[1..4].iter().map(|s| body.cast(s, Elem::F32)).collect();
        let product = body.mul(&scales[0], &scales[1]);
        let factor = body.div(&product, &scales[2]);
        let scaled = body.mul(&float, &factor);
        saturated(body, &scaled, Some(&v[4]), to, Narrowing::default())
    })?])
}

fn qlinear_conv(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, w) = (n.input(0)?.clone(), n.input(3)?.clone());
    for list in [n.input(4)?, n.input(5)?] {
        listed(c, list, (&w, 0))?;
    }
    if let Some(bias) = n.optional(8) {
        listed(c, bias, (&w, 0))?;
    }
    let zero_w = along(c, n.input(5)?, 0, w.rank())?;
    let centred_x = centred(c, &x, Some(n.input(2)?))?;
    let centred_w = centred(c, &w, Some(&zero_w))?;
    let mut sum = padded_conv(c, n, &centred_x, &centred_w)?;
    let rank = sum.rank();
    if let Some(bias) = n.optional(8) {
        let bias = along(c, bias, 1, rank)?;
        sum = c.elementwise_to(&sum.shape.clone(), &[sum.clone(), bias], Elem::I32, |b, v| b.add(&v[0], &v[1]))?;
    }
    let scales = [n.input(1)?.clone(), along(c, n.input(4)?, 1, rank)?, n.input(6)?.clone()];
    requantised(c, &sum, scales, n.input(7)?)
}

fn qlinear_matmul(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (a, b) = (n.input(0)?.clone(), n.input(3)?.clone());
    let rows = a.rank().saturating_sub(2);
    let zero_a = along(c, n.input(2)?, rows, a.rank())?;
    let x = centred(c, &a, Some(&zero_a))?;
    let y = centred(c, &b, Some(n.input(5)?))?;
    let sum = product(c, &x, &y)?;
    let scales = [along(c, n.input(1)?, rows, a.rank())?, n.input(4)?.clone(), n.input(6)?.clone()];
    requantised(c, &sum, scales, n.input(7)?)
}
