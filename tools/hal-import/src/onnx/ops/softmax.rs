//! Softmax and related operators.
use super::{Entry, pool::lowest, reduce::sum};
use crate::onnx::{Context, Dim, Elem, Node, Num, Order, Outcome, Value, problem::unsupported};

pub(super) const OPS: &[Entry] = &[
    ("Softmax", |c, n| {
        let (x, axes) = axes(n)?;
        Ok(vec![softmax(c, &x, &axes, false)?])
    }),
    ("LogSoftmax", log_softmax),
    ("Hardmax", hardmax),
];

/// Returns the axes: from opset 13 one axis (the last by default); before, all from `axis` on (1 by default).
fn axes(n: &Node) -> Outcome<(Value, Vec<usize>)> {
    let x = n.input(0)?.clone();
    if !x.elem.is_float() {
        return unsupported(format!("the elements are of type {:?}", x.elem));
    }
    let axes = if n.opset >= 13 {
        vec![n.axis(n.int("axis", -1), x.rank())?]
    } else {
        let axis = n.int("axis", 1);
        let first = if axis == x.rank() as i64 { x.rank() } else { n.axis(axis, x.rank())? };
        (first..x.rank()).collect()
    };
    Ok((x, axes))
}

/// A reduced value with size 1 where it was reduced, so that it broadcasts back.
pub(super) fn kept(c: &mut Context<'_>, reduced: &Value, shape: &[Dim], axes: &[usize]) -> Outcome<Value> {
    let shape: Vec<_> =
        shape.iter().enumerate().map(|(i, d)| if axes.contains(&i) { Dim::fixed(1) } else { d.clone() }).collect();
    c.reshape(reduced, &shape)
}

/// `x - max` and the sum of its exponentials. A `sink` counts as one more element, which broadcasts to what was reduced.
fn parts(
    c: &mut Context<'_>,
    x: &Value,
    axes: &[usize],
    sink: Option<&Value>,
    (exponential, masked): (bool, bool),
) -> Outcome<(Value, Value)> {
    let (shape, elem) = (x.shape.clone(), x.elem);
    let most = c.reduce(x, axes, elem, lowest(elem), |b, v, a| b.max(a, v));
    let mut most = kept(c, &most, &shape, axes)?;
    if let Some(sink) = sink {
        let shape = most.shape.clone();
        most = c.elementwise_to(&shape, &[most, sink.clone()], elem, |b, v| b.max(&v[0], &v[1]))?;
    }
    let reference = most.clone();
    let less = c.elementwise_to(&shape, &[x.clone(), most], elem, |b, v| {
        let mut most = v[1].clone();
        if masked {
            let (low, zero) = (b.like(&most, f64::NEG_INFINITY), b.like(&most, 0.0));
            let none = b.compare(Order::Eq, &most, &low);
            most = b.select(&none, &zero, &most);
        }
        let less = b.sub(&v[0], &most);
        if exponential { b.math("exp", &less) } else { less }
    })?;
    let total = sum(c, &less, axes, |b, v| if exponential { v.clone() } else { b.math("exp", v) })?;
    let mut total = kept(c, &total, &shape, axes)?;
    if let Some(sink) = sink {
        let (shape, wide) = (total.shape.clone(), total.elem);
        total = c.elementwise_to(&shape, &[total, sink.clone(), reference], wide, |b, v| {
            let less = b.sub(&v[1], &v[2]);
            let less = b.cast(&less, wide);
            let own = b.math("exp", &less);
            b.add(&v[0], &own)
        })?;
    }
    Ok((less, total))
}

/// `exp(x - max) / Σ exp(x - max)` over axes. `masked`: where all are -∞ the result is 0, not NaN.
pub(crate) fn softmax(c: &mut Context<'_>, x: &Value, axes: &[usize], masked: bool) -> Outcome<Value> {
    softmax_with_sink(c, x, axes, masked, None)
}

/// The softmax of `x` with one more element along the axes, `sink`, of which the result has no part. It broadcasts to the other dimensions.
pub(crate) fn softmax_with_sink(
    c: &mut Context<'_>,
    x: &Value,
    axes: &[usize],
    masked: bool,
    sink: Option<&Value>,
) -> Outcome<Value> {
    let (powers, total) = parts(c, x, axes, sink, (true, masked))?;
    c.elementwise_to(&x.shape.clone(), &[powers, total], x.elem, |b, v| {
        let wide = b.cast(&v[0], v[1].elem.expect("an element"));
        let mut total = v[1].clone();
        if x.elem == Elem::F16 {
            // The sum has the type of the input by the specification, and other runtimes' results show it. A sum of more
            // ones than the type can count stays wide.
            let narrow = b.cast(&total, x.elem);
            let rounded = b.cast(&narrow, total.elem.expect("an element"));
            let most = b.like(&total, 65_504.0);
            let fits = b.compare(Order::Le, &total, &most);
            total = b.select(&fits, &rounded, &total);
        }
        let mut result = b.div(&wide, &total);
        if masked {
            let zero = b.like(&v[1], 0.0);
            let none = b.compare(Order::Eq, &v[1], &zero);
            result = b.select(&none, &zero, &result);
        }
        b.cast(&result, x.elem)
    })
}

fn log_softmax(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, axes) = axes(n)?;
    Ok(vec![log_softmax_over(c, &x, &axes)?])
}

/// `x - max - log Σ exp(x - max)` over axes.
pub(super) fn log_softmax_over(c: &mut Context<'_>, x: &Value, axes: &[usize]) -> Outcome<Value> {
    let (less, total) = parts(c, x, axes, None, (false, false))?;
    c.elementwise_to(&x.shape.clone(), &[less, total], x.elem, |b, v| {
        let log = b.math("log", &v[1]);
        let log = b.cast(&log, x.elem);
        b.sub(&v[0], &log)
    })
}

/// 1 at the first maximum, 0 elsewhere.
fn hardmax(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, axes) = axes(n)?;
    let shape = x.shape.clone();
    // Over several axes, as over one of all their elements.
    let first = axes.first().copied().unwrap_or(x.rank().saturating_sub(1));
    let flat = if axes.len() == 1 {
        x.clone()
    } else {
        let rest = c.product(&shape[first..]);
        c.reshape(&x, &[shape[..first].to_vec(), vec![rest]].concat())?
    };
    let best = super::arg::extreme(c, &flat, first, true, false)?;
    let mut spread = best.shape.clone();
    spread.insert(first, Dim::fixed(1));
    let best = c.reshape(&best, &spread)?;
    let result = c.elementwise_to(&flat.shape.clone(), &[best], x.elem, |b, v| {
        let here = b.position(first);
        let here = b.cast(&here, Elem::I64);
        let hit = b.compare(Order::Eq, &here, &v[0]);
        let (one, zero) = (b.number(x.elem, Num::I(1)), b.number(x.elem, Num::I(0)));
        b.select(&hit, &one, &zero)
    })?;
    Ok(vec![c.reshape(&result, &shape)?])
}
