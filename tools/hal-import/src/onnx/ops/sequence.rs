//! Sequences: lists that exist only at import, so their lengths and positions must be known.
use super::{Entry, split::pieces};
use crate::onnx::{
    Context, Dim, Elem, Node, Num, Outcome, Problem, Tensor, Value,
    context::require::{Rule, dimension},
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("SequenceConstruct", |_, n| Ok(vec![Value::of_sequence(n.all()?)])),
    ("SequenceEmpty", |_, _| Ok(vec![Value::of_sequence(Vec::new())])),
    ("SequenceInsert", |_, n| {
        let mut list = sequence(n, 0)?;
        let at = match n.optional(2) {
            Some(_) => position(n, 2, list.len() + 1, list.len())?,
            None => list.len(),
        };
        list.insert(at, n.input(1)?.clone());
        Ok(vec![Value::of_sequence(list)])
    }),
    ("SequenceErase", |_, n| {
        let mut list = sequence(n, 0)?;
        let at = match n.optional(1) {
            Some(_) => position(n, 1, list.len(), list.len())?,
            None => list.len().checked_sub(1).ok_or_else(|| Problem::Invalid("the sequence is empty".into()))?,
        };
        list.remove(at);
        Ok(vec![Value::of_sequence(list)])
    }),
    ("SequenceAt", |_, n| {
        let list = sequence(n, 0)?;
        let at = position(n, 1, list.len(), list.len())?;
        Ok(vec![list[at].clone()])
    }),
    ("SequenceLength", |_, n| {
        Ok(vec![Value::constant(Tensor::scalar(Elem::I64, Num::I(sequence(n, 0)?.len() as i128)))])
    }),
    ("ConcatFromSequence", concat),
    ("SplitToSequence", split),
];

fn sequence(n: &Node, input: usize) -> Outcome<Vec<Value>> {
    match n.optional(input).and_then(|v| v.sequence.as_ref()) {
        Some(list) => Ok(list.to_vec()),
        None => invalid(format!("input {input} is not a sequence")),
    }
}

/// A position below `limit`, counted from `length` if negative.
fn position(n: &Node, input: usize, limit: usize, length: usize) -> Outcome<usize> {
    let Some(at) = n.input(input)?.splat() else {
        return unsupported(format!("the position (input {input}) is not a constant"));
    };
    let at = at.int() as i64;
    let from_start = if at < 0 { at + length as i64 } else { at };
    match usize::try_from(from_start) {
        Ok(p) if p < limit => Ok(p),
        _ => invalid(format!("position {at} is out of range for a sequence of {length}")),
    }
}

fn concat(c: &mut Context<'_>, n: &Node) -> Outcome {
    let mut list = sequence(n, 0)?;
    let fresh = n.int("new_axis", 0) != 0;
    let Some(first) = list.first() else { return unsupported("the sequence is empty") };
    let axis = n.axis(n.int("axis", 0), first.rank() + usize::from(fresh))?;
    if fresh {
        for v in &mut list {
            let mut shape = v.shape.clone();
            shape.insert(axis, Dim::fixed(1));
            *v = c.reshape(v, &shape)?;
        }
    }
    Ok(vec![c.concat(&list, axis)?])
}

/// Into pieces of one size (the last may be smaller), or of given sizes, or single slices.
fn split(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.axis(n.int("axis", 0), x.rank())?;
    let whole = || x.shape[axis].get().map_or_else(|| unsupported("the dimension that it splits is dynamic"), Ok);
    let sizes: Vec<i64> = match n.optional(1) {
        None => vec![1; whole()? as usize],
        Some(v) => match v.tensor() {
            None => return unsupported("`split` (input 1) is not a constant"),
            Some(t) if t.shape.is_empty() => {
                let total = whole()?;
                let part = t.get(0).int() as i64;
                if part < 1 {
                    return invalid(format!("the pieces are of size {part}"));
                }
                (0..(total + part - 1) / part).map(|i| part.min(total - i * part)).collect()
            }
            Some(t) => t.ints(),
        },
    };
    if x.shape[axis].get().is_some_and(|total| sizes.iter().sum::<i64>() != total) {
        return invalid(format!("the pieces {sizes:?} do not add up to the size of axis {axis}"));
    }
    let drop_axis = n.optional(1).is_none() && n.int("keepdims", 1) == 0;
    if sizes.iter().any(|&s| s < 0) {
        return invalid(format!("a piece of {sizes:?} is of a negative size"));
    }
    let total = Dim::fixed(sizes.iter().sum());
    let text = format!("the pieces add up to {{0}}, but {} is {{1}}", dimension(&x, axis));
    c.require(Rule::Equal(total.clone(), x.shape[axis].clone()), &text, &[&total, &x.shape[axis]])?;
    let sizes: Vec<_> = sizes.into_iter().map(Dim::fixed).collect();
    let mut list = pieces(c, &x, axis, &sizes)?;
    if drop_axis {
        let mut shape = x.shape.clone();
        shape.remove(axis);
        for v in &mut list {
            *v = c.reshape(v, &shape)?;
        }
    }
    Ok(vec![Value::of_sequence(list)])
}
