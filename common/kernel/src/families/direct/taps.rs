//! Dilated convolutions with padding: which elements of the window lie on the image. With a large dilation most lie in the padding for
//! most of the result; their products, zeros, are skipped. So an infinite weight makes no NaN of padding there (docs/status.md).
use super::form::Direct;
use super::inside::Inside;
use crate::Emitter;
use crate::emit::index::Index;

impl Emitter<'_> {
    /// The elements of the window along dimension `at` that lie on the image for any of `count` places from `first` on: the first one, and
    /// the one after the last.
    pub(super) fn taps(&mut self, d: &Direct, at: usize, first: Index, count: i64) -> (Index, Index) {
        let live = (Index::constant(d.live[at].0), Index::constant(d.live[at].1));
        let Some(Inside { low, size }) = d.inside[at].filter(|_| d.has_several(at)) else { return live };
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
        (from, self.code.min(to, live.1))
    }
}
