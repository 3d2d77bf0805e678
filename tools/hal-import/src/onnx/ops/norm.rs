//! Normalisations.
use super::{
    Entry,
    conv::per_channel,
    reduce::{count, over, sum},
    softmax::kept,
};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Num, Outcome, Scalar, Tensor, Value,
    generic::map,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("BatchNormalization", batch),
    ("InstanceNormalization", instance),
    ("LayerNormalization", layer),
    ("GroupNormalization", group),
    ("RMSNormalization", rms),
    ("LRN", local_response),
    ("LpNormalization", lp),
    ("MeanVarianceNormalization", mean_variance),
];

/// `(x - mean) / sqrt(var + epsilon) · scale + bias`, each for a channel. Where they are constants, it is one
/// multiplication and one addition.
fn batch(c: &mut Context<'_>, n: &Node) -> Outcome {
    if n.int("training_mode", 0) != 0 || (n.opset < 7 && n.int("is_test", 0) == 0) || (1..5).any(|i| n.wants(i)) {
        return super::statistics::batch_training(c, n);
    }
    let x = n.input(0)?.clone();
    let epsilon = n.float("epsilon", 1e-5);
    let spatial = n.opset >= 9 || n.int("spatial", 1) != 0;
    let parameters: Vec<Value> = (1..5).map(|i| n.input(i).cloned()).collect::<Outcome<_>>()?;
    if x.rank() < 2 || (spatial && parameters.iter().any(|p| p.rank() != 1)) {
        return invalid("the input has no channels, or a parameter is not a list");
    }
    let elem = x.elem;
    for p in parameters.iter().filter(|_| spatial) {
        per_channel(c, p, (&x, 1))?;
    }
    let x = c.settle(&x);
    if let Some(t) = parameters.iter().map(Value::tensor).collect::<Option<Vec<_>>>() {
        // In f64, so that nothing is lost by the change of form.
        let inner = |i: usize| t[0].get(i).float() / (t[3].get(i).float() + epsilon).sqrt();
        let splat = t.iter().all(|t| t.as_splat().is_some());
        let list = |f: &dyn Fn(usize) -> f64, what: &str| {
            let shape = t[0].shape.clone();
            let tensor = if splat {
                Tensor::splat(parameters[0].elem, shape, Num::F(f(0)))
            } else {
                Tensor::from_numbers(parameters[0].elem, shape, (0..t[0].len()).map(|i| Num::F(f(i))))
            };
            Value::constant(tensor.named(Some(format!("{}_{what}", n.name))))
        };
        if t[0].len() > 0 {
            let scale = list(&inner, "scale");
            let shift = list(&|i| t[1].get(i).float() - t[2].get(i).float() * inner(i), "shift");
            let (scale, shift) = (channels(c, &scale, &x)?, channels(c, &shift, &x)?);
            return Ok(vec![c.elementwise_to(&x.shape.clone(), &[x, scale, shift], elem, |b, v| {
                let (scale, shift) = (b.cast(&v[1], elem), b.cast(&v[2], elem));
                let scaled = b.mul(&v[0], &scale);
                b.add(&scaled, &shift)
            })?]);
        }
    }
    let mut inputs = vec![x.clone()];
    for p in &parameters {
        inputs.push(channels(c, p, &x)?);
    }
    Ok(vec![c.elementwise_to(&x.shape.clone(), &inputs, elem, |b, v| {
        let wide: Vec<_> = v.iter().map(|s| b.cast(s, elem.accumulator())).collect();
        let [x, scale, bias, mean, variance] = &wide[..] else { unreachable!("five inputs") };
        let centred = b.sub(x, mean);
        let inverse = inverse_root(b, variance, epsilon);
        let normal = b.mul(&centred, &inverse);
        let scaled = b.mul(&normal, scale);
        let result = b.add(&scaled, bias);
        b.cast(&result, elem)
    })?])
}

/// A list with an entry for each channel, in a shape that broadcasts to the input.
fn channels(c: &mut Context<'_>, list: &Value, x: &Value) -> Outcome<Value> {
    if list.rank() == 1 && x.rank() > 2 {
        let mut shape = list.shape.clone();
        shape.resize(x.rank() - 1, Dim::fixed(1));
        return c.reshape(list, &shape);
    }
    Ok(list.clone())
}

