//! Loop nests that compute tensors into memory.
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::emit::unrolled_lane::UnrolledLane;
use crate::emit::workgroup_partition::WorkgroupTiles;
use crate::graph::Memory;
use crate::machine::memory::MOST_INTERLEAVED;
use crate::schedule::planned::{Plan, PlannedNest, Wide};
use halyard_ir::Value;

/// A part of a loop: from, to, step, and where the unrolled lanes are from the loop variable on.
pub(crate) struct Segment {
    pub(crate) from: Index,
    pub(crate) to: Index,
    pub(crate) step: i64,
    pub(crate) offsets: Vec<i64>,
    /// The first of them that may lie beyond the end, with all after it; `None` if none does.
    masked_from: Option<usize>,
}

/// What a nest computes, and where it goes.
pub(crate) struct Nest {
    /// The tensors, all of the same sizes, and their memory (of full rank; where indices are
    /// held, over their positions).
    pub(crate) roots: Vec<(usize, Memory)>,
    /// The indices at which a dimension stays.
    pub(crate) held: Vec<Option<Vec<UnrolledLane>>>,
    /// Whether elements may be computed and stored twice.
    pub(crate) overlap: bool,
}

impl Nest {
    /// A nest that computes tensors as a whole.
    pub(crate) fn whole(roots: Vec<(usize, Memory)>, overlap: bool) -> Nest {
        let held = vec![None; roots[0].1.dims.len()];
        Nest { roots, held, overlap }
    }
}

