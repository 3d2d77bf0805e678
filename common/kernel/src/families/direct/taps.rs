//! Dilated convolutions with padding: which elements of the window lie on the image. With a large dilation most lie in the padding for
//! most of the result; their products, zeros, are skipped. So an infinite weight makes no NaN of padding there (docs/status.md).
use super::form::Direct;
use crate::Emitter;
use crate::emit::index::Index;
use crate::graph::{Graph, Kind};

/// Where the image lies along a dimension of its padded copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inside {
    /// Its first element.
    low: i64,
    /// How many.
    size: i64,
}

impl Graph {
    /// Where the image lies in a padded input, rows and columns, if windows of such a dilation can have elements beside it.
    pub(super) fn image_inside(&self, x: usize, dilation: [i64; 2]) -> [Option<Inside>; 2] {
        let Kind::Pad { src, low, region } = &self.tensors[x].kind else { return [None; 2] };
        let value = region.terminator().and_then(|end| end.operand(0).def());
        let zero = value.filter(|d| d.is("arith.constant")).and_then(|d| d.attr("value")?.as_float()) == Some(0.0);
        [0, 1].map(|at| {
            let of = |sizes: &[crate::graph::Size]| sizes.get(2 + at)?.known();
            let (low, size, padded) = (of(low)?, of(&self.tensors[*src].dims)?, of(&self.tensors[x].dims)?);
            let step = dilation[at];
            (zero && step > 1 && (low >= step || padded - low - size >= step)).then_some(Inside { low, size })
        })
    }
}

impl Emitter<'_> {
    /// The elements of the window along dimension `at` that lie on the image for any of `count` places from `first` on: the first one, and
    /// the one after the last.
    pub(super) fn taps(&mut self, d: &Direct, at: usize, first: Index, count: i64) -> (Index, Index) {
        let window = Index::constant(d.window[at]);
        let Some(Inside { low, size }) = d.inside[at] else { return (Index::ZERO, window) };
        let (stride, dilation) = (Index::constant(d.stride[at]), Index::constant(d.dilation[at]));
        let near = self.code.mul(first, stride);
        let far = near.plus((count - 1) * d.stride[at]);
        // No number becomes negative on the way.
        let ahead = self.code.max(Index::constant(low), far);
        let ahead = self.code.sub(ahead, far).plus(d.dilation[at] - 1);
        let from = self.code.divide("arith.divui", ahead, dilation);
        let end = self.code.max(Index::constant(low + size - 1 + d.dilation[at]), near);
        let end = self.code.sub(end, near);
        let to = self.code.divide("arith.divui", end, dilation);
        (from, self.code.min(to, window))
    }
}
