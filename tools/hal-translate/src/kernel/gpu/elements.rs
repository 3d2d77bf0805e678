//! One thread per element: right for every tensor, and the way of whatever has no reuse.
use super::parts::Part;
use crate::kernel::Emitter;
use crate::kernel::code::Emitted;
use crate::kernel::ix::{Idx, Ix, Point};

impl Emitter<'_> {
    /// How many workgroups of `threads` a part needs.
    pub(super) fn element_workgroups(&mut self, part: &Part, threads: i64) -> Ix {
        let total = self.count(&part.dims);
        self.code.divide("arith.divui", total.plus(threads - 1), Ix::constant(threads))
    }

    /// The product of sizes.
    pub(super) fn count(&mut self, dims: &[Ix]) -> Ix {
        dims.iter().fold(Ix::constant(1), |n, &d| self.code.mul(n, d))
    }

    /// Computes the element of a part that belongs to a thread.
    pub(super) fn elements(&mut self, part: &Part, group: Ix, thread: Ix, threads: i64) -> Emitted<()> {
        let total = self.count(&part.dims);
        let first = self.code.mul(group, Ix::constant(threads));
        let at = self.code.add(first, thread);
        let store = |this: &mut Self| {
            let idx = this.unrolled(at, &part.dims);
            this.store_at(part, &Point::new(idx))
        };
        if total.known().is_some_and(|n| n % threads == 0) {
            return store(self);
        }
        let (a, b) = (self.code.ix(at), self.code.ix(total));
        let inside = self.code.compare(6, a, b);
        self.when(inside, store)
    }

    /// The index of an element of a row-major tensor.
    pub(super) fn unrolled(&mut self, at: Ix, dims: &[Ix]) -> Vec<Idx> {
        let mut idx = vec![Idx::constant(0); dims.len()];
        let all: Vec<usize> = (0..dims.len()).collect();
        self.split(&all, &Idx::same(at), dims, &mut idx);
        idx
    }

    /// Computes the elements of a part at a point, all of them, and then stores them.
    pub(super) fn store_at(&mut self, part: &Part, point: &Point) -> Emitted<()> {
        let mut values = Vec::new();
        for (id, _) in &part.roots {
            values.push(self.pull(*id, std::slice::from_ref(point))?[0]);
        }
        for ((_, memory), value) in part.roots.iter().zip(values) {
            let offset = self.code.offset(memory, &point.idx);
            self.code.store(memory, &offset, value, None);
        }
        Ok(())
    }
}
