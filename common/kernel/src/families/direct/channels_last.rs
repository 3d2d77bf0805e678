//! Stripes of the input with channels last: those of a pixel stand side by side.
//!
//! Of planes, a tile of six pixels uses a part of each line of the first-level cache, and each channel has lines of its own. With channels last,
//! all of a line is used, whatever the step from one place to the next (`channel_chunks.rs`).
use super::form::Direct;
use super::stripe::{Part, Strides, sampled_point};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Memory;
use crate::schedule::planner::Planner;
use halyard_ir::Value;

impl Planner<'_> {
    /// Whether it pays to copy stripes with channels last. With 32 registers tiles are wide enough to use whole lines of planes.
    pub(super) fn wants_channels_last(&self, d: &Direct) -> bool {
        let numbers = &self.target.cpu.convolutions;
        let taps: i64 = d.live.iter().map(|(from, to)| to - from).product();
        let products = d.sizes.filters * taps / (d.stride[0] * d.stride[1]);
        self.target.registers < 32
            && d.sizes.channels >= numbers.channels_last_channels
            && products >= numbers.channels_last_products
    }
}

/// How many pixels of a row are copied together: a known number, or a vector of which so many are in the image, as only a run knows.
#[derive(Clone, Copy)]
enum Pixels {
    Known(i64),
    Open(Index),
}

impl Emitter<'_> {
    /// Copies a part of all channels, with padding; `shift` is added to numbers that become bytes.
    pub(super) fn copy_channels_last(
        &mut self,
        d: &Direct,
        shift: Option<Value>,
        outer: &[Index],
        part: Part,
        (scratch, at): (&Memory, Strides),
    ) -> Supported<()> {
        let (lanes, width) = (self.code.lanes, d.input[1]);
        let whole = width / lanes * lanes;
        let one = Index::constant(1);
        self.for_loop((Index::ZERO, part.rows, one), &[], |this, row, _| {
            let line = this.code.mul(row, at.row);
            let row = this.code.add(part.first[0], row);
            let row = this.code.mul(row, Index::constant(d.sampling[0])).plus(d.origin[0]);
            let bounds = (Index::ZERO, Index::constant(d.sizes.channels), Index::constant(lanes));
            this.for_loop(bounds, &[], |this, channel, _| {
                let to = this.code.add(line, channel);
                let copy = |this: &mut Self, column: Index, count: Pixels| {
                    let place = this.code.mul(column, Index::constant(at.column));
                    let to = this.code.add(to, place);
                    let from = this.code.add(part.first[1], column);
                    let from = this.code.mul(from, Index::constant(d.sampling[1]));
                    let from = [channel, row, from.plus(d.origin[1])];
                    this.transpose_pixels(d, shift, outer, (from, count), (scratch, to, at.column))
                };
                if let Some(columns) = part.columns {
                    let bounds = (Index::ZERO, columns, Index::constant(lanes));
                    return this.for_loop(bounds, &[], |this, column, _| {
                        let left = this.code.sub(columns, column);
                        copy(this, column, Pixels::Open(left)).map(|()| Vec::new())
                    });
                }
                let bounds = (Index::ZERO, Index::constant(whole), Index::constant(lanes));
                this.for_loop(bounds, &[], |this, column, _| {
                    copy(this, column, Pixels::Known(lanes)).map(|()| Vec::new())
                })?;
                if whole < width {
                    copy(this, Index::constant(whole), Pixels::Known(width - whole))?;
                }
                Ok(Vec::new())
            })
        })
        .map(|_| ())
    }

    /// Up to a vector of pixels of a row, for a vector of channels.
    fn transpose_pixels(
        &mut self,
        d: &Direct,
        shift: Option<Value>,
        outer: &[Index],
        ([channel, row, column], count): ([Index; 3], Pixels),
        (scratch, to, pitch): (&Memory, Index, i64),
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let (count, mask) = match count {
            Pixels::Known(count) => (count, (count < lanes).then(|| self.lane_mask(Index::constant(count)))),
            // The stripe has room for whole vectors.
            Pixels::Open(left) => (lanes, Some(self.lane_mask(left))),
        };
        let rows = (0..lanes)
            .map(|lane| match &d.bytes {
                Some(bytes) => {
                    let group = bytes.short().group();
                    let first = self.code.mul(channel.plus(lane), Index::constant(group));
                    let points: Vec<_> = (0..group)
                        .map(|c| {
                            let channel = self.nearest(first.plus(c), bytes.channels, lanes * group);
                            sampled_point(outer, [channel, row, column], d.sampling[1], mask)
                        })
                        .collect();
                    self.group_of(d.x, (bytes, shift), &points)
                }
                None => {
                    let channel = self.nearest(channel.plus(lane), d.sizes.channels, lanes);
                    let value = self.materialize(d.x, &[sampled_point(outer, [channel, row, column], d.sampling[1], mask)])?[0];
                    Ok(self.code.splat(value))
                }
            })
            .collect::<Supported<Vec<_>>>()?;
        for (pixel, vector) in self.transposed(rows).into_iter().take(count as usize).enumerate() {
            self.code.store(scratch, &LaneIndex::from(to.plus(pixel as i64 * pitch)), vector, None);
        }
        Ok(())
    }

    /// A channel of so many, or the last one for those beyond, which fill a vector of so many up.
    fn nearest(&mut self, channel: Index, channels: i64, vector: i64) -> Index {
        let last = Index::constant(channels - 1);
        if channels % vector == 0 { channel } else { self.code.min(channel, last) }
    }
}
