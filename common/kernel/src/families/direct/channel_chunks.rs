//! Tiles of a stripe with channels last. Where filters or stripe are large, the channels are divided into chunks: a chunk of the filters stays in
//! the second-level cache while all tiles of the stripe use it, and their sums wait in scratch memory for the next one.
use super::emit::Unit;
use super::form::Direct;
use super::pixels::{Filters, Tile};
use super::plan::DirectPlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Memory;
use crate::machine::convolutions::{FILTER_BLOCK, FILTER_VECTORS};
use crate::schedule::planner::Planner;
use halyard_ir::Value;

/// Channels of a pixel that share a line of the cache.
const LINE: i64 = 16;

/// Channels that are multiplied with the filters, one after the other.
struct Chunk {
    first: Index,
    count: i64,
    /// The filters that are used after them.
    next: Index,
}

impl Planner<'_> {
    /// Channels of a chunk: all of them, or so many that filters take a quarter of the second-level cache, and the stripe three eighths.
    pub(super) fn chunk(&self, d: &Direct, rows: i64) -> i64 {
        let (lanes, l2) = (i64::from(self.target.vector_bits / 32), self.target.l2 as i64);
        let filters = d.window[0] * d.window[1] * FILTER_VECTORS * lanes * d.w_bytes;
        let stripe = d.under(rows) * d.input[1] * 4;
        let most = (l2 / 4 / filters).min(l2 * 3 / 8 / stripe).max(2 * LINE);
        let chunks = (d.sizes.channels + most - 1) / most;
        let even = (d.sizes.channels + chunks - 1) / chunks;
        ((even + LINE - 1) / LINE * LINE).min(d.sizes.channels)
    }
}

impl DirectPlan {
    /// The elements that wait between chunks, if there are several.
    pub(super) fn waiting(&self) -> Option<i64> {
        let pixels = self.blocking.rows * self.form.sizes.width;
        (self.channels_last && self.chunk < self.form.sizes.channels).then_some(pixels * FILTER_VECTORS * self.lanes)
    }
}

