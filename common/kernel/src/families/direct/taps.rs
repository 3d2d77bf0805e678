//! Dilated convolutions with padding: which elements of the window lie on the image. With a large dilation most lie in the padding for
//! most of the result; their products, zeros, are skipped. So an infinite weight makes no NaN of padding there (docs/status.md).
use super::emit::Unit;
use super::form::Direct;
use super::inside::Inside;
use super::pixels::Tile;
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};
use crate::machine::convolutions::FILTER_BLOCK;
use halyard_ir::Value;
use std::ops::Range;

impl Direct {
    /// The pixels of a tile that an element of the window finds on the image, if the tile begins at a column.
    fn pixels_on_image(&self, tile: Tile, column: i64, element: i64) -> Range<usize> {
        let Some(Inside { low, size }) = self.inside[1] else { return 0..tile.pixels() as usize };
        let on_image = |p: i64| {
            let at = (column + p) * self.stride[1] + element * self.dilation[1] - low;
            (0..size).contains(&at)
        };
        let first = (0..tile.columns).find(|&p| on_image(p)).unwrap_or(tile.columns);
        let end = (first..tile.columns).find(|&p| !on_image(p)).unwrap_or(tile.columns);
        first as usize..end as usize
    }
}

impl Emitter<'_> {
    /// The elements of the window along dimension `at` that lie on the image for any of `count` places from `first` on: the first one, and
    /// the one after the last.
    pub(super) fn taps(&mut self, d: &Direct, at: usize, first: Index, count: i64) -> (Index, Index) {
        let live = (Index::constant(d.live[at].0), Index::constant(d.live[at].1));
        // A single element that reads padding at some places does no harm, if there is padding.
        let matters = d.has_several(at) || d.skips_padding;
        let Some(Inside { low, size }) = d.inside[at].filter(|_| matters) else { return live };
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

    /// The sums of a tile that begins at a known column, of those elements of the windows that lie on the image: rows of the window from one to
    /// another, and of each of their elements the pixels that find it there. Channels are the innermost loop: the pixels of several elements
    /// in one iteration would share what they read, and there are no registers for that.
    pub(super) fn sums_on_image(
        &mut self,
        d: &Direct,
        unit: &Unit,
        (w, x): (Index, Index),
        (tile, column, rows): (Tile, Index, (Index, Index)),
        start: &[Value],
    ) -> Supported<Vec<Value>> {
        let column = column.known().expect("the tile begins at a known column");
        let (vectors, offsets) = (tile.vectors as usize, tile.offsets(d, unit.at));
        let further = d.window[0] * d.window[1] * FILTER_BLOCK;
        self.for_loop((rows.0, rows.1, Index::constant(1)), start, |this, i, sums| {
            let line = this.rows_down(unit.at, i, d.dilation[0]);
            let x = this.code.add(x, line);
            let row = this.code.mul(i, Index::constant(d.window[1] * FILTER_BLOCK));
            let w = this.code.add(w, row);
            let mut sums = sums.to_vec();
            for element in d.live[1].0..d.live[1].1 {
                let pixels = d.pixels_on_image(tile, column, element);
                if pixels.is_empty() {
                    continue;
                }
                let mine = pixels.start * vectors..pixels.end * vectors;
                let (w, x) = (w.plus(element * FILTER_BLOCK), x.plus(element * d.dilation[1]));
                let together = (this.target.cpu.convolutions.products_of_taps / mine.len() as i64).max(1);
                let channels = (Index::ZERO, Index::constant(d.sizes.channels));
                let added = this.in_steps(channels, together, &sums[mine.clone()], |this, channel, count, sums| {
                    let filters = this.code.mul(channel, Index::constant(further));
                    let plane = this.code.mul(channel, unit.at.channel);
                    let (w, x) = (this.code.add(w, filters), this.code.add(x, plane));
                    (0..count).fold(sums.to_vec(), |sums, channel| {
                        let plane = this.code.mul(unit.at.channel, Index::constant(channel));
                        let at = (w.plus(channel * further), this.code.add(x, plane));
                        this.add_products(d, unit, at, (&offsets[pixels.clone()], tile.vectors), sums)
                    })
                })?;
                sums.splice(mine, added);
            }
            Ok(sums)
        })
    }
}
