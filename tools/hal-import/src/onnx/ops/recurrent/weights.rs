//! The weights of one direction: floats, or bytes, with which inputs and states are multiplied as bytes, too.
use super::super::{integers::integers_to_floats, quantize::by_own_range};
use crate::onnx::{Context, Dim, Iter, Node, Num, Outcome, Value};

/// Quantised weights, as `DynamicQuantizeLSTM` has them.
#[derive(Clone)]
pub(in super::super) struct QuantisedWeights {
    /// `[directions, inputs, gates · hidden]`.
    pub(in super::super) numbers: Value,
    /// `[directions]` or `[directions, gates · hidden]` each.
    pub(in super::super) scale: Value,
    pub(in super::super) zero: Value,
}

/// What the input or the state of one direction is multiplied with.
pub(super) enum Weights {
    /// `[gates · hidden, inputs]`.
    Floats(Value),
    /// Without the dimension of directions.
    Bytes(Box<QuantisedWeights>),
}

impl Weights {
    /// Those of a direction: of `quantised` if there are such, else of `floats: [directions, gates · hidden, inputs]`.
    pub(super) fn of(
        c: &mut Context<'_>,
        floats: &Value,
        quantised: Option<&QuantisedWeights>,
        direction: &Dim,
    ) -> Outcome<Self> {
        let Some(QuantisedWeights { numbers, scale, zero }) = quantised else {
            return c.take(floats, 0, direction).map(Self::Floats);
        };
        let mut take = |v: &Value| c.take(v, 0, direction);
        let weights = QuantisedWeights { numbers: take(numbers)?, scale: take(scale)?, zero: take(zero)? };
        Ok(Self::Bytes(Box::new(weights)))
    }

    /// Writes what is constant before the loop that uses it.
    pub(super) fn write(&self, c: &mut Context<'_>) {
        let all = match self {
            Self::Floats(weights) => vec![weights],
            Self::Bytes(weights) => vec![&weights.numbers, &weights.scale, &weights.zero],
        };
        for value in all {
            c.ssa(value);
        }
    }

    /// `x · wᵀ` over the last dimension, in the accumulator's type. With bytes, `x` is quantised by its own range, as onnxruntime does.
    pub(super) fn product(&self, c: &mut Context<'_>, n: &Node, x: &Value) -> Outcome<Value> {
        match self {
            Self::Floats(weights) => product_with_rows(c, x, weights),
            Self::Bytes(weights) => {
                let [x, x_scale, x_zero] = by_own_range(c, x)?;
                let QuantisedWeights { numbers, scale, zero } = weights.as_ref().clone();
                let [numbers, scale, zero] = [numbers, scale, zero].map(Some);
                integers_to_floats(c, n, [Some(x), numbers, Some(x_scale), scale, Some(x_zero), zero, None])
            }
        }
    }

    /// Of floats, the rows of some gates.
    pub(super) fn rows(&self, c: &mut Context<'_>, (first, count): (i64, i64)) -> Self {
        let Self::Floats(weights) = self else { unreachable!("only LSTMs have weights of bytes, and use all at once") };
        let offsets = [Dim::fixed(first), Dim::fixed(0)];
        let sizes = [Dim::fixed(count), weights.shape[1].clone()];
        Self::Floats(c.slice(weights, &offsets, &sizes, &[1, 1]))
    }
}

/// `x · wᵀ` over the last dimension, in the accumulator's type.
fn product_with_rows(c: &mut Context<'_>, x: &Value, w: &Value) -> Outcome<Value> {
    let elem = x.elem.accumulator();
    let outer = x.rank() - 1;
    let shape = [x.shape[..outer].to_vec(), vec![w.shape[0].clone()]].concat();
    let init = c.filled(elem, &shape, Num::I(0));
    let iters = [vec![Iter::Parallel; outer + 1], vec![Iter::Reduction]].concat();
    let left: Vec<_> = (0..outer).chain([outer + 1]).collect();
    let all: Vec<_> = (0..=outer).collect();
    let map = crate::onnx::generic::map;
    let product =
        c.generic(&iters, &[(x, map(&left)), (w, map(&[outer, outer + 1]))], &[(&init, map(&all))], |b, v| {
            let (x, w) = (b.cast(&v[0], elem), b.cast(&v[1], elem));
            let product = b.mul(&x, &w);
            vec![b.add(&v[2], &product)]
        });
    Ok(product.into_iter().next().expect("one result"))
}
