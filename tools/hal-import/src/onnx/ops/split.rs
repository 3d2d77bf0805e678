//! `Split`: splits into parts of given sizes, or of equal ones.
use super::Entry;
use crate::onnx::{
    Context, Dim, Node, Outcome, Value,
    context::require::{Rule, dimension},
    problem::invalid,
};

pub(super) const OPS: &[Entry] = &[("Split", split)];

fn split(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.axis(n.int("axis", 0), x.rank())?;
    let given = match n.ints("split") {
        Some(list) => Some(list.into_iter().map(Dim::fixed).collect()),
        None => n.optional(1).map(|v| c.read_list(v, Some(n.outputs.len()), "`split` (input 1)")).transpose()?,
    };
    let sizes = match given {
        Some(sizes) => sizes,
        None => {
            let count = n.outputs.len() as i64;
            let said = n.int("num_outputs", count);
            if said != count {
                return invalid(format!("`num_outputs` is {said}, but it has {count} outputs"));
            }
            let Some(total) = x.shape[axis].get() else {
                let sizes = if n.opset < 18 || x.shape[axis].exact_quotient(count).is_some() {
                    vec![c.divided((&x, axis), count, "equal parts")?; count.max(0) as usize]
                } else {
                    parts(c, &x, axis, count)?
                };
                return pieces(c, &x, axis, &sizes);
            };
            if count < 1 || (n.opset < 18 && total % count != 0) {
                return invalid(format!("size {total} does not split into {count} equal parts"));
            }
            // The last part may be smaller.
            let part = (total + count - 1) / count;
            (0..count).map(|i| Dim::fixed((total - i * part).clamp(0, part))).collect::<Vec<_>>()
        }
    };
    let total = sizes.iter().fold(Dim::fixed(0), |a, b| a.plus(b));
    if let (Some(a), Some(b)) = (total.get(), x.shape[axis].get())
        && a != b
    {
        return invalid(format!("the parts add up to {a}, but the dimension is of size {b}"));
    }
    for d in &sizes {
        c.require_count(d, "the size of a part")?;
    }
    let text = format!("the parts add up to {{0}}, but {} is {{1}}", dimension(&x, axis));
    c.require(Rule::Equal(total.clone(), x.shape[axis].clone()), &text, &[&total, &x.shape[axis]])?;
    pieces(c, &x, axis, &sizes)
}

/// A dynamic dimension in `count` parts, of which the last may be smaller.
fn parts(c: &mut Context<'_>, x: &Value, axis: usize, count: i64) -> Outcome<Vec<Dim>> {
    if count < 1 {
        return invalid(format!("it splits into {count} parts"));
    }
    let total = &x.shape[axis];
    let part = c.size_over(&total.offset(count - 1), &Dim::fixed(count));
    let last = total.minus(&part.times(count - 1));
    let text = format!("{} is {{0}}, which does not make {count} parts", dimension(x, axis));
    c.require(Rule::AtLeast(last.clone(), Dim::fixed(0)), &text, &[total])?;
    let mut sizes = vec![part; count as usize];
    sizes[count as usize - 1] = last;
    Ok(sizes)
}

/// Pieces of the given sizes, in order, along an axis.
pub(super) fn pieces(c: &mut Context<'_>, x: &Value, axis: usize, sizes: &[Dim]) -> Outcome {
    let (x, sizes) = (&c.settle(x), &*c.settle_shape(sizes));
    let mut offsets = vec![Dim::fixed(0); x.rank()];
    let mut results = Vec::new();
    for size in sizes {
        let mut shape = x.shape.clone();
        shape[axis] = size.clone();
        results.push(c.slice(x, &offsets, &shape, &vec![1; x.rank()]));
        offsets[axis] = offsets[axis].plus(size);
    }
    Ok(results)
}
