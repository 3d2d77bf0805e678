//! What follows the sums of runs of points that matrix tiles computed: squares of points and filters with lanes along the filters, whose results are
//! transposed; where rows are too short for them, vectors of points, transposed before.
use super::emit::Unit;
use super::form::Direct;
use super::pixels::{Filters, steps};
use super::runs::Run;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::byte_tiles::TILE;
use crate::families::transposed::{Block, Part, points_across_rows};
use crate::graph::Memory;
use crate::machine::convolutions::{FILTER_BLOCK, FILTER_VECTORS};
use halyard_ir::Value;

/// Vectors of points that are finished side by side.
const TOGETHER: i64 = 4;

impl Unit {
    /// Where the sums of a run wait.
    pub(super) fn waiting_sums(&self) -> &Memory {
        self.unfinished.as_ref().expect("runs of tiles have memory for their sums")
    }
}

impl Emitter<'_> {
    /// What follows the sums of a run that begins at a row of the unit and a column.
    pub(super) fn finish_run(
        &mut self,
        (d, run): (&Direct, Run),
        unit: &Unit,
        memories: &[Memory],
        filters: &Filters,
        [row, column]: [Index; 2],
    ) -> Supported<()> {
        let high = self.code.add(unit.row, row);
        if d.filters_inside() {
            let bounds = (Index::ZERO, Index::constant(run.rows), Index::constant(1));
            return self
                .for_loop(bounds, &[], |this, r, _| {
                    let (line, high) = (this.code.mul(r, Index::constant(run.pitch)), this.code.add(high, r));
                    let bounds = (Index::ZERO, Index::constant(run.columns), Index::constant(1));
                    this.for_loop(bounds, &[], |this, c, _| {
                        let (point, right) = (this.code.add(line, c), this.code.add(column, c));
                        this.finish_pixel(d, unit, memories, filters, (point, [high, right])).map(|()| Vec::new())
                    })
                })
                .map(|_| ());
        }
        if run.joins_rows() {
            let all = run.rows * run.columns;
            let vectors = (0..all).step_by(TILE as usize).map(|from| {
                let points = from..all.min(from + TILE);
                let sums = points.map(|p| Index::constant(p / run.columns * run.pitch + p % run.columns)).collect();
                (sums, points_across_rows([high, column], (from, TILE), run.columns))
            });
            let vectors: Vec<(Vec<Index>, _)> = vectors.collect();
            return vectors
                .chunks(TOGETHER as usize)
                .try_for_each(|some| self.finish_vectors(d, unit, memories, filters, some));
        }
        if filters.count % TILE == 0 && run.columns >= TILE {
            let bounds = (Index::ZERO, Index::constant(run.rows), Index::constant(1));
            self.for_loop(bounds, &[], |this, r, _| {
                let (line, high) = (this.code.mul(r, Index::constant(run.pitch)), this.code.add(high, r));
                let bounds = (Index::ZERO, Index::constant(run.columns), Index::constant(TILE));
                this.for_loop(bounds, &[], |this, c, _| {
                    // The last points of a row are a square, too, some of which are computed twice.
                    let c = this.code.min(c, Index::constant(run.columns - TILE));
                    let (point, right) = (this.code.add(line, c), this.code.add(column, c));
                    this.finish_square(d, unit, memories, filters, (point, [high, right])).map(|()| Vec::new())
                })
            })?;
            return Ok(());
        }
        // Short rows are finished several at once.
        let across = (run.columns + TILE - 1) / TILE;
        let together = (1..=TOGETHER).rev().find(|rows| run.rows % rows == 0 && rows * across <= TOGETHER).unwrap_or(1);
        let bounds = (Index::ZERO, Index::constant(run.rows), Index::constant(together));
        self.for_loop(bounds, &[], |this, r, _| {
            for (from, to, columns) in steps(run.columns, TOGETHER * TILE) {
                let bounds = (Index::constant(from), Index::constant(to), Index::constant(columns));
                this.for_loop(bounds, &[], |this, c, _| {
                    let mut vectors = Vec::new();
                    for r in (0..together).map(|down| r.plus(down)) {
                        let line = this.code.mul(r, Index::constant(run.pitch));
                        let (first, high) = (this.code.add(line, c), LaneIndex::uniform(this.code.add(high, r)));
                        let right = this.code.add(column, c);
                        for at in (0..columns).step_by(TILE as usize) {
                            let sums = (at..columns.min(at + TILE)).map(|p| first.plus(p)).collect::<Vec<_>>();
                            vectors.push((sums, [high.clone(), LaneIndex::from(right.plus(at))]));
                        }
                    }
                    this.finish_vectors(d, unit, memories, filters, &vectors).map(|()| Vec::new())
                })?;
            }
            Ok(Vec::new())
        })
        .map(|_| ())
    }

    /// What follows the sums of points side by side with vectors of filters, with lanes along the filters: results are transposed, and what is read
    /// beside the sums, which takes less than to transpose sums where these are bytes.
    fn finish_square(
        &mut self,
        d: &Direct,
        unit: &Unit,
        memories: &[Memory],
        filters: &Filters,
        (point, [high, column]): (Index, [Index; 2]),
    ) -> Supported<()> {
        let k = self.code.mul(filters.block, Index::constant(FILTER_BLOCK)).plus(filters.first);
        for vector in 0..filters.vectors {
            let (mut points, mut values) = (Vec::new(), Vec::new());
            for at in 0..TILE {
                values.push(self.waiting_sum(unit, filters, point.plus(at), vector));
                let mut idx: Vec<LaneIndex> = unit.outer.iter().map(|at| LaneIndex::uniform(*at)).collect();
                idx.push(LaneIndex::from(k.plus(vector * TILE)));
                idx.extend([high, column.plus(at)].map(LaneIndex::uniform));
                points.push(Point { idx, mask: None, guard: None });
            }
            self.store_roots_transposed(d.y, (&d.roots, memories), &points, &values)?;
        }
        Ok(())
    }

    /// What follows the sums of vectors of points: where the sums of each wait, and the place of the first.
    fn finish_vectors(
        &mut self,
        d: &Direct,
        unit: &Unit,
        memories: &[Memory],
        filters: &Filters,
        vectors: &[(Vec<Index>, [LaneIndex; 2])],
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let k = self.code.mul(filters.block, Index::constant(FILTER_BLOCK)).plus(filters.first);
        let zero = self.code.number(self.tensors[d.y].elem, 0.0);
        let zero = self.code.splat(zero);
        for vector in 0..filters.vectors {
            let mut parts = Vec::new();
            for (points, place) in vectors {
                let mut values: Vec<Value> =
                    points.iter().map(|point| self.waiting_sum(unit, filters, *point, vector)).collect();
                let count = values.len() as i64;
                values.resize(lanes as usize, zero);
                let mask = (count < lanes).then(|| self.lane_mask(Index::constant(count)));
                parts.push(Part { rows: self.transposed(values), place: place.clone(), mask });
            }
            let mine = (filters.count - vector * lanes).min(lanes);
            let (outer, k) = (unit.outer.clone(), k.plus(vector * lanes));
            let block = Block { y: d.y, roots: &d.roots, outer, k, filters: mine, mask: None, rows: None };
            self.store_parts(&block, memories, &parts, parts.len())?;
        }
        Ok(())
    }

    /// What follows the sums of one point, where filters stand side by side.
    fn finish_pixel(
        &mut self,
        d: &Direct,
        unit: &Unit,
        memories: &[Memory],
        filters: &Filters,
        (point, place): (Index, [Index; 2]),
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let k = self.code.mul(filters.block, Index::constant(FILTER_BLOCK)).plus(filters.first);
        for vector in 0..filters.vectors {
            let sum = self.waiting_sum(unit, filters, point, vector);
            let mine = (filters.count - vector * lanes).min(lanes);
            let mask = (mine < lanes).then(|| self.lane_mask(Index::constant(mine)));
            let (outer, k) = (unit.outer.clone(), k.plus(vector * lanes));
            let block = Block { y: d.y, roots: &d.roots, outer, k, filters: mine, mask, rows: None };
            self.store_pixel(&block, memories, sum, place.map(LaneIndex::uniform))?;
        }
        Ok(())
    }

    /// The sums of a point with a vector of filters.
    fn waiting_sum(&mut self, unit: &Unit, filters: &Filters, point: Index, vector: i64) -> Value {
        let from = self.code.mul(point, Index::constant(FILTER_VECTORS * TILE)).plus(vector * TILE);
        let sum = self.code.load(unit.waiting_sums(), &LaneIndex::from(from), None, None, None);
        // Without a zero point sums start from zero.
        match unit.minus_zero {
            Some(_) => self.code.math("arith.addi", &[sum, filters.start[vector as usize]]),
            None => sum,
        }
    }
}
