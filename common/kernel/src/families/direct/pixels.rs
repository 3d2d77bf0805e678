//! Register tiles of [`super`]: pixels of the image times two vectors of filters.
use super::emit::Unit;
use super::form::Direct;
use super::plan::{DirectPlan, pixels_of_tile};
use super::stripe::Strides;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::open_images::ImageTile;
use crate::families::tiles::tiles_of;
use crate::families::transposed::{Block, points_across_rows};
use crate::graph::Memory;
use crate::machine::convolutions::FILTER_BLOCK;
use halyard_ir::{Type, Value};

/// A tile: rows and columns of pixels, and vectors of filters.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub(super) rows: i64,
    pub(super) columns: i64,
    pub(super) vectors: i64,
}

impl Tile {
    pub(super) fn pixels(self) -> i64 {
        self.rows * self.columns
    }

    /// Where the input of its pixels is, from that of the first one on.
    pub(super) fn offsets(self, d: &Direct, at: Strides) -> Vec<i64> {
        let column = d.stride[1] * at.column;
        // Tiles of several rows are of images of known sizes.
        let row = at.row.known().filter(|_| self.rows > 1).map_or(0, |row| d.stride[0] * row);
        (0..self.pixels()).map(|p| p / self.columns * row + p % self.columns * column).collect()
    }
}

/// Rows of pixels: the first one, from that of the unit of work on, and how many they are.
#[derive(Clone, Copy)]
pub(super) struct RowsOfTiles {
    pub(super) first: Index,
    pub(super) count: i64,
}

