//! One thread per element: right for every tensor, and the way of whatever has no reuse.
use super::part::Part;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::Supported;

impl Emitter<'_> {
    /// How many workgroups of `threads` a part needs.
    pub(super) fn element_workgroups(&mut self, part: &Part, threads: i64) -> Index {
        let total = self.run_count(part);
        self.code.divide("arith.divui", total.plus(threads - 1), Index::constant(threads))
    }

    /// The product of sizes.
    pub(super) fn count(&mut self, dims: &[Index]) -> Index {
        dims.iter().fold(Index::constant(1), |n, &d| self.code.mul(n, d))
    }

    /// The steps of several loops together.
    pub(super) fn steps(&mut self, node: usize, dims: &[usize]) -> Index {
        let sizes: Vec<Index> = dims.iter().map(|&d| self.nodes[node].dims[d]).collect();
        self.count(&sizes)
    }

    /// The runs of a part, one per thread.
    fn run_count(&mut self, part: &Part) -> Index {
        let dims = self.run_dims(part);
        self.count(&dims)
    }

    /// The sizes of a part in runs.
    fn run_dims(&self, part: &Part) -> Vec<Index> {
        let (mut dims, run) = (part.dims.clone(), part.run);
        if let Some(last) = dims.iter().rposition(|d| d.known() != Some(1)).filter(|_| run > 1) {
            dims[last] = Index::constant(dims[last].known().expect("runs divide it") / run);
        }
        dims
    }

    /// Computes the elements of a part that belong to a thread.
    pub(super) fn elements(&mut self, part: &Part, group: Index, thread: Index, threads: i64) -> Supported<()> {
        let (total, run) = (self.run_count(part), part.run);
        let first = self.code.mul(group, Index::constant(threads));
        let at = self.code.add(first, thread);
        let store = |this: &mut Self| {
            let dims = this.run_dims(part);
            let mut idx = this.unrolled(at, &dims);
            if run == 1 {
                return this.store_at(part, &[Point::new(idx)]);
            }
            let last = part.dims.iter().rposition(|d| d.known() != Some(1)).expect("runs are along it");
            let first = this.code.mul(idx[last].ix, Index::constant(run));
            let points: Vec<Point> = (0..run)
                .map(|e| {
                    idx[last] = LaneIndex::uniform(first.plus(e));
                    Point::new(idx.clone())
                })
                .collect();
            this.store_at(part, &points)
        };
        if total.known().is_some_and(|n| n % threads == 0) {
            return store(self);
        }
        let (a, b) = (self.code.ix(at), self.code.ix(total));
        let inside = self.code.compare(6, a, b);
        self.when(inside, store)
    }

    /// The index of an element of a row-major tensor.
    pub(super) fn unrolled(&mut self, at: Index, dims: &[Index]) -> Vec<LaneIndex> {
        let mut idx = vec![LaneIndex::constant(0); dims.len()];
        let all: Vec<usize> = (0..dims.len()).collect();
        self.split(&all, &LaneIndex::uniform(at), dims, &mut idx);
        idx
    }

    /// Computes the elements of a part at some points, all of them, and then stores them.
    pub(super) fn store_at(&mut self, part: &Part, points: &[Point]) -> Supported<()> {
        let mut values = Vec::new();
        for (id, _) in &part.roots {
            values.push(self.materialize(*id, points)?);
        }
        for ((_, memory), values) in part.roots.iter().zip(values) {
            for (point, value) in points.iter().zip(values) {
                let offset = self.code.offset(memory, &point.idx);
                self.code.store(memory, &offset, value, None);
            }
        }
        Ok(())
    }
}
