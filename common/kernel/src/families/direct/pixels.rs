//! Register tiles of [`super`]: pixels of the image times two vectors of filters.
use super::emit::Unit;
use super::form::Direct;
use super::plan::DirectPlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Lanes};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::blocking::Blocking;
use crate::families::transposed::Block;
use crate::graph::Memory;
use crate::machine::convolutions::{FILTER_BLOCK, FILTER_VECTORS};
use crate::machine::memory::CACHE_LINE;
use halyard_ir::{Type, Value};

/// A tile: rows and columns of pixels, and vectors of filters.
#[derive(Clone, Copy)]
struct Tile {
    rows: i64,
    columns: i64,
    vectors: i64,
}

impl Emitter<'_> {
    /// All tiles of a unit of work, a block of filters after the other.
    pub(super) fn tiles(&mut self, plan: &DirectPlan, unit: &Unit, memories: &[Memory]) -> Supported<()> {
        let DirectPlan { form: d, blocking, .. } = plan;
        let end = unit.block.plus(blocking.blocks);
        let (whole, rest) = (Index::constant(d.sizes.filters / FILTER_BLOCK), d.sizes.filters % FILTER_BLOCK);
        let (full, part) = (self.code.min(end, whole), self.code.max(unit.block, whole));
        for (from, to, filters) in [(unit.block, full, FILTER_BLOCK), (part, end, rest)] {
            if filters == 0 {
                continue;
            }
            self.for_loop((from, to, Index::constant(1)), &[], |this, block, _| {
                let width = d.filter_vectors(plan.rows, this.code.lanes) * this.code.lanes;
                for first in (0..filters).step_by(width as usize) {
                    this.tiles_of_filters(plan, unit, memories, (block, first, (filters - first).min(width)))?;
                }
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }

    /// The tiles of up to two vectors of filters: of a block from filter `first` on, so many.
    fn tiles_of_filters(
        &mut self,
        plan: &DirectPlan,
        unit: &Unit,
        memories: &[Memory],
        (block, first, filters): (Index, i64, i64),
    ) -> Supported<()> {
        let DirectPlan { form: d, blocking, rows: most, .. } = plan;
        let vectors = (filters + self.code.lanes - 1) / self.code.lanes;
        // With fewer filters there is room for more pixels.
        let registers = i64::from(self.target.registers) - vectors - 1;
        let w = self.code.mul(block, Index::constant(d.block()));
        let w = self.code.add(w, unit.of_group).plus(first);
        let start = match &d.bytes {
            Some(bytes) => {
                let block = (w, vectors, d.block() / FILTER_BLOCK);
                self.starts_of_sums(bytes.instruction, unit.minus_zero, &unit.w, block)?
            }
            None => {
                let zero = self.code.number(self.tensors[d.y].elem, 0.0);
                vec![self.code.splat(zero); vectors as usize]
            }
        };
        let most = match d.filter_vectors(*most, self.code.lanes) {
            1 => self.code.lanes,
            _ => (*most * FILTER_VECTORS / vectors).min(registers / vectors).max(*most),
        };
        // Narrow images take whole rows together: their pixels are neighbours in memory.
        let rows = (most / d.sizes.width).clamp(1, blocking.rows);
        for (from, to, step) in steps(blocking.rows, rows) {
            self.for_loop((Index::constant(from), Index::constant(to), Index::constant(step)), &[], |this, row, _| {
                this.in_tiles(d.sizes.width, most, |this, column, columns| {
                    let tile = Tile { rows: step, columns, vectors };
                    let sums = this.tile_sums(d, blocking, unit, tile, (w, &start, row, column))?;
                    this.store_tile(d, unit, memories, tile, (block, first, filters, row, column), &sums)
                })?;
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }

    /// The sums of a tile, pixel by pixel. While it runs, its share of the next block of filters is fetched.
    fn tile_sums(
        &mut self,
        d: &Direct,
        blocking: &Blocking,
        unit: &Unit,
        tile: Tile,
        (w, start, row, column): (Index, &[Value], Index, Index),
    ) -> Supported<Vec<Value>> {
        let pixels: Vec<i64> = (0..tile.rows * tile.columns)
            .map(|p| p / tile.columns * d.stride[0] * unit.pitch + p % tile.columns * d.stride[1])
            .collect();
        let down = self.code.mul(row, Index::constant(d.stride[0] * unit.pitch));
        let right = self.code.mul(column, Index::constant(d.stride[1]));
        let x = self.code.add(unit.first, down);
        let x = self.code.add(x, right);
        // The share of the next block: as much of it as this tile is of the pixels.
        let count = blocking.rows * d.sizes.width;
        let before = self.code.mul(row, Index::constant(d.sizes.width));
        let before = self.code.add(before, column);
        let share = self.code.mul(before, Index::constant(d.block()));
        let share = self.code.divide("arith.divui", share, Index::constant(count));
        let ahead = self.code.add(w, share).plus(d.block());
        let pace = (FILTER_BLOCK * d.window[1] * pixels.len() as i64 + count - 1) / count;
        let start = start.repeat(pixels.len());
        let one = Index::constant(1);
        let first = self.code.add(unit.row, row);
        let together = (self.target.cpu.convolutions.products_of_taps / start.len() as i64).max(1);
        let lines = self.taps(d, 0, first, tile.rows);
        let places = self.taps(d, 1, column, tile.columns);
        self.for_loop((Index::ZERO, Index::constant(d.sizes.channels), one), &start, |this, channel, sums| {
            let plane = this.code.mul(channel, Index::constant(unit.plane));
            let x = this.code.add(x, plane);
            let step = this.code.mul(channel, Index::constant(d.window[0]));
            this.for_loop((lines.0, lines.1, one), sums, |this, i, sums| {
                let line = this.code.mul(i, Index::constant(d.dilation[0] * unit.pitch));
                let x = this.code.add(x, line);
                let step = this.code.add(step, i);
                let row = this.code.mul(step, Index::constant(d.window[1] * FILTER_BLOCK));
                let w = this.code.add(w, row);
                let far = this.code.mul(step, Index::constant(pace));
                let far = this.code.add(ahead, far);
                let elements = CACHE_LINE / d.w_bytes;
                for line in 0..(pace + elements - 1) / elements {
                    this.code.prefetch(&unit.w, far.plus(line * elements));
                }
                if d.reads_once() {
                    this.ask_next_row(d, unit, tile, x);
                }
                this.in_steps(places, together, sums, |this, j, count, sums| {
                    let across = this.code.mul(j, Index::constant(d.dilation[1]));
                    let (x, j) = (this.code.add(x, across), this.code.mul(j, Index::constant(FILTER_BLOCK)));
                    let w = this.code.add(w, j);
                    (0..count).fold(sums.to_vec(), |sums, j| {
                        let at = (w.plus(j * FILTER_BLOCK), x.plus(j * d.dilation[1]));
                        this.add_products(d, unit, at, (&pixels, tile.vectors), sums)
                    })
                })
            })
        })
    }

    /// Fetches the row of the window below the one at `x`.
    fn ask_next_row(&mut self, d: &Direct, unit: &Unit, tile: Tile, x: Index) {
        let elements = CACHE_LINE / 4;
        let width = (tile.columns - 1) * d.stride[1] + d.window[1];
        for row in 0..tile.rows {
            let below = x.plus((row * d.stride[0] + d.dilation[0]) * unit.pitch);
            for line in 0..(width + elements - 1) / elements {
                self.code.prefetch(&unit.x, below.plus(line * elements));
            }
        }
    }

    /// Adds the products of the filters at `w` with pixels, some elements behind `x`.
    fn add_products(
        &mut self,
        d: &Direct,
        unit: &Unit,
        (w, x): (Index, Index),
        (pixels, vectors): (&[i64], i64),
        mut sums: Vec<Value>,
    ) -> Vec<Value> {
        let lanes = self.code.lanes;
        let filters: Vec<Value> = (0..vectors)
            .map(|k| {
                let filters = self.code.load(&unit.w, &LaneIndex::from(w.plus(k * lanes)), None, None, None);
                let single = Type::f32(self.code.at.context());
                if unit.w.elem == single || d.bytes.is_some() {
                    return filters;
                }
                let wide = self.code.vector(single);
                self.code.pure("arith.extf", &[filters], wide, None)
            })
            .collect();
        for (pixel, sums) in pixels.iter().zip(sums.chunks_mut(vectors as usize)) {
            let value = self.code.load(&unit.x, &LaneIndex::uniform(x.plus(*pixel)), None, None, None);
            let value = self.code.splat(value);
            for (sum, &filter) in sums.iter_mut().zip(&filters) {
                *sum = match &d.bytes {
                    Some(bytes) => self.dot(bytes.instruction, *sum, value, filter),
                    None => self.multiply_add(value, filter, *sum),
                };
            }
        }
        sums
    }

    /// Stores a tile, turned to rows of the image, with what follows the convolution.
    fn store_tile(
        &mut self,
        d: &Direct,
        unit: &Unit,
        memories: &[Memory],
        tile: Tile,
        (block, first, filters, row, column): (Index, i64, i64, Index, Index),
        sums: &[Value],
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let high = self.code.add(unit.row, row);
        let k = self.code.mul(block, Index::constant(FILTER_BLOCK));
        let zero = self.code.number(self.tensors[d.y].elem, 0.0);
        let zero = self.code.splat(zero);
        for vector in 0..tile.vectors {
            let all: Vec<Value> = sums.iter().skip(vector as usize).step_by(tile.vectors as usize).copied().collect();
            let mine = (filters - vector * lanes).min(lanes);
            let k = k.plus(first + vector * lanes);
            if d.filters_inside() {
                let mask = (mine < lanes).then(|| self.lane_mask(Index::constant(mine)));
                let block = Block { y: d.y, roots: &d.roots, outer: unit.outer.clone(), k, filters: mine, mask };
                self.store_pixels(&block, memories, &all, |this, number| {
                    if tile.rows == 1 {
                        return [high, this.code.add(column, number)];
                    }
                    let columns = Index::constant(tile.columns);
                    let down = this.code.divide("arith.divui", number, columns);
                    [this.code.add(high, down), this.code.divide("arith.remui", number, columns)]
                })?;
                continue;
            }
            for (chunk, part) in all.chunks(lanes as usize).enumerate() {
                let from = chunk as i64 * lanes;
                let mut pixels = part.to_vec();
                pixels.resize(lanes as usize, zero);
                let transposed = self.transposed(pixels);
                let mask = ((part.len() as i64) < lanes).then(|| self.lane_mask(Index::constant(part.len() as i64)));
                let (down, right) = if tile.rows == 1 {
                    (LaneIndex::uniform(high), LaneIndex::from(column.plus(from)))
                } else {
                    let known = |f: &dyn Fn(i64) -> i64| Lanes::Constant((from..from + lanes).map(f).collect());
                    let down = LaneIndex { ix: high, lanes: known(&|p| p / tile.columns) };
                    (down, LaneIndex { ix: Index::ZERO, lanes: known(&|p| p % tile.columns) })
                };
                let block = Block { y: d.y, roots: &d.roots, outer: unit.outer.clone(), k, filters: mine, mask };
                self.store_block(&block, memories, &[(transposed, vec![down, right])])?;
            }
        }
        Ok(())
    }
}

/// A loop over `count` in steps of `step`, and over what is left at once.
fn steps(count: i64, step: i64) -> Vec<(i64, i64, i64)> {
    let whole = count / step * step;
    [(0, whole, step), (whole, count, count - whole)].into_iter().filter(|(from, to, _)| from < to).collect()
}