/// Up to two vectors of filters.
pub(super) struct Filters {
    /// Where they start, and where those start that come after them.
    pub(super) w: Index,
    pub(super) next: Index,
    /// Their block, the first one of it, and how many they are, in so many vectors.
    pub(super) block: Index,
    pub(super) first: i64,
    pub(super) count: i64,
    pub(super) vectors: i64,
    /// What the sums of a pixel start from.
    pub(super) start: Vec<Value>,
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
                let width = plan.filter_vectors() * this.code.lanes;
                for first in (0..filters).step_by(width as usize) {
                    let ahead = if first + width < filters { width } else { d.block() - first };
                    let some = (block, first, (filters - first).min(width));
                    this.tiles_of_filters(plan, unit, memories, some, ahead)?;
                }
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }

    /// The tiles of up to two vectors of filters: of a block from filter `first` on, so many; what comes after them is `ahead` of them.
    fn tiles_of_filters(
        &mut self,
        plan: &DirectPlan,
        unit: &Unit,
        memories: &[Memory],
        (block, first, count): (Index, i64, i64),
        ahead: i64,
    ) -> Supported<()> {
        let d = &plan.form;
        let vectors = (count + self.code.lanes - 1) / self.code.lanes;
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
        let filters = Filters { w, next: w.plus(ahead), block, first, count, vectors, start };
        if let Some(run) = plan.tiles {
            return self.runs_of_tiles((plan, run), unit, memories, &filters);
        }
        if plan.channels_last {
            return self.channels_last_tiles(plan, unit, memories, &filters);
        }
        self.finish_tiles(plan, unit, memories, &filters, |this, tile, place| {
            this.tile_sums(plan, unit, tile, (&filters, place))
        })
    }

    /// Goes through all tiles of some filters: `body` has row and column of the first pixel.
    pub(super) fn each_tile(
        &mut self,
        plan: &DirectPlan,
        unit: &Unit,
        filters: &Filters,
        body: impl Fn(&mut Self, Tile, [Index; 2]) -> Supported<()>,
    ) -> Supported<()> {
        let DirectPlan { form: d, blocking, .. } = plan;
        let vectors = filters.vectors;
        let most = self.most_pixels(plan, vectors);
        if let Some(ImageTile { count: [rows, columns], .. }) = unit.tile {
            self.for_loop((Index::ZERO, rows, Index::constant(1)), &[], |this, row, _| {
                this.in_open_tiles(columns, (most, this.target.has_masked_stores()), |this, column, points| {
                    body(this, Tile { rows: 1, columns: points, vectors }, [row, column])
                })?;
                Ok(Vec::new())
            })?;
            return Ok(());
        }
        if d.skips_padding {
            let bounds = (Index::ZERO, Index::constant(blocking.rows), Index::constant(1));
            self.for_loop(bounds, &[], |this, row, _| {
                for (column, columns) in tiles_of(d.sizes.width, most) {
                    body(this, Tile { rows: 1, columns, vectors }, [row, Index::constant(column)])?;
                }
                Ok(Vec::new())
            })?;
            return Ok(());
        }
        self.tiles_of_rows(plan, filters, RowsOfTiles { first: Index::ZERO, count: blocking.rows }, body)
    }

    /// Goes through the tiles of some rows.
    pub(super) fn tiles_of_rows(
        &mut self,
        plan: &DirectPlan,
        filters: &Filters,
        RowsOfTiles { first, count }: RowsOfTiles,
        body: impl Fn(&mut Self, Tile, [Index; 2]) -> Supported<()>,
    ) -> Supported<()> {
        let (width, vectors) = (plan.form.sizes.width, filters.vectors);
        let most = self.most_pixels(plan, vectors);
        // Narrow images take whole rows together: their pixels are neighbours in memory.
        let rows = (most / width).clamp(1, count);
        for (from, to, step) in steps(count, rows) {
            self.for_loop((Index::constant(from), Index::constant(to), Index::constant(step)), &[], |this, row, _| {
                let row = this.code.add(first, row);
                this.in_tiles(width, most, |this, column, columns| {
                    body(this, Tile { rows: step, columns, vectors }, [row, column])
                })?;
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }

    /// The pixels of a tile with so many vectors of filters, at most.
    fn most_pixels(&self, plan: &DirectPlan, vectors: i64) -> i64 {
        match plan.filter_vectors() {
            1 => self.code.lanes,
            _ => pixels_of_tile(plan.rows, vectors, i64::from(self.target.registers)),
        }
    }

    /// Where the input of a tile starts.
    pub(super) fn tile_origin(&mut self, d: &Direct, unit: &Unit, row: Index, column: Index) -> Index {
        let down = self.rows_down(unit.at, row, d.stride[0]);
        let right = self.code.mul(column, Index::constant(d.stride[1] * unit.at.column));
        let x = self.code.add(unit.first, down);
        self.code.add(x, right)
    }

    /// The rows and columns of the window that a tile needs.
    pub(super) fn tile_taps(
        &mut self,
        d: &Direct,
        unit: &Unit,
        tile: Tile,
        [row, column]: [Index; 2],
    ) -> [(Index, Index); 2] {
        let first = self.code.add(unit.row, row);
        [self.taps(d, 0, first, tile.rows), self.taps(d, 1, column, tile.columns)]
    }

    /// The sums of a tile, pixel by pixel. While it runs, its share of the next block of filters is fetched.
    fn tile_sums(
        &mut self,
        plan: &DirectPlan,
        unit: &Unit,
        tile: Tile,
        (filters, [row, column]): (&Filters, [Index; 2]),
    ) -> Supported<Vec<Value>> {
        let d = &plan.form;
        let (at, w, pixels) = (unit.at, filters.w, tile.offsets(d, unit.at));
        let x = self.tile_origin(d, unit, row, column);
        let start = filters.start.repeat(pixels.len());
        if d.skips_padding {
            let [lines, _] = self.tile_taps(d, unit, tile, [row, column]);
            return self.sums_on_image(d, unit, (w, x), (tile, column, lines), &start);
        }
        let next = self.next_filters(plan, unit, w, (tile, [row, column]));
        let one = Index::constant(1);
        let together = (self.target.cpu.convolutions.products_of_taps / start.len() as i64).max(1);
        let [lines, places] = self.tile_taps(d, unit, tile, [row, column]);
        self.for_loop((Index::ZERO, Index::constant(d.sizes.channels), one), &start, |this, channel, sums| {
            let plane = this.code.mul(channel, at.channel);
            let x = this.code.add(x, plane);
            let step = this.code.mul(channel, Index::constant(d.window[0]));
            this.for_loop((lines.0, lines.1, one), sums, |this, i, sums| {
                let line = this.rows_down(at, i, d.dilation[0]);
                let x = this.code.add(x, line);
                let step = this.code.add(step, i);
                let row = this.code.mul(step, Index::constant(d.window[1] * FILTER_BLOCK));
                let w = this.code.add(w, row);
                this.fetch_filters(d, unit, &next, step);
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

    /// Adds the products of the filters at `w` with pixels, some elements behind `x`.
    pub(super) fn add_products(
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
                let w = w.plus(k * lanes);
                if let Some(bytes) = &d.bytes {
                    return self.load_groups(&unit.w, w, bytes.instruction);
                }
                let filters = self.code.load(&unit.w, &LaneIndex::from(w), None, None, None);
                let single = Type::f32(self.code.at.context());
                if unit.w.elem == single {
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

    /// Stores a tile, transposed to rows of the image, with what follows the convolution.
    pub(super) fn store_tile(
        &mut self,
        d: &Direct,
        unit: &Unit,
        memories: &[Memory],
        tile: Tile,
        (filters, [row, column]): (&Filters, [Index; 2]),
        sums: &[Value],
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let high = self.code.add(unit.row, row);
        let (left, column) = match unit.tile {
            Some(ImageTile { first, count }) => {
                (Some(self.code.sub(count[1], column)), self.code.add(first[1], column))
            }
            None => (None, column),
        };
        let k = self.code.mul(filters.block, Index::constant(FILTER_BLOCK));
        let zero = self.code.number(self.tensors[d.y].elem, 0.0);
        let zero = self.code.splat(zero);
        for vector in 0..tile.vectors {
            let all: Vec<Value> = sums.iter().skip(vector as usize).step_by(tile.vectors as usize).copied().collect();
            let mine = (filters.count - vector * lanes).min(lanes);
            let k = k.plus(filters.first + vector * lanes);
            if d.filters_inside() {
                let mask = (mine < lanes).then(|| self.lane_mask(Index::constant(mine)));
                let (outer, rows) = (unit.outer.clone(), d.rows);
                let block = Block { y: d.y, roots: &d.roots, outer, k, filters: mine, mask, rows };
                let count = match left {
                    Some(left) => self.code.min(left, Index::constant(all.len() as i64)),
                    None => Index::constant(all.len() as i64),
                };
                self.store_pixels(&block, memories, (&all, count), |this, number| {
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
                let mask = match left {
                    // Lanes beyond the image are among those of the tile.
                    Some(left) if self.target.has_masked_stores() => {
                        let left = self.code.max(left, Index::constant(from)).plus(-from);
                        let count = self.code.min(left, Index::constant(part.len() as i64));
                        Some(self.lane_mask(count))
                    }
                    _ => ((part.len() as i64) < lanes).then(|| self.lane_mask(Index::constant(part.len() as i64))),
                };
                let place = if tile.rows == 1 {
                    [LaneIndex::uniform(high), LaneIndex::from(column.plus(from))]
                } else {
                    points_across_rows([high, Index::ZERO], (from, lanes), tile.columns)
                };
                let (outer, rows) = (unit.outer.clone(), d.rows);
                let block = Block { y: d.y, roots: &d.roots, outer, k, filters: mine, mask, rows };
                self.store_block(&block, memories, &[(transposed, place)])?;
            }
        }
        Ok(())
    }
}

/// A loop over `count` in steps of `step`, and over what is left at once.
pub(super) fn steps(count: i64, step: i64) -> Vec<(i64, i64, i64)> {
    let whole = count / step * step;
    [(0, whole, step), (whole, count, count - whole)].into_iter().filter(|(from, to, _)| from < to).collect()
}
