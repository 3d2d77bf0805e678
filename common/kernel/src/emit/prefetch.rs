//! Prefetching: operands that are read in short stretches of rows that lie far apart, which no hardware prefetcher follows.
use crate::Emitter;
use crate::analysis::access::{NEST, Stride, Sym, Use, stride};
use crate::emit::index::{Index, LaneIndex, Lanes, Point};
use crate::emit::ir_builder::Supported;
use crate::emit::memory::Memory;
use crate::emit::unrolled_lane::UnrolledLane;
use crate::graph::{Input, Kind};
use crate::machine::memory::CACHE_LINE;
use crate::schedule::plan::{Item, Plan};
use std::collections::{BTreeSet, HashMap};

impl Emitter<'_> {
    /// Asks for the rows that the next steps of a reduction along `dim` will read at these points of its domain.
    pub(crate) fn prefetch(&mut self, node: usize, dim: usize, domains: &[Point]) -> Supported<()> {
        let n = self.nodes[node].clone();
        for (operand, input) in n.inputs.iter().enumerate() {
            let Input::Tensor(tensor) = *input else { continue };
            let Kind::Memory(memory) = self.tensors[tensor].kind.clone() else { continue };
            if !self.once.contains(&tensor) || self.code.buffer(tensor).is_some() || !self.is_streamed(&memory) {
                continue;
            }
            let mut offsets: Vec<LaneIndex> = Vec::new();
            for domain in domains {
                let idx = n.maps[operand].iter().map(|e| self.affine(e, &domain.idx)).collect::<Supported<Vec<_>>>()?;
                let offset = self.code.offset(&memory, &idx);
                if offset.lanes == Lanes::Strided(1) && !offsets.contains(&offset) {
                    offsets.push(offset);
                }
            }
            let Some(first) = domains.first() else { continue };
            let mut next = first.clone();
            next.idx[dim].ix = next.idx[dim].ix.plus(1);
            let mut at = |point: &Point| -> Supported<LaneIndex> {
                let idx = n.maps[operand].iter().map(|e| self.affine(e, &point.idx)).collect::<Supported<Vec<_>>>()?;
                Ok(self.code.offset(&memory, &idx))
            };
            let (here, there) = (at(first)?, at(&next)?);
            let bytes = memory.elem.byte_width() as i64;
            let step = self.code.sub(there.ix, here.ix);
            let Some(step) = step.known().filter(|s| s.abs() * bytes >= self.target.cpu.memory.prefetcher_reach) else {
                continue;
            };
            let row = offsets.len() as i64 * self.code.lanes * bytes;
            if row == 0 {
                continue;
            }
            let rows = (self.target.cpu.memory.prefetched_ahead / row).clamp(2, 64);
            let mut lines = BTreeSet::new();
            for offset in &offsets {
                // Offsets differ by constants from the first one; a line is asked for once.
                let away = self.code.sub(offset.ix, offsets[0].ix);
                if away.known().is_none_or(|a| lines.insert(a * bytes / CACHE_LINE)) {
                    self.code.prefetch(&memory, offset.ix.plus(step * rows));
                }
            }
        }
        Ok(())
    }

    /// How far the rows are that will be read when a kept tensor is computed for the next step of the loop around it: a
    /// row is a page or so, at whose end prefetchers stop.
    pub(crate) fn rows_after(&self, item: &Item, open: &[Option<Vec<UnrolledLane>>]) -> HashMap<usize, i64> {
        let Some(d) = item.follows.iter().flatten().copied().max() else { return HashMap::new() };
        let steps = open[d].as_ref().map_or(1, |n| n.len() as i64);
        let idx = |(at, follows): (usize, &Option<usize>)| Sym::var(follows.map_or((at, 0), |d| (NEST, d)));
        let uses = self.uses(item.id, item.follows.iter().enumerate().map(idx).collect(), &BTreeSet::new());
        let far = |u: &Use| {
            let Kind::Memory(memory) = &self.tensors[u.id].kind else { return None };
            let Stride::Known(stride) = stride(memory, &u.idx, (NEST, d)) else { return None };
            let far = stride.saturating_mul(memory.elem.byte_width() as i64) >= self.target.cpu.memory.prefetcher_reach;
            (far && u.inside.is_empty() && self.is_streamed(memory)).then_some((u.id, stride * steps))
        };
        uses.iter().filter_map(far).collect()
    }

    /// Asks for what the next row has where this one is read.
    pub(crate) fn ask_next_rows(&mut self, id: usize, memory: &Memory, points: &[Point]) {
        let Some(&far) = self.next_rows.get(&id) else { return };
        for point in points {
            let offset = self.code.offset(memory, &point.idx);
            if offset.lanes == Lanes::Strided(1) {
                self.code.prefetch(memory, offset.ix.plus(far));
            }
        }
    }

    /// The tensors in memory that no loop around the tile of a nest reads again.
    pub(crate) fn read_once(&self, roots: &[usize], plan: &Plan, dims: &[Index]) -> BTreeSet<usize> {
        if !self.roots.is_empty() {
            return BTreeSet::new();
        }
        let idx: Vec<Sym> = (0..dims.len()).map(|d| Sym::var((NEST, d))).collect();
        let uses: Vec<Use> = roots.iter().flat_map(|&r| self.uses(r, idx.clone(), &BTreeSet::new())).collect();
        let still = |u: &Use| {
            plan.order.iter().any(|&d| !u.depends((NEST, d)) && dims[d].known().is_none_or(|n| n > plan.unroll_jam[d]))
        };
        uses.iter().filter(|u| matches!(self.tensors[u.id].kind, Kind::Memory(_)) && !still(u)).map(|u| u.id).collect()
    }

    /// Whether a tensor is too large for the second-level cache.
    pub(crate) fn is_streamed(&self, memory: &Memory) -> bool {
        let count = memory.dims.iter().try_fold(1i64, |n, d| n.checked_mul(d.known()?));
        count.is_some_and(|n| n * memory.elem.byte_width() as i64 > (self.target.l2 / 2) as i64)
    }
}
