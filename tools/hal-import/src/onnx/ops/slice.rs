//! `Slice`.
use super::Entry;
use crate::onnx::{
    Context, Dim, Known, Node, Outcome, Tensor, Value,
    axes::Axes,
    context::require::Rule,
    layout::{as_usize, pick},
    problem::invalid,
    tensor::{positions, strides},
};

pub(super) const OPS: &[Entry] = &[("Slice", slice)];

/// Attributes before opset 10, inputs from there.
fn slice(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axes = Axes::of(n, "axes", 3, x.rank())?;
    let list = |name: &str, input: usize| match n.ints(name) {
        Some(list) => Some(Value::constant(Tensor::from_ints(crate::onnx::Elem::I64, &list))),
        None => n.optional(input).cloned(),
    };
    let (Some(starts), Some(ends)) = (list("starts", 1), list("ends", 2)) else {
        return invalid("`starts` or `ends` is missing");
    };
    // An empty list of axes goes with empty lists of starts and ends.
    if starts.is_empty() && ends.is_empty() {
        return Ok(vec![x]);
    }
    if let (Some(a), Some(b)) = (starts.count(), ends.count())
        && a != b
    {
        return invalid(format!("there are {a} starts and {b} ends"));
    }
    let starts = c.per_axis(&starts, axes.as_ref(), x.rank(), 0, "`starts`")?;
    let ends = c.per_axis(&ends, axes.as_ref(), x.rank(), i64::MAX, "`ends`")?;
    let steps = match n.optional(4) {
        Some(v) => c.per_axis(v, axes.as_ref(), x.rank(), 1, "`steps`")?,
        None => vec![Dim::fixed(1); x.rank()],
    };
    let x = c.settle(&x);
    let (mut offsets, mut sizes) = (Vec::new(), Vec::new());
    for (i, size) in x.shape.iter().enumerate() {
        let (offset, size) = match steps[i].get() {
            Some(step) => bounds(c, &starts[i], &ends[i], step, size)?,
            None => bounds_at_run(c, &starts[i], &ends[i], &steps[i], size)?,
        };
        offsets.push(offset);
        sizes.push(size);
    }
    let fixed: Option<Vec<_>> = steps.iter().map(|s| s.get().filter(|&s| s > 0)).collect();
    let result = match fixed {
        Some(steps) => c.slice(&x, &offsets, &sizes, &steps),
        None => stepped(c, &x, &offsets, &sizes, &steps),
    };
    Ok(vec![c.as_declared(result, n.declared.first().and_then(Option::as_deref))?])
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
    if step > 0 && start == *size {
        // There is nothing behind the end, whatever the run says.
        return Ok((zero.clone(), zero));
    }
    let span = if step > 0 { end.minus(&start) } else { start.minus(&end) };
    let step = Dim::fixed(step.saturating_abs());
    let up = span.plus(&step).offset(-1);
    let count = if step.is(1) { span } else { c.size_over(&up, &step) };
    let count = if count == *size { count } else { c.size_max(&count, &zero) };
    Ok((start, count))
}

/// Does the same as [`bounds`], with a step, and so a direction, that is known only at run time.
fn bounds_at_run(c: &mut Context<'_>, start: &Dim, end: &Dim, step: &Dim, size: &Dim) -> Outcome<(Dim, Dim)> {
    let (zero, one, minus) = (Dim::fixed(0), Dim::fixed(1), Dim::fixed(-1));
    c.require(Rule::NotZero(step.clone()), "a step is {0}", &[step])?;
    let forward = c.compare_dims("sgt", step, &zero);
    let low = c.choose(&forward, &zero, &minus);
    let high = c.choose(&forward, size, &size.offset(-1));
    let [start, end] = [(start, &zero), (end, &low)].map(|(position, low)| {
        let position = c.from_end(position, size);
        let position = c.size_max(&position, low);
        c.size_min(&position, &high)
    });
    let span = c.choose(&forward, &end.minus(&start), &start.minus(&end));
    // Steps as long as this lead out of everything.
    let far = Dim::fixed(1 << 40);
    let length = c.size_max(step, &far.times(-1));
    let length = c.size_max(&length, &length.times(-1));
    let length = c.size_max(&length, &one);
    let length = c.size_min(&length, &far);
    let count = c.size_over(&span.plus(&length).offset(-1), &length);
    // Rounds toward zero: a slice in the wrong direction has size 0.
    Ok((start, c.size_max(&count, &zero)))
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
        // A size less than another is not negative either.
        _ => c.from_end(position, size),
    };
    let lower = c.size_max(&from_end, low);
    c.size_min(&lower, high)
}

/// A slice with some step that is negative or not known, element by element.
fn stepped(c: &mut Context<'_>, x: &Value, offsets: &[Dim], sizes: &[Dim], steps: &[Dim]) -> Value {
    let fixed = |list: &[Dim]| crate::onnx::dims::fixed(list);
    if let (Some(known @ (Known::Tensor(_) | Known::Dims(_))), Some(offsets), Some(_), Some(steps)) =
        (&x.known, fixed(offsets), fixed(sizes), fixed(steps))
    {
        let from = strides(&as_usize(&x.shape));
        let source = positions(&as_usize(sizes), |at| {
            at.iter().enumerate().map(|(d, &i)| (offsets[d] + i as i64 * steps[d]) as usize * from[d]).sum()
        });
        return pick(known, x, sizes.to_vec(), source);
    }
    let (rank, outside) = (x.rank(), [offsets, steps].concat());
    c.gather_at(x, sizes, &outside, |b, here, outside| {
        (0..rank)
            .map(|d| {
                let moved = b.mul(&here[d], &outside[rank + d]);
                b.add(&moved, &outside[d])
            })
            .collect()
    })
}
