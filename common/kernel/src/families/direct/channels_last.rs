//! Stripes of the input with channels last: those of a pixel stand side by side.
//!
//! Of planes, a tile of six pixels uses a part of each line of the first-level cache, and each channel has lines of its own. With channels last,
//! all of a line is used, whatever the step from one place to the next (`channel_chunks.rs`).
use super::form::Direct;
use super::pixels::steps;
use super::stripe::{Part, Strides, sampled_point};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::byte_groups::ByteInput;
use crate::graph::Memory;
use crate::schedule::planner::Planner;
use halyard_ir::Value;

/// The groups of channels of a pixel, at most, that are interleaved: with more, transposing whole vectors takes less.
const MOST_INTERLEAVED: i64 = 8;

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
        if let Some(bytes) = d.bytes.as_ref().filter(|_| at.column <= MOST_INTERLEAVED && at.column.count_ones() == 1) {
            return self.copy_interleaved((d, bytes), shift, outer, part, (scratch, at));
        }
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

    /// Copies a part of all channels where a pixel has few groups of them: vectors of pixels, interleaved. What is written after the end of a row
    /// is written again with the next one.
    fn copy_interleaved(
        &mut self,
        (d, bytes): (&Direct, &ByteInput),
        shift: Option<Value>,
        outer: &[Index],
        part: Part,
        (scratch, at): (&Memory, Strides),
    ) -> Supported<()> {
        let (lanes, groups, group) = (self.code.lanes, d.sizes.channels, bytes.short().group());
        self.for_loop((Index::ZERO, part.rows, Index::constant(1)), &[], |this, row, _| {
            let line = this.code.mul(row, at.row);
            let row = this.code.add(part.first[0], row);
            let row = this.code.mul(row, Index::constant(d.sampling[0])).plus(d.origin[0]);
            for (from, to, count) in steps(d.input[1], lanes) {
                let bounds = (Index::constant(from), Index::constant(to), Index::constant(count));
                this.for_loop(bounds, &[], |this, column, _| {
                    let mask = (count < lanes).then(|| this.lane_mask(Index::constant(count)));
                    let from = this.code.mul(column, Index::constant(d.sampling[1])).plus(d.origin[1]);
                    let mut vectors = Vec::new();
                    for first in (0..groups).map(|number| number * group) {
                        let channels = first..(first + group).min(bytes.channels);
                        let point = |c: i64| sampled_point(outer, [Index::constant(c), row, from], d.sampling[1], mask);
                        let points: Vec<_> = channels.map(point).collect();
                        vectors.push(this.group_of(d.x, (bytes, shift), &points)?);
                    }
                    let place = this.code.mul(column, Index::constant(at.column));
                    let to = this.code.add(line, place);
                    for (number, vector) in this.interleaved(vectors).into_iter().enumerate() {
                        let to = to.plus(number as i64 * lanes);
                        this.code.store(scratch, &LaneIndex::from(to), vector, None);
                    }
                    Ok(Vec::new())
                })?;
            }
            Ok(Vec::new())
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
                    let value =
                        self.materialize(d.x, &[sampled_point(outer, [channel, row, column], d.sampling[1], mask)])?[0];
                    Ok(self.code.splat(value))
                }
            })
            .collect::<Supported<Vec<_>>>()?;
        // Where pixels follow each other at once, nothing is written beyond one.
        let close = pitch == d.sizes.channels && pitch % lanes != 0;
        let mask = close.then(|| {
            let left = self.code.sub(Index::constant(d.sizes.channels), channel);
            self.lane_mask(left)
        });
        for (pixel, vector) in self.transposed(rows).into_iter().take(count as usize).enumerate() {
            self.code.store(scratch, &LaneIndex::from(to.plus(pixel as i64 * pitch)), vector, mask);
        }
        Ok(())
    }

    /// A channel of so many, or the last one for those beyond, which fill a vector of so many up.
    fn nearest(&mut self, channel: Index, channels: i64, vector: i64) -> Index {
        let last = Index::constant(channels - 1);
        if channels % vector == 0 { channel } else { self.code.min(channel, last) }
    }
}
