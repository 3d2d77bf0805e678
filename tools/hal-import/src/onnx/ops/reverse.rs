//! `ReverseSequence`.
use super::Entry;
use crate::onnx::{Context, Iter, Node, Order, Outcome, Value, generic::map, problem::invalid};

pub(super) const OPS: &[Entry] = &[("ReverseSequence", reverse_sequence)];

/// Turns the first elements of each sequence round, as many as its length says.
fn reverse_sequence(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, lengths) = (n.input(0)?.clone(), n.input(1)?.clone());
    let (batch, time) = (n.axis(n.int("batch_axis", 1), x.rank())?, n.axis(n.int("time_axis", 0), x.rank())?);
    if batch == time || lengths.rank() != 1 {
        return invalid(format!(
            "axes {batch} and {time} of `{}` are no batch and time with lengths `{}`",
            x.ty(),
            lengths.ty()
        ));
    }
    c.require_same((&lengths, 0), (&x, batch))?;
    let (x, lengths) = (c.settle(&x), c.settle(&lengths));
    c.require_range(&lengths, &crate::onnx::Dim::fixed(0), &x.shape[time])?;
    Ok(vec![reversed(c, &x, &lengths, batch, time)])
}

/// Each sequence turned round as far as its length says, which is within `0..=` the size of `time`.
pub(super) fn reversed(c: &mut Context<'_>, x: &Value, lengths: &Value, batch: usize, time: usize) -> Value {
    let (ssa, ty) = (c.ssa(x), x.ty());
    let out = c.empty(x.elem, &x.shape);
    let all: Vec<_> = (0..x.rank()).collect();
    let size = crate::onnx::Scalar::index(c.index(&x.shape[time]));
    c.generic(&vec![Iter::Parallel; x.rank()], &[(lengths, map(&[batch]))], &[(&out, map(&all))], |b, v| {
        let mut at: Vec<_> = all.iter().map(|&d| b.position(d)).collect();
        let length = b.to_index(&v[0]);
        let inside = b.compare(Order::Lt, &at[time], &length);
        let one = b.index_constant(1);
        let last = b.sub(&length, &one);
        let turned = b.sub(&last, &at[time]);
        let place = b.select(&inside, &turned, &at[time]);
        // Lengths were checked; this says so to what looks at indices.
        let (zero, end) = (b.index_constant(0), b.sub(&size, &one));
        let place = b.max(&place, &zero);
        at[time] = b.min(&place, &end);
        vec![b.extract(&ssa, &ty, x.elem, &at)]
    })
    .remove(0)
}
