//! Convolutions of bytes by matrix tiles: 32 points by 32 filters at a time, from stripes with channels last.
//!
//! A tile has 16 points at equal distances. Where the window moves by one, the rows of a stripe follow each other at that distance, padding
//! included, so that tiles go on from one row to the next; the sums of padding are not used. Sums wait in scratch memory until a run of
//! points has them, and are finished row by row.
use super::emit::Unit;
use super::form::Direct;
use super::pixels::{Filters, steps};
use super::plan::DirectPlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Lanes};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::byte_tiles::{TILE, TileProduct};
use crate::families::transposed::Block;
use crate::graph::Memory;
use crate::machine::convolutions::{FILTER_BLOCK, FILTER_VECTORS};
use crate::machine::dot_products::Instruction;
use crate::schedule::planner::Planner;
use halyard_ir::Value;

/// The points of a run, at most: their sums take 32 KiB.
const MOST_POINTS: i64 = 256;
/// Vectors of points of several rows, at most: each has its own code.
const MOST_VECTORS: i64 = 8;

/// Points whose sums are computed before the first of them is finished: so many rows and columns, and the points from a row to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) rows: i64,
    pub(super) columns: i64,
    pitch: i64,
}

impl Run {
    /// The points of a number of its columns, those between rows included, in whole tiles.
    fn points(self, columns: i64) -> i64 {
        ((self.rows - 1) * self.pitch + columns + TILE - 1) / TILE * TILE
    }

    /// The elements of sums that wait.
    pub(super) fn waiting(self) -> i64 {
        self.points(self.columns) * FILTER_VECTORS * TILE
    }

    /// The elements of a stripe beyond its end that its last tile may read.
    pub(super) fn beyond(d: &Direct, column: i64) -> i64 {
        TILE * d.stride[1] * column
    }

    /// Whether vectors of points should go on from one row to the next: where rows are so narrow that lanes stay empty.
    fn joins_rows(self) -> bool {
        let pieces = |points: i64| (points + TILE - 1) / TILE;
        let (apart, joined) = (self.rows * pieces(self.columns), pieces(self.rows * self.columns));
        joined * 4 <= apart * 3 && joined <= MOST_VECTORS
    }
}

impl Planner<'_> {
    /// The runs of a stripe of so many rows, if matrix tiles multiply its bytes.
    pub(super) fn run_of_tiles(&mut self, d: &Direct, rows: i64) -> Option<Run> {
        let bytes = d.bytes.as_ref().is_some_and(|bytes| bytes.instruction == Instruction::Bytes);
        let possible = self.target.dots.tiles && bytes && !d.open && d.rows.is_none();
        let pays = self.target.has_tiles_for(4 * d.sizes.channels);
        if !possible || !self.choices.recorded_flag("matrix_tiles", pays) {
            return None;
        }
        let (width, pitch) = (d.sizes.width, d.input[1]);
        if d.stride != [1, 1] || pitch > MOST_POINTS {
            return Some(Run { rows: 1, columns: width.min(MOST_POINTS), pitch });
        }
        let run = |rows: i64| Run { rows, columns: width, pitch };
        // The fewest points for each row; of those the longest runs.
        let cost = |run: &Run| run.points(width) as f64 / run.rows as f64;
        (1..=rows)
            .filter(|some| rows % some == 0)
            .map(run)
            .filter(|run| run.rows == 1 || run.points(width) <= MOST_POINTS)
            .rev()
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }
}

