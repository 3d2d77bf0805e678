//! How many neighbours each thread computes where every thread has elements of its own.
use crate::analysis::access::{NEST, Sym, Use};
use crate::gpu::part_plan::PartPlan;
use crate::graph::Kind;
use crate::schedule::planner::Planner;
use std::collections::BTreeSet;

impl Planner<'_> {
    /// The neighbours that a thread computes together: up to 16 bytes, which LLVM's code moves at once, and drivers of
    /// Vulkan can; of large tensors, several times as many if that pays.
    pub(in crate::gpu) fn own_run(&self, part: &PartPlan) -> i64 {
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
        let long = (numbers.long_run / bytes).clamp(1, 8);
        if long * bytes > 16 && length % long == 0 && total / long >= numbers.long_run_threads {
            return long;
        }
        let mut run = (16 / bytes).clamp(1, 8);
        while run > 1 && (length % run != 0 || total / run < numbers.busy) {
            run /= 2;
        }
        run
    }

    /// The neighbours that a schedule may let a thread compute together.
    pub(in crate::gpu) fn legal_runs(&self, part: &PartPlan) -> Vec<i64> {
        let last = part.dims.iter().rposition(|d| d.known() != Some(1));
        let known = part.dims.iter().all(|d| d.known().is_some());
        let length = last.filter(|_| known).and_then(|last| part.dims[last].known());
        [1, 2, 4, 8, 16].into_iter().filter(|run| *run == 1 || length.is_some_and(|n| n % run == 0)).collect()
    }
}
