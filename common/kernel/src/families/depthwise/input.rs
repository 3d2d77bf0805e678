//! Brings what a depthwise convolution reads into scratch memory, with the lanes along the channels.
use super::emit::Unit;
use super::form::Depthwise;
use super::plan::DepthwisePlan;
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

    /// The rows of the padded input under a unit, for its channels: a vector for each pixel, `columns` from one row to the next.
    pub(super) fn turn_input(&mut self, plan: &DepthwisePlan, unit: &Unit, columns: i64, to: &Memory) -> Supported<()> {
        let (d, one) = (&plan.form, Index::constant(1));
        let rows = match plan.tiles {
            Some(_) => self.under_open(d, 0, unit.count[0]),
            None => Index::constant(d.under(0, plan.rows)),
        };
        let high = self.code.mul(unit.first[0], Index::constant(d.stride[0])).plus(-d.before[0]);
        self.for_loop((Index::ZERO, rows, one), &[], |this, row, _| {
            let line = this.code.mul(row, Index::constant(columns));
            let at = this.code.add(high, row);
            // Rows that only padding lies on; as unsigned numbers those above the image are very large.
            let height = d.image.map_or(this.tensors[d.x].dims[2], |image| Index::constant(image[0]));
            let (place, height) = (this.code.ix(at), this.code.ix(height));
            let inside = this.code.compare(6, place, height);
            let image = |this: &mut Self| {
                match d.image {
                    Some([_, width]) => this.turn_row(d, unit, at, (line, columns, width), to)?,
                    None => this.turn_open_row(d, unit, at, line, to)?,
                }
                Ok(Vec::new())
            };
            let padding = |this: &mut Self| {
                let columns = match d.image {
                    Some(_) => Index::constant(columns),
                    None => this.under_open(d, 1, unit.count[1]),
                };
                this.clear(to, line, (Index::ZERO, columns)).map(|()| Vec::new())
            };
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
        (line, columns, width): (Index, i64, i64),
        to: &Memory,
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        // Columns of the image beyond the last window are not read.
        let (left, width) = (d.before[1].min(columns), width.min(columns - d.before[1]).max(0));
        let [start, end, all] = [left, left + width, columns].map(Index::constant);
        self.clear(to, line, (Index::ZERO, start))?;
        self.clear(to, line, (end, all))?;
        let whole = width / lanes * lanes;
        self.for_loop((Index::ZERO, Index::constant(whole), Index::constant(lanes)), &[], |this, column, _| {
            let at = this.code.add(line, column).plus(left);
            this.turn_block(d, unit, (row, column), (at, lanes, None), to).map(|()| Vec::new())
        })?;
        let at = line.plus(left + whole);
        if width > whole {
            let count = width - whole;
            let mask = (count < lanes).then(|| self.lane_mask(Index::constant(count)));
            self.turn_block(d, unit, (row, Index::constant(whole)), (at, count, mask), to)?;
        }
        Ok(())
    }

    /// The same for a tile whose size only a run knows.
    fn turn_open_row(&mut self, d: &Depthwise, unit: &Unit, row: Index, line: Index, to: &Memory) -> Supported<()> {
        let lanes = self.code.lanes;
        let columns = self.under_open(d, 1, unit.count[1]);
        // Column of the padded input where the tile starts, and how many columns of padding and of the image are in it.
        let start = self.code.mul(unit.first[1], Index::constant(d.stride[1]));
        let padding = Index::constant(d.before[1]);
        let left = self.code.max(padding, start);
        let left = self.code.sub(left, start);
        let left = self.code.min(left, columns);
        let first = self.code.max(start, padding).plus(-d.before[1]);
        let width = self.tensors[d.x].dims[3];
        let there = self.code.max(width, first);
        let there = self.code.sub(there, first);
        let room = self.code.sub(columns, left);
        let width = self.code.min(there, room);
        self.clear(to, line, (Index::ZERO, left))?;
        let whole = self.code.divide("arith.divui", width, Index::constant(lanes));
        let whole = self.code.mul(whole, Index::constant(lanes));
        for (from, until, masked) in [(Index::ZERO, whole, false), (whole, width, true)] {
            self.for_loop((from, until, Index::constant(lanes)), &[], |this, column, _| {
                let mask = masked.then(|| {
                    let rest = this.code.sub(width, column);
                    this.lane_mask(rest)
                });
                let at = this.code.add(line, left);
                let (at, column) = (this.code.add(at, column), this.code.add(first, column));
                this.turn_block(d, unit, (row, column), (at, lanes, mask), to).map(|()| Vec::new())
            })?;
        }
        // Whole vectors were written.
        let end = self.code.add(left, width);
        self.clear(to, line, (end, columns))
    }

    /// The rows or columns (`at`) of the padded input under so many of the result.
    fn under_open(&mut self, d: &Depthwise, at: usize, results: Index) -> Index {
        let steps = self.code.mul(results.plus(-1), Index::constant(d.stride[at]));
        steps.plus((d.window[at] - 1) * d.dilation[at] + 1)
    }

    /// Up to a vector of pixels of a row, those of a mask, from the pixel `at` in scratch memory on.
    fn turn_block(
        &mut self,
        d: &Depthwise,
        unit: &Unit,
        (row, column): (Index, Index),
        (at, count, mask): (Index, i64, Option<Value>),
        to: &Memory,
    ) -> Supported<()> {
        let lanes = self.code.lanes;
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
    fn clear(&mut self, memory: &Memory, line: Index, (from, to): (Index, Index)) -> Supported<()> {
        let zero = self.code.number(Type::f32(self.code.at.context()), 0.0);
        let zero: Value = self.code.splat(zero);
        let (lanes, one) = (self.code.lanes, Index::constant(1));
        self.for_loop((from, to, one), &[], |this, pixel, _| {
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
