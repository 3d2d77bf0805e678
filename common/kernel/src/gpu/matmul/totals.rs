//! The sums of a thread: what they start from, the loop that adds products, and the store.
use super::super::contraction::Product;
use super::Work;
use crate::{
    Emitter,
    emit::index::{Index, LaneIndex, Point},
    emit::ir_builder::Supported,
    machine::tensor_cores::Cores,
};
use halyard_ir::{Type, Value};

impl Emitter<'_> {
    /// Adds up in slices.
    pub(super) fn sliced(&mut self, work: &Work<'_>, cores: Option<Cores>) -> Supported<()> {
        let (tile, elem) = (work.tile, self.factor_type(work.product));
        let count = tile.thread[0] * tile.thread[1];
        let zero = self.code.number(elem, 0.0);
        let totals = self.add_up_slice(work, cores, vec![zero; count as usize])?;
        // The panels make room for what the other slices have.
        self.barrier();
        let place = |this: &mut Self, slice: Index| {
            let base = this.code.mul(slice.plus(-1), Index::constant(count * tile.slice()));
            this.code.add(base, work.thread)
        };
        let (slice, none) = (self.code.ix(work.slice), self.code.index_constant(0));
        let others = self.code.compare(1, slice, none);
        self.when(others, |this| {
            let at = place(this, work.slice);
            for (e, &total) in totals.iter().enumerate() {
                this.code.write(work.panels[0].place, at.plus(e as i64 * tile.slice()), total);
            }
            Ok(())
        })?;
        self.barrier();
        let first = self.code.compare(0, slice, none);
        self.when(first, |this| {
            let mut sums = this.initial_totals(work)?;
            let add = if elem.is_float() { "arith.addf" } else { "arith.addi" };
            for (e, (sum, &total)) in sums.iter_mut().zip(&totals).enumerate() {
                *sum = this.code.at.value(add, &[*sum, total], elem, &[]);
                for slice in 1..tile.slices {
                    let at = place(this, Index::constant(slice)).plus(e as i64 * tile.slice());
                    let other = this.code.read(work.panels[0].place, at, elem);
                    *sum = this.code.at.value(add, &[*sum, other], elem, &[]);
                }
            }
            this.finish_tile(work, &sums)
        })
    }

    /// The type in which elements are multiplied; short floats are added up in `f32`.
    pub(in crate::gpu) fn factor_type(&self, product: &Product) -> Type {
        let ty = product.total;
        if ty.is_float() && ty.bits() < 32 { Type::f32(self.code.at.context()) } else { ty }
    }

    /// What the totals start from.
    pub(in crate::gpu) fn initial_totals(&mut self, work: &Work<'_>) -> Supported<Vec<Value>> {
        let node = work.product.node;
        let init = self.nodes[node].inits[0];
        let map = self.nodes[node].out_map(0).to_vec();
        let wide = self.factor_type(work.product);
        let [rows, columns] = [0, 1].map(|s| self.own_indices(work, s));
        let mut totals = Vec::new();
        for (row, _) in &rows {
            for (column, _) in &columns {
                let domain = self.loops_at(work, &[row, column]);
                let idx = map.iter().map(|e| self.affine(e, &domain.idx)).collect::<Supported<Vec<_>>>()?;
                let value = self.materialize(init, &[domain.at(idx)])?[0];
                let same = value.ty() == wide;
                totals.push(if same { value } else { self.code.pure("arith.extf", &[value], wide, None) });
            }
        }
        Ok(totals)
    }

    /// Stores a thread's tile, after what is done to each element.
    pub(in crate::gpu) fn finish_tile(&mut self, work: &Work<'_>, totals: &[Value]) -> Supported<()> {
        let [rows, columns] = [0, 1].map(|s| self.own_indices(work, s));
        let map = self.nodes[work.product.node].out_map(0).to_vec();
        for (i, (row, there)) in rows.iter().enumerate() {
            for (j, (column, here)) in columns.iter().enumerate() {
                let total = totals[i * columns.len() + j];
                let elem = work.product.total;
                let total =
                    if total.ty() == elem { total } else { self.code.pure("arith.truncf", &[total], elem, None) };
                let domain = self.loops_at(work, &[row, column]);
                let idx = map.iter().map(|e| self.affine(e, &domain.idx)).collect::<Supported<Vec<_>>>()?;
                let at = |d: &Option<usize>| d.map_or(LaneIndex::constant(0), |d| domain.idx[d].clone());
                let point = Point::new(work.product.loops.iter().map(at).collect());
                let inside = self.code.and(*there, *here);
                let store = |this: &mut Self| {
                    this.code.remember(work.product.result, &Point::new(idx), total);
                    this.store_at(work.part, std::slice::from_ref(&point))
                };
                match inside {
                    Some(inside) => self.when(inside, store)?,
                    None => self.code_scoped(store)?,
                }
            }
        }
        Ok(())
    }
}
