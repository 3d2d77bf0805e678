//! Emits poolings. Windows are taken apart: first the rows of a window are combined, with lanes along whole rows of the input,
//! then the columns of what came of that. Nothing is combined twice for windows that overlap, and padding costs nothing: rows
//! outside are left out, columns outside stand beside the combined rows.
use super::form::Pool;
use super::plan::PoolPlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
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
                this.combine_columns(p, &rows, (image, channel, top), memories)?;
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
                        let idx = [image, channel, high].map(LaneIndex::uniform).into_iter();
                        let idx = idx.chain([LaneIndex::from(Index::constant(column))]).collect();
                        let value = this.materialize(p.x, &[Point { idx, mask, guard: None }])?[0];
                        let value = match mask {
                            Some(mask) => this.code.select(mask, value, rows.neutral),
                            None => value,
                        };
                        next.push(p.combiner.apply(&mut this.code, sum, value));
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

    /// The columns of the windows, and what follows.
    fn combine_columns(
        &mut self,
        p: &Pool,
        rows: &Rows,
        (image, channel, top): (Index, Index, Index),
        memories: &[Memory],
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        self.for_loop((Index::ZERO, Index::constant(rows.count), Index::constant(1)), &[], |this, row, _| {
            let line = this.code.mul(row, Index::constant(rows.pitch));
            let y = this.code.add(top, row);
            let full = p.to[3] / lanes * lanes;
            for (from, to, some) in [(0, full, false), (full, p.to[3], true)] {
                let bounds = (Index::constant(from), Index::constant(to), Index::constant(lanes));
                this.for_loop(bounds, &[], |this, column, _| {
                    let left = this.code.mul(column, Index::constant(p.stride[1]));
                    let at = this.code.add(line, left);
                    let mask = some.then(|| this.lane_mask(Index::constant(p.to[3] - full)));
                    let idx = [image, channel, y]
                        .map(LaneIndex::uniform)
                        .into_iter()
                        .chain([LaneIndex::from(column)])
                        .collect();
                    let point = Point { idx, mask, guard: None };
                    this.finish_windows(p, rows, at, &point, memories).map(|()| Vec::new())
                })?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }
}
