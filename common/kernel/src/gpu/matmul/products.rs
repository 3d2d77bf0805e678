//! The loop that adds up products of panels.
use super::Work;
use crate::{
    Emitter,
    emit::index::Index,
    emit::ir_builder::{Coder, Supported},
};
use halyard_ir::Value;

impl Emitter<'_> {
    /// The loop over panels.
    pub(in crate::gpu) fn add_up(&mut self, work: &Work<'_>, totals: Vec<Value>) -> Supported<Vec<Value>> {
        let count = totals.len();
        let start = self.code.mul(work.slice, Index::constant(work.tile.depth));
        let (rows, columns) = (self.fetch(work, 0, start)?, self.fetch(work, 1, start)?);
        let split = count + rows.len();
        let zero = self.code.index_constant(0);
        let carried: Vec<Value> = totals.into_iter().chain(rows).chain(columns).chain([zero]).collect();
        let together = work.tile.depth * work.tile.slices;
        let after =
            self.for_loop((Index::ZERO, work.sum, Index::constant(together)), &carried, |this, from, carried| {
                let which = carried[carried.len() - 1];
                for (s, values) in [&carried[count..split], &carried[split..carried.len() - 1]].into_iter().enumerate()
                {
                    let base = this.panel_at(work, s, which);
                    for ((own, step), &value) in this.shares(work, s).into_iter().zip(values) {
                        let line = this.code.mul(step, Index::constant(work.panels[s].row));
                        let at = this.code.add(line, own);
                        let at = this.code.add(base, at);
                        this.code.write(work.panels[s].place, at, value);
                    }
                }
                this.barrier();
                // After the last panel the first one is loaded again, for nothing.
                let next = from.plus(together);
                let (a, b) = (this.code.ix(next), this.code.ix(work.sum));
                let more = this.code.compare(2, a, b);
                let zero = this.code.index_constant(0);
                let next = Index::value(this.code.select(more, a, zero));
                let next = this.code.add(next, start);
                let mut yielded = Vec::new();
                let mut fetched = this.fetch(work, 0, next)?;
                fetched.extend(this.fetch(work, 1, next)?);
                yielded.extend(this.multiply(work, which, &carried[..count])?);
                yielded.extend(fetched);
                let one = this.code.index_constant(1);
                yielded.push(this.code.math("arith.subi", &[one, which]));
                Ok(yielded)
            })?;
        Ok(after[..count].to_vec())
    }

    /// Adds the products of a panel to the totals.
    fn multiply(&mut self, work: &Work<'_>, which: Value, totals: &[Value]) -> Supported<Vec<Value>> {
        let mut totals = totals.to_vec();
        let float = work.panels[0].elem.is_float();
        let base = [0, 1].map(|s| self.panel_at(work, s, which));
        for step in 0..work.tile.depth {
            let [rows, columns] = [0, 1].map(|s| {
                let panel = work.panels[s];
                work.own[s]
                    .iter()
                    .map(|&own| {
                        let at = self.code.add(base[s], own).plus(step * panel.row);
                        self.code.read(panel.place, at, panel.elem)
                    })
                    .collect::<Vec<_>>()
            });
            for (i, &a) in rows.iter().enumerate() {
                for (j, &b) in columns.iter().enumerate() {
                    let total = &mut totals[i * columns.len() + j];
                    *total = if float {
                        self.fused_product(a, b, *total)
                    } else {
                        let product = self.code.at.value("arith.muli", &[a, b], a.ty(), &[]);
                        self.code.at.value("arith.addi", &[product, *total], a.ty(), &[])
                    };
                }
            }
        }
        Ok(totals)
    }
}
