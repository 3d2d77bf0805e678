//! Elementwise operators.
use super::{Constant, Evaluate, Floats};
use crate::onnx::tensor::strides;

pub(super) const TABLE: &[(&str, Evaluate)] = &[
    ("Add", |_, v| both(v, |a, b| a + b)),
    ("Sub", |_, v| both(v, |a, b| a - b)),
    ("Mul", |_, v| both(v, |a, b| a * b)),
    ("Div", |_, v| both(v, |a, b| a / b)),
    ("Neg", |_, v| one(v, |x| -x)),
    ("Abs", |_, v| one(v, f32::abs)),
    ("Relu", |_, v| one(v, |x| if x < 0.0 { 0.0 } else { x })),
    ("Max", |_, v| all(v, highest)),
    ("Min", |_, v| all(v, |a, b| -highest(-a, -b))),
    ("Clip", |_, v| clip(v)),
    ("Ceil", |_, v| one(v, f32::ceil)),
    ("Floor", |_, v| one(v, f32::floor)),
    ("Sqrt", |_, v| one(v, f32::sqrt)),
    ("Reciprocal", |_, v| one(v, |x| 1.0 / x)),
    ("Exp", |_, v| wide(v, libm::exp)),
    ("Log", |_, v| wide(v, libm::log)),
    ("Sin", |_, v| wide(v, libm::sin)),
    ("Cos", |_, v| wide(v, libm::cos)),
    ("Tanh", |_, v| wide(v, libm::tanh)),
    ("Erf", |_, v| wide(v, libm::erf)),
    ("Sigmoid", |_, v| wide(v, |x| 1.0 / (1.0 + libm::exp(-x)))),
];

fn one(inputs: &[Constant<'_>], f: impl Fn(f32) -> f32) -> Option<Vec<Floats>> {
    let [x] = inputs else { return None };
    let x = x.floats()?;
    Some(vec![Floats { shape: x.shape.clone(), data: x.data.iter().map(|&v| f(v)).collect() }])
}

/// A function of f64, rounded.
fn wide(inputs: &[Constant<'_>], f: impl Fn(f64) -> f64) -> Option<Vec<Floats>> {
    one(inputs, |x| f(x.into()) as f32)
}

fn both(inputs: &[Constant<'_>], f: impl Fn(f32, f32) -> f32) -> Option<Vec<Floats>> {
    let [a, b] = inputs else { return None };
    broadcast(a.floats()?, b.floats()?, f).map(|result| vec![result])
}

/// All inputs, one after the other.
fn all(inputs: &[Constant<'_>], f: impl Fn(f32, f32) -> f32) -> Option<Vec<Floats>> {
    let (first, rest) = inputs.split_first()?;
    let result = rest.iter().try_fold(first.floats()?.clone(), |a, b| broadcast(&a, b.floats()?, &f))?;
    Some(vec![result])
}

/// The larger one; NaN if one is NaN.
fn highest(a: f32, b: f32) -> f32 {
    if a.is_nan() || a > b { a } else { b }
}

/// At least the first limit, and at most the second one, of those that are given; NaN stays.
fn clip(inputs: &[Constant<'_>]) -> Option<Vec<Floats>> {
    let (x, limits) = inputs.split_first()?;
    let limit = |at: usize| match limits.get(at) {
        None | Some(Constant::Missing) => Some(None),
        Some(limit) => match limit.floats()?.data[..] {
            [limit] => Some(Some(limit)),
            _ => None,
        },
    };
    let (low, high) = (limit(0)?, limit(1)?);
    // Before opset 11 the limits are attributes.
    if inputs.len() < 2 {
        return None;
    }
    one(std::slice::from_ref(x), |x| {
        let x = low.filter(|low| x < *low).unwrap_or(x);
        high.filter(|high| x > *high).unwrap_or(x)
    })
}

/// Both at each element of their common shape, by the broadcasting of ONNX; `None` if they have none.
pub(super) fn broadcast(a: &Floats, b: &Floats, f: impl Fn(f32, f32) -> f32) -> Option<Floats> {
    let rank = a.rank().max(b.rank());
    let size = |of: &Floats, d: usize| (d + of.rank()).checked_sub(rank).map_or(1, |at| of.shape[at]);
    let shape: Vec<usize> = (0..rank)
        .map(|d| match (size(a, d), size(b, d)) {
            (n, m) if n == m || m == 1 => Some(n),
            (1, m) => Some(m),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let steps = |of: &Floats| -> Vec<usize> {
        let own = strides(&of.shape);
        let step = |d: usize| (d + of.rank()).checked_sub(rank).filter(|&at| of.shape[at] != 1).map_or(0, |at| own[at]);
        (0..rank).map(step).collect()
    };
    let (of_a, of_b) = (steps(a), steps(b));
    let mut data = Vec::with_capacity(shape.iter().product());
    rows(&shape, |index, count| {
        let start = |steps: &[usize]| index.iter().zip(steps).map(|(i, s)| i * s).sum::<usize>();
        let (x, y) = (start(&of_a), start(&of_b));
        let (dx, dy) = (of_a.last().copied().unwrap_or(0), of_b.last().copied().unwrap_or(0));
        data.extend((0..count).map(|i| f(a.data[x + i * dx], b.data[y + i * dy])));
    });
    Some(Floats { shape, data })
}

/// Calls `f` for each row of a shape, with the index of its first element and its length.
pub(super) fn rows(shape: &[usize], mut f: impl FnMut(&[usize], usize)) {
    let (outer, row) = shape.split_last().map_or((&[][..], 1), |(row, outer)| (outer, *row));
    let mut index = vec![0; shape.len()];
    for _ in 0..outer.iter().product() {
        f(&index, row);
        for d in (0..outer.len()).rev() {
            index[d] += 1;
            if index[d] < outer[d] {
                break;
            }
            index[d] = 0;
        }
    }
}