/// Computes `1 / sqrt(variance + epsilon)`.
fn inverse_root(b: &mut Body<'_>, variance: &Scalar, epsilon: f64) -> Scalar {
    let epsilon = b.like(variance, epsilon);
    let sum = b.add(variance, &epsilon);
    let root = b.math("sqrt", &sum);
    let one = b.like(&root, 1.0);
    b.div(&one, &root)
}

/// Mean and `1 / sqrt(variance + epsilon)` over axes, of size 1 there, in a wider type.
fn moments(
    c: &mut Context<'_>,
    x: &Value,
    axes: &[usize],
    epsilon: f64,
    centre: bool,
) -> Outcome<(Option<Value>, Value)> {
    let shape = x.shape.clone();
    let elem = x.elem.accumulator();
    let number = count(c, x, axes);
    let (mean, centred) = if centre {
        let total = sum(c, x, axes, |_, v| v.clone())?;
        let mean = c.elementwise(&[total], elem, |b, v| over(b, &v[0], &number))?;
        let mean = kept(c, &mean, &shape, axes)?;
        let centred = c.elementwise_to(&shape, &[x.clone(), mean.clone()], elem, |b, v| {
            let wide = b.cast(&v[0], elem);
            b.sub(&wide, &v[1])
        })?;
        (Some(mean), centred)
    } else {
        (None, x.clone())
    };
    let squares = sum(c, &centred, axes, |b, v| b.mul(v, v))?;
    let inverse = c.elementwise(&[squares], elem, |b, v| {
        let variance = over(b, &v[0], &number);
        inverse_root(b, &variance, epsilon)
    })?;
    let inverse = kept(c, &inverse, &shape, axes)?;
    Ok((mean, inverse))
}

/// `(x - mean) · inverse · scale + bias`, each where given.
fn normalised(
    c: &mut Context<'_>,
    x: &Value,
    moments: &(Option<Value>, Value),
    scale: Option<Value>,
    bias: Option<Value>,
) -> Outcome<Value> {
    let (mean, inverse) = moments;
    let elem = x.elem;
    let mut inputs = vec![x.clone(), inverse.clone()];
    let flags = [mean.is_some(), scale.is_some(), bias.is_some()];
    inputs.extend([mean.clone(), scale, bias].into_iter().flatten());
    c.elementwise_to(&x.shape.clone(), &inputs, elem, |b, v| {
        let mut rest = v[2..].iter();
        let wide = elem.accumulator();
        let mut value = b.cast(&v[0], wide);
        if flags[0] {
            value = b.sub(&value, rest.next().expect("a mean"));
        }
        value = b.mul(&value, &v[1]);
        if flags[1] {
            let scale = b.cast(rest.next().expect("a scale"), wide);
            value = b.mul(&value, &scale);
        }
        if flags[2] {
            let bias = b.cast(rest.next().expect("a bias"), wide);
            value = b.add(&value, &bias);
        }
        b.cast(&value, elem)
    })
}

fn instance(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    if x.rank() < 2 {
        return invalid(format!("the input has rank {}, and so no channels", x.rank()));
    }
    per_channel(c, n.input(1)?, (&x, 1))?;
    per_channel(c, n.input(2)?, (&x, 1))?;
    let x = c.settle(&x);
    let axes: Vec<_> = (2..x.rank()).collect();
    let moments = moments(c, &x, &axes, n.float("epsilon", 1e-5), true)?;
    let (scale, bias) = (channels(c, n.input(1)?, &x)?, channels(c, n.input(2)?, &x)?);
    Ok(vec![normalised(c, &x, &moments, Some(scale), Some(bias))?])
}

fn layer(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.axis(n.int("axis", -1), x.rank())?;
    let axes: Vec<_> = (axis..x.rank()).collect();
    let x = scaled(c, n, &x)?;
    if n.wants(1) || n.wants(2) {
        super::reduce::some(c, &x, &axes, "mean")?;
    }
    let moments = moments(c, &x, &axes, n.float("epsilon", 1e-5), true)?;
    let result = normalised(c, &x, &moments, Some(n.input(1)?.clone()), n.optional(2).cloned())?;
    Ok(vec![result, moments.0.expect("a mean"), moments.1])
}

