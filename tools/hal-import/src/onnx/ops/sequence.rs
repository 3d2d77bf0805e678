//! Sequences: lists at import, or, if their length is known only at run time, concatenated tensors (`ragged`).
use super::{Entry, gather::from_end, split::pieces};
use crate::onnx::{
    Context, Dim, Elem, Node, Num, Outcome, Scalar, Tensor, Value,
    context::require::{Rule, dimension},
    dims::open,
    problem::{invalid, unsupported},
    value::Ragged,
    value::tensor_type,
};
use std::{cmp::Ordering, rc::Rc};

/// The most pieces that are a list at import.
const LONGEST: i64 = 1 << 12;

pub(super) const OPS: &[Entry] = &[
    ("SequenceConstruct", |_, n| Ok(vec![Value::of_sequence(n.all()?)])),
    ("SequenceEmpty", |_, _| Ok(vec![Value::of_sequence(Vec::new())])),
    ("SequenceInsert", |c, n| {
        if let Some(r) = ragged(n) {
            let at = ragged_position(c, n, 2, &r, 0)?;
            return Ok(vec![c.ragged_insert(&r, &at, n.input(1)?)?]);
        }
        let mut list = sequence(n, 0)?;
        let (item, length) = (n.input(1)?.clone(), list.len());
        match position(c, n, 2, length, length)? {
            Place::At(at) => list.insert(at, item),
            Place::Of(at) => {
                // Each element is the one that was there, the new one, or the one before.
                let old = |i: usize| if i < length { list[i].clone() } else { item.clone() };
                let before = |i: usize| if i > 0 { list[i - 1].clone() } else { item.clone() };
                let new = (0..=length)
                    .map(|i| {
                        let cases: Vec<_> = (0..=length)
                            .map(|at| match i.cmp(&at) {
                                Ordering::Less => old(i),
                                Ordering::Equal => item.clone(),
                                Ordering::Greater => before(i),
                            })
                            .collect();
                        chosen(c, &at, &cases)
                    })
                    .collect::<Outcome<_>>()?;
                list = new;
            }
        }
        Ok(vec![Value::of_sequence(list)])
    }),
    ("SequenceErase", |c, n| {
        if let Some(r) = ragged(n) {
            let at = ragged_position(c, n, 1, &r, 1)?;
            return Ok(vec![c.ragged_erase(&r, &at)?]);
        }
        let mut list = sequence(n, 0)?;
        let Some(last) = list.len().checked_sub(1) else { return invalid("the sequence is empty") };
        match position(c, n, 1, last, last)? {
            Place::At(at) => _ = list.remove(at),
            Place::Of(at) => {
                let cases =
                    |i: usize| (0..=last).map(|at| list[if i < at { i } else { i + 1 }].clone()).collect::<Vec<_>>();
                list = (0..last).map(|i| chosen(c, &at, &cases(i))).collect::<Outcome<_>>()?;
            }
        }
        Ok(vec![Value::of_sequence(list)])
    }),
    ("SequenceAt", |c, n| {
        if let Some(r) = ragged(n) {
            n.input(1)?;
            let at = ragged_position(c, n, 1, &r, 1)?;
            return Ok(vec![c.ragged_at(&r, &at)?]);
        }
        let list = sequence(n, 0)?;
        let Some(last) = list.len().checked_sub(1) else { return invalid("the sequence is empty") };
        n.input(1)?;
        Ok(vec![match position(c, n, 1, last, last)? {
            Place::At(at) => list[at].clone(),
            Place::Of(at) => chosen(c, &at, &list)?,
        }])
    }),
    ("SequenceLength", |_, n| {
        if let Some(r) = ragged(n) {
            return Ok(vec![Value::dims(Elem::I64, Vec::new(), vec![r.length()])]);
        }
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

/// Input 0, if it is a sequence whose length only a run knows.
fn ragged(n: &Node) -> Option<Rc<Ragged>> {
    n.optional(0).and_then(|v| v.ragged.clone())
}

/// A position in a sequence of unknown length, `back` before its end at most; there if it is left out.
fn ragged_position(c: &mut Context<'_>, n: &Node, input: usize, r: &Ragged, back: i64) -> Outcome<Dim> {
    let length = r.length();
    let most = length.offset(-back);
    let Some(value) = n.optional(input) else {
        c.require(Rule::AtLeast(most.clone(), Dim::fixed(0)), "the sequence has no element", &[])?;
        return Ok(most);
    };
    n.input(input)?;
    let flat = c.reshape(value, &[])?;
    let at = c.read_dims(&flat)?.remove(0);
    let text = "position {0} is out of range for a sequence of {1}";
    c.require(Rule::AtLeast(at.clone(), length.times(-1)), text, &[&at, &length])?;
    c.require(Rule::AtLeast(most, at.clone()), text, &[&at, &length])?;
    Ok(match at.get() {
        Some(at) if at >= 0 => Dim::fixed(at),
        Some(at) => length.offset(at),
        None if c.is_size(&at) => at,
        None => {
            let (at, size) = (Scalar::index(c.index(&at)), Scalar::index(c.index(&length)));
            let from_start = from_end(&mut c.body(), &at, &size).name;
            c.fresh_symbol(from_start)
        }
    })
}

/// A position in a sequence.
enum Place {
    /// Known at import.
    At(usize),
    /// An `index` that the program computes; it is in range.
    Of(String),
}

/// A position up to `most`; `default` where it is left out. It is counted from the end if negative: the sequence has as many
/// elements as the positions that name one.
fn position(c: &mut Context<'_>, n: &Node, input: usize, most: usize, default: usize) -> Outcome<Place> {
    let Some(value) = n.optional(input) else { return Ok(Place::At(default)) };
    let (length, most) = (sequence(n, 0)?.len() as i64, most as i64);
    n.input(input)?;
    if let Some(at) = value.splat() {
        let at = at.int() as i64;
        let from_start = if at < 0 { at + length } else { at };
        return match usize::try_from(from_start) {
            Ok(p) if from_start <= most => Ok(Place::At(p)),
            _ => invalid(format!("position {at} is out of range for a sequence of {length}")),
        };
    }
    let flat = c.reshape(value, &[])?;
    let at = c.read_dims(&flat)?.remove(0);
    let text = format!("position {{0}} is out of range for a sequence of {length}");
    c.require(Rule::AtLeast(at.clone(), Dim::fixed(-length)), &text, &[&at])?;
    c.require(Rule::AtLeast(Dim::fixed(most), at.clone()), &text, &[&at])?;
    let (at, size) = (Scalar::index(c.index(&at)), Scalar::index(c.index(&Dim::fixed(length))));
    Ok(Place::Of(from_end(&mut c.body(), &at, &size).name))
}

/// The value that an index names; the last one beyond it.
fn chosen(c: &mut Context<'_>, at: &str, cases: &[Value]) -> Outcome<Value> {
    let Some((last, others)) = cases.split_last() else { return invalid("there is nothing to choose from") };
    if others.iter().all(|v| v.is_same(last)) {
        return Ok(last.clone());
    }
    if cases.iter().any(|v| v.words.is_some()) {
        let (numbers, words) = c.with_one_table(cases, false)?;
        return Ok(Value { words: Some(words), ..chosen(c, at, &numbers)? });
    }
    if let Some(other) = others.iter().find(|v| v.rank() != last.rank() || v.elem != last.elem) {
        return unsupported(format!(
            "which one of `{}` and `{}` it is is known only when the program runs",
            other.ty(),
            last.ty()
        ));
    }
    let same = |i: usize| Some(last.shape[i].clone()).filter(|d| others.iter().all(|v| v.shape[i] == *d));
    let dims: Vec<_> = (0..last.rank()).map(same).collect();
    let values: Vec<_> = cases.iter().map(|v| c.cast(v, &open(&dims))).collect();
    let names: Vec<_> = values.iter().map(|v| c.ssa(v)).collect();
    let ty = tensor_type(last.elem, &open(&dims));
    let mut result = None;
    for (i, name) in names.iter().enumerate() {
        let case = if i + 1 == names.len() { "default {".into() } else { format!("case {i} {{") };
        match result {
            None => result = Some(c.w.open_values(1, &format!("scf.index_switch {at} -> {ty} {case}"))),
            Some(_) => c.w.between(&format!("}} {case}")),
        }
        c.w.line(format!("scf.yield {name} : {ty}"));
    }
    c.w.close("}");
    let result = result.expect("there are two cases or more").remove(0);
    Ok(c.sized(result, last.elem, &dims))
}

fn concat(c: &mut Context<'_>, n: &Node) -> Outcome {
    if let Some(r) = ragged(n) {
        let fresh = n.int("new_axis", 0) != 0;
        let axis = n.axis(n.int("axis", 0), r.rank + usize::from(fresh))?;
        return Ok(vec![c.ragged_concat(&r, axis, fresh)?]);
    }
    let mut list = sequence(n, 0)?;
    let fresh = n.int("new_axis", 0) != 0;
    let mut words = None;
    if list.iter().any(|v| v.words.is_some()) {
        let (numbers, all) = c.with_one_table(&list, false)?;
        (list, words) = (numbers, Some(all));
    }
    let Some(first) = list.first() else { return unsupported("the sequence is empty") };
    let axis = n.axis(n.int("axis", 0), first.rank() + usize::from(fresh))?;
    if fresh {
        for v in &mut list {
            let mut shape = v.shape.clone();
            shape.insert(axis, Dim::fixed(1));
            *v = c.reshape(v, &shape)?;
        }
    }
    Ok(vec![Value { words, ..c.concat(&list, axis)? }])
}

/// Into pieces of one size (the last may be smaller), or of given sizes, or single slices.
fn split(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.axis(n.int("axis", 0), x.rank())?;
    let drop_axis = n.optional(1).is_none() && n.int("keepdims", 1) == 0;
    let part = match n.optional(1) {
        None => Some(Dim::fixed(1)),
        Some(v) if v.rank() == 0 => Some(c.read_dims(v)?.remove(0)),
        Some(_) => None,
    };
    let sizes: Vec<Dim> = match (n.optional(1), part) {
        (_, Some(part)) => match (part.get(), x.shape[axis].get()) {
            (Some(part), _) if part < 1 => return invalid(format!("the pieces are of size {part}")),
            (Some(part), Some(total)) if (total + part - 1) / part <= LONGEST => {
                (0..(total + part - 1) / part).map(|i| Dim::fixed(part.min(total - i * part))).collect()
            }
            // Only a run knows how many there are.
            _ => return Ok(vec![c.ragged_split(&x, axis, &part, !drop_axis)?]),
        },
        (None, None) => return invalid("there are no sizes"),
        (Some(v), None) => c.read_dims(v)?,
    };
    for (i, size) in sizes.iter().enumerate() {
        c.require_count(size, &format!("the size of piece {i}"))?;
    }
    let total = sizes.iter().fold(Dim::fixed(0), |sum, d| sum.plus(d));
    let text = format!("the pieces add up to {{0}}, but {} is {{1}}", dimension(&x, axis));
    c.require(Rule::Equal(total.clone(), x.shape[axis].clone()), &text, &[&total, &x.shape[axis]])?;
    let sizes = c.settle_shape(&sizes);
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
