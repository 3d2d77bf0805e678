//! Operators that move elements.
use super::{Constant, Evaluate, Floats};
use crate::onnx::Node;

pub(super) const TABLE: &[(&str, Evaluate)] = &[("Gather", gather), ("ScatterND", scatter)];

/// Slices along an axis, by number; a number that is out of range is left to the lowering, which reports it.
fn gather(n: &Node, inputs: &[Constant<'_>]) -> Option<Vec<Floats>> {
    let [x, Constant::Ints(numbers)] = inputs else { return None };
    let x = x.floats()?;
    let axis = n.axis(n.int("axis", 0), x.rank()).ok()?;
    let (size, inner) = (x.shape[axis], x.shape[axis + 1..].iter().product::<usize>());
    let at = |number: i64| {
        let from_start = if number < 0 { number + size as i64 } else { number };
        usize::try_from(from_start).ok().filter(|&at| at < size)
    };
    let places: Vec<usize> = numbers.ints().into_iter().map(at).collect::<Option<_>>()?;
    let mut data = Vec::new();
    for outer in 0..x.shape[..axis].iter().product() {
        for place in &places {
            data.extend_from_slice(&x.data[(outer * size + place) * inner..][..inner]);
        }
    }
    let shape = [&x.shape[..axis], &numbers.shape, &x.shape[axis + 1..]].concat();
    Some(vec![Floats { shape, data }])
}

/// A copy with slices replaced, the last of several at one place; a number that is out of range is left to the lowering.
fn scatter(n: &Node, inputs: &[Constant<'_>]) -> Option<Vec<Floats>> {
    let [x, Constant::Ints(numbers), updates] = inputs else { return None };
    let (x, updates) = (x.floats()?, updates.floats()?);
    let (&depth, outer) = numbers.shape.split_last()?;
    if n.string("reduction", "none") != "none" || depth == 0 || depth > x.rank() {
        return None;
    }
    let slice = &x.shape[depth..];
    if updates.shape != [outer, slice].concat() {
        return None;
    }
    let size: usize = slice.iter().product();
    let mut data = x.data.clone();
    for (index, update) in numbers.ints().chunks_exact(depth).zip(updates.data.chunks_exact(size.max(1))) {
        let mut at = 0;
        for (&number, &size) in index.iter().zip(&x.shape) {
            let from_start = if number < 0 { number + size as i64 } else { number };
            at = at * size + usize::try_from(from_start).ok().filter(|&at| at < size)?;
        }
        data[at * size..][..size].copy_from_slice(update);
    }
    Some(vec![Floats { shape: x.shape.clone(), data }])
}
