//! One thread per element: right for every tensor, and the way of whatever has no reuse.
use super::part::Part;
use super::part_plan::PartPlan;
use crate::Emitter;
use crate::analysis::access::{NEST, Sym, Use};
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::Supported;
use crate::graph::Kind;
use crate::schedule::planner::Planner;
use std::collections::BTreeSet;

impl Planner<'_> {
    /// The neighbours that a thread computes together: up to 16 bytes, which LLVM's code moves at once, and drivers of
    /// Vulkan can.
    pub(super) fn own_run(&self, part: &PartPlan) -> i64 {
        let numbers = &self.gpu_model().threads;
        let Some(last) = part.dims.iter().rposition(|d| d.known() != Some(1)) else { return 1 };
        let total = part.dims.iter().try_fold(1i64, |n, d| Some(n * d.known()?));
        let (Some(total), Some(length)) = (total, part.dims[last].known()) else { return 1 };
        let idx: Vec<Sym> = (0..part.dims.len()).map(|d| Sym::var((NEST, d))).collect();
        let uses: Vec<Use> =
            part.roots.iter().flat_map(|r| self.graph.uses(r.0, idx.clone(), &BTreeSet::new())).collect();
        // Windows of neighbours overlap; longer sums want threads of their own.
        let long = |u: &Use| match self.graph.tensors[u.id].kind {
            Kind::Result { node, .. } => {
                let n = &self.graph.nodes[node];
                let steps = n.reductions().into_iter().map(|d| n.dims[d].known());
                steps.into_iter().try_fold(1i64, |all, n| Some(all * n?)).is_none_or(|n| n > numbers.window_steps)
            }
            _ => false,
        };
        let contiguous = part.roots.iter().all(|r| r.1.strides[last] == Some(1));
        if !contiguous || uses.iter().any(|u| long(u) || u.inside.len() > 1) {
            return 1;
        }
        let bytes = part.roots.iter().map(|r| r.1.elem.byte_width() as i64).max().unwrap_or(8);
        let mut run = (16 / bytes).clamp(1, 8);
        while run > 1 && (length % run != 0 || total / run < numbers.busy) {
            run /= 2;
        }
        run
    }

    /// The neighbours that a schedule may let a thread compute together.
    pub(super) fn legal_runs(&self, part: &PartPlan) -> Vec<i64> {
        let last = part.dims.iter().rposition(|d| d.known() != Some(1));
        let known = part.dims.iter().all(|d| d.known().is_some());
        let length = last.filter(|_| known).and_then(|last| part.dims[last].known());
        [1, 2, 4, 8, 16].into_iter().filter(|run| *run == 1 || length.is_some_and(|n| n % run == 0)).collect()
    }
}

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
