//! What follows the sums, for a whole row of the result.
//!
//! With few registers a tile has fewer pixels than a vector has lanes: results that are computed and stored tile by tile leave lanes empty, and bytes
//! that fill no vector are loaded and stored in pieces. Where that costs more than storing the sums once, they wait until their row is complete.
use super::channel_chunks::Waiting;
use super::emit::Unit;
use super::form::Direct;
use super::pixels::{Filters, RowsOfTiles, Tile};
use super::plan::DirectPlan;
use super::runs::Run;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::transposed::Block;
use crate::graph::Memory;
use crate::machine::convolutions::{CYCLES_OF_WAITING, FILTER_BLOCK, FILTER_VECTORS};
use crate::schedule::planner::Planner;
use halyard_ir::Value;

impl Planner<'_> {
    /// Whether rows of the result are finished at once, if tiles have so many `points`.
    pub(super) fn finish_rows(&mut self, d: &Direct, points: i64) -> bool {
        let (lanes, width) = (i64::from(self.target.vector_bits / 32), d.sizes.width);
        let wide = points >= lanes || self.target.registers >= 32;
        if wide || width < points || d.open || d.rows.is_some() || d.skips_padding || d.filters_inside() {
            return false;
        }
        let pieces = |size: i64| (width + size - 1) / size;
        let saved = ((pieces(points) - pieces(lanes)) * lanes) as f64 * d.cycles_after;
        let ours = saved > width as f64 * CYCLES_OF_WAITING;
        self.choices.recorded_flag("finish_rows", ours)
    }
}

impl DirectPlan {
    /// The elements of sums that wait for their row, or for those of their run.
    pub(super) fn unfinished(&self) -> Option<i64> {
        let of_row = self.finish_rows.then_some(self.form.sizes.width * FILTER_VECTORS * self.lanes);
        self.tiles.map(Run::waiting).or(of_row)
    }
}

impl Emitter<'_> {
    /// Computes the sums of all tiles of some filters and finishes them: each tile by itself, or row by row.
    pub(super) fn finish_tiles(
        &mut self,
        plan: &DirectPlan,
        unit: &Unit,
        memories: &[Memory],
        filters: &Filters,
        sums: impl Fn(&mut Self, Tile, [Index; 2]) -> Supported<Vec<Value>>,
    ) -> Supported<()> {
        let d = &plan.form;
        let Some(unfinished) = &unit.unfinished else {
            return self.each_tile(plan, unit, filters, |this, tile, place| {
                let sums = sums(this, tile, place)?;
                this.store_tile(d, unit, memories, tile, (filters, place), &sums)
            });
        };
        let rows = (Index::ZERO, Index::constant(plan.blocking.rows), Index::constant(1));
        self.for_loop(rows, &[], |this, row, _| {
            this.tiles_of_rows(plan, filters, RowsOfTiles { first: row, count: 1 }, |this, tile, place| {
                let sums = sums(this, tile, place)?;
                Waiting(unfinished).keep(this, (place[1], tile.pixels()), &sums, tile.vectors);
                Ok(())
            })?;
            let (lanes, width) = (this.code.lanes, d.sizes.width);
            let whole = width / lanes * lanes;
            let bounds = (Index::ZERO, Index::constant(whole), Index::constant(lanes));
            this.for_loop(bounds, &[], |this, column, _| {
                this.finish_vector(d, unit, (memories, unfinished), filters, (row, column, lanes))?;
                Ok(Vec::new())
            })?;
            if whole < width {
                let rest = (row, Index::constant(whole), width - whole);
                this.finish_vector(d, unit, (memories, unfinished), filters, rest)?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Finishes up to a vector of pixels of a row, from a column on, for some filters.
    fn finish_vector(
        &mut self,
        d: &Direct,
        unit: &Unit,
        (memories, unfinished): (&[Memory], &Memory),
        filters: &Filters,
        (row, column, count): (Index, Index, i64),
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let place = [LaneIndex::uniform(self.code.add(unit.row, row)), LaneIndex::from(column)];
        let zero = self.code.number(self.tensors[d.y].elem, 0.0);
        let zero = self.code.splat(zero);
        let sums = Waiting(unfinished).load(self, (column, count), filters.vectors);
        for vector in 0..filters.vectors {
            let mut pixels: Vec<Value> =
                sums.iter().skip(vector as usize).step_by(filters.vectors as usize).copied().collect();
            pixels.resize(lanes as usize, zero);
            let transposed = self.transposed(pixels);
            let mask = (count < lanes).then(|| self.lane_mask(Index::constant(count)));
            let k = self.code.mul(filters.block, Index::constant(FILTER_BLOCK)).plus(filters.first + vector * lanes);
            let mine = (filters.count - vector * lanes).min(lanes);
            let block =
                Block { y: d.y, roots: &d.roots, outer: unit.outer.clone(), k, filters: mine, mask, rows: None };
            self.store_block(&block, memories, &[(transposed, place.clone())])?;
        }
        Ok(())
    }
}
