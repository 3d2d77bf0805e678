//! Quantisation.
use super::{
    Entry,
    conv::padded_conv,
    matmul::product,
    zero_points::{along, centred, listed},
};
use crate::onnx::{
    Body, Context, Dim, Elem, Node, Num, Order, Outcome, Quantised, Scalar, Value,
    context::require::dimension,
    narrow::Narrowing,
    problem::{invalid, unsupported},
};
use std::rc::Rc;

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
    let value = b.max(&value, &low);
    let value = b.min(&value, &high);
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

/// An elementwise operation on numbers with a scale, and perhaps a zero point: one for all, for each index of an axis, or for
/// each block along it.
fn scaled(
    c: &mut Context<'_>,
    n: &Node,
    x: &Value,
    list: &[Value],
    axis: usize,
    to: Elem,
    body: impl FnOnce(&mut Body<'_>, &[Scalar]) -> Scalar,
) -> Outcome<Value> {
    let block = n.int("block_size", 0);
    if block < 0 {
        return invalid(format!("`block_size` is {block}"));
    }
    if let [scale, zero] = list
        && scale.rank() != zero.rank()
        && (scale.rank() > 1 || zero.rank() > 1)
    {
        return invalid(format!("the scale is of rank {}, its zero point of rank {}", scale.rank(), zero.rank()));
    }
    if block == 0 || list[0].rank() == 0 {
        for v in list {
            listed(c, v, (x, axis))?;
        }
        let x = c.settle(x);
        let mut inputs = vec![x.clone()];
        for v in list {
            let v = c.settle(v);
            inputs.push(along(c, &v, axis, x.rank())?);
        }
        return c.elementwise_to(&x.shape.clone(), &inputs, to, body);
    }
    for v in list {
        if v.rank() != x.rank() {
            return invalid(format!(
                "the scales of blocks are of rank {}, their numbers of rank {}",
                v.rank(),
                x.rank()
            ));
        }
        for i in (0..x.rank()).filter(|&i| i != axis) {
            c.require_same((v, i), (x, i))?;
        }
        let count = c.size_over(&x.shape[axis].offset(block - 1), &Dim::fixed(block));
        let why = format!("one for each {block} of {}", dimension(x, axis));
        c.require_size((v, axis), &count, &why)?;
    }
    let x = &c.settle(x);
    let list: Vec<_> = list.iter().map(|v| c.settle(v)).collect();
    if let Some(blocks) = x.shape[axis].exact_quotient(block) {
        // Blocks are a dimension of their own.
        let cut = |shape: &[Dim], by: Dim| {
            let mut shape = shape.to_vec();
            shape[axis] = blocks.clone();
            shape.insert(axis + 1, by);
            shape
        };
        let mut inputs = vec![c.reshape(x, &cut(&x.shape, Dim::fixed(block)))?];
        for v in &list {
            inputs.push(c.reshape(v, &cut(&v.shape, Dim::fixed(1)))?);
        }
        let result = c.elementwise_to(&inputs[0].shape.clone(), &inputs, to, body)?;
        return c.reshape(&result, &x.shape);
    }
    // The last block is shorter, or may be: each element finds its scale.
    let mut inputs = vec![x.clone()];
    for v in &list {
        let scales = c.gather_at(v, &x.shape, &[], |b, here, _| {
            let mut at = here.to_vec();
            let size = b.index_constant(block);
            at[axis] = b.div(&here[axis], &size);
            at
        });
        inputs.push(scales);
    }
    c.elementwise_to(&x.shape.clone(), &inputs, to, body)
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
    let zero = n.optional(2).cloned();
    let mut list = vec![scale.clone()];
    list.extend(zero.clone());
    let elem = if x.elem.is_float() { Elem::F32 } else { Elem::I32 };
    let mut result = scaled(c, n, &x, &list, axis, to, |b, v| {
        let mut value = b.cast(&v[0], elem);
        // Those of floats of eight bits are 0.
        if let Some(zero) = v.get(2).filter(|z| z.elem.is_some_and(|e| !e.is_float() || e.bits() < 8)) {
            let zero = b.cast(zero, elem);
            value = b.sub(&value, &zero);
        }
        let (float, scale) = (b.cast(&value, Elem::F32), b.cast(&v[1], Elem::F32));
        let result = b.mul(&float, &scale);
        b.cast(&result, to)
    })?;
    let block = if scale.rank() == 0 { 0 } else { n.int("block_size", 0) };
    if (scale.rank() <= 1) == (block == 0) {
        let (numbers, scale) = (c.settle(&x), c.settle(&scale));
        result.quantised = Some(Rc::new(Quantised { numbers, scale, zero, axis, block }));
    }
    Ok(vec![result])
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
