//! `Slice`.
use super::Entry;
use crate::onnx::{
    Context, Dim, Known, Node, Outcome, Value,
    generic::shape_text,
    layout::{as_usize, pick},
    problem::{invalid, unsupported},
    tensor::{positions, strides},
};

pub(super) const OPS: &[Entry] = &[("Slice", slice)];

/// Attributes before opset 10, inputs from there.
fn slice(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let list = |c: &mut Context<'_>, name: &str, input: usize| -> Outcome<Option<Vec<Dim>>> {
        if let Some(list) = n.ints(name) {
            return Ok(Some(list.into_iter().map(Dim::fixed).collect()));
        }
        n.optional(input).map(|v| c.read_dims(v)).transpose()
    };
    let (Some(starts), Some(ends)) = (list(c, "starts", 1)?, list(c, "ends", 2)?) else {
        return invalid("`starts` or `ends` is missing");
    };
    let axes = match n.ints_or_input("axes", 3)? {
        Some(list) => list.into_iter().map(|a| n.axis(a, x.rank())).collect::<Outcome<Vec<_>>>()?,
        None => (0..starts.len()).collect(),
    };
    let steps = match n.optional(4) {
        None => vec![1; starts.len()],
        Some(v) => match v.tensor() {
            Some(t) => t.ints(),
            None => return unsupported("`steps` (input 4) is not a constant"),
        },
    };
    if starts.len() != ends.len()
        || axes.len() != starts.len()
        || steps.len() != starts.len()
        || axes.iter().any(|&a| a >= x.rank())
    {
        return invalid(format!(
            "{} starts, {} ends, {} axes and {} steps do not fit shape {}",
            starts.len(),
            ends.len(),
            axes.len(),
            steps.len(),
            shape_text(&x.shape)
        ));
    }
    let (mut offsets, mut sizes, mut strides) = (vec![Dim::fixed(0); x.rank()], x.shape.clone(), vec![1; x.rank()]);
    for (i, &axis) in axes.iter().enumerate() {
        let (offset, size) = bounds(c, &starts[i], &ends[i], steps[i], &x.shape[axis])?;
        (offsets[axis], sizes[axis], strides[axis]) = (offset, size, steps[i]);
    }
    if strides.iter().all(|&s| s > 0) {
        return Ok(vec![c.slice(&x, &offsets, &sizes, &strides)]);
    }
    Ok(vec![backward(c, &x, &offsets, &sizes, &strides)])
}

/// The first position and the number of positions, by the clamping rules of the specification.
fn bounds(c: &mut Context<'_>, start: &Dim, end: &Dim, step: i64, size: &Dim) -> Outcome<(Dim, Dim)> {
    if step == 0 {
        return invalid("a step is 0");
    }
    let zero = Dim::fixed(0);
    // Forward, positions lie in 0..=size; backward, in -1..=size-1, and only the start may not be -1.
    let (low, high) = if step > 0 { (zero.clone(), size.clone()) } else { (Dim::fixed(-1), size.offset(-1)) };
    let start = clamp(c, start, &if step > 0 { low.clone() } else { zero.clone() }, &high, size);
    let end = clamp(c, end, &low, &high, size);
    let span = if step > 0 { end.minus(&start) } else { start.minus(&end) };
    let step = Dim::fixed(step.saturating_abs());
    let up = span.plus(&step).offset(-1);
    let count = if step.is(1) { span } else { c.size_over(&up, &step) };
    let count = if count == *size { count } else { c.size_max(&count, &zero) };
    Ok((start, count))
}

fn clamp(c: &mut Context<'_>, position: &Dim, low: &Dim, high: &Dim, size: &Dim) -> Dim {
    // Backward there is no first position in what may be empty.
    let ordered = c.is_size(&high.minus(low));
    let from_end = match position.get() {
        Some(p) if p < 0 => {
            // "As far as possible" is written as the smallest integer.
            if p < -(1 << 40) {
                return if ordered { low.clone() } else { c.size_min(low, high) };
            }
            size.offset(p)
        }
        Some(p) if p > 1 << 40 => return high.clone(),
        Some(0) if low.is(0) && ordered => return Dim::fixed(0),
        Some(_) => position.clone(),
        // A size less than another; not negative.
        None if c.is_size(position) => position.clone(),
        None => {
            let sum = position.plus(size);
            let (p, sum, zero) = (c.index(position), c.index(&sum), c.index(&Dim::fixed(0)));
            let negative = c.w.value(format!("arith.cmpi slt, {p}, {zero} : index"));
            let ssa = c.w.value(format!("arith.select {negative}, {sum}, {p} : index"));
            c.fresh_number(ssa)
        }
    };
    let lower = c.size_max(&from_end, low);
    c.size_min(&lower, high)
}

/// A slice with some negative step, element by element.
fn backward(c: &mut Context<'_>, x: &Value, offsets: &[Dim], sizes: &[Dim], steps: &[i64]) -> Value {
    let fixed = crate::onnx::dims::fixed(offsets).zip(crate::onnx::dims::fixed(sizes));
    if let (Some(known @ (Known::Tensor(_) | Known::Dims(_))), Some((offsets, _))) = (&x.known, fixed) {
        let from = strides(&as_usize(&x.shape));
        let source = positions(&as_usize(sizes), |at| {
            at.iter().enumerate().map(|(d, &i)| (offsets[d] + i as i64 * steps[d]) as usize * from[d]).sum()
        });
        return pick(known, x, sizes.to_vec(), source);
    }
    c.gather_at(x, sizes, offsets, |b, here, offsets| {
        here.iter()
            .zip(offsets)
            .zip(steps)
            .map(|((at, offset), &step)| {
                let step = b.index_constant(step);
                let moved = b.mul(at, &step);
                b.add(&moved, offset)
            })
            .collect()
    })
}
