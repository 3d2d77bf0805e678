//! Emits poolings of images whose rows and columns only a run knows, tile by tile, in the same two steps. Padding beside a row is written out for
//! each row: where it lies depends on the tile.
use super::emit::Rows;
use super::form::Pool;
use super::plan::PoolPlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Lanes, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::open_images::{ImageTile, TiledImage};
use crate::graph::Memory;
use halyard_ir::Value;

/// Some rows of a tile of a plane: image, channel, and the first row.
#[derive(Clone, Copy)]
struct Part {
    plane: [Index; 2],
    tile: ImageTile,
    /// The first row of the tile that is combined, and how many are.
    top: Index,
    count: Index,
}

impl Emitter<'_> {
    /// The planes of this workgroup.
    pub(super) fn pool_tiles(
        &mut self,
        plan: &PoolPlan,
        image: TiledImage,
        rows: &Rows,
        memories: &[Memory],
    ) -> Supported<()> {
        let p = &plan.pool;
        let (from, to) = self.share_of(plan.share);
        self.for_loop((from, to, Index::constant(1)), &[], |this, unit, _| {
            let [down, across] = this.image_tiles(image);
            let tiles = this.code.mul(down, across);
            let number = this.code.divide("arith.remui", unit, tiles);
            let tile = this.image_tile(image, number);
            let plane = this.code.divide("arith.divui", unit, tiles);
            let plane = ["arith.divui", "arith.remui"].map(|op| this.code.divide(op, plane, Index::constant(p.to[1])));
            let bounds = (Index::ZERO, tile.count[0], Index::constant(rows.count));
            this.for_loop(bounds, &[], |this, top, _| {
                let left = this.code.sub(tile.count[0], top);
                let part = Part { plane, tile, top, count: this.code.min(left, Index::constant(rows.count)) };
                this.combine_open_rows(p, rows, part)?;
                this.combine_open_columns(p, rows, part, memories)?;
                Ok(Vec::new())
            })
        })?;
        Ok(())
    }

    /// The rows of the windows, each combined to one.
    fn combine_open_rows(&mut self, p: &Pool, rows: &Rows, part: Part) -> Supported<()> {
        let Part { plane: [image, channel], tile, top, count } = part;
        let (lanes, one) = (self.code.lanes, Index::constant(1));
        let &[height, width] = self.tensors[p.x].dims.last_chunk().expect("a pooling has rows and columns");
        // Columns of the input with padding: the first one, how many are read, and which of those lie on the image.
        let low = self.code.mul(tile.first[1], Index::constant(p.stride[1])).plus(-p.before[1]);
        let steps = self.code.mul(tile.count[1].plus(-1), Index::constant(p.stride[1]));
        let columns = steps.plus(p.window[1]);
        let begin = self.code.sub(Index::ZERO, low);
        let end = self.code.sub(width, low);
        let [begin, end] = [begin, end].map(|at| {
            let at = self.code.max(at, Index::ZERO);
            self.code.min(at, columns)
        });
        let on_image = self.code.sub(end, begin);
        let whole = self.code.divide("arith.divui", on_image, Index::constant(lanes));
        let whole = self.code.mul(whole, Index::constant(lanes));
        let whole = self.code.add(begin, whole);
        self.for_loop((Index::ZERO, count, one), &[], |this, row, _| {
            let y = this.code.add(tile.first[0], top);
            let y = this.code.add(y, row);
            let high = this.code.mul(y, Index::constant(p.stride[0])).plus(-p.before[0]);
            let above = this.code.sub(Index::ZERO, high);
            let below = this.code.sub(height, high);
            let (first, last) = (this.code.max(Index::ZERO, above), this.code.min(Index::constant(p.window[0]), below));
            let line = this.code.mul(row, Index::constant(rows.pitch));
            this.for_loop((Index::ZERO, begin, Index::constant(lanes)), &[], |this, column, _| {
                let at = this.code.add(line, column);
                this.code.store(&rows.memory, &LaneIndex::from(at), rows.neutral, None);
                Ok(Vec::new())
            })?;
            // Whole vectors are stored; what lies beyond the image is padding.
            for (from, to, masked) in [(begin, whole, false), (whole, columns, true)] {
                this.for_loop((from, to, Index::constant(lanes)), &[], |this, column, _| {
                    let mask = masked.then(|| {
                        let left = this.code.sub(end, column);
                        this.lane_mask(left)
                    });
                    let source = this.code.add(low, column);
                    let combined = this.for_loop((first, last, one), &[rows.neutral], |this, i, sums| {
                        let idx = [image, channel, this.code.add(high, i)].map(LaneIndex::uniform).into_iter();
                        let idx = idx.chain([LaneIndex::from(source)]).collect();
                        let value = this.materialize(p.x, &[Point { idx, mask, guard: None }])?[0];
                        let value = match mask {
                            Some(mask) => this.code.select(mask, value, rows.neutral),
                            None => value,
                        };
                        Ok(vec![p.combiner.apply(&mut this.code, sums[0], value)])
                    })?;
                    let at = this.code.add(line, column);
                    this.code.store(&rows.memory, &LaneIndex::from(at), combined[0], None);
                    Ok(Vec::new())
                })?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// The columns of the windows, and what follows.
    fn combine_open_columns(&mut self, p: &Pool, rows: &Rows, part: Part, memories: &[Memory]) -> Supported<()> {
        let Part { plane: [image, channel], tile, top, count } = part;
        let lanes = self.code.lanes;
        let rest = self.code.divide("arith.remui", tile.count[1], Index::constant(lanes));
        let full = self.code.sub(tile.count[1], rest);
        self.for_loop((Index::ZERO, count, Index::constant(1)), &[], |this, row, _| {
            let line = this.code.mul(row, Index::constant(rows.pitch));
            let y = this.code.add(tile.first[0], top);
            let y = this.code.add(y, row);
            for (from, to, mask) in [(Index::ZERO, full, false), (full, tile.count[1], true)] {
                this.for_loop((from, to, Index::constant(lanes)), &[], |this, column, _| {
                    let left = this.code.mul(column, Index::constant(p.stride[1]));
                    let at = this.code.add(line, left);
                    let mask = mask.then(|| this.lane_mask(rest));
                    let column = this.code.add(tile.first[1], column);
                    let idx = [image, channel, y].map(LaneIndex::uniform).into_iter();
                    let idx = idx.chain([LaneIndex::from(column)]).collect();
                    let point = Point { idx, mask, guard: None };
                    this.finish_windows(p, rows, at, &point, memories).map(|()| Vec::new())
                })?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Combines a vector of windows of combined rows, the first of which begins at `at`, and stores what follows.
    pub(super) fn finish_windows(
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
