//! Cache-blocked reductions: sums over many rows of a large operand, where no row is used twice, as a vector times a
//! matrix. A tile of accumulators in registers would read a short stretch of each row, and the rows are pages apart: the
//! hardware's prefetchers follow long stretches only. So the accumulators of a long block of results stay in the
//! first-level cache, and whole stretches of a few rows at a time are added to them. Nothing is prefetched by instructions:
//! that takes the place of what the hardware has under way.
use crate::Emitter;
use crate::analysis::access::{NEST, Sym, Use};
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Buffer, Coder, Residency, Supported};
use crate::emit::nest::Nest;
use crate::emit::unrolled_lane::UnrolledLane;
use crate::graph::Kind;
use crate::graph::Memory;
use crate::schedule::planned::{CacheBlockedReduction, PlannedNest};
use std::collections::BTreeSet;

impl Emitter<'_> {
    /// Computes the results of the open nest from `from` on along the loop with the lanes, which is the innermost.
    pub(crate) fn cache_blocked_reduction(
        &mut self,
        (nest, planned, dims): (&Nest, &PlannedNest, &[Index]),
        blocked: CacheBlockedReduction,
        open: &[Option<Vec<UnrolledLane>>],
        (from, width): (Index, i64),
    ) -> Supported<()> {
        let plan = &planned.plan;
        let v = plan.vector.ok_or("a band without lanes")?;
        let tensor = self.tensors[blocked.id].clone();
        let Kind::Result { node, .. } = tensor.kind else { return Err("a band of no sums".into()) };
        let idx: Vec<Sym> = (0..dims.len()).map(|d| Sym::var((NEST, d))).collect();
        let uses: Vec<Use> =
            nest.roots.iter().flat_map(|(r, _)| self.uses(*r, idx.clone(), &BTreeSet::new())).collect();
        let of = uses.into_iter().find(|u| u.id == blocked.id).ok_or("a band that nothing reads")?;
        let fixed = |s: &Sym| match s.exactly() {
            Some((_, d)) => open[d].as_ref().map_or(LaneIndex::constant(0), |n| n[0].idx.clone()),
            None => LaneIndex::constant(0),
        };
        let place: Vec<LaneIndex> = of
            .idx
            .iter()
            .enumerate()
            .map(|(at, s)| if at == blocked.along { LaneIndex::from(from) } else { fixed(s) })
            .collect();
        let ptr = self.code.stack(tensor.elem, (width + plan.lanes - 1) / plan.lanes * plan.lanes);
        let memory = self.code.contiguous(ptr, tensor.elem, &[Index::constant(width)]);
        let place_of = |n: &UnrolledLane| {
            let mut idx = place.clone();
            idx[blocked.along] = n.idx.clone();
            Point { idx, mask: n.mask, guard: None }
        };
        let sums = (node, &memory);
        self.across_block(from, width, |this, all| {
            let points: Vec<Point> = all.iter().map(|(n, _)| place_of(n)).collect();
            let domains: Vec<Point> = points.iter().map(|p| p.at(this.domain(node, &p.idx))).collect();
            let initial = this.initial(node, &domains)?;
            for ((_, at), value) in all.iter().zip(initial) {
                let value = this.code.splat(value);
                this.code.store(&memory, at, value, None);
            }
            Ok(())
        })?;
        let order = self.nodes[node].reductions();
        self.advance(sums, &order, &[], (from, width), &place_of)?;
        let held = (0..place.len())
            .map(|at| if at == blocked.along { Residency::From(from) } else { Residency::At(place[at].clone()) })
            .collect();
        self.code.scope().buffers.insert(blocked.id, Buffer { memory, dims: held });
        self.across_block(from, width, |this, all| {
            let mut open = open.to_vec();
            open[v] = Some(all.iter().map(|(n, _)| n.clone()).collect());
            this.depth((nest, planned, dims, None), plan.order.len(), open, None)
        })
    }

    /// Adds all that the reductions in `order` run over to the sums in memory; `set` has those around.
    fn advance(
        &mut self,
        (node, memory): (usize, &Memory),
        order: &[usize],
        set: &[(usize, Index)],
        (from, width): (Index, i64),
        place_of: &dyn Fn(&UnrolledLane) -> Point,
    ) -> Supported<()> {
        let Some((&dim, inner)) = order.split_first() else { return Ok(()) };
        let size = self.nodes[node].dims[dim];
        if !inner.is_empty() {
            self.for_loop((Index::ZERO, size, Index::constant(1)), &[], |this, i, _| {
                let set = [set, &[(dim, i)]].concat();
                this.advance((node, memory), inner, &set, (from, width), place_of)?;
                Ok(Vec::new())
            })?;
            return Ok(());
        }
        let add = |this: &mut Self, row: Index, rows: i64| {
            this.across_block(from, width, |this, all| {
                let mut sums: Vec<_> = all.iter().map(|(_, at)| this.code.load(memory, at, None, None, None)).collect();
                for k in 0..rows {
                    let domains: Vec<Point> = all
                        .iter()
                        .map(|(n, _)| {
                            let point = place_of(n);
                            let mut domain = point.at(this.domain(node, &point.idx));
                            for &(d, i) in set {
                                domain.idx[d] = LaneIndex::uniform(i);
                            }
                            domain.idx[dim] = LaneIndex::uniform(row.plus(k));
                            domain
                        })
                        .collect();
                    sums = this.step(node, &domains, sums)?;
                }
                for ((_, at), sum) in all.iter().zip(sums) {
                    this.code.store(memory, at, sum, None);
                }
                Ok(())
            })
        };
        let together = self.target.cpu.memory.reduction_block_rows;
        let whole = self.code.divide("arith.divui", size, Index::constant(together));
        let whole = self.code.mul(whole, Index::constant(together));
        for (first, end, rows) in [(Index::ZERO, whole, together), (whole, size, 1)] {
            self.for_loop((first, end, Index::constant(rows)), &[], |this, row, _| {
                add(this, row, rows)?;
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }

    /// The vectors of a block, a few at a time: the unrolled lane along the loop, and its place in the block.
    fn across_block(
        &mut self,
        from: Index,
        width: i64,
        mut body: impl FnMut(&mut Self, &[(UnrolledLane, LaneIndex)]) -> Supported<()>,
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let vectors = self.target.cpu.memory.reduction_block_vectors;
        let tile = vectors * lanes;
        let whole = width / tile * tile;
        for (first, end) in [(0, whole), (whole, width)] {
            let count = ((end - first + lanes - 1) / lanes).min(vectors);
            let part = (Index::constant(first), Index::constant(end), Index::constant(tile));
            self.for_loop(part, &[], |this, i, _| {
                let mut all = Vec::new();
                for k in 0..count {
                    let place = i.plus(k * lanes);
                    let left = end - first - k * lanes;
                    let mask = (first == whole && left < lanes).then(|| this.lane_mask(Index::constant(left)));
                    let idx = LaneIndex::from(this.code.add(from, place));
                    all.push((UnrolledLane { idx, mask }, LaneIndex::from(place)));
                }
                body(this, &all)?;
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }
}
