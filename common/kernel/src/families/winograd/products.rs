//! The matrix products in the middle: registers hold `rows` points times two vectors of filters; one step multiplies an
//! element of each point with the filters of one channel.
use super::emit::Unit;
use super::form::Winograd;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::blocking::Blocking;
use crate::machine::convolutions::{FILTER_BLOCK, FILTER_VECTORS};
use halyard_ir::Value;

impl Emitter<'_> {
    /// For each point of a tile: filters times transformed input.
    pub(super) fn products(&mut self, f: &Winograd, blocking: &Blocking, most: i64, unit: &Unit) -> Supported<()> {
        let points = f.tile * f.tile;
        let blocks = f.sizes.blocks();
        let lanes = self.code.lanes;
        self.for_loop((Index::ZERO, Index::constant(points), Index::constant(1)), &[], |this, point, _| {
            let v_plane = this.code.mul(point, Index::constant(unit.v_plane));
            let m_plane = this.code.mul(point, Index::constant(unit.m_plane));
            let first = this.code.mul(point, Index::constant(blocks));
            let first = this.code.add(first, unit.block);
            this.for_loop(
                (Index::ZERO, Index::constant(blocking.blocks), Index::constant(1)),
                &[],
                |this, block, _| {
                    let at = this.code.add(first, block);
                    let u = this.code.mul(at, Index::constant(f.sizes.channels * FILTER_BLOCK));
                    let column = this.code.mul(block, Index::constant(FILTER_BLOCK));
                    let m = this.code.add(m_plane, column);
                    let next = this.next_block(f, blocking, block);
                    for part in 0..FILTER_BLOCK / (FILTER_VECTORS * lanes) {
                        let (u, m) = (u.plus(part * FILTER_VECTORS * lanes), m.plus(part * FILTER_VECTORS * lanes));
                        let tile = |this: &mut Self, t: Index, rows: i64| {
                            let v = this.code.add(v_plane, t);
                            let row = this.code.mul(t, Index::constant(blocking.blocks * FILTER_BLOCK));
                            let m = this.code.add(m, row);
                            let sums = this.tile_of_products(f, (u, v, t, next), unit, rows)?;
                            for (at, sum) in sums.into_iter().enumerate() {
                                let (row, vector) = (at as i64 / FILTER_VECTORS, at as i64 % FILTER_VECTORS);
                                let place = m.plus(row * blocking.blocks * FILTER_BLOCK + vector * lanes);
                                this.code.store(&unit.m, &LaneIndex::from(place), sum, None);
                            }
                            Ok(())
                        };
                        match unit.tiles.known() {
                            Some(tiles) => this.in_tiles(tiles, most, tile)?,
                            None => this.in_open_tiles(unit.tiles, (most, true), tile)?,
                        }
                    }
                    Ok(Vec::new())
                },
            )?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// How far the block of filters that comes next is from this one: at the end of a part it is the first one of the part
    /// for the next point.
    fn next_block(&mut self, f: &Winograd, blocking: &Blocking, block: Index) -> Index {
        let size = f.sizes.channels * FILTER_BLOCK;
        let jump = Index::constant((f.sizes.blocks() - blocking.blocks + 1) * size);
        if blocking.parts == 1 || blocking.blocks == 1 {
            return jump;
        }
        let (here, last) = (self.code.ix(block), self.code.i64_constant(blocking.blocks - 1));
        let ends = self.code.compare(0, here, last);
        let (jump, size) = (self.code.ix(jump), self.code.i64_constant(size));
        Index::value(self.code.select(ends, jump, size))
    }

    /// The sums over all channels of one tile of registers, row by row. While it runs, its share of the next block of
    /// filters is fetched: tile by tile all of it, just before it is needed.
    fn tile_of_products(
        &mut self,
        f: &Winograd,
        (u, v, t, next): (Index, Index, Index, Index),
        unit: &Unit,
        rows: i64,
    ) -> Supported<Vec<Value>> {
        let lanes = self.code.lanes;
        let zero = self.code.number(self.tensors[f.y].elem, 0.0);
        let zero = self.code.splat(zero);
        let start = vec![zero; (rows * FILTER_VECTORS) as usize];
        let block = f.sizes.channels * FILTER_BLOCK;
        let share = self.code.mul(t, Index::constant(block));
        let share = self.code.divide("arith.divui", share, unit.tiles);
        let ahead = self.code.add(u, share);
        let ahead = self.code.add(ahead, next);
        let pace = unit.tiles.plus(FILTER_BLOCK * rows - 1);
        let pace = self.code.divide("arith.divui", pace, unit.tiles);
        self.for_loop((Index::ZERO, Index::constant(f.sizes.channels), Index::constant(1)), &start, |this, c, sums| {
            let near = this.code.mul(c, Index::constant(FILTER_BLOCK));
            let u = this.code.add(u, near);
            let far = this.code.mul(c, pace);
            let far = this.code.add(ahead, far);
            this.code.prefetch(&unit.u, far);
            let step = this.code.mul(c, unit.tiles);
            let v = this.code.add(v, step);
            let filters: Vec<Value> = (0..FILTER_VECTORS)
                .map(|k| this.code.load(&unit.u, &LaneIndex::from(u.plus(k * lanes)), None, None, None))
                .collect();
            let mut next = Vec::with_capacity(sums.len());
            for row in 0..rows {
                let value = this.code.load(&unit.v, &LaneIndex::uniform(v.plus(row)), None, None, None);
                let value = this.code.splat(value);
                for (k, &filter) in filters.iter().enumerate() {
                    let sum = sums[row as usize * filters.len() + k];
                    next.push(match &f.words {
                        Some(words) => this.dot(words.input.instruction, sum, value, filter),
                        None => this.multiply_add(value, filter, sum),
                    });
                }
            }
            Ok(next)
        })
    }
}
