//! Quantisation.
use super::{
    Entry,
    conv::{along, centred, listed, padded_conv},
    matmul::product,
};
use crate::onnx::{Body, Context, Elem, Node, Num, Outcome, Quantised, Scalar, Value, problem::unsupported};
use std::rc::Rc;

pub(super) const OPS: &[Entry] = &[
    ("QuantizeLinear", quantize),
    ("DequantizeLinear", dequantize),
    ("DynamicQuantizeLinear", dynamic),
    ("QLinearConv", qlinear_conv),
    ("QLinearMatMul", qlinear_matmul),
];

/// `saturate(round(x / scale) + zero)`: the float is already divided.
fn saturated(b: &mut Body<'_>, x: &Scalar, zero: Option<&Scalar>, to: Elem) -> Scalar {
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
    let value = b.max(&value, &low);
    let value = b.min(&value, &high);
    let value = b.whole(&value);
    b.cast(&value, to)
}

fn checked(n: &Node, to: Elem) -> Outcome<Elem> {
    if n.int("block_size", 0) != 0 {
        return unsupported("`block_size` is set");
    }
    match to {
        Elem::U8 | Elem::I8 | Elem::U16 | Elem::I16 => Ok(to),
        _ => unsupported(format!("it quantises to {to:?}")),
    }
}

fn quantize(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, scale) = (n.input(0)?.clone(), n.input(1)?.clone());
    let zero = n.optional(2).cloned();
    let to = match (&zero, n.int("output_dtype", 0)) {
        (Some(zero), _) => zero.elem,
        (None, 0) => Elem::U8,
        (None, code) => Elem::from_onnx(code as i32).or_else(|t| unsupported(format!("it quantises to {t}")))?,
    };
    let to = checked(n, to)?;
    // A scale of one element stands for all, whatever the axis.
    let axis = if scale.rank() == 0 || x.rank() == 0 {
        0
    } else {
        n.axis(n.int("axis", 1).min(x.rank() as i64 - 1), x.rank())?
    };
    listed(c, &scale, (&x, axis))?;
    if let Some(zero) = &zero {
        listed(c, zero, (&x, axis))?;
    }
    let mut inputs = vec![x.clone(), along(c, &scale, axis, x.rank())?];
    if let Some(zero) = zero {
        inputs.push(along(c, &zero, axis, x.rank())?);
    }
    Ok(vec![c.elementwise_to(&x.shape.clone(), &inputs, to, |b, v| {
        let (wide, scale) = (b.cast(&v[0], Elem::F32), b.cast(&v[1], Elem::F32));
        let ratio = b.div(&wide, &scale);
        saturated(b, &ratio, v.get(2), to)
    })?])
}

fn dequantize(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, scale) = (n.input(0)?.clone(), n.input(1)?.clone());
    if n.int("block_size", 0) != 0 {
        return unsupported("`block_size` is set");
    }
    let to = match n.int("output_dtype", 0) {
        0 => scale.elem,
        code => Elem::from_onnx(code as i32).or_else(|t| unsupported(format!("its result is of type {t}")))?,
    };
    let axis = if scale.rank() == 0 || x.rank() == 0 {
        0
    } else {
        n.axis(n.int("axis", 1).min(x.rank() as i64 - 1), x.rank())?
    };
    listed(c, &scale, (&x, axis))?;
    if let Some(zero) = n.optional(2) {
        listed(c, zero, (&x, axis))?;
    }
    let (x, scale) = (c.settle(&x), c.settle(&scale));
    let mut inputs = vec![x.clone(), along(c, &scale, axis, x.rank())?];
    if let Some(zero) = n.optional(2) {
        inputs.push(along(c, zero, axis, x.rank())?);
    }
    let mut result = c.elementwise_to(&x.shape.clone(), &inputs, to, |b, v| {
        let mut value = b.cast(&v[0], Elem::I32);
        if let Some(zero) = v.get(2) {
            let zero = b.cast(zero, Elem::I32);
            value = b.sub(&value, &zero);
        }
        let (float, scale) = (b.cast(&value, Elem::F32), b.cast(&v[1], Elem::F32));
        let result = b.mul(&float, &scale);
        b.cast(&result, to)
    })?;
    result.quantised = Some(Rc::new(Quantised { numbers: x, scale, zero: n.optional(2).cloned(), axis }));
    Ok(vec![result])
}

/// To u8 by the range of the input, which is made to hold 0; as the function body in the specification.
fn dynamic(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axes: Vec<_> = (0..x.rank()).collect();
    super::reduce::some(c, &x, &axes, "extreme")?;
    let most = c.reduce(&x, &axes, Elem::F32, Num::F(0.0), |b, v, a| b.max(a, v));
    let least = c.reduce(&x, &axes, Elem::F32, Num::F(0.0), |b, v, a| b.min(a, v));
    let scale = c.elementwise(&[most, least.clone()], Elem::F32, |b, v| {
        let range = b.sub(&v[0], &v[1]);
        let steps = b.like(&range, 255.0);
        b.div(&range, &steps)
    })?;
    let zero = c.elementwise(&[least, scale.clone()], Elem::U8, |b, v| {
        let ratio = b.div(&v[0], &v[1]);
        let minus = b.neg(&ratio);
        // 0 - least / scale is not negative; it is rounded after it is clipped.
        saturated(b, &minus, None, Elem::U8)
    })?;
    let result = c.elementwise_to(&x.shape.clone(), &[x, scale.clone(), zero.clone()], Elem::U8, |b, v| {
        let ratio = b.div(&v[0], &v[1]);
        saturated(b, &ratio, Some(&v[2]), Elem::U8)
    })?;
    Ok(vec![result, scale, zero])
}

/// Sums of products of quantised numbers, quantised again: `sum · (a · b / y)`.
fn requantised(c: &mut Context<'_>, sum: &Value, scales: [Value; 3], zero: &Value) -> Outcome {
    let to = zero.elem;
    if !matches!(to, Elem::U8 | Elem::I8 | Elem::U16 | Elem::I16) {
        return unsupported(format!("it quantises to {to:?}"));
    }
    let [a, b, y] = scales;
    Ok(vec![c.elementwise_to(&sum.shape.clone(), &[sum.clone(), a, b, y, zero.clone()], to, |body, v| {
        let float = body.cast(&v[0], Elem::F32);
        let scales: Vec<_> = v[1..4].iter().map(|s| body.cast(s, Elem::F32)).collect();
        let product = body.mul(&scales[0], &scales[1]);
        let factor = body.div(&product, &scales[2]);
        let scaled = body.mul(&float, &factor);
        saturated(body, &scaled, Some(&v[4]), to)
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
