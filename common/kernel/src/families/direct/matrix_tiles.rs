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
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::byte_tiles::{TILE, TileProduct};
use crate::families::transposed::{Block, Part, points_across_rows};
use crate::graph::Memory;
use crate::machine::convolutions::{ConvolutionNumbers, FILTER_BLOCK, FILTER_VECTORS};
use crate::machine::dot_products::Instruction;
use crate::machine::memory::CACHE_LINE;
use crate::schedule::planner::Planner;
use halyard_ir::Value;

/// The points of a run, at most: their sums take 32 KiB.
const MOST_POINTS: i64 = 256;
/// Vectors of points that are finished side by side.
const TOGETHER: i64 = 4;
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

    /// The elements of a stripe beyond its end that its last tile may read, or vectors that are copied may fill.
    pub(super) fn beyond(d: &Direct, column: i64) -> i64 {
        TILE * (d.stride[1] + 1) * column
    }

    /// Whether vectors of points should go on from one row to the next: where rows are so narrow that lanes stay empty.
    fn joins_rows(self) -> bool {
        let pieces = |points: i64| (points + TILE - 1) / TILE;
        let (apart, joined) = (self.rows * pieces(self.columns), pieces(self.rows * self.columns));
        joined * 4 <= apart * 3 && joined <= MOST_VECTORS
    }
}

/// What is fetched of the next filters while a tile is multiplied: how far they are from its own, how many points are before those of the tile, and
/// how many they are, of all.
struct Fetched {
    ahead: Index,
    before: Index,
    count: i64,
    all: i64,
}

/// The elements from the weights of a channel, of a row and of a column of the window to the next.
struct Apart {
    channel: i64,
    row: i64,
    column: i64,
}

impl Direct {
    fn weights_apart(&self) -> Apart {
        let [rows, columns] = self.window;
        if self.taps_first {
            let column = self.sizes.channels * FILTER_BLOCK;
            return Apart { channel: FILTER_BLOCK, row: columns * column, column };
        }
        Apart { channel: rows * columns * FILTER_BLOCK, row: columns * FILTER_BLOCK, column: FILTER_BLOCK }
    }

    /// Whether the elements of a row of the window are one sum for matrix tiles, as their pixels are neighbours in a stripe: where channels alone do
    /// not fill tiles.
    pub(super) fn joins_taps(&self) -> bool {
        self.taps_first && self.sizes.channels % TILE != 0 && self.dilation[1] == 1
    }

    /// The groups of bytes that matrix tiles add up in one go.
    pub(super) fn groups_of_sum(&self) -> i64 {
        if self.joins_taps() { self.sizes.channels * self.window[1] } else { self.sizes.channels }
    }
}

impl DirectPlan {
    /// Whether rows leave lanes empty where results are finished, and all rows may as well be one: of points, which are copied at once, while there
    /// are filters enough to share out.
    pub(in crate::families) fn rows_leave_lanes(&self, numbers: &ConvolutionNumbers) -> bool {
        let Self { form: d, blocking, tiles, .. } = self;
        let points = d.window == [1, 1] && d.stride == [1, 1] && blocking.rows == d.sizes.height && d.sizes.height > 1;
        let shared = d.sizes.n * d.sizes.blocks() >= numbers.enough_units();
        tiles.is_some() && points && shared && d.sizes.width % TILE != 0
    }
}

impl Planner<'_> {
    /// The runs of a stripe of so many rows, if matrix tiles multiply its bytes. Of convolutions of points, stripes have nothing else then.
    pub(super) fn run_of_tiles(&mut self, d: &mut Direct, rows: i64) -> Option<Run> {
        let bytes = d.bytes.as_ref().is_some_and(|bytes| bytes.instruction == Instruction::Bytes);
        let possible = self.target.dots.tiles && bytes && !d.open && d.rows.is_none();
        let pays = self.target.has_tiles_for(4 * d.sizes.channels, d.window);
        if !possible || !d.taps_first && !self.choices.recorded_flag("matrix_tiles", pays) {
            return None;
        }
        if d.window == [1, 1] {
            (d.sampling, d.stride, d.input) = (d.stride, [1, 1], [d.sizes.height, d.sizes.width]);
        }
        let (width, pitch) = (d.sizes.width, d.input[1]);
        if d.stride != [1, 1] || pitch > MOST_POINTS {
            return Some(Run { rows: 1, columns: width.min(MOST_POINTS), pitch: width });
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
        let sums = waiting_sums(unit);
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
            self.store_roots(d.y, (&d.roots, memories), &points, &values)?;
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
        let sum = self.code.load(waiting_sums(unit), &LaneIndex::from(from), None, None, None);
        // Without a zero point sums start from zero.
        match unit.minus_zero {
            Some(_) => self.code.math("arith.addi", &[sum, filters.start[vector as usize]]),
            None => sum,
        }
    }
}

/// Where the sums of a run wait.
fn waiting_sums(unit: &Unit) -> &Memory {
    unit.unfinished.as_ref().expect("runs of tiles have memory for their sums")
}
