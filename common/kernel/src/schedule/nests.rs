//! Plans nests, each with those inside it that fill scratch memory.
use super::planned::{InnerNest, Item, Partition, Plan, PlannedNest, Wide};
use super::planner::{Held, NestRequest, Planner};
use crate::analysis::layout::Layout;
use crate::graph::Size;
use crate::schedule::planned::Follow;
use std::collections::BTreeSet;

/// A nest whose inner nests are planned.
#[derive(Clone, Copy)]
struct Around<'n> {
    nest: &'n NestRequest,
    plan: &'n Plan,
    dims: &'n [Size],
    partition: Option<Partition>,
}

impl Planner<'_> {
    /// How a nest is computed; `None` if there is nothing to compute.
    pub(crate) fn nest(&mut self, nest: &NestRequest) -> Option<Box<PlannedNest>> {
        let own = &self.graph.tensors[nest.roots[0]].dims;
        if nest.free().iter().any(|&d| own[d].known() == Some(0)) {
            return None;
        }
        // Schedules speak of the nests that results are computed by; those inside are up to us.
        let around = self.choices.open();
        if nest.outermost {
            self.choices.begin();
        } else {
            self.choices.reopen(None);
        }
        let (mut plan, dims) = self.plan_nest(nest);
        let order = plan.order.clone();
        if nest.shared {
            plan.nontemporal = self.stores_around_caches(nest, &plan, &dims);
            self.widen(nest, &mut plan, &dims);
        }
        self.record_plan(&plan, &order, &dims);
        let partition = if nest.shared { self.partition(&plan, &dims) } else { None };
        self.explain(nest, &plan, &dims, partition.map_or(Some(1), Partition::count));
        let once = self.read_once(nest, &plan, &dims);
        let mut inner = Vec::new();
        let open = (0..dims.len()).map(|d| match nest.held[d] {
            Some(held) => Some(held),
            None => (dims[d].known() == Some(1)).then_some(Held { count: 1, lanes: false }),
        });
        let (open, mut there) = (open.collect(), nest.there.clone());
        self.inside(Around { nest, plan: &plan, dims: &dims, partition }, 0, open, &mut there, &mut inner);
        let own = &self.graph.tensors[nest.roots[0]].dims;
        let merged = dims.iter().zip(own).map(|(size, own)| size.known().filter(|_| size != own)).collect();
        self.choices.reopen(around);
        Some(Box::new(PlannedNest { plan, merged, partition, once, inner }))
    }

    /// Decides whether the outermost nest goes over its lanes in wide stretches.
    fn widen(&mut self, nest: &NestRequest, plan: &mut Plan, dims: &[Size]) {
        plan.wide = self.choose_cache_blocked_reduction(nest, plan, dims).map(Wide::CacheBlockedReduction);
        if let Some(streaming) = self.choose_streaming_transpose(nest, plan, dims) {
            plan.order.retain(|&d| d != streaming.across && Some(d) != plan.vector);
            plan.order.extend(plan.vector);
            plan.unroll_jam[streaming.across] = streaming.step;
            plan.wide = Some(Wide::StreamingTranspose(streaming));
        }
    }

    /// Plans the nests within the loops of another one from a depth on, for each part of a loop that unrolls another number.
    fn inside(
        &mut self,
        around: Around<'_>,
        depth: usize,
        open: Vec<Option<Held>>,
        there: &mut BTreeSet<usize>,
        inner: &mut Vec<InnerNest>,
    ) {
        let plan = around.plan;
        if plan.items.iter().all(|i| !i.scratch || i.depth < depth) {
            return;
        }
        let before = there.clone();
        for item in plan.items.iter().filter(|i| i.depth == depth && i.scratch) {
            self.fill(item, plan.lanes, &open, there, inner);
            there.insert(item.id);
        }
        if let Some(pack) = plan.pack.as_ref().filter(|p| p.depth == depth) {
            // Several neighbours are not one panel.
            let one = |f: &Follow| match f {
                Follow::Loop(d) => open[*d].is_some_and(|held| held.count == 1),
                _ => true,
            };
            if pack.follows.iter().all(one) {
                there.insert(pack.id);
            }
        }
        if let Some(&dim) = plan.order.get(depth) {
            let share = around.partition.is_some_and(|p| p.shares(dim) && p.count() != Some(1));
            for count in plan.unrolled(dim, around.dims[dim].known(), around.nest.overlap && !share) {
                let mut open = open.clone();
                open[dim] = Some(Held { count, lanes: plan.vector == Some(dim) });
                self.inside(around, depth + 1, open, there, inner);
            }
        }
        *there = before;
    }

    /// Plans the nest that fills scratch memory with a tensor, unless one like it is planned already.
    fn fill(
        &mut self,
        item: &Item,
        lanes: i64,
        open: &[Option<Held>],
        there: &BTreeSet<usize>,
        inner: &mut Vec<InnerNest>,
    ) {
        let held: Vec<Option<Held>> = item.follows.iter().map(|f| f.and_then(|d| open[d])).collect();
        if inner.iter().any(|other| other.id == item.id && other.held == held) {
            return;
        }
        let output = self.scratch_layout(item.id, &held, lanes);
        let request = NestRequest {
            roots: vec![item.id],
            outputs: vec![output],
            held: held.clone(),
            shared: false,
            overlap: true,
            there: there.clone(),
            lanes,
            outermost: false,
        };
        let nest = self.nest(&request);
        let next_rows = self.rows_after(item, open);
        inner.push(InnerNest { id: item.id, held, next_rows, nest });
    }

    /// The scratch memory of a tensor that is held at some indices: lanes stand side by side, innermost.
    fn scratch_layout(&self, id: usize, held: &[Option<Held>], width: i64) -> Layout {
        let tensor = &self.graph.tensors[id];
        let lanes = |held: &Held| if held.lanes { width } else { 1 };
        let dims: Vec<Option<i64>> = tensor.dims.iter().map(|d| d.known()).collect();
        let extent = |d: usize| held[d].as_ref().map_or(dims[d], |h| Some(h.count * lanes(h)));
        let mut kept: Vec<usize> = (0..held.len()).filter(|&d| held[d].is_none() || extent(d) != Some(1)).collect();
        kept.sort_by_key(|&d| held[d].as_ref().map_or(1, lanes));
        let packed = Layout::contiguous(tensor.elem, &kept.iter().map(|&d| extent(d)).collect::<Vec<_>>());
        let mut strides = vec![Some(0); held.len()];
        for (at, &d) in kept.iter().enumerate() {
            strides[d] = packed.strides[at];
        }
        Layout { dims, strides, ..packed }
    }
}
