//! Transposes through shared memory: where operands are contiguous along another dimension than the result, tiles are
//! computed as the operands lie, so that neighbouring threads load neighbours, and stored as the result lies.
use super::choose::Transposition;
use super::part::Part;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::Supported;

impl Emitter<'_> {
    /// How many tiles a part has: along what is stored, along what is loaded, and of the other dimensions.
    fn transpose_tiles(&mut self, part: &Part, transposition: Transposition) -> [Index; 3] {
        let side = transposition.side;
        let [stored, loaded] = [transposition.stored, transposition.loaded]
            .map(|d| self.code.divide("arith.divui", part.dims[d].plus(side - 1), Index::constant(side)));
        let others = self.transpose_others(part, transposition);
        let sizes: Vec<Index> = others.iter().map(|&d| part.dims[d]).collect();
        [stored, loaded, self.count(&sizes)]
    }

    fn transpose_others(&self, part: &Part, transposition: Transposition) -> Vec<usize> {
        (0..part.dims.len()).filter(|&d| d != transposition.stored && d != transposition.loaded).collect()
    }

    /// How many workgroups a part takes.
    pub(super) fn transpose_workgroups(&mut self, part: &Part, transposition: Transposition) -> Index {
        let tiles = self.transpose_tiles(part, transposition);
        self.count(&tiles)
    }

    /// Computes and stores the tile of a workgroup.
    pub(super) fn transpose_tile(
        &mut self,
        part: &Part,
        transposition: Transposition,
        group: Index,
        thread: Index,
    ) -> Supported<()> {
        let Transposition { side, rows, .. } = transposition;
        let [across, down, _] = self.transpose_tiles(part, transposition);
        let stored = self.code.divide("arith.remui", group, across);
        let rest = self.code.divide("arith.divui", group, across);
        let loaded = self.code.divide("arith.remui", rest, down);
        let rest = self.code.divide("arith.divui", rest, down);
        let others = self.transpose_others(part, transposition);
        let sizes: Vec<Index> = others.iter().map(|&d| part.dims[d]).collect();
        let mut base = vec![LaneIndex::constant(0); part.dims.len()];
        for (&d, at) in others.iter().zip(self.unrolled(rest, &sizes)) {
            base[d] = at;
        }
        let [stored, loaded] = [stored, loaded].map(|tile| self.code.mul(tile, Index::constant(side)));
        let column = self.code.divide("arith.remui", thread, Index::constant(side));
        let row = self.code.divide("arith.divui", thread, Index::constant(side));
        let words = part.roots.iter().map(|r| self.word_of(r.1.elem)).collect::<Vec<_>>();
        let places: Vec<_> = words.iter().map(|&ty| self.shared(ty, side * (side + 1))).collect();
        let step = |r: i64| row.plus(r * rows);
        for r in 0..side / rows {
            // Neighbouring threads are neighbours of what is loaded; beyond the end the last ones are loaded again.
            let mut idx = base.clone();
            for (d, first, own) in [(transposition.stored, stored, step(r)), (transposition.loaded, loaded, column)] {
                let at = self.code.add(first, own);
                idx[d] = LaneIndex::uniform(self.bounded(at, part.dims[d], side).0);
            }
            let point = Point::new(idx);
            let line = self.code.mul(step(r), Index::constant(side + 1));
            let at = self.code.add(line, column);
            for ((id, _), &place) in part.roots.iter().zip(&places) {
                let value = self.materialize(*id, std::slice::from_ref(&point))?[0];
                let value = self.to_word(value);
                self.code.write(place, at, value);
            }
        }
        self.barrier();
        for r in 0..side / rows {
            let mut idx = base.clone();
            let mut inside = None;
            for (d, first, own) in [(transposition.stored, stored, column), (transposition.loaded, loaded, step(r))] {
                let at = self.code.add(first, own);
                if part.dims[d].known().is_none_or(|n| n % side != 0) {
                    let (a, b) = (self.code.ix(at), self.code.ix(part.dims[d]));
                    let here = self.code.compare(2, a, b);
                    inside = self.code.and(inside, Some(here));
                }
                idx[d] = LaneIndex::uniform(at);
            }
            let line = self.code.mul(column, Index::constant(side + 1));
            let at = self.code.add(line, step(r));
            let store = |this: &mut Self| {
                for (((_, memory), &place), &word) in part.roots.iter().zip(&places).zip(&words) {
                    let value = this.code.read(place, at, word);
                    let value = this.from_word(value, memory.elem);
                    let offset = this.code.offset(memory, &idx);
                    this.code.store(memory, &offset, value, None);
                }
                Ok(())
            };
            match inside {
                Some(inside) => self.when(inside, store)?,
                None => store(self)?,
            }
        }
        Ok(())
    }
}