impl Emitter<'_> {
    /// All runs of a unit of work with some filters.
    pub(super) fn runs_of_tiles(
        &mut self,
        (plan, run): (&DirectPlan, Run),
        unit: &Unit,
        memories: &[Memory],
        filters: &Filters,
    ) -> Supported<()> {
        let d = &plan.form;
        let rows = (Index::ZERO, Index::constant(plan.blocking.rows), Index::constant(run.rows));
        self.for_loop(rows, &[], |this, row, _| {
            for (from, to, columns) in steps(d.sizes.width, run.columns) {
                let bounds = (Index::constant(from), Index::constant(to), Index::constant(columns));
                this.for_loop(bounds, &[], |this, column, _| {
                    let x = this.tile_origin(d, unit, row, column);
                    this.sums_of_run(d, unit, (filters, x), run.points(columns))?;
                    let run = Run { columns, ..run };
                    this.finish_run((d, run), unit, memories, filters, [row, column])?;
                    Ok(Vec::new())
                })?;
            }
            Ok(Vec::new())
        })
        .map(|_| ())
    }

    /// The sums of points from `x` on.
    fn sums_of_run(&mut self, d: &Direct, unit: &Unit, (filters, x): (&Filters, Index), points: i64) -> Supported<()> {
        let sums = waiting_sums(unit);
        let step = d.stride[1] * unit.at.column;
        let further = FILTER_BLOCK * d.window[0] * d.window[1];
        let pairs = points / (2 * TILE) * (2 * TILE);
        for (from, to, down) in [(0, pairs, 2), (pairs, points, 1)] {
            let product = TileProduct {
                rows: (&unit.x, step),
                columns: (&unit.w, further),
                groups: d.sizes.channels,
                tiles: [down, filters.vectors],
            };
            let bounds = (Index::constant(from), Index::constant(to), Index::constant(down * TILE));
            self.for_loop(bounds, &[], |this, point, _| {
                this.clear_tiles(product.tiles);
                let right = this.code.mul(point, Index::constant(step));
                let x = this.code.add(x, right);
                let [lines, places] =
                    [0, 1].map(|at| (Index::ZERO, Index::constant(d.window[at]), Index::constant(1)));
                this.for_loop(lines, &[], |this, i, _| {
                    let down = this.rows_down(unit.at, i, d.dilation[0]);
                    let x = this.code.add(x, down);
                    let first = this.code.mul(i, Index::constant(d.window[1] * FILTER_BLOCK));
                    let w = this.code.add(filters.w, first);
                    this.for_loop(places, &[], |this, j, _| {
                        let across = this.code.mul(j, Index::constant(d.dilation[1] * unit.at.column));
                        let tap = this.code.mul(j, Index::constant(FILTER_BLOCK));
                        let (x, w) = (this.code.add(x, across), this.code.add(w, tap));
                        this.add_tiles(&product, x, w).map(|()| Vec::new())
                    })
                })?;
                let to = this.code.mul(point, Index::constant(FILTER_VECTORS * TILE));
                this.store_tiles(product.tiles, (sums, to, FILTER_VECTORS * TILE));
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }

    /// What follows the sums of a run that begins at a row of the unit and a column.
    fn finish_run(
        &mut self,
        (d, run): (&Direct, Run),
        unit: &Unit,
        memories: &[Memory],
        filters: &Filters,
        [row, column]: [Index; 2],
    ) -> Supported<()> {
        let high = self.code.add(unit.row, row);
        if !d.filters_inside() && run.joins_rows() {
            let all = run.rows * run.columns;
            for from in (0..all).step_by(TILE as usize) {
                let points: Vec<i64> = (from..all.min(from + TILE)).collect();
                let sums = points.iter().map(|p| Index::constant(p / run.columns * run.pitch + p % run.columns));
                let known = |f: &dyn Fn(i64) -> i64| Lanes::Constant((from..from + TILE).map(f).collect());
                let down = LaneIndex { ix: high, lanes: known(&|p| p / run.columns) };
                let right = LaneIndex { ix: column, lanes: known(&|p| p % run.columns) };
                self.finish_points(d, unit, memories, filters, (&sums.collect::<Vec<_>>(), [down, right]))?;
            }
            return Ok(());
        }
        self.for_loop((Index::ZERO, Index::constant(run.rows), Index::constant(1)), &[], |this, r, _| {
            let line = this.code.mul(r, Index::constant(run.pitch));
            let high = this.code.add(high, r);
            if d.filters_inside() {
                let bounds = (Index::ZERO, Index::constant(run.columns), Index::constant(1));
                return this.for_loop(bounds, &[], |this, c, _| {
                    let (point, right) = (this.code.add(line, c), this.code.add(column, c));
                    let place = [high, right].map(LaneIndex::uniform);
                    this.finish_points(d, unit, memories, filters, (&[point], place)).map(|()| Vec::new())
                });
            }
            for (from, to, count) in steps(run.columns, TILE) {
                let bounds = (Index::constant(from), Index::constant(to), Index::constant(count));
                this.for_loop(bounds, &[], |this, c, _| {
                    let first = this.code.add(line, c);
                    let sums: Vec<Index> = (0..count).map(|p| first.plus(p)).collect();
                    let right = this.code.add(column, c);
                    let place = [LaneIndex::uniform(high), LaneIndex::from(right)];
                    this.finish_points(d, unit, memories, filters, (&sums, place)).map(|()| Vec::new())
                })?;
            }
            Ok(Vec::new())
        })
        .map(|_| ())
    }

    /// What follows the sums of some points, at most a vector; of one where filters stand side by side. Where their sums wait is given.
    fn finish_points(
        &mut self,
        d: &Direct,
        unit: &Unit,
        memories: &[Memory],
        filters: &Filters,
        (points, place): (&[Index], [LaneIndex; 2]),
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let sums = waiting_sums(unit);
        let k = self.code.mul(filters.block, Index::constant(FILTER_BLOCK)).plus(filters.first);
        for vector in 0..filters.vectors {
            let load = |this: &mut Self, point: &Index| -> Value {
                let from = this.code.mul(*point, Index::constant(FILTER_VECTORS * TILE)).plus(vector * lanes);
                let sum = this.code.load(sums, &LaneIndex::from(from), None, None, None);
                // Without a zero point sums start from zero.
                match unit.minus_zero {
                    Some(_) => this.code.math("arith.addi", &[sum, filters.start[vector as usize]]),
                    None => sum,
                }
            };
            let mut values: Vec<Value> = points.iter().map(|point| load(self, point)).collect();
            let mine = (filters.count - vector * lanes).min(lanes);
            let (outer, k) = (unit.outer.clone(), k.plus(vector * lanes));
            let block = |mask| Block { y: d.y, roots: &d.roots, outer, k, filters: mine, mask, rows: None };
            if d.filters_inside() {
                let mask = (mine < lanes).then(|| self.lane_mask(Index::constant(mine)));
                self.store_pixel(&block(mask), memories, values[0], place.clone())?;
                continue;
            }
            let count = values.len() as i64;
            let zero = self.code.number(self.tensors[d.y].elem, 0.0);
            let zero = self.code.splat(zero);
            values.resize(lanes as usize, zero);
            let mask = (count < lanes).then(|| self.lane_mask(Index::constant(count)));
            let transposed = self.transposed(values);
            self.store_block(&block(mask), memories, &[(transposed, place.clone())])?;
        }
        Ok(())
    }
}

/// Where the sums of a run wait.
fn waiting_sums(unit: &Unit) -> &Memory {
    unit.unfinished.as_ref().expect("runs of tiles have memory for their sums")
}
