//! Brings what a depthwise convolution reads into scratch memory, with the lanes along the channels.
use super::emit::Unit;
use super::form::Depthwise;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Memory;
use halyard_ir::{Type, Value};

impl Emitter<'_> {
    /// The filters of the channels of a unit, one vector for each element of the window.
    pub(super) fn turn_filters(&mut self, d: &Depthwise, unit: &Unit, to: &Memory) -> Supported<()> {
        let (lanes, count) = (self.code.lanes, d.window[0] * d.window[1]);
        let w = self.memory(d.w)?;
        // In memory row by row, whatever the dimensions.
        let all = Memory { dims: Vec::new(), strides: Vec::new(), ..w };
        for first in (0..count).step_by(lanes as usize) {
            let some = (count - first).min(lanes);
            let mask = (some < lanes).then(|| self.lane_mask(Index::constant(some)));
            let rows = (0..lanes)
                .map(|lane| {
                    let channel = self.channel(d, unit, lane);
                    let at = self.code.mul(channel, Index::constant(count)).plus(first);
                    let at = self.code.add(at, all.offset);
                    let row = self.code.load(&all, &LaneIndex::from(at), mask, None, None);
                    self.stored_as_floats(d.bytes.as_ref().map(|bytes| &bytes.filters), row)
                })
                .collect::<Supported<_>>()?;
            for (element, vector) in self.transposed(rows).into_iter().take(some as usize).enumerate() {
                let at = Index::constant((first + element as i64) * lanes);
                self.code.store(to, &LaneIndex::from(at), vector, None);
            }
        }
        Ok(())
    }

    /// So many rows of the padded input, `columns` each, for the channels of a unit: a vector for each pixel.
    pub(super) fn turn_input(
        &mut self,
        d: &Depthwise,
        unit: &Unit,
        (rows, columns): (i64, i64),
        to: &Memory,
    ) -> Supported<()> {
        let one = Index::constant(1);
        let high = self.code.mul(unit.row, Index::constant(d.stride[0])).plus(-d.before[0]);
        self.for_loop((Index::ZERO, Index::constant(rows), one), &[], |this, row, _| {
            let line = this.code.mul(row, Index::constant(columns));
            let at = this.code.add(high, row);
            // Rows that only padding lies on; as unsigned numbers those above the image are very large.
            let (place, height) = (this.code.ix(at), this.code.ix(Index::constant(d.image[0])));
            let inside = this.code.compare(6, place, height);
            let image = |this: &mut Self| this.turn_row(d, unit, at, (line, columns), to).map(|()| Vec::new());
            let padding = |this: &mut Self| this.clear(to, line, (0, columns)).map(|()| Vec::new());
            this.if_else(inside, &[], image, padding)
        })
        .map(|_| ())
    }

    /// A row of the image, with the padding on both sides.
    fn turn_row(
        &mut self,
        d: &Depthwise,
        unit: &Unit,
        row: Index,
        (line, columns): (Index, i64),
        to: &Memory,
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        // Columns of the image beyond the last window are not read.
        let (left, width) = (d.before[1].min(columns), d.image[1].min(columns - d.before[1]).max(0));
        self.clear(to, line, (0, left))?;
        self.clear(to, line, (left + width, columns))?;
        let whole = width / lanes * lanes;
        self.for_loop((Index::ZERO, Index::constant(whole), Index::constant(lanes)), &[], |this, column, _| {
            let at = this.code.add(line, column).plus(left);
            this.turn_block(d, unit, (row, column), (at, lanes), to).map(|()| Vec::new())
        })?;
        let at = line.plus(left + whole);
        if width > whole {
            self.turn_block(d, unit, (row, Index::constant(whole)), (at, width - whole), to)?;
        }
        Ok(())
    }

    /// Up to a vector of pixels of a row, from the pixel `at` in scratch memory on.
    fn turn_block(
        &mut self,
        d: &Depthwise,
        unit: &Unit,
        (row, column): (Index, Index),
        (at, count): (Index, i64),
        to: &Memory,
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let mask = (count < lanes).then(|| self.lane_mask(Index::constant(count)));
        let points: Vec<Point> = (0..lanes)
            .map(|lane| {
                let channel = self.channel(d, unit, lane);
                let mut idx: Vec<LaneIndex> = [unit.image, channel, row].map(LaneIndex::uniform).to_vec();
                idx.push(LaneIndex::from(column));
                Point { idx, mask, guard: None }
            })
            .collect();
        // Bytes are transposed before they become larger.
        let bytes = d.bytes.as_ref().and_then(|bytes| bytes.input.as_ref());
        let mut rows = Vec::new();
        for point in points {
            let value = self.materialize(bytes.map_or(d.x, |bytes| bytes.tensor), &[point])?[0];
            let value = self.code.splat(value);
            rows.push(if bytes.is_some() { value } else { self.as_floats(value) });
        }
        for (pixel, vector) in self.transposed(rows).into_iter().take(count as usize).enumerate() {
            let vector = self.stored_as_floats(bytes, vector)?;
            let at = self.code.mul(at.plus(pixel as i64), Index::constant(lanes));
            self.code.store(to, &LaneIndex::from(at), vector, None);
        }
        Ok(())
    }

    /// Zeros for the pixels `from` to `to` of a line.
    fn clear(&mut self, memory: &Memory, line: Index, (from, to): (i64, i64)) -> Supported<()> {
        let zero = self.code.number(Type::f32(self.code.at.context()), 0.0);
        let zero: Value = self.code.splat(zero);
        let (lanes, one) = (self.code.lanes, Index::constant(1));
        self.for_loop((Index::constant(from), Index::constant(to), one), &[], |this, pixel, _| {
            let at = this.code.add(line, pixel);
            let at = this.code.mul(at, Index::constant(lanes));
            this.code.store(memory, &LaneIndex::from(at), zero, None);
            Ok(Vec::new())
        })
        .map(|_| ())
    }

    /// The channel of a lane; for lanes beyond the last channel the last one, which is not stored for them.
    fn channel(&mut self, d: &Depthwise, unit: &Unit, lane: i64) -> Index {
        let channel = unit.channel.plus(lane);
        if d.sizes[1] % self.code.lanes == 0 {
            channel
        } else {
            self.code.min(channel, Index::constant(d.sizes[1] - 1))
        }
    }
}
