//! Transposes through shared memory: where operands are contiguous along another dimension than the result, tiles are
//! computed as the operands lie, so that neighbouring threads load neighbours, and stored as the result lies.
use super::part::Part;
use super::part_plan::{PartPlan, word_bytes};
use crate::Emitter;
use crate::analysis::access::{NEST, Stride, Sym, stride};
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::Supported;
use crate::graph::Kind;
use crate::schedule::planner::Planner;
use std::collections::BTreeSet;

/// How a part is transposed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transposition {
    /// The dimension along which the result is contiguous.
    stored: usize,
    /// The dimension along which what is read is contiguous.
    loaded: usize,
    /// The side of a tile, in elements.
    side: i64,
    /// Rows of a tile that are worked on at a time.
    rows: i64,
}

impl Transposition {
    /// The threads of a workgroup.
    pub(super) fn threads(self) -> i64 {
        self.side * self.rows
    }
}

impl Planner<'_> {
    /// The dimensions that a part exchanges, if it is worth it.
    pub(super) fn transposition_of(&self, part: &PartPlan) -> Option<Transposition> {
        let gpu = self.gpu_model();
        let (side, rows) = (gpu.threads.transposed_side, gpu.threads.transposed_rows);
        let wide: Vec<usize> = (0..part.dims.len()).filter(|&d| part.dims[d].known() != Some(1)).collect();
        let stored = *wide.last()?;
        let count = part.dims.iter().try_fold(1i64, |n, d| Some(n * d.known()?)).unwrap_or(i64::MAX);
        if count < gpu.threads.transposed_least || part.dims[stored].known().is_some_and(|n| n < side / 4) {
            return None;
        }
        let idx: Vec<Sym> = (0..part.dims.len())
            .map(|d| if wide.contains(&d) { Sym::var((NEST, d)) } else { Sym::default() })
            .collect();
        let (mut straight, mut transposed) = (0, vec![0; part.dims.len()]);
        for u in part.roots.iter().flat_map(|r| self.graph.uses(r.0, idx.clone(), &BTreeSet::new())) {
            match &self.graph.tensors[u.id].kind {
                Kind::Result { node, .. } if self.graph.nodes[*node].reduction.contains(&true) => return None,
                Kind::Memory(memory) => {
                    if stride(memory, &u.idx, (NEST, stored)) == Stride::Known(1) {
                        straight += 1;
                    } else if u.depends((NEST, stored)) {
                        let along = wide.iter().find(|&&d| stride(memory, &u.idx, (NEST, d)) == Stride::Known(1));
                        if let Some(&d) = along {
                            transposed[d] += 1;
                        }
                    }
                }
                _ => {}
            }
        }
        let loaded = wide.iter().copied().max_by_key(|&d| transposed[d])?;
        let long = part.dims[loaded].known().is_none_or(|n| n >= side / 4);
        let bytes: i64 = part.roots.iter().map(|r| word_bytes(r.1.elem)).sum();
        let fits = bytes * side * (side + 1) <= gpu.shared_bytes;
        (transposed[loaded] > straight && long && fits).then_some(Transposition { stored, loaded, side, rows })
    }
}

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
