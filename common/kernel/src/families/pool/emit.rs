//! Emits poolings. Windows are taken apart: first the rows of a window are combined, with lanes along whole rows of the input,
//! then the columns of what came of that. Nothing is combined twice for windows that overlap, and padding costs nothing: rows
//! outside are left out, columns outside stand beside the combined rows.
use super::form::Pool;
use super::plan::PoolPlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Lanes, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Memory;
use halyard_ir::Value;

/// Combined rows of a plane.
pub(super) struct Rows {
    pub(super) memory: Memory,
    /// How many, and the elements from one to the next.
    pub(super) count: i64,
    pub(super) pitch: i64,
    /// The neutral element of the pooling, which stands for padding.
    pub(super) neutral: Value,
}

/// Part of a plane of the result: image and channel, the first row and column, and how many.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) plane: [Index; 2],
    pub(super) first: [Index; 2],
    pub(super) count: [Index; 2],
}

impl Emitter<'_> {
    /// Emits the kernel.
    pub(in crate::families) fn pool(&mut self, plan: &PoolPlan, memories: &[Memory]) -> Supported<()> {
        let PoolPlan { pool: p, lanes, rows: count, pitch, share, .. } = plan;
        let (lanes, count, pitch) = (*lanes, *count, *pitch);
        self.code.lanes = lanes;
        let elem = self.tensors[p.y].elem;
        let ptr = self.code.stack(elem, count * pitch);
        let memory = self.code.contiguous(ptr, elem, &[Index::constant(count * pitch)]);
        let neutral = p.combiner.neutral(&mut self.code, elem);
        let neutral = self.code.splat(neutral);
        let rows = Rows { memory, count, pitch, neutral };
        let all = (Index::ZERO, Index::constant(count * pitch), Index::constant(lanes));
        self.for_loop(all, &[], |this, at, _| {
            this.code.store(&rows.memory, &LaneIndex::from(at), neutral, None);
            Ok(Vec::new())
        })?;
        if let Some(image) = plan.tiles {
            self.roots.extend(&p.roots);
            self.pool_tiles(plan, image, &rows, memories)?;
            self.roots.truncate(self.roots.len() - p.roots.len());
            return Ok(());
        }
        let (from, to) = self.share_of(*share);
        self.roots.extend(&p.roots);
        self.for_loop((from, to, Index::constant(1)), &[], |this, plane, _| {
            let image = this.code.divide("arith.divui", plane, Index::constant(p.to[1]));
            let channel = this.code.divide("arith.remui", plane, Index::constant(p.to[1]));
            let stripes = (Index::ZERO, Index::constant(p.to[2]), Index::constant(count));
            this.for_loop(stripes, &[], |this, top, _| {
                this.combine_rows(p, &rows, (image, channel, top))?;
                let (first, count) = ([top, Index::ZERO], [count, p.to[3]].map(Index::constant));
                this.combine_columns(p, &rows, Part { plane: [image, channel], first, count }, memories)?;
                Ok(Vec::new())
            })?;
            Ok(Vec::new())
        })?;
        self.roots.truncate(self.roots.len() - p.roots.len());
        Ok(())
    }

    /// The rows of the windows of some rows of the result, each combined to one.
    fn combine_rows(&mut self, p: &Pool, rows: &Rows, (image, channel, top): (Index, Index, Index)) -> Supported<()> {
        let (lanes, one) = (self.code.lanes, Index::constant(1));
        self.for_loop((Index::ZERO, Index::constant(rows.count), one), &[], |this, row, _| {
            let y = this.code.add(top, row);
            let high = this.code.mul(y, Index::constant(p.stride[0]));
            let high = high.plus(-p.before[0]);
            let inside = p.before[0] == 0 && (p.to[2] - 1) * p.stride[0] + p.window[0] <= p.from[2];
            let (first, end) = if inside {
                (Index::ZERO, Index::constant(p.window[0]))
            } else {
                let above = this.code.sub(Index::ZERO, high);
                let below = this.code.sub(Index::constant(p.from[2]), high);
                (this.code.max(Index::ZERO, above), this.code.min(Index::constant(p.window[0]), below))
            };
            let line = this.code.mul(row, Index::constant(rows.pitch)).plus(p.before[1]);
            let width = this.target.cpu.convolutions.pooled_vectors * lanes;
            for left in (0..p.from[3]).step_by(width as usize) {
                let columns: Vec<i64> = (left..p.from[3].min(left + width)).step_by(lanes as usize).collect();
                let start = vec![rows.neutral; columns.len()];
                let combined = this.for_loop((first, end, one), &start, |this, i, sums| {
                    let high = this.code.add(high, i);
                    let mut next = Vec::new();
                    for (&column, &sum) in columns.iter().zip(sums) {
                        let left = p.from[3] - column;
                        let mask = (left < lanes).then(|| this.lane_mask(Index::constant(left)));
                        let point = plane_point([image, channel, high], Index::constant(column), mask);
                        next.push(this.add_row(p, rows, point, sum)?);
                    }
                    Ok(next)
                })?;
                for (&column, value) in columns.iter().zip(combined) {
                    this.code.store(&rows.memory, &LaneIndex::from(line.plus(column)), value, None);
                }
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// A vector of a row of the windows at a point of the input, combined with those above.
    pub(super) fn add_row(&mut self, p: &Pool, rows: &Rows, point: Point, above: Value) -> Supported<Value> {
        let mask = point.mask;
        let value = self.materialize(p.x, &[point])?[0];
        let value = match mask {
            Some(mask) => self.code.select(mask, value, rows.neutral),
            None => value,
        };
        Ok(p.combiner.apply(&mut self.code, above, value))
    }

    /// The columns of the windows of a part of the result, and what follows.
    pub(super) fn combine_columns(&mut self, p: &Pool, rows: &Rows, part: Part, memories: &[Memory]) -> Supported<()> {
        let Part { plane: [image, channel], first, count } = part;
        let lanes = self.code.lanes;
        let rest = self.code.divide("arith.remui", count[1], Index::constant(lanes));
        let full = self.code.sub(count[1], rest);
        self.for_loop((Index::ZERO, count[0], Index::constant(1)), &[], |this, row, _| {
            let line = this.code.mul(row, Index::constant(rows.pitch));
            let y = this.code.add(first[0], row);
            for (from, to, some) in [(Index::ZERO, full, false), (full, count[1], true)] {
                this.for_loop((from, to, Index::constant(lanes)), &[], |this, column, _| {
                    let left = this.code.mul(column, Index::constant(p.stride[1]));
                    let at = this.code.add(line, left);
                    let mask = some.then(|| this.lane_mask(rest));
                    let column = this.code.add(first[1], column);
                    let point = plane_point([image, channel, y], column, mask);
                    this.finish_windows(p, rows, at, &point, memories).map(|()| Vec::new())
                })?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Combines a vector of windows of combined rows, the first of which begins at `at`, and stores what follows.
    fn finish_windows(
        &mut self,
        p: &Pool,
        rows: &Rows,
        at: Index,
        point: &Point,
        memories: &[Memory],
    ) -> Supported<()> {
        let mut sum: Option<Value> = None;
        for j in 0..p.window[1] {
            let place = LaneIndex { ix: at.plus(j), lanes: Lanes::Strided(p.stride[1]) };
            let value = self.code.load(&rows.memory, &place, None, None, None);
            sum = Some(match sum {
                Some(sum) => p.combiner.apply(&mut self.code, sum, value),
                None => value,
            });
        }
        let init = self.materialize(p.init, std::slice::from_ref(point))?[0];
        let init = self.code.splat(init);
        let sum = p.combiner.apply(&mut self.code, init, sum.unwrap_or(rows.neutral));
        self.code.remember(p.y, point, sum);
        for (root, memory) in p.roots.iter().zip(memories) {
            let value = self.materialize(*root, std::slice::from_ref(point))?[0];
            let offset = self.code.offset(memory, &point.idx);
            self.code.store(memory, &offset, value, point.mask);
        }
        Ok(())
    }
}

/// Lanes along a row of a plane: image, channel and row, and the first column.
pub(super) fn plane_point(place: [Index; 3], column: Index, mask: Option<Value>) -> Point {
    let idx = place.map(LaneIndex::uniform).into_iter().chain([LaneIndex::from(column)]).collect();
    Point { idx, mask, guard: None }
}