impl Emitter<'_> {
    /// All tiles of some filters.
    pub(super) fn channels_last_tiles(
        &mut self,
        plan: &DirectPlan,
        unit: &Unit,
        memories: &[Memory],
        filters: &Filters,
    ) -> Supported<()> {
        let DirectPlan { form: d, chunk, .. } = plan;
        let chunk = *chunk;
        let last = (d.sizes.channels - 1) / chunk * chunk;
        let further = FILTER_BLOCK * d.window[0] * d.window[1];
        let waiting = unit.waiting.as_ref().map(Waiting);
        if let Some(waiting) = waiting {
            let pixels = Index::constant(plan.blocking.rows * d.sizes.width);
            self.for_loop((Index::ZERO, pixels, Index::constant(1)), &[], |this, pixel, _| {
                waiting.keep(this, (pixel, 1), &filters.start, filters.vectors);
                Ok(Vec::new())
            })?;
            let bounds = (Index::ZERO, Index::constant(last), Index::constant(chunk));
            self.for_loop(bounds, &[], |this, first, _| {
                let next = this.code.mul(first.plus(chunk), Index::constant(further));
                let next = this.code.add(filters.w, next);
                let chunk = Chunk { first, count: chunk, next };
                this.each_tile(plan, unit, filters, |this, tile, [row, column]| {
                    let pixels = (Waiting::number(this, d, row, column), tile.pixels());
                    let start = waiting.load(this, pixels, tile.vectors);
                    let place = (tile, [row, column]);
                    let sums = this.channels_last_sums(plan, unit, place, (filters, &chunk), &start)?;
                    waiting.keep(this, pixels, &sums, tile.vectors);
                    Ok(())
                })?;
                Ok(Vec::new())
            })?;
        }
        let chunk = Chunk { first: Index::constant(last), count: d.sizes.channels - last, next: filters.next };
        self.finish_tiles(plan, unit, memories, filters, |this, tile, [row, column]| {
            let start = match waiting {
                Some(waiting) => {
                    let number = Waiting::number(this, d, row, column);
                    waiting.load(this, (number, tile.pixels()), tile.vectors)
                }
                None => filters.start.repeat(tile.pixels() as usize),
            };
            this.channels_last_sums(plan, unit, (tile, [row, column]), (filters, &chunk), &start)
        })
    }

    /// The sums of a tile with a chunk of channels: channel after channel of an element of the window.
    fn channels_last_sums(
        &mut self,
        plan: &DirectPlan,
        unit: &Unit,
        (tile, [row, column]): (Tile, [Index; 2]),
        (filters, chunk): (&Filters, &Chunk),
        start: &[Value],
    ) -> Supported<Vec<Value>> {
        let d = &plan.form;
        let (at, pixels) = (unit.at, tile.offsets(d, unit.at));
        let x = self.tile_origin(d, unit, row, column);
        let x = self.code.add(x, chunk.first);
        let further = FILTER_BLOCK * d.window[0] * d.window[1];
        let w = self.code.mul(chunk.first, Index::constant(further));
        let w = self.code.add(filters.w, w);
        // This tile's share of what the next chunk has for an element of the window.
        let all = plan.blocking.rows * d.sizes.width;
        let before = self.code.mul(row, Index::constant(d.sizes.width));
        let before = self.code.add(before, column);
        let before = self.code.mul(before, Index::constant(chunk.count));
        let before = self.code.divide("arith.divui", before, Index::constant(all));
        let before = self.code.mul(before, Index::constant(further));
        let ahead = self.code.add(chunk.next, before);
        let share = (chunk.count * tile.pixels() + all - 1) / all;
        let [lines, places] = self.tile_taps(d, unit, tile, [row, column]);
        let (one, unrolled) = (Index::constant(1), self.target.cpu.convolutions.channels_last_unrolled);
        self.for_loop((lines.0, lines.1, one), start, |this, i, sums| {
            let down = this.rows_down(at, i, d.dilation[0]);
            let x = this.code.add(x, down);
            let first = this.code.mul(i, Index::constant(d.window[1]));
            this.for_loop((places.0, places.1, one), sums, |this, j, sums| {
                let across = this.code.mul(j, Index::constant(d.dilation[1] * at.column));
                let x = this.code.add(x, across);
                let tap = this.code.add(first, j);
                let tap = this.code.mul(tap, Index::constant(FILTER_BLOCK));
                let (w, ahead) = (this.code.add(w, tap), this.code.add(ahead, tap));
                this.for_loop((Index::ZERO, Index::constant(share), one), &[], |this, n, _| {
                    let line = this.code.mul(n, Index::constant(further));
                    let line = this.code.add(ahead, line);
                    this.code.prefetch(&unit.w, line);
                    Ok(Vec::new())
                })?;
                let channels = (Index::ZERO, Index::constant(chunk.count));
                this.in_steps(channels, unrolled, sums, |this, k, count, sums| {
                    let filters = this.code.mul(k, Index::constant(further));
                    let (w, x) = (this.code.add(w, filters), this.code.add(x, k));
                    (0..count).fold(sums.to_vec(), |sums, k| {
                        let at = (w.plus(k * further), x.plus(k));
                        this.add_products(d, unit, at, (&pixels, tile.vectors), sums)
                    })
                })
            })
        })
    }
}

/// Memory where sums wait: of a pixel after those of another, those with all vectors of filters.
#[derive(Clone, Copy)]
pub(super) struct Waiting<'a>(pub(super) &'a Memory);

impl Waiting<'_> {
    /// The number of a pixel, row after row.
    pub(super) fn number(emitter: &mut Emitter<'_>, d: &Direct, row: Index, column: Index) -> Index {
        let before = emitter.code.mul(row, Index::constant(d.sizes.width));
        emitter.code.add(before, column)
    }

    /// The sums of so many pixels, from one of them on.
    pub(super) fn load(self, emitter: &mut Emitter<'_>, (pixel, count): (Index, i64), vectors: i64) -> Vec<Value> {
        let lanes = emitter.code.lanes;
        let from = emitter.code.mul(pixel, Index::constant(FILTER_VECTORS * lanes));
        let load = |at: i64| emitter.code.load(self.0, &LaneIndex::from(from.plus(at)), None, None, None);
        Self::places(count, vectors, lanes).map(load).collect()
    }

    /// Has the sums of some pixels wait.
    pub(super) fn keep(self, emitter: &mut Emitter<'_>, (pixel, count): (Index, i64), sums: &[Value], vectors: i64) {
        let lanes = emitter.code.lanes;
        let to = emitter.code.mul(pixel, Index::constant(FILTER_VECTORS * lanes));
        for (at, sum) in Self::places(count, vectors, lanes).zip(sums) {
            emitter.code.store(self.0, &LaneIndex::from(to.plus(at)), *sum, None);
        }
    }

    /// Where the sums of some pixels wait, from the first one on.
    fn places(pixels: i64, vectors: i64, lanes: i64) -> impl Iterator<Item = i64> {
        (0..pixels).flat_map(move |pixel| (0..vectors).map(move |vector| (pixel * FILTER_VECTORS + vector) * lanes))
    }
}
