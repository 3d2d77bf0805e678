//! The transforms around the products. The one of the input has its lanes along the tiles of a row, the one of the result
//! along the filters; blocks of the latter are transposed in registers to rows of the image.
use super::emit::Unit;
use super::form::Winograd;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::blocking::Blocking;
use crate::families::transposed::Block;
use crate::graph::Memory;
use crate::machine::convolutions::{FILTER_BLOCK, UNROLLED_TRANSFORMS};
use halyard_ir::{Attr, Value};

impl Emitter<'_> {
    /// `V = Bᵀ d B` for all channels of a stripe.
    pub(super) fn forth(&mut self, f: &Winograd, unit: &Unit) -> Supported<()> {
        if let (Some(words), Some(rows)) = (&f.words, &unit.input_rows) {
            return self.forth_words(f, words, unit, rows);
        }
        let (lanes, one) = (self.code.lanes, Index::constant(1));
        self.for_loop((Index::ZERO, Index::constant(f.sizes.channels), one), &[], |this, channel, _| {
            let plane = this.code.mul(channel, unit.tiles);
            this.tile_rows(f, unit, |this, line, high| {
                let to = this.code.add(plane, line);
                let groups = f.tiles.map(|[_, columns]| (columns + lanes - 1) / lanes);
                if let Some(groups) = groups.filter(|groups| *groups <= UNROLLED_TRANSFORMS) {
                    for group in 0..groups {
                        let at = (channel, high, Index::constant(group * lanes), to);
                        this.code_scoped(|this| this.forth_tiles(f, unit, at))?;
                    }
                    return Ok(());
                }
                this.for_loop((Index::ZERO, unit.columns, Index::constant(lanes)), &[], |this, first, _| {
                    this.forth_tiles(f, unit, (channel, high, first, to))?;
                    Ok(Vec::new())
                })?;
                Ok(())
            })?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// The tile rows of a stripe: the number of the first tile in the stripe, and the row of the image above.
    pub(super) fn tile_rows(
        &mut self,
        f: &Winograd,
        unit: &Unit,
        work: impl FnOnce(&mut Self, Index, Index) -> Supported<()>,
    ) -> Supported<()> {
        self.for_loop((Index::ZERO, unit.rows, Index::constant(1)), &[], |this, row, _| {
            let line = this.code.mul(row, unit.columns);
            let high = if unit.part.is_some() {
                let below = this.code.mul(row, Index::constant(f.m));
                this.code.add(unit.row, below)
            } else {
                let tile_row = this.code.add(unit.row, row);
                this.code.mul(tile_row, Index::constant(f.m))
            };
            work(this, line, high)?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// One vector of tiles, from column `first` of the tiles on.
    fn forth_tiles(
        &mut self,
        f: &Winograd,
        unit: &Unit,
        (channel, high, first, to): (Index, Index, Index, Index),
    ) -> Supported<()> {
        let (lanes, size) = (self.code.lanes, f.tile as usize);
        let columns = self.code.mul(unit.columns, Index::constant(f.m)).plus(2);
        let left = self.code.mul(first, Index::constant(f.m));
        let mut rows = Vec::new();
        for i in 0..f.tile {
            // Elements a multiple of m apart, from two starts.
            let mut row = Vec::new();
            for start in (0..f.tile).step_by(f.m as usize) {
                let mut pieces = Vec::new();
                for piece in 0..f.m {
                    let column = left.plus(start + piece * lanes);
                    let mask = self.within_columns(column, columns);
                    let column = unit.part.map_or(column, |part| self.code.add(part.first[1], column));
                    let idx = [unit.image, channel, high.plus(i)].map(LaneIndex::uniform);
                    let idx = idx.into_iter().chain([LaneIndex::from(column)]).collect();
                    let value = match mask {
                        Lanes::None => {
                            let zero = self.code.number(self.tensors[f.x].elem, 0.0);
                            self.code.splat(zero)
                        }
                        Lanes::All => self.materialize(f.x, &[Point { idx, mask: None, guard: None }])?[0],
                        Lanes::Some(mask) => self.materialize(f.x, &[Point { idx, mask: Some(mask), guard: None }])?[0],
                    };
                    pieces.push(self.code.splat(value));
                }
                for at in 0..f.m.min(f.tile - start) {
                    row.push(self.every(&pieces, f.m, at));
                }
            }
            rows.push(row);
        }
        let left: Vec<Vec<Option<Value>>> = (0..size)
            .map(|p| {
                (0..size)
                    .map(|j| {
                        let column: Vec<Option<Value>> = rows.iter().map(|row| Some(row[j])).collect();
                        self.combination(&f.input[p * size..(p + 1) * size], &column)
                    })
                    .collect()
            })
            .collect();
        let mask = self.within_columns(first, unit.columns);
        let place = self.code.add(to, first);
        for (p, line) in left.iter().enumerate() {
            for q in 0..size {
                let value = self.combination(&f.input[q * size..(q + 1) * size], line);
                let value = self.or_zero(f, value);
                let at = place.plus((p * size + q) as i64 * unit.v_plane);
                self.code.store(&unit.v, &LaneIndex::from(at), value, mask.mask());
            }
        }
        Ok(())
    }

    /// Which lanes from a column on are columns of a row.
    pub(super) fn within_columns(&mut self, column: Index, of: Index) -> Lanes {
        let lanes = self.code.lanes;
        match (column.known(), of.known()) {
            (Some(column), Some(of)) if column >= of => Lanes::None,
            (Some(column), Some(of)) if column + lanes <= of => Lanes::All,
            _ => {
                let left = self.code.sub(of, column);
                Lanes::Some(self.lane_mask(left))
            }
        }
    }

    /// Elements `at`, `at + step`, … of vectors that lie side by side.
    pub(super) fn every(&mut self, pieces: &[Value], step: i64, at: i64) -> Value {
        let lanes = self.code.lanes;
        let mut result = pieces[0];
        for (number, piece) in pieces.iter().enumerate() {
            let picks: Vec<i64> = (0..lanes)
                .map(|lane| {
                    let from = lane * step + at;
                    match (from / lanes, number as i64) {
                        (of, here) if of == here && number == 0 => from,
                        (of, here) if of == here => lanes + from % lanes,
                        _ if number == 0 => 0,
                        _ => lane,
                    }
                })
                .collect();
            let picks = Attr::i64s(self.code.at.context(), &picks);
            result = self.code.at.value("vector.shuffle", &[result, *piece], result.ty(), &[("mask", picks)]);
        }
        result
    }

    /// A sum of multiples, `None` if it is empty.
    pub(super) fn combination(&mut self, factors: &[f32], values: &[Option<Value>]) -> Option<Value> {
        let mut sum: Option<Value> = None;
        // Positive terms first: no sum starts with a negation then.
        let mut terms: Vec<(f32, Value)> =
            factors.iter().zip(values).filter(|(f, _)| **f != 0.0).filter_map(|(f, v)| Some((*f, (*v)?))).collect();
        terms.sort_by_key(|(f, _)| (*f != 1.0, *f < 0.0));
        for (factor, value) in terms {
            if value.ty().element().is_integer() {
                sum = Some(self.integer_sum(sum, factor, value));
                continue;
            }
            let constant = self.code.number(value.ty().element(), f64::from(factor));
            let factors = self.code.splat(constant);
            sum = Some(match (sum, factor) {
                (None, 1.0) => value,
                (None, _) => self.code.math("arith.mulf", &[value, factors]),
                (Some(sum), 1.0) => self.code.math("arith.addf", &[sum, value]),
                (Some(sum), -1.0) => self.code.math("arith.subf", &[sum, value]),
                (Some(sum), _) => self.multiply_add(value, factors, sum),
            });
        }
        sum
    }

    fn or_zero(&mut self, f: &Winograd, value: Option<Value>) -> Value {
        match value {
            Some(value) => value,
            None => {
                let zero = self.code.number(self.tensors[f.y].elem, 0.0);
                self.code.splat(zero)
            }
        }
    }

    /// `Y = Aᵀ M A` for a stripe, and what follows.
    pub(super) fn back(
        &mut self,
        f: &Winograd,
        blocking: &Blocking,
        unit: &Unit,
        memories: &[Memory],
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let filters = f.sizes.filters;
        let before = self.code.mul(unit.block, Index::constant(FILTER_BLOCK));
        let left = self.code.sub(Index::constant(filters), before);
        let mine = match blocking.parts {
            1 => Index::constant(filters),
            _ => self.code.min(left, Index::constant(blocking.blocks * FILTER_BLOCK)),
        };
        // Only the last part may end with less than a vector.
        let whole = match filters % lanes {
            0 => mine,
            _ => {
                let vectors = self.code.divide("arith.divui", mine, Index::constant(lanes));
                self.code.mul(vectors, Index::constant(lanes))
            }
        };
        self.tile_rows(f, unit, |this, line, high| {
            for (from, to, filters) in [(Index::ZERO, whole, lanes), (whole, mine, filters % lanes)] {
                if filters == 0 {
                    continue;
                }
                this.for_loop((from, to, Index::constant(lanes)), &[], |this, k, _| {
                    // Whole vectors of the image, then what is left.
                    let step = lanes / f.m;
                    if let Some(part) = unit.part {
                        let whole = this.code.divide("arith.divui", part.count[1], Index::constant(lanes));
                        let whole = this.code.mul(whole, Index::constant(step));
                        let at = (high, line, k, filters);
                        this.for_loop((Index::ZERO, whole, Index::constant(step)), &[], |this, first, _| {
                            this.back_tiles(f, blocking, unit, memories, at, (first, step, true)).map(|()| Vec::new())
                        })?;
                        let rest = this.code.sub(unit.columns, whole);
                        this.in_open_tiles(rest, (step, true), |this, first, tiles| {
                            let first = this.code.add(whole, first);
                            this.back_tiles(f, blocking, unit, memories, at, (first, tiles, false))
                        })?;
                        return Ok(Vec::new());
                    }
                    let full = f.sizes.width / lanes * step;
                    let all = f.tiles.map_or(0, |[_, columns]| columns);
                    for (from, to, tiles) in [(0, full, step), (full, all, all - full)] {
                        if from == to {
                            continue;
                        }
                        let bounds = (Index::constant(from), Index::constant(to), Index::constant(step));
                        this.for_loop(bounds, &[], |this, first, _| {
                            let at = (high, line, k, filters);
                            this.back_tiles(f, blocking, unit, memories, at, (first, tiles, false))?;
                            Ok(Vec::new())
                        })?;
                    }
                    Ok(Vec::new())
                })?;
            }
            Ok(())
        })
    }

    /// A vector of filters from `k` on of the unit, for `tiles` tiles from column `first` on; `full` says that all of their points are stored, if
    /// it is known now.
    fn back_tiles(
        &mut self,
        f: &Winograd,
        blocking: &Blocking,
        unit: &Unit,
        memories: &[Memory],
        (high, line, k, filters): (Index, Index, Index, i64),
        (first, tiles, full): (Index, i64, bool),
    ) -> Supported<()> {
        let (lanes, size, m) = (self.code.lanes, f.tile as usize, f.m as usize);
        let mut pixels = vec![Vec::new(); m];
        let at = self.code.add(line, first);
        let at = self.code.mul(at, Index::constant(blocking.blocks * FILTER_BLOCK));
        let at = self.code.add(at, k);
        for tile in 0..tiles {
            let at = at.plus(tile * blocking.blocks * FILTER_BLOCK);
            let mut half = vec![Vec::new(); m];
            for q in 0..size {
                let column: Vec<Option<Value>> = (0..size)
                    .map(|p| {
                        let place = at.plus((p * size + q) as i64 * unit.m_plane);
                        Some(self.code.load(&unit.m, &LaneIndex::from(place), None, None, None))
                    })
                    .collect();
                for (i, half) in half.iter_mut().enumerate() {
                    half.push(self.combination(&f.output[i * size..(i + 1) * size], &column));
                }
            }
            for (pixels, half) in pixels.iter_mut().zip(&half) {
                for j in 0..m {
                    let value = self.combination(&f.output[j * size..(j + 1) * size], half);
                    pixels.push(self.or_zero(f, value));
                }
            }
        }
        let left = self.code.mul(first, Index::constant(f.m));
        let width = unit.part.map_or(Index::constant(f.sizes.width), |part| part.count[1]);
        let mask = if full { Lanes::All } else { self.within_columns(left, width) };
        let left = unit.part.map_or(left, |part| self.code.add(part.first[1], left));
        let block = self.code.mul(unit.block, Index::constant(FILTER_BLOCK));
        let k = self.code.add(block, k);
        let mask = mask.mask();
        let block = Block { y: f.y, roots: &f.roots, outer: vec![unit.image], k, filters, mask, rows: None };
        let mut rows = Vec::new();
        for (i, mut pixels) in pixels.into_iter().enumerate() {
            let nothing = self.or_zero(f, None);
            pixels.resize(lanes as usize, nothing);
            rows.push((self.transposed(pixels), [LaneIndex::uniform(high.plus(i as i64)), LaneIndex::from(left)]));
        }
        if let Some(part) = unit.part {
            let below = self.code.sub(high, unit.row);
            let there = self.code.sub(part.count[0], below);
            return self.store_rows_there(&block, memories, &rows, there);
        }
        if f.sizes.height % f.m == 0 {
            return self.store_block(&block, memories, &rows);
        }
        // The last tiles stand over.
        let there = self.code.sub(Index::constant(f.sizes.height), high);
        let (there, all) = (self.code.ix(there), self.code.i64_constant(f.m));
        let inside = self.code.compare(5, there, all);
        let all = |this: &mut Self| this.store_block(&block, memories, &rows).map(|()| Vec::new());
        let part = |this: &mut Self| {
            let some = f.sizes.height % f.m;
            this.store_block(&block, memories, &rows[..some as usize]).map(|()| Vec::new())
        };
        self.if_else(inside, &[], all, part)?;
        Ok(())
    }

    /// Stores the first rows of a block, all or so many.
    fn store_rows_there(
        &mut self,
        block: &Block<'_>,
        memories: &[Memory],
        rows: &[(Vec<Value>, [LaneIndex; 2])],
        there: Index,
    ) -> Supported<()> {
        if rows.len() == 1 {
            return self.store_block(block, memories, rows);
        }
        let (count, all) = (self.code.ix(there), self.code.i64_constant(rows.len() as i64));
        let inside = self.code.compare(5, count, all);
        let all = |this: &mut Self| this.store_block(block, memories, rows).map(|()| Vec::new());
        let fewer = &rows[..rows.len() - 1];
        let part = |this: &mut Self| this.store_rows_there(block, memories, fewer, there).map(|()| Vec::new());
        self.if_else(inside, &[], all, part).map(|_| ())
    }
}

/// Lanes that count.
#[derive(Clone, Copy)]
pub(super) enum Lanes {
    None,
    All,
    Some(Value),
}

impl Lanes {
    /// The mask of the lanes, if not all or none of them count.
    pub(super) fn mask(self) -> Option<Value> {
        if let Self::Some(mask) = self { Some(mask) } else { None }
    }
}
