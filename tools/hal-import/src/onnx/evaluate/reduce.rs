//! Reductions over axes.
use super::{Constant, Evaluate, Floats, elementwise::rows};
use crate::onnx::Node;
use crate::onnx::tensor::strides;

pub(super) const TABLE: &[(&str, Evaluate)] = &[
    ("ReduceSum", |n, v| reduce(n, v, 0.0, |a, x| a + x, |a, _| a)),
    ("ReduceMean", |n, v| reduce(n, v, 0.0, |a, x| a + x, |a, count| a / count)),
    ("ReduceSumSquare", |n, v| reduce(n, v, 0.0, |a, x| a + x * x, |a, _| a)),
    ("ReduceL2", |n, v| reduce(n, v, 0.0, |a, x| a + x * x, |a, _| a.sqrt())),
    ("ReduceL1", |n, v| reduce(n, v, 0.0, |a, x| a + x.abs(), |a, _| a)),
];

/// Folds the elements along the axes of a node in f64; `last` makes the result of the total and the count.
fn reduce(
    n: &Node,
    inputs: &[Constant<'_>],
    start: f64,
    fold: impl Fn(f64, f64) -> f64,
    last: impl Fn(f64, f64) -> f64,
) -> Option<Vec<Floats>> {
    let x = inputs.first()?.floats()?;
    let axes = match inputs.get(1) {
        Some(axes) => Some(axes.ints()?),
        None => n.ints("axes"),
    };
    let axes: Vec<usize> = match axes.filter(|axes| !axes.is_empty()) {
        Some(axes) => axes.into_iter().map(|axis| n.axis(axis, x.rank()).ok()).collect::<Option<_>>()?,
        // The lowering knows what empty axes mean to whom.
        None if n.int("noop_with_empty_axes", 0) != 0 => return None,
        None => (0..x.rank()).collect(),
    };
    let keep = n.int("keepdims", 1) != 0;
    let totals = totals(x, &axes, start, fold);
    let count = axes.iter().map(|&axis| x.shape[axis]).product::<usize>() as f64;
    let data = totals.data.iter().map(|&total| last(total, count) as f32).collect();
    let kept = (0..x.rank()).filter(|d| keep || !axes.contains(d));
    let shape = kept.map(|d| if axes.contains(&d) { 1 } else { x.shape[d] }).collect();
    Some(vec![Floats { shape, data }])
}

/// Totals along axes.
pub(super) struct Totals {
    /// Row-major over the other axes.
    pub(super) data: Vec<f64>,
    /// The elements of `data` from one index of the tensor to the next, per axis; 0 along axes that are summed.
    pub(super) steps: Vec<usize>,
}

/// Folds the elements of a tensor along axes.
pub(super) fn totals(x: &Floats, axes: &[usize], start: f64, fold: impl Fn(f64, f64) -> f64) -> Totals {
    let left: Vec<usize> = (0..x.rank()).map(|d| if axes.contains(&d) { 1 } else { x.shape[d] }).collect();
    let own = strides(&left);
    let steps: Vec<usize> = (0..x.rank()).map(|d| if axes.contains(&d) { 0 } else { own[d] }).collect();
    let mut data = vec![start; left.iter().product()];
    let mut from = 0;
    rows(&x.shape, |index, count| {
        let at: usize = index.iter().zip(&steps).map(|(i, s)| i * s).sum();
        let step = steps.last().copied().unwrap_or(0);
        for (i, &v) in x.data[from..from + count].iter().enumerate() {
            let total = &mut data[at + i * step];
            *total = fold(*total, v.into());
        }
        from += count;
    });
    Totals { data, steps }
}
