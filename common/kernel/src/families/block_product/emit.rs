//! Emits products with quantised matrices: rows together, panel by panel.
use super::form::{Scale, Zero};
use super::plan::{BlockPlan, Way};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::panels::{PanelGrid, PanelResults, ROWS, SumTile};
use crate::graph::Memory;
use halyard_ir::{Type, Value};

/// Where things are.
pub(super) struct Work<'p> {
    pub(super) plan: &'p BlockPlan,
    /// The words of scratch memory from a row of activations to the next, and from the few steps that have a scale to the next.
    pub(super) pitch: i64,
    pub(super) record: i64,
    /// The word of those behind their digits and their scale: what sums start from, or the total of the activations.
    pub(super) starts: i64,
    /// The scratch memory.
    pub(super) bytes: Memory,
    pub(super) ints: Memory,
    pub(super) floats: Memory,
    /// The packed numbers, four bytes at a time.
    numbers: Memory,
}

/// A tile: some rows from `row` on, in scratch memory, with some vectors of a panel.
pub(super) struct Place {
    pub(super) panel: Index,
    pub(super) row: Index,
    pub(super) rows: i64,
    pub(super) vectors: Vec<i64>,
    /// Where the records of the first row start.
    first: Index,
}

impl Place {
    /// Where the records of a row start.
    pub(super) fn record(&self, w: &Work<'_>, row: i64) -> Index {
        self.first.plus(row * w.pitch)
    }
}