impl Emitter<'_> {
    /// Emits a nest as it is planned.
    pub(crate) fn nest(&mut self, nest: &Nest, planned: &PlannedNest) -> Supported<()> {
        let plan = &planned.plan;
        let ids: Vec<usize> = nest.roots.iter().map(|r| r.0).collect();
        let own = &self.tensors[ids[0]].dims;
        let dims: Vec<Index> = own.iter().zip(&planned.merged).map(|(&d, m)| m.map_or(d, Index::constant)).collect();
        let open: Vec<Option<Vec<UnrolledLane>>> = (0..dims.len())
            .map(|d| match &nest.held[d] {
                Some(all) => Some(all.clone()),
                None => {
                    (dims[d].known() == Some(1)).then(|| vec![UnrolledLane { idx: LaneIndex::constant(0), mask: None }])
                }
            })
            .collect();
        let outer = std::mem::replace(&mut self.code.lanes, plan.lanes);
        let own_tiles = planned.partition.and_then(|partition| self.divide(partition, &dims));
        let once = std::mem::replace(&mut self.once, planned.once.clone());
        self.roots.extend(&ids);
        let panel = plan.pack.as_ref().map(|pack| self.panel_memory(pack, plan)).transpose()?;
        let ptr = panel.map(|panel| panel.ptr);
        let result = self.located(self.tensors[ids[0]].loc, |this| {
            this.code_scoped(|this| this.depth((nest, planned, &dims, ptr), 0, open, own_tiles))
        });
        if plan.nontemporal {
            self.code.settle();
        }
        if let Some(panel) = panel {
            self.give(panel)?;
        }
        self.roots.truncate(self.roots.len() - ids.len());
        self.once = once;
        self.code.lanes = outer;
        result
    }

    pub(crate) fn depth(
        &mut self,
        (nest, planned, dims, panel): (&Nest, &PlannedNest, &[Index], Option<Value>),
        depth: usize,
        open: Vec<Option<Vec<UnrolledLane>>>,
        own_tiles: Option<WorkgroupTiles>,
    ) -> Supported<()> {
        let plan = &planned.plan;
        let mut heap = Vec::new();
        for item in plan.items.iter().filter(|i| i.depth == depth) {
            self.compute_at((item, &planned.inner), &open, &mut heap, depth == 0 && own_tiles.is_some())?;
        }
        if let (Some(pack), Some(panel)) = (plan.pack.as_ref().filter(|p| p.depth == depth), panel) {
            self.pack(pack, plan, panel, &open)?;
        }
        if let Some(&dim) = plan.order.get(depth) {
            let size = dims[dim];
            let share = own_tiles.filter(|work| work.dim == dim);
            let own = share.map(|work| self.tiles_of_loop(work));
            let segments = self.segments(plan, dim, size, nest.overlap && share.is_none());
            let tile = plan.tile(dim);
            for (at, segment) in segments.iter().enumerate() {
                let (mut from, mut to) = (segment.from, segment.to);
                if let Some((first, end)) = own {
                    let first = self.code.mul(first, Index::constant(tile));
                    let end = self.code.mul(end, Index::constant(tile));
                    if at == 0 {
                        from = first;
                        to = self.code.min(end, to);
                    } else {
                        // The last tile is not whole; it belongs to whoever has the end.
                        let mine = self.code.min(end, size);
                        from = self.code.max(from, first);
                        to = self.code.min(to, mine);
                    }
                }
                self.for_loop((from, to, Index::constant(segment.step)), &[], |this, i, _| {
                    if let Some(wide) = plan.wide.filter(|_| plan.vector == Some(dim)) {
                        let width = if at == 0 { tile } else { size.known().unwrap_or(0) % tile };
                        match wide {
                            Wide::CacheBlockedReduction(blocked) => {
                                this.cache_blocked_reduction((nest, planned, dims), blocked, &open, (i, width))?
                            }
                            Wide::StreamingTranspose(streaming) => {
                                this.streaming_transpose((nest, planned, dims), streaming, &open, (i, width))?
                            }
                        }
                        return Ok(Vec::new());
                    }
                    let mut unrolled = Vec::new();
                    for (number, &offset) in segment.offsets.iter().enumerate() {
                        let ix = i.plus(offset);
                        let idx = if plan.vector == Some(dim) { LaneIndex::from(ix) } else { LaneIndex::uniform(ix) };
                        let mask = if segment.masked_from.is_some_and(|from| number >= from) {
                            let left = this.code.sub(size, ix);
                            Some(this.lane_mask(left))
                        } else {
                            None
                        };
                        unrolled.push(UnrolledLane { idx, mask });
                    }
                    let mut open = open.clone();
                    open[dim] = Some(unrolled);
                    let inside = share.map(|work| this.tiles_inside(work, (i, tile))).or(own_tiles);
                    this.depth((nest, planned, dims, panel), depth + 1, open, inside)?;
                    Ok(Vec::new())
                })?;
            }
        } else {
            let points = cross(&open);
            let mut values = Vec::new();
            for (id, _) in &nest.roots {
                values.push(self.materialize(*id, &points)?);
            }
            for ((_, memory), mut values) in nest.roots.iter().zip(values) {
                let mut points = points.clone();
                let step = plan.vector.and_then(|v| memory.strides[v].known());
                let step = step.filter(|_| nest.held.iter().all(Option::is_none));
                if step.is_some_and(|step| (2..=MOST_INTERLEAVED).contains(&step)) {
                    (points, values) = self.store_interleaved(memory, points, values);
                }
                if step.is_some_and(|step| step.abs() > 4) {
                    (points, values) = self.store_blocks(memory, points, values);
                }
                for (point, value) in points.iter().zip(values) {
                    let place = |(d, idx): (usize, &LaneIndex)| match &nest.held[d] {
                        Some(all) => {
                            let at = all.iter().position(|n| n.idx == *idx).expect("an index that is held") as i64;
                            let step = if idx.is_uniform() { 1 } else { self.code.lanes };
                            LaneIndex { ix: Index::constant(at * step), lanes: idx.lanes.clone() }
                        }
                        None => idx.clone(),
                    };
                    let idx: Vec<LaneIndex> = point.idx.iter().enumerate().map(place).collect();
                    let offset = self.code.offset(memory, &idx);
                    if plan.nontemporal && point.mask.is_none() {
                        self.code.store_nontemporal(memory, &offset, value);
                    } else {
                        self.code.store(memory, &offset, value, point.mask);
                    }
                }
            }
        }
        for taken in heap.into_iter().rev() {
            self.give(taken)?;
        }
        Ok(())
    }

    /// The parts of a loop: whole tiles, then what is left.
    pub(crate) fn segments(&mut self, plan: &Plan, dim: usize, size: Index, overlap: bool) -> Vec<Segment> {
        let lanes = if plan.vector == Some(dim) { plan.lanes } else { 1 };
        let unroll_jam = plan.tile(dim) / lanes;
        let tile = lanes * unroll_jam;
        let offsets = |count: i64| (0..count).map(|k| k * lanes).collect::<Vec<_>>();
        let Some(n) = size.known() else {
            let whole = self.code.divide("arith.divui", size, Index::constant(tile));
            let whole = self.code.mul(whole, Index::constant(tile));
            let all =
                Segment { from: Index::ZERO, to: whole, step: tile, offsets: offsets(unroll_jam), masked_from: None };
            let mut parts = vec![all];
            let mut rest = whole;
            if plan.fills_rest(dim) {
                // As many vectors at once as in other tiles.
                let half = unroll_jam / 2;
                let left = self.code.sub(size, whole);
                rest = self.if_within(left, (half * lanes, tile), size, whole);
                let most = self.if_within(left, (half * lanes, tile), whole, size);
                let (offsets, masked_from) = (offsets(unroll_jam), Some(half as usize));
                parts.push(Segment { from: most, to: size, step: tile, offsets, masked_from });
            }
            if tile > 1 {
                let masked_from = (lanes > 1).then_some(0);
                parts.push(Segment { from: rest, to: size, step: lanes, offsets: vec![0], masked_from });
            }
            return parts;
        };
        let whole = n / tile * tile;
        let mut parts = Vec::new();
        parts.push(Segment {
            from: Index::ZERO,
            to: Index::constant(whole),
            step: tile,
            offsets: offsets(unroll_jam),
            masked_from: None,
        });
        if whole < n {
            let left = n - whole;
            let count = (left + lanes - 1) / lanes;
            let mut offsets = offsets(count);
            let ragged = left % lanes != 0;
            let slide = ragged && overlap && n >= lanes;
            if plan.block == Some(dim) && overlap && n >= tile {
                // A whole block again, so that it can be transposed.
                let offsets = (0..unroll_jam).map(|k| left - unroll_jam + k).collect();
                parts.push(Segment {
                    from: Index::constant(whole),
                    to: Index::constant(n),
                    step: tile,
                    offsets,
                    masked_from: None,
                });
                return parts;
            }
            if slide {
                *offsets.last_mut().expect("something is left") = left - lanes;
            }
            parts.push(Segment {
                from: Index::constant(whole),
                to: Index::constant(n),
                step: tile,
                masked_from: (ragged && !slide).then_some(offsets.len() - 1),
                offsets,
            });
        }
        parts
    }

    /// Runs in a scope of its own.
    pub(crate) fn code_scoped<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        self.code.enter();
        let result = body(self);
        self.code.leave();
        result
    }
}

/// All combinations of unrolled lanes, the last dimension fastest.
fn cross(open: &[Option<Vec<UnrolledLane>>]) -> Vec<Point> {
    let mut points = vec![Point::new(Vec::new())];
    for unrolled in open {
        let unrolled = unrolled.as_ref().expect("all loops are open");
        points = points
            .iter()
            .flat_map(|p| {
                unrolled.iter().map(|n| {
                    let mut p = p.clone();
                    p.idx.push(n.idx.clone());
                    p.mask = p.mask.or(n.mask);
                    p
                })
            })
            .collect();
    }
    points
}
