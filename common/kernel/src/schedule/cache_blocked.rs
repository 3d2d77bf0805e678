//! Cache-blocked reductions: sums over many rows of a large operand, where no row is used twice, as a vector times a
//! matrix. A tile of accumulators in registers would read a short stretch of each row, and the rows are pages apart: the
//! hardware's prefetchers follow long stretches only. So the accumulators of a long block of results stay in the
//! first-level cache, and whole stretches of a few rows at a time are added to them. [`crate::emit::cache_blocked_reduction`]
//! emits them.
use crate::analysis::access::{NEST, Stride, Sym, Use, stride};
use crate::graph::{Kind, Size};
use crate::schedule::planned::{CacheBlockedReduction, Plan};
use crate::schedule::planner::{NestRequest, Planner};
use crate::schedule::reads::is_streamed;
use std::collections::BTreeSet;

impl Planner<'_> {
    /// The block of an outermost nest, if its form is that of a sum over far rows of a large operand.
    pub(crate) fn choose_cache_blocked_reduction(
        &mut self,
        nest: &NestRequest,
        plan: &Plan,
        dims: &[Size],
    ) -> Option<CacheBlockedReduction> {
        let v = plan.vector.filter(|v| plan.order.last() == Some(v) && nest.outermost)?;
        let size = dims[v].known()?;
        let others = plan.unroll_jam.iter().enumerate().any(|(d, &unroll_jam)| d != v && unroll_jam > 1);
        if others || !plan.items.is_empty() || plan.pack.is_some() || plan.block.is_some() {
            return None;
        }
        let idx: Vec<Sym> = (0..dims.len())
            .map(|d| if dims[d].known() == Some(1) { Sym::default() } else { Sym::var((NEST, d)) })
            .collect();
        let uses: Vec<Use> =
            nest.roots.iter().flat_map(|&r| self.graph.uses(r, idx.clone(), &BTreeSet::new())).collect();
        let mut sums = uses.iter().filter_map(|u| Some((u, self.reduces(u.id)?)));
        let (sum, node) = sums.next().filter(|_| sums.next().is_none())?;
        let n = &self.graph.nodes[node];
        let follows = |s: &Sym| *s == Sym::default() || s.exactly().is_some_and(|var| var.0 == NEST);
        let along = sum.idx.iter().position(|s| s.exactly() == Some((NEST, v)))?;
        let distinct = sum.idx.iter().filter(|s| s.exactly() == Some((NEST, v))).count() == 1;
        if !distinct || n.results.len() != 1 || !sum.inside.is_empty() || !sum.idx.iter().all(follows) {
            return None;
        }
        let row = (node, *n.reductions().last()?);
        let numbers = &self.target.cpu.memory;
        // The largest operand whose rows are added.
        let mut large = 0;
        for u in uses.iter().filter(|u| !u.inside.is_empty()) {
            match &self.graph.tensors[u.id].kind {
                Kind::Memory(memory) => {
                    let step = stride(memory, &u.idx, (NEST, v));
                    if u.inside != [node] || !matches!(step, Stride::Known(0 | 1)) {
                        return None;
                    }
                    let bytes = memory.elem.byte_width() as i64;
                    let far = matches!(stride(memory, &u.idx, row), Stride::Known(s) if s.saturating_mul(bytes) >= numbers.prefetcher_reach);
                    if step == Stride::Known(1) && far && is_streamed(memory, self.target) {
                        large = large.max(memory.dims.iter().try_fold(bytes, |n, d| n.checked_mul(d.known()?))?);
                    }
                }
                Kind::Pad { .. } | Kind::Insert { .. } | Kind::Concat { .. } | Kind::Generate { .. } => return None,
                _ => {}
            }
        }
        let elem = self.graph.tensors[sum.id].elem;
        let bytes = elem.byte_width() as i64;
        let whole = bytes * plan.lanes * 8 == i64::from(self.target.vector_bits);
        if large == 0 || !whole {
            return None;
        }
        let tile = numbers.reduction_block_vectors * plan.lanes;
        let most = (self.target.l1 / 2) as i64 / bytes;
        let ours =
            if self.choices.requested("tile").is_some() { 0 } else { self.block_width(plan, (size, bytes), large) };
        let legal = |width: i64| width == 0 || width % tile == 0 && width <= most;
        let width = self.choices.number("band", ours, legal);
        self.choices.record_number("band", width, (0..=most / tile).map(|k| k * tile).filter(|w| *w <= size + tile));
        (width > 0).then_some(CacheBlockedReduction { id: sum.id, along, width })
    }

    /// The sums of a block of so many in all, each of so many bytes; 0 if blocks do not pay.
    fn block_width(&self, plan: &Plan, (size, bytes): (i64, i64), large: i64) -> i64 {
        let numbers = &self.target.cpu.memory;
        if size < 2 * numbers.reduction_block_narrowest * plan.lanes {
            return 0;
        }
        // At least two, for as many threads.
        let count = (size * bytes / numbers.reduction_block_bytes).max(2);
        let tile = numbers.reduction_block_vectors * plan.lanes;
        let width = ((size + count - 1) / count + tile - 1) / tile * tile;
        // Short stretches are read directly from what is nearer than memory.
        let pays = width * bytes >= numbers.reduction_block_bytes
            || large >= numbers.reduction_block_far_caches * self.target.l2 as i64;
        if pays && width * bytes <= (self.target.l1 / 2) as i64 { width } else { 0 }
    }
}
