//! Dequantised numbers. Operators that select among them select among the integers that they were made of: dequantisation keeps their order.
use super::scales::scaled;
use crate::onnx::{Context, Elem, Node, Num, Outcome, Quantised, Value};
use std::rc::Rc;

/// Scales for which `f32` holds all products with integers of 16 bits, each another one.
const SCALES: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

/// Dequantised integers, which are remembered with the result. `n` says how large blocks are.
pub(super) fn as_floats(c: &mut Context<'_>, n: &Node, of: Quantised, to: Elem) -> Outcome<Value> {
    let Quantised { numbers: x, scale, zero, axis, block } = of;
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
    let block = if scale.rank() == 0 { 0 } else { block };
    if (scale.rank() <= 1) == (block == 0) {
        let (numbers, scale) = (c.settle(&x), c.settle(&scale));
        result.quantised = Some(Rc::new(Quantised { numbers, scale, zero, axis, block }));
    }
    Ok(result)
}

/// The integers of a value that has one known scale, which is positive, and one zero point.
pub(super) fn integers(value: &Value) -> Option<&Quantised> {
    let of = value.quantised.as_deref()?;
    let scale = of.scale.splat()?.float();
    let one =
        of.block == 0 && of.scale.count() == Some(1) && of.zero.as_ref().is_none_or(|zero| zero.splat().is_some());
    let short = matches!(of.numbers.elem, Elem::I8 | Elem::U8 | Elem::I16 | Elem::U16);
    (one && short && value.elem == Elem::F32 && SCALES.contains(&scale)).then_some(of)
}

/// The result of an operator that selects elements of its only input, if these are dequantised integers.
pub(super) fn selected(
    c: &mut Context<'_>,
    n: &Node,
    x: &Value,
    select: impl FnOnce(&mut Context<'_>, &Node, &Value) -> Outcome,
) -> Option<Outcome> {
    let of = integers(x)?.clone();
    Some(select(c, n, &of.numbers).and_then(|numbers| {
        let numbers = numbers.into_iter().next().expect("a result");
        Ok(vec![as_floats(c, n, Quantised { numbers, axis: 0, ..of }, x.elem)?])
    }))
}

/// The operators that only move elements of their first input, or of all of them.
const MOVE: &[&str] = &[
    "DepthToSpace",
    "Expand",
    "Flatten",
    "Gather",
    "GatherElements",
    "GatherND",
    "Identity",
    "Reshape",
    "ReverseSequence",
    "Slice",
    "SpaceToDepth",
    "Split",
    "Squeeze",
    "Tile",
    "Transpose",
    "Unsqueeze",
];

/// What the elements were made of that a node of the standard domain only moves: it is given the integers, and its results are to be
/// dequantised, with [`widened`]. Bytes are moved in place of floats, and if its results are quantised again, nothing else is done.
pub(crate) fn carried(n: &mut Node, domain: &str) -> Option<Quantised> {
    let op = if domain.is_empty() { n.op.as_str() } else { return None };
    let moved = if op == "Concat" { n.inputs.len() } else { usize::from(MOVE.contains(&op)) };
    let all: Vec<Quantised> = n.inputs[..moved.min(n.inputs.len())]
        .iter()
        .map(|input| integers(input.as_ref()?).cloned())
        .collect::<Option<_>>()?;
    let first = all.first()?.clone();
    let number = |zero: &Option<Value>| zero.as_ref().map_or(Some(0), |zero| zero.splat().map(Num::int));
    let alike = |of: &Quantised| {
        of.numbers.elem == first.numbers.elem
            && of.scale.splat() == first.scale.splat()
            && number(&of.zero) == number(&first.zero)
    };
    if !all.iter().all(alike) {
        return None;
    }
    for (input, of) in n.inputs.iter_mut().zip(all) {
        *input = Some(of.numbers);
    }
    Some(first)
}

/// The floats that a node that [`carried`] has changed results in.
pub(crate) fn widened(c: &mut Context<'_>, n: &Node, results: Vec<Value>, of: &Quantised) -> Outcome {
    let floats = |numbers| as_floats(c, n, Quantised { numbers, axis: 0, ..of.clone() }, Elem::F32);
    results.into_iter().map(floats).collect()
}

/// The integers of a value, if quantising it gives just these.
pub(super) fn unchanged(value: &Value, scale: &Value, zero: Option<&Value>, to: Elem) -> Option<Value> {
    let of = integers(value)?;
    let zero_of = |zero: Option<&Value>| match zero {
        Some(zero) => zero.splat().map(Num::int),
        None => Some(0),
    };
    let same = of.numbers.elem == to
        && scale.count() == Some(1)
        && scale.splat() == of.scale.splat()
        && zero_of(zero)? == zero_of(of.zero.as_ref())?;
    same.then(|| Value { label: Option::<Rc<str>>::clone(&value.label), ..of.numbers.clone() })
}