/// The input, once scale and bias are known to broadcast to it.
fn scaled(c: &mut Context<'_>, n: &Node, x: &Value) -> Outcome<Value> {
    for v in [n.optional(1), n.optional(2)].into_iter().flatten() {
        let v = c.settle(v);
        c.require_fit(&v, &x.shape)?;
    }
    Ok(c.settle(x))
}

fn rms(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.axis(n.int("axis", -1), x.rank())?;
    let axes: Vec<_> = (axis..x.rank()).collect();
    let x = scaled(c, n, &x)?;
    let moments = moments(c, &x, &axes, n.float("epsilon", 1e-5), false)?;
    Ok(vec![normalised(c, &x, &moments, Some(n.input(1)?.clone()), None)?])
}

/// Channels in groups; from opset 21 scale and bias are for channels, before for groups.
fn group(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let groups = n.int("num_groups", 0);
    if x.rank() < 2 || groups < 1 || x.shape[1].get().is_some_and(|d| d % groups != 0) {
        return invalid(format!("the channels do not split into {groups} groups"));
    }
    let per_group = c.divided((&x, 1), groups, "groups")?;
    let x = c.settle(&x);
    let shape = [vec![x.shape[0].clone(), Dim::fixed(groups), per_group.clone()], x.shape[2..].to_vec()].concat();
    let grouped = c.reshape(&x, &shape)?;
    let axes: Vec<_> = (2..shape.len()).collect();
    let moments = moments(c, &grouped, &axes, n.float("epsilon", 1e-5), true)?;
    let mut parameter = |v: &Value| -> Outcome<Value> {
        if v.rank() != 1 {
            return invalid(format!("a parameter of type `{}` is not a list", v.ty()));
        }
        let of_groups = v.shape[0].is(groups) || (n.opset < 21 && v.shape[0].get().is_none());
        if of_groups && !per_group.is(1) {
            c.require_size((v, 0), &Dim::fixed(groups), "as there are groups")?;
        } else {
            c.require_size((v, 0), &x.shape[1], "as there are channels")?;
        }
        let v = &c.settle(v);
        let first = if v.shape[0].is(groups) && !per_group.is(1) {
            vec![Dim::fixed(groups), Dim::fixed(1)]
        } else {
            vec![Dim::fixed(groups), per_group.clone()]
        };
        let mut to = first;
        to.resize(shape.len() - 1, Dim::fixed(1));
        c.reshape(v, &to)
    };
    let (scale, bias) = (parameter(n.input(1)?)?, parameter(n.input(2)?)?);
    let result = normalised(c, &grouped, &moments, Some(scale), Some(bias))?;
    Ok(vec![c.reshape(&result, &x.shape)?])
}

/// `x / (bias + alpha / size · Σ x²)^beta`, the sum over `size` neighbouring channels.
fn local_response(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let size = n.int("size", 0);
    if x.rank() < 2 || size < 1 {
        return invalid(format!("`size` is {size}, the rank {}", x.rank()));
    }
    let (alpha, beta, bias) = (n.float("alpha", 1e-4), n.float("beta", 0.75), n.float("bias", 1.0));
    let elem = x.elem.accumulator();
    let (mut low, mut high) = (vec![Dim::fixed(0); x.rank()], vec![Dim::fixed(0); x.rank()]);
    (low[1], high[1]) = (Dim::fixed((size - 1) / 2), Dim::fixed(size / 2));
    let padded = c.pad(&x, &low, &high, Num::I(0));
    let window = c.empty(x.elem, &[Dim::fixed(size)]);
    let start = c.filled(elem, &x.shape, Num::I(0));
    let rank = x.rank();
    let places: Vec<_> = (0..rank).map(|d| if d == 1 { format!("d1 + d{rank}") } else { format!("d{d}") }).collect();
    let iters = [vec![Iter::Parallel; rank], vec![Iter::Reduction]].concat();
    let all: Vec<_> = (0..rank).collect();
    let ins = [(&padded, places.join(", ")), (&window, map(&[rank]))];
    let squares = c.generic(&iters, &ins, &[(&start, map(&all))], |b, v| {
        let wide = b.cast(&v[0], elem);
        let square = b.mul(&wide, &wide);
        vec![b.add(&v[2], &square)]
    });
    Ok(vec![c.elementwise(&[x.clone(), squares[0].clone()], x.elem, |b, v| {
        let (factor, bias) = (b.like(&v[1], alpha / size as f64), b.like(&v[1], bias));
        let scaled = b.mul(&factor, &v[1]);
        let base = b.add(&bias, &scaled);
        let wide = b.cast(&v[0], elem);
        let result = match root_power(b, &base, beta) {
            Some(power) => b.div(&wide, &power),
            None => {
                let beta = b.like(&base, -beta);
                let power = b.math2("powf", &base, &beta);
                b.mul(&wide, &power)
            }
        };
        b.cast(&result, x.elem)
    })?])
}

