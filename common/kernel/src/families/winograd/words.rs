//! The transform of an input of words. Of each pair of channels, the rows under a stripe are copied with their padding, the words of both side by
//! side: elements are made words once, not for each tile that reads them, and nothing is left out of vectors then.
use super::emit::Unit;
use super::form::Winograd;
use super::word_input::{OUTPUTS, PAIR, Words};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Memory;
use crate::machine::convolutions::UNROLLED_TRANSFORMS;
use halyard_ir::{Type, Value};

impl Emitter<'_> {
    /// `V = Bᵀ d B` for all pairs of channels of a stripe.
    pub(super) fn forth_words(&mut self, f: &Winograd, words: &Words, unit: &Unit, rows: &Memory) -> Supported<()> {
        let (lanes, one) = (self.code.lanes, Index::constant(1));
        let Some([_, columns]) = f.tiles else { unreachable!("the sizes of an image of words are known") };
        let pitch = words.pitch(columns, lanes);
        self.for_loop((Index::ZERO, Index::constant(f.sizes.channels), one), &[], |this, pair, _| {
            this.copy_words(words, pair, unit, (rows, pitch))?;
            let plane = this.code.mul(pair, unit.tiles);
            this.tile_rows(f, unit, |this, line, high| {
                let to = this.code.add(plane, line);
                let above = this.code.mul(unit.row, Index::constant(f.m));
                let row = this.code.sub(high, above);
                let from = this.code.mul(row, Index::constant(pitch));
                let groups = (columns + lanes - 1) / lanes;
                if groups <= UNROLLED_TRANSFORMS {
                    for group in 0..groups {
                        let first = Index::constant(group * lanes);
                        this.code_scoped(|this| this.word_tiles(f, unit, (rows, from, pitch), (first, to)))?;
                    }
                    return Ok(());
                }
                this.for_loop((Index::ZERO, unit.columns, Index::constant(lanes)), &[], |this, first, _| {
                    this.word_tiles(f, unit, (rows, from, pitch), (first, to)).map(|()| Vec::new())
                })?;
                Ok(())
            })?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Copies the rows under a stripe, of one pair of channels, with their padding.
    fn copy_words(&mut self, words: &Words, pair: Index, unit: &Unit, (rows, pitch): (&Memory, i64)) -> Supported<()> {
        let (lanes, one) = (self.code.lanes, Index::constant(1));
        let [height, width] = words.sizes;
        let first = self.code.mul(pair, Index::constant(PAIR));
        // What stands in for a channel beyond the last one is multiplied with zeros.
        let second = match words.input.channels % PAIR {
            0 => first.plus(1),
            _ => self.code.min(first.plus(1), Index::constant(words.input.channels - 1)),
        };
        let above = self.code.mul(unit.row, Index::constant(OUTPUTS)).plus(-words.low[0]);
        let count = self.code.mul(unit.rows, Index::constant(OUTPUTS)).plus(2);
        let zero = self.code.number(self.code.int(32), 0.0);
        let zeros = self.code.splat(zero);
        self.for_loop((Index::ZERO, count, one), &[], |this, row, _| {
            let to = this.code.mul(row, Index::constant(pitch));
            let row = this.code.add(above, row);
            let (at, all) = (this.code.ix(row), this.code.i64_constant(height));
            // Unsigned: rows above the image are beyond it, too.
            let inside = this.code.compare(6, at, all);
            let clear = |this: &mut Self, from: i64, end: i64| {
                for column in (from..end).step_by(lanes as usize) {
                    this.code.store(rows, &LaneIndex::from(to.plus(column)), zeros, None);
                }
            };
            let copy = |this: &mut Self| {
                clear(this, 0, words.low[1]);
                for column in (0..width).step_by(lanes as usize) {
                    let mask = (column + lanes > width).then(|| this.lane_mask(Index::constant(width - column)));
                    let points = [first, second].map(|channel| {
                        let idx = [unit.image, channel, row].map(LaneIndex::uniform);
                        let column = LaneIndex::from(Index::constant(column));
                        Point { idx: idx.into_iter().chain([column]).collect(), mask, guard: None }
                    });
                    let value = this.group_of(words.image, (&words.input, None), &points)?;
                    this.code.store(rows, &LaneIndex::from(to.plus(words.low[1] + column)), value, None);
                }
                // Lanes beyond the image are cleared, too.
                clear(this, words.low[1] + width, pitch - lanes + 1);
                Ok(Vec::new())
            };
            let blank = |this: &mut Self| {
                clear(this, 0, pitch - lanes + 1);
                Ok(Vec::new())
            };
            this.if_else(inside, &[], copy, blank)
        })?;
        Ok(())
    }

    /// One vector of tiles, from column `first` of the tiles on, of rows that were copied to `from`.
    fn word_tiles(
        &mut self,
        f: &Winograd,
        unit: &Unit,
        (rows, from, pitch): (&Memory, Index, i64),
        (first, to): (Index, Index),
    ) -> Supported<()> {
        let (lanes, size) = (self.code.lanes, f.tile as usize);
        let [word, int] = [16, 32].map(|bits| self.code.int(bits));
        let left = self.code.mul(first, Index::constant(f.m));
        let from = self.code.add(from, left);
        let mut tile = Vec::new();
        for i in 0..f.tile {
            for start in (0..f.tile).step_by(f.m as usize) {
                let at = from.plus(i * pitch + start);
                let pieces: Vec<Value> = (0..f.m)
                    .map(|piece| self.code.load(rows, &LaneIndex::from(at.plus(piece * lanes)), None, None, None))
                    .collect();
                for at in 0..f.m.min(f.tile - start) {
                    let pairs = self.every(&pieces, f.m, at);
                    tile.push(self.code.pure("vector.bitcast", &[pairs], Type::vector(PAIR * lanes, word), None));
                }
            }
        }
        let half: Vec<Option<Value>> = (0..size * size)
            .map(|at| {
                let column: Vec<Option<Value>> = (0..size).map(|row| Some(tile[row * size + at % size])).collect();
                self.combination(&f.input[at / size * size..][..size], &column)
            })
            .collect();
        let mask = self.within_columns(first, unit.columns).mask();
        let place = self.code.add(to, first);
        for at in 0..size * size {
            let (p, q) = (at / size, at % size);
            let value = self.combination(&f.input[q * size..][..size], &half[p * size..][..size]);
            let value = value.expect("no row of the matrix is zero");
            let value = self.code.pure("vector.bitcast", &[value], Type::vector(lanes, int), None);
            self.code.store(&unit.v, &LaneIndex::from(place.plus(at as i64 * unit.v_plane)), value, mask);
        }
        Ok(())
    }

    /// A sum of integers plus one of them or less it: matrices of integers have no other elements.
    pub(super) fn integer_sum(&mut self, sum: Option<Value>, factor: f32, value: Value) -> Value {
        match (sum, factor == 1.0) {
            (None, true) => value,
            (Some(sum), true) => self.code.math("arith.addi", &[sum, value]),
            (Some(sum), false) => self.code.math("arith.subi", &[sum, value]),
            (None, false) => {
                let zero = self.code.math("arith.subi", &[value, value]);
                self.code.math("arith.subi", &[zero, value])
            }
        }
    }
}
