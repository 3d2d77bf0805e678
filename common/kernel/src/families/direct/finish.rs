//! What follows the sums, for whole rows of the result.
//!
//! With few registers a tile has fewer pixels than a vector has lanes, and narrow images have more such tiles: results that are computed and stored
//! tile by tile leave lanes empty, and bytes that fill no vector are loaded and stored one by one. Where that costs more than storing the sums
//! once, they wait until some rows are complete, which fill whole vectors.
use super::channel_chunks::Waiting;
use super::emit::Unit;
use super::form::Direct;
use super::pixels::{Filters, RowsOfTiles, Tile};
use super::plan::DirectPlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Lanes};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::transposed::Block;
use crate::graph::Memory;
use crate::machine::convolutions::{CYCLES_OF_WAITING, FILTER_BLOCK, FILTER_VECTORS, UNROLLED_VECTORS};
use crate::schedule::planner::Planner;
use halyard_ir::Value;

impl Planner<'_> {
    /// The rows of the result, of so many in a stripe, that are finished together, if tiles have so many `points`.
    pub(super) fn finish_rows(&mut self, d: &Direct, stripe: i64, points: i64) -> i64 {
        let lanes = i64::from(self.target.vector_bits / 32);
        let wide = points >= lanes || self.target.registers >= 32;
        if wide || d.open || d.rows.is_some() || d.skips_padding || d.filters_inside() {
            return 0;
        }
        let rows = rows_of_whole_vectors(stripe, d.sizes.width, lanes);
        let vectors = |rows: i64| (rows * d.sizes.width + lanes - 1) / lanes;
        let together = stripe / rows * vectors(rows) + vectors(stripe % rows);
        let (down, across) = ((points / d.sizes.width).max(1), points.min(d.sizes.width));
        let by_tile = (stripe + down - 1) / down * ((d.sizes.width + across - 1) / across);
        let saved = ((by_tile - together) * lanes) as f64 * d.cycles_after;
        let waiting = (stripe * d.sizes.width) as f64 * CYCLES_OF_WAITING;
        let ours = if saved > waiting { rows } else { 0 };
        let legal = [0, rows];
        let rows = self.choices.number("finish_rows", ours, |rows| legal.contains(&rows));
        self.choices.record_number("finish_rows", rows, legal);
        rows
    }
}

/// How many rows of a stripe fill whole vectors, if they are few; all of them, or one, if they do not.
fn rows_of_whole_vectors(stripe: i64, width: i64, lanes: i64) -> i64 {
    let few = |rows: i64| rows * width <= UNROLLED_VECTORS * lanes;
    let whole = (1..=stripe).take_while(|&rows| few(rows)).find(|rows| rows * width % lanes == 0);
    whole.unwrap_or(if few(stripe) { stripe } else { 1 })
}

impl DirectPlan {
    /// The elements of sums that wait for their rows.
    pub(super) fn unfinished(&self) -> Option<i64> {
        (self.finish_rows > 0).then(|| self.finish_rows * self.form.sizes.width * FILTER_VECTORS * self.lanes)
    }
}

impl Emitter<'_> {
    /// Computes the sums of all tiles of some filters and finishes them: each tile by itself, or some rows together.
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
        for (from, to, step) in super::pixels::steps(plan.blocking.rows, plan.finish_rows) {
            let bounds = (Index::constant(from), Index::constant(to), Index::constant(step));
            self.for_loop(bounds, &[], |this, first, _| {
                this.tiles_of_rows(plan, filters, RowsOfTiles { first, count: step }, |this, tile, [row, column]| {
                    let sums = sums(this, tile, [row, column])?;
                    let above = this.code.sub(row, first);
                    let number = Waiting::number(this, d, above, column);
                    Waiting(unfinished).keep(this, (number, tile.pixels()), &sums, tile.vectors);
                    Ok(())
                })?;
                this.finish(d, unit, (memories, unfinished), filters, (first, step)).map(|()| Vec::new())
            })?;
        }
        Ok(())
    }

    /// Finishes so many rows of some filters.
    fn finish(
        &mut self,
        d: &Direct,
        unit: &Unit,
        (memories, unfinished): (&[Memory], &Memory),
        filters: &Filters,
        (first, count): (Index, i64),
    ) -> Supported<()> {
        let (lanes, width) = (self.code.lanes, d.sizes.width);
        let (high, pixels) = (self.code.add(unit.row, first), count * width);
        let whole = pixels / lanes;
        if count == 1 && whole > UNROLLED_VECTORS {
            let bounds = (Index::ZERO, Index::constant(whole * lanes), Index::constant(lanes));
            self.for_loop(bounds, &[], |this, column, _| {
                let place = [LaneIndex::uniform(high), LaneIndex::from(column)];
                this.finish_vector(d, unit, (memories, unfinished), filters, (column, lanes, place))?;
                Ok(Vec::new())
            })?;
        }
        let left = if count == 1 && whole > UNROLLED_VECTORS { whole * lanes } else { 0 };
        for from in (left..pixels).step_by(lanes as usize) {
            let place = if count == 1 {
                [LaneIndex::uniform(high), LaneIndex::from(Index::constant(from))]
            } else {
                // Counted from the first lane on, so that lanes that are neighbours in memory are seen to be.
                let (row, column) = (from / width, from % width);
                let known = |f: &dyn Fn(i64) -> i64| Lanes::Constant((from..from + lanes).map(f).collect());
                let down = LaneIndex { ix: high.plus(row), lanes: known(&|p| p / width - row) };
                [down, LaneIndex { ix: Index::constant(column), lanes: known(&|p| p % width - column) }]
            };
            let some = (Index::constant(from), (pixels - from).min(lanes), place);
            self.finish_vector(d, unit, (memories, unfinished), filters, some)?;
        }
        Ok(())
    }

    /// Finishes up to a vector of pixels, from number `first` of those that wait, for some filters.
    fn finish_vector(
        &mut self,
        d: &Direct,
        unit: &Unit,
        (memories, unfinished): (&[Memory], &Memory),
        filters: &Filters,
        (first, count, place): (Index, i64, [LaneIndex; 2]),
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let zero = self.code.number(self.tensors[d.y].elem, 0.0);
        let zero = self.code.splat(zero);
        let sums = Waiting(unfinished).load(self, (first, count), filters.vectors);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fill_vectors_or_are_few() {
        let rows = |stripe, width| rows_of_whole_vectors(stripe, width, 8);
        assert_eq!([(28, 28), (14, 14), (56, 56), (30, 12), (9, 8)].map(|(n, width)| rows(n, width)), [2, 4, 1, 2, 1]);
        // All rows of a small image; one, where even those that fill vectors are many.
        assert_eq!([(7, 7), (3, 5), (13, 13), (30, 30), (4, 200)].map(|(n, width)| rows(n, width)), [7, 3, 1, 1, 1]);
    }
}