/// The powers that square roots make, which every vector unit has; models mostly ask for the first.
fn root_power(b: &mut Body<'_>, base: &Scalar, exponent: f64) -> Option<Scalar> {
    match exponent {
        0.75 => {
            let root = b.math("sqrt", base);
            let fourth = b.math("sqrt", &root);
            Some(b.mul(&root, &fourth))
        }
        0.5 => Some(b.math("sqrt", base)),
        1.0 => Some(base.clone()),
        _ => None,
    }
}

fn lp(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let (axis, p) = (n.axis(n.int("axis", -1), x.rank())?, n.int("p", 2));
    let total = match p {
        1 => sum(c, &x, &[axis], |b, v| b.abs(v))?,
        2 => sum(c, &x, &[axis], |b, v| b.mul(v, v))?,
        _ => return unsupported(format!("`p` is {p}")),
    };
    let total = kept(c, &total, &x.shape.clone(), &[axis])?;
    Ok(vec![c.elementwise(&[x.clone(), total], x.elem, |b, v| {
        let norm = if p == 2 { b.math("sqrt", &v[1]) } else { v[1].clone() };
        let norm = b.cast(&norm, x.elem);
        let zero = b.like(&norm, 0.0);
        let none = b.compare(crate::onnx::Order::Eq, &norm, &zero);
        let result = b.div(&v[0], &norm);
        b.select(&none, &zero, &result)
    })?])
}

/// `(x - mean) / (sqrt(E[x²] - mean²) + 1e-9)`, as its function body in the specification.
fn mean_variance(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axes = n
        .ints("axes")
        .unwrap_or_else(|| vec![0, 2, 3])
        .into_iter()
        .map(|a| n.axis(a, x.rank()))
        .collect::<Outcome<Vec<_>>>()?;
    let (shape, elem): (Vec<Dim>, Elem) = (x.shape.clone(), x.elem.accumulator());
    let number = count(c, &x, &axes);
    let total = sum(c, &x, &axes, |_, v| v.clone())?;
    let squares = sum(c, &x, &axes, |b, v| b.mul(v, v))?;
    let mean = c.elementwise(&[total], elem, |b, v| over(b, &v[0], &number))?;
    let deviation = c.elementwise(&[squares, mean.clone()], elem, |b, v| {
        let square = over(b, &v[0], &number);
        let other = b.mul(&v[1], &v[1]);
        let variance = b.sub(&square, &other);
        let root = b.math("sqrt", &variance);
        let epsilon = b.like(&root, 1e-9);
        b.add(&root, &epsilon)
    })?;
    let (mean, deviation) = (kept(c, &mean, &shape, &axes)?, kept(c, &deviation, &shape, &axes)?);
    Ok(vec![c.elementwise_to(&shape, &[x.clone(), mean, deviation], x.elem, |b, v| {
        let wide = b.cast(&v[0], elem);
        let centred = b.sub(&wide, &v[1]);
        let result = b.div(&centred, &v[2]);
        b.cast(&result, x.elem)
    })?])
}
