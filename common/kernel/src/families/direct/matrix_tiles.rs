//! Convolutions of bytes by matrix tiles: 32 points by 32 filters at a time, from stripes with channels last.
//!
//! A tile has 16 points at equal distances. Where the window moves by one, the rows of a stripe follow each other at that distance, padding
//! included, so that tiles go on from one row to the next; the sums of padding are not used. Sums wait in scratch memory until a run of
//! points has them, and are finished row by row.
use super::emit::Unit;
use super::form::Direct;
use super::pixels::{Filters, steps};
use super::plan::DirectPlan;
use super::runs::Run;
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::byte_tiles::{TILE, TileProduct};
use crate::graph::Memory;
use crate::machine::convolutions::{FILTER_BLOCK, FILTER_VECTORS};
use crate::machine::memory::CACHE_LINE;

/// What is fetched of the next filters while a tile is multiplied: how far they are from its own, how many points are before those of the tile, and
/// how many they are, of all.
struct Fetched {
    ahead: Index,
    before: Index,
    count: i64,
    all: i64,
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
                    let before = this.code.mul(row, Index::constant(run.pitch));
                    let points = (this.code.add(before, column), run.points(columns), plan.blocking.rows * run.pitch);
                    this.sums_of_run(d, unit, (filters, x), points)?;
                    let run = Run { columns, ..run };
                    this.finish_run((d, run), unit, memories, filters, [row, column])?;
                    Ok(Vec::new())
                })?;
            }
            Ok(Vec::new())
        })
        .map(|_| ())
    }

    /// The sums of points from `x` on; `before` are those of the unit before them, of so many.
    fn sums_of_run(
        &mut self,
        d: &Direct,
        unit: &Unit,
        (filters, x): (&Filters, Index),
        (before, points, all): (Index, i64, i64),
    ) -> Supported<()> {
        let sums = unit.waiting_sums();
        let step = d.stride[1] * unit.at.column;
        let pairs = points / (2 * TILE) * (2 * TILE);
        for (from, to, down) in [(0, pairs, 2), (pairs, points, 1)] {
            let product = TileProduct {
                rows: (&unit.x, step),
                columns: (&unit.w, d.weights_apart().channel),
                tiles: [down, filters.vectors],
            };
            let bounds = (Index::constant(from), Index::constant(to), Index::constant(down * TILE));
            self.for_loop(bounds, &[], |this, point, _| {
                this.clear_tiles(product.tiles);
                let right = this.code.mul(point, Index::constant(step));
                let (x, before) = (this.code.add(x, right), this.code.add(before, point));
                let ahead = this.code.sub(filters.next, filters.w);
                let fetched = Fetched { ahead, before, count: down * TILE, all };
                this.sums_of_tile(d, unit, &product, ([x, filters.w], &fetched))?;
                let to = this.code.mul(point, Index::constant(FILTER_VECTORS * TILE));
                this.store_tiles(product.tiles, (sums, to, FILTER_VECTORS * TILE));
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }

    /// The products of all elements of the window, from the place of the first one on.
    fn sums_of_tile(
        &mut self,
        d: &Direct,
        unit: &Unit,
        product: &TileProduct<'_>,
        ([x, w], fetched): ([Index; 2], &Fetched),
    ) -> Supported<()> {
        let apart = d.weights_apart();
        let [lines, places] = [0, 1].map(|at| (Index::ZERO, Index::constant(d.window[at]), Index::constant(1)));
        let line = |this: &mut Self, i: Index| {
            let (down, first) =
                (this.rows_down(unit.at, i, d.dilation[0]), this.code.mul(i, Index::constant(apart.row)));
            [this.code.add(x, down), this.code.add(w, first)]
        };
        if d.joins_taps() {
            return self
                .for_loop(lines, &[], |this, i, _| {
                    let [x, w] = line(this, i);
                    this.tile_steps(d.groups_of_sum(), |this, group, step| {
                        let further = this.code.mul(group, Index::constant(apart.channel));
                        let at = [this.code.add(x, group), this.code.add(w, further)];
                        this.fetch_next_filters(unit, at[1], fetched);
                        this.add_step(product, at, step);
                        Ok(())
                    })
                    .map(|()| Vec::new())
                })
                .map(|_| ());
        }
        // All taps use the same lines of the input, and of filters that have channels first.
        self.tile_steps(d.groups_of_sum(), |this, channel, step| {
            let further = this.code.mul(channel, Index::constant(apart.channel));
            this.for_loop(lines, &[], |this, i, _| {
                let [x, w] = line(this, i);
                this.for_loop(places, &[], |this, j, _| {
                    let across = this.code.mul(j, Index::constant(d.dilation[1] * unit.at.column));
                    let (x, across) = (this.code.add(x, across), this.code.mul(j, Index::constant(apart.column)));
                    let (x, w) = (this.code.add(x, channel), this.code.add(w, across));
                    let w = this.code.add(w, further);
                    this.fetch_next_filters(unit, w, fetched);
                    this.add_step(product, [x, w], step);
                    Ok(Vec::new())
                })
            })
            .map(|_| ())
        })
    }

    /// Fetches a share of what the next filters have in the place of those of a step at `w`.
    fn fetch_next_filters(&mut self, unit: &Unit, w: Index, fetched: &Fetched) {
        let line = CACHE_LINE / 4;
        let lines = TILE * FILTER_BLOCK / line;
        let done = self.code.mul(fetched.before, Index::constant(lines));
        let done = self.code.divide("arith.divui", done, Index::constant(fetched.all));
        let done = self.code.mul(done, Index::constant(line));
        let first = self.code.add(w, fetched.ahead);
        let first = self.code.add(first, done);
        for number in 0..(lines * fetched.count + fetched.all - 1) / fetched.all {
            self.code.prefetch(&unit.w, first.plus(number * line));
        }
    }
}
