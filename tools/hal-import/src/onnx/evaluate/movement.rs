//! Operators that move elements, of any type. A number that is out of range is left to the lowering, which reports it.
use super::{Move, worthwhile};
use crate::onnx::{
    Node, Tensor,
    tensor::{positions, strides},
};
use halyard_cli::filled;

pub(super) const TABLE: &[(&str, Move)] = &[
    ("Gather", gather),
    ("GatherElements", gather_elements),
    ("GatherND", gather_nd),
    ("ScatterElements", scatter_elements),
    ("ScatterND", scatter),
];

/// An index in a dimension of a size, counted from the end if negative.
fn within(number: i64, size: usize) -> Option<usize> {
    let from_start = if number < 0 { number + size as i64 } else { number };
    usize::try_from(from_start).ok().filter(|&at| at < size)
}

/// Where a slice starts, in slices: one index for each of the first dimensions.
fn place(index: &[i64], sizes: &[usize]) -> Option<usize> {
    index.iter().zip(sizes).try_fold(0, |at, (&number, &size)| Some(at * size + within(number, size)?))
}

/// Slices along an axis, by number.
fn gather(n: &Node, inputs: &[Option<&Tensor>]) -> Option<Tensor> {
    let [Some(x), Some(numbers)] = inputs else { return None };
    let axis = n.axis(n.int("axis", 0), x.shape.len()).ok()?;
    let (size, inner) = (x.shape[axis], x.shape[axis + 1..].iter().product::<usize>());
    let shape = [&x.shape[..axis], &numbers.shape, &x.shape[axis + 1..]].concat();
    let places: Vec<usize> = numbers.ints().into_iter().map(|number| within(number, size)).collect::<Option<_>>()?;
    let outer: usize = x.shape[..axis].iter().product();
    let starts = (0..outer).flat_map(|outer| places.iter().map(move |place| (outer * size + place) * inner));
    slices(x, shape, inner, starts.collect())
}

/// One element for each index, which replaces the position along an axis.
fn gather_elements(n: &Node, inputs: &[Option<&Tensor>]) -> Option<Tensor> {
    let [Some(x), Some(numbers)] = inputs else { return None };
    let axis = n.axis(n.int("axis", 0), x.shape.len()).ok()?;
    let places = along(&numbers.shape, &x.shape, axis, &numbers.ints())?;
    slices(x, numbers.shape.clone(), 1, places)
}

/// Slices at positions, after `batch_dims` dimensions that both have.
fn gather_nd(n: &Node, inputs: &[Option<&Tensor>]) -> Option<Tensor> {
    let [Some(x), Some(numbers)] = inputs else { return None };
    let batch = usize::try_from(n.int("batch_dims", 0)).ok()?;
    let (&depth, outer) = numbers.shape.split_last()?;
    let fits = depth > 0 && batch <= outer.len() && batch.checked_add(depth)? <= x.shape.len();
    if !fits || x.shape[..batch] != outer[..batch] {
        return None;
    }
    let (sizes, slice) = x.shape[batch..].split_at(depth);
    let (per_batch, inner) = (sizes.iter().product::<usize>(), slice.iter().product::<usize>());
    let rows: usize = outer[batch..].iter().product();
    let starts = numbers
        .ints()
        .chunks_exact(depth)
        .enumerate()
        .map(|(at, index)| Some((at / rows.max(1) * per_batch + place(index, sizes)?) * inner))
        .collect::<Option<_>>()?;
    slices(x, [outer, slice].concat(), inner, starts)
}

/// A copy with elements replaced at the indices along an axis, the last of several at one place.
fn scatter_elements(n: &Node, inputs: &[Option<&Tensor>]) -> Option<Tensor> {
    let [Some(x), Some(numbers), Some(updates)] = inputs else { return None };
    let axis = n.axis(n.int("axis", 0), x.shape.len()).ok()?;
    if n.string("reduction", "none") != "none" || numbers.shape != updates.shape {
        return None;
    }
    let places = along(&numbers.shape, &x.shape, axis, &numbers.ints())?;
    replaced(x, updates, 1, &places)
}

/// A copy with slices replaced, the last of several at one place.
fn scatter(n: &Node, inputs: &[Option<&Tensor>]) -> Option<Tensor> {
    let [Some(x), Some(numbers), Some(updates)] = inputs else { return None };
    let (&depth, outer) = numbers.shape.split_last()?;
    if n.string("reduction", "none") != "none" || depth == 0 || depth > x.shape.len() {
        return None;
    }
    let (sizes, slice) = x.shape.split_at(depth);
    if updates.shape != [outer, slice].concat() {
        return None;
    }
    let inner: usize = slice.iter().product();
    let places = numbers
        .ints()
        .chunks_exact(depth)
        .map(|index| Some(place(index, sizes)? * inner))
        .collect::<Option<Vec<_>>>()?;
    replaced(x, updates, inner, &places)
}

/// The place in `whole` of each position of `shape`, whose index along an axis is a number of the list.
fn along(shape: &[usize], whole: &[usize], axis: usize, numbers: &[i64]) -> Option<Vec<usize>> {
    let other = |d: usize| d != axis && shape[d] > whole[d];
    if shape.len() != whole.len() || (0..shape.len()).any(other) {
        return None;
    }
    let steps = strides(whole);
    let at = positions(shape, |index| {
        index.iter().zip(&steps).enumerate().filter(|(d, _)| *d != axis).map(|(_, (i, step))| i * step).sum()
    });
    numbers
        .iter()
        .enumerate()
        .map(|(flat, &number)| Some(at(flat) + within(number, whole[axis])? * steps[axis]))
        .collect()
}

/// The slices of so many elements that start at these elements, one after the other.
fn slices(x: &Tensor, shape: Vec<usize>, inner: usize, starts: Vec<usize>) -> Option<Tensor> {
    let (bytes, size) = (x.bytes(), inner * x.elem.size());
    if inner == 0 || !worthwhile(x.elem, starts.len().checked_mul(inner)?, x.len() + starts.len()) {
        return None;
    }
    let picked = filled(starts.len() * size, |out| {
        for (out, start) in out.chunks_exact_mut(size).zip(&starts) {
            out.copy_from_slice(&bytes[start * x.elem.size()..][..size]);
        }
    });
    Tensor::from_bytes(x.elem, shape, picked)
}

/// A copy of `x` in which slices of so many elements, which start at these elements, are those of `updates`.
fn replaced(x: &Tensor, updates: &Tensor, inner: usize, starts: &[usize]) -> Option<Tensor> {
    if x.elem != updates.elem || inner == 0 {
        return None;
    }
    let (bytes, new, size) = (x.bytes(), updates.bytes(), x.elem.size());
    let written = filled(bytes.len(), |out| {
        out.copy_from_slice(&bytes);
        for (new, start) in new.chunks_exact(inner * size).zip(starts) {
            out[start * size..][..new.len()].copy_from_slice(new);
        }
    });
    Tensor::from_bytes(x.elem, x.shape.clone(), written)
}
