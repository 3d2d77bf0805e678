//! What a nest reads and no cache keeps: tensors that it reads once, and rows so far apart that no prefetcher of the hardware
//! follows them. [`crate::emit::prefetch`] asks for them.
use crate::analysis::access::{NEST, Stride, Sym, Use, stride};
use crate::graph::Memory;
use crate::graph::{Extent, Form, Kind, Size};
use crate::machine::MachineModel;
use crate::schedule::planned::{Item, Plan};
use crate::schedule::planner::{Held, NestRequest, Planner};
use std::collections::{BTreeMap, BTreeSet};

impl Planner<'_> {
    /// How far the rows are that will be read when a kept tensor is computed for the next step of the loop around it: a
    /// row is a page or so, at whose end prefetchers stop.
    pub(crate) fn rows_after(&self, item: &Item, open: &[Option<Held>]) -> BTreeMap<usize, i64> {
        let Some(d) = item.follows.iter().flatten().copied().max() else { return BTreeMap::new() };
        let steps = open[d].map_or(1, |held| held.count);
        let idx = |(at, follows): (usize, &Option<usize>)| Sym::var(follows.map_or((at, 0), |d| (NEST, d)));
        let uses = self.graph.uses(item.id, item.follows.iter().enumerate().map(idx).collect(), &BTreeSet::new());
        let far = |u: &Use| {
            let Kind::Memory(memory) = &self.graph.tensors[u.id].kind else { return None };
            let Stride::Known(stride) = stride(memory, &u.idx, (NEST, d)) else { return None };
            let far = stride.saturating_mul(memory.elem.byte_width() as i64) >= self.target.cpu.memory.prefetcher_reach;
            (far && u.inside.is_empty() && is_streamed(memory, self.target)).then_some((u.id, stride * steps))
        };
        uses.iter().filter_map(far).collect()
    }

    /// The tensors in memory that no loop around the tile of a nest reads again.
    pub(crate) fn read_once(&self, nest: &NestRequest, plan: &Plan, dims: &[Size]) -> BTreeSet<usize> {
        if !nest.outermost {
            return BTreeSet::new();
        }
        let idx: Vec<Sym> = (0..dims.len()).map(|d| Sym::var((NEST, d))).collect();
        let uses: Vec<Use> =
            nest.roots.iter().flat_map(|&r| self.graph.uses(r, idx.clone(), &BTreeSet::new())).collect();
        let still = |u: &Use| {
            plan.order.iter().any(|&d| !u.depends((NEST, d)) && dims[d].known().is_none_or(|n| n > plan.unroll_jam[d]))
        };
        uses.iter()
            .filter(|u| matches!(self.graph.tensors[u.id].kind, Kind::Memory(_)) && !still(u))
            .map(|u| u.id)
            .collect()
    }
}

/// Whether a tensor is too large for the second-level cache.
pub(crate) fn is_streamed<F: Form>(memory: &Memory<F>, target: &MachineModel) -> bool {
    let count = memory.dims.iter().try_fold(1i64, |n, d| n.checked_mul(d.known()?));
    count.is_some_and(|n| n * memory.elem.byte_width() as i64 > (target.l2 / 2) as i64)
}