impl Emitter<'_> {
    /// Emits the kernel.
    pub(in crate::families) fn multiply_blocks(&mut self, plan: &BlockPlan, memories: &[Memory]) -> Supported<()> {
        let form = &plan.form;
        self.code.lanes = plan.lanes;
        let (record, starts) = match plan.way {
            Way::Digits { digits, .. } => (digits * form.step() / 4 + 1 + digits, digits * form.step() / 4 + 1),
            Way::Floats => (form.step(), 0),
        };
        let pitch = record * form.count();
        let rows = self.tensors[form.y].dims[0];
        let together = Index::constant(plan.together);
        let most = self.code.min(rows, together);
        let words = self.code.mul(most, Index::constant(pitch));
        let taken = self.take(words, 4)?;
        let (byte, int, float) = (self.code.int(8), self.code.int(32), Type::f32(self.code.at.context()));
        let view = |this: &mut Self, elem: Type| this.code.contiguous(taken.ptr, elem, &[words]);
        let numbers = Memory { elem: int, ..self.memory(form.numbers)? };
        let work = Work {
            plan,
            pitch,
            record,
            starts,
            bytes: view(self, byte),
            ints: view(self, int),
            floats: view(self, float),
            numbers,
        };
        let (together, workgroups) = (plan.together, plan.share.workgroups);
        let grid = PanelGrid { together, panels: plan.share.units, whole: plan.share.units, workgroups };
        let results = PanelResults { y: form.y, columns: form.columns, roots: &form.roots, memories };
        self.roots.extend(form.roots.iter().map(|root| root.tensor));
        let prepare = |this: &mut Self, first, count| this.pack_activations(&work, first, count);
        self.rows_with_panels(rows, &grid, Some(taken), prepare, |this, panel, first, count, _| {
            let high = Index::constant(plan.rows);
            let tiles = this.code.divide("arith.divui", count, high);
            let whole = this.code.mul(tiles, high);
            for (from, to, rows) in [(Index::ZERO, whole, plan.rows), (whole, count, 1)] {
                if rows == 1 && plan.rows == 1 && from != Index::ZERO {
                    continue;
                }
                this.for_loop((from, to, Index::constant(rows)), &[], |this, row, _| {
                    this.block_tiles(&work, &results, (panel, first, row, rows)).map(|()| Vec::new())
                })?;
            }
            Ok(())
        })?;
        self.roots.truncate(self.roots.len() - form.roots.len());
        self.give(taken)
    }

    /// The sums of some rows with a panel, and what follows them.
    fn block_tiles(
        &mut self,
        w: &Work<'_>,
        results: &PanelResults<'_>,
        (panel, chunk, row, rows): (Index, Index, Index, i64),
    ) -> Supported<()> {
        let first = self.code.mul(row, Index::constant(w.pitch));
        let all: Vec<i64> = (0..ROWS / self.code.lanes).collect();
        // One row has no other sums beside it.
        let side = if rows == 1 { w.plan.vectors.max(2) } else { w.plan.vectors };
        for vectors in all.chunks(side as usize) {
            let place = Place { panel, row, rows, vectors: vectors.to_vec(), first };
            let sums = match w.plan.way {
                Way::Digits { instruction, digits } => self.digit_sums(w, &place, (instruction, digits))?,
                Way::Floats => self.float_sums(w, &place)?,
            };
            let row = self.code.add(chunk, place.row);
            self.store_panel_tile(results, &SumTile { row, rows, panel, vectors }, &sums)?;
        }
        Ok(())
    }

    /// Four bytes of each lane's row: a group of the few steps `at`, of a vector of a panel.
    pub(super) fn numbers_at(&mut self, w: &Work<'_>, panel: Index, at: Index, group: i64, vector: i64) -> Value {
        let form = &w.plan.form;
        let each = form.groups() * ROWS;
        let start = self.code.mul(panel, Index::constant(form.blocks * form.block / form.step() * each));
        let own = self.code.mul(at, Index::constant(each));
        let place = self.code.add(start, own).plus(group * ROWS + vector * self.code.lanes);
        self.code.load(&w.numbers, &LaneIndex::from(place), None, None, None)
    }

    /// Scale and zero point of a block, of a vector of a panel, as floats.
    pub(super) fn of_block(
        &mut self,
        w: &Work<'_>,
        panel: Index,
        block: Index,
        vector: i64,
    ) -> Supported<(Value, Option<Value>)> {
        let form = &w.plan.form;
        let place = |this: &mut Self, blocks: i64, block: Index| {
            let start = this.code.mul(panel, Index::constant(blocks * ROWS));
            let own = this.code.mul(block, Index::constant(ROWS));
            LaneIndex::from(this.code.add(start, own).plus(vector * this.code.lanes))
        };
        let at = place(self, form.blocks, block);
        let scale = match form.scale {
            Scale::Constant(c) => {
                let c = self.code.number(Type::f32(self.code.at.context()), c);
                self.code.splat(c)
            }
            Scale::Floats(tensor) => {
                let memory = self.memory(tensor)?;
                let scale = self.code.load(&memory, &at, None, None, None);
                self.as_f32(scale)
            }
        };
        let zero = match form.zero {
            Zero::Constant(_) => None,
            Zero::Floats(tensor) => {
                let memory = self.memory(tensor)?;
                let zero = self.code.load(&memory, &at, None, None, None);
                Some(self.as_f32(zero))
            }
            Zero::Packed(tensor, bits) => {
                let (memory, int, per) = (self.memory(tensor)?, self.code.int(32), 8 / bits);
                let byte = self.code.divide("arith.divui", block, Index::constant(per));
                let at = place(self, (form.blocks + per - 1) / per, byte);
                let byte = self.code.load(&memory, &at, None, None, None);
                let ints = self.code.vector(int);
                let mut zero = self.code.pure("arith.extui", &[byte], ints, None);
                if per > 1 {
                    let part = self.code.divide("arith.remui", block, Index::constant(per));
                    let by = self.code.mul(part, Index::constant(bits));
                    let by = self.code.ix(by);
                    let by = self.code.pure("arith.trunci", &[by], int, None);
                    let by = self.code.splat(by);
                    let mask = self.code.number(int, f64::from((1u32 << bits) - 1));
                    let mask = self.code.splat(mask);
                    zero = self.code.math("arith.shrui", &[zero, by]);
                    zero = self.code.math("arith.andi", &[zero, mask]);
                }
                let floats = self.code.vector(Type::f32(self.code.at.context()));
                Some(self.code.pure("arith.sitofp", &[zero], floats, None))
            }
        };
        Ok((scale, zero))
    }
}
