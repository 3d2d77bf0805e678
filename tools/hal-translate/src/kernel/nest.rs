//! Loop nests that compute tensors into memory.
use super::Emitter;
use super::code::{Buffer, Coder, Emitted, Held};
use super::graph::Kind;
use super::ix::{Idx, Ix, Point};
use super::memory::Memory;
use super::plan::{Item, Plan};
use halyard_ir::Value;

/// One of the neighbours along a loop that are computed side by side.
#[derive(Clone)]
pub(crate) struct Neighbour {
    /// Its index.
    idx: Idx,
    /// Its lanes that are within bounds.
    mask: Option<Value>,
}

/// A part of a loop: from, to, step, and where the neighbours are from the loop variable on.
struct Segment {
    from: Ix,
    to: Ix,
    step: i64,
    offsets: Vec<i64>,
    masked: bool,
}

/// What a nest computes, and where it goes.
pub(crate) struct Nest {
    /// The tensors, all of the same sizes, and their memory (of full rank; stride 0 where an index is held).
    pub(crate) roots: Vec<(usize, Memory)>,
    /// The index at which a dimension stays.
    pub(crate) held: Vec<Option<Idx>>,
    /// Whether the work is divided among the workgroups.
    pub(crate) shared: bool,
    /// Whether elements may be computed and stored twice.
    pub(crate) overlap: bool,
}

/// The loop that is divided among workgroups.
#[derive(Clone, Copy)]
struct Division {
    dim: usize,
    /// First and end of this workgroup's tiles.
    tiles: (Ix, Ix),
}

/// Scratch memory up to this size is on the stack.
const STACK: i64 = 64 * 1024;

impl Emitter<'_> {
    /// Emits a nest.
    pub(crate) fn nest(&mut self, nest: &Nest) -> Emitted<()> {
        let ids: Vec<usize> = nest.roots.iter().map(|r| r.0).collect();
        let free: Vec<usize> = (0..nest.held.len()).filter(|&d| nest.held[d].is_none()).collect();
        let dims = self.merged(&nest.roots, &free);
        let plan = self.plan(&ids, &free, &nest.roots[0].1, &dims);
        if free.iter().any(|&d| dims[d].known() == Some(0)) {
            return Ok(());
        }
        let open: Vec<Option<Vec<Neighbour>>> = (0..dims.len())
            .map(|d| match &nest.held[d] {
                Some(idx) => Some(vec![Neighbour { idx: idx.clone(), mask: None }]),
                None => (dims[d].known() == Some(1)).then(|| vec![Neighbour { idx: Idx::constant(0), mask: None }]),
            })
            .collect();
        let outer = std::mem::replace(&mut self.code.lanes, plan.lanes);
        let division = if nest.shared { self.divide(&plan, &dims) } else { None };
        let result = self.code_scoped(|this| this.depth((nest, &plan, &dims), 0, open, division));
        self.code.lanes = outer;
        result
    }

    /// Chooses the loop whose tiles the workgroups share: the one with most tiles of those outside everything kept.
    fn divide(&mut self, plan: &Plan, dims: &[Ix]) -> Option<Division> {
        let first = plan.items.iter().map(|i| i.depth).filter(|&d| d > 0).min().unwrap_or(plan.order.len());
        let eligible = &plan.order[..first];
        let tiles_of = |d: usize| {
            dims[d].known().map(|n| n.div_euclid(self.tile(plan, d)) + i64::from(n % self.tile(plan, d) > 0))
        };
        let &dim = eligible.iter().max_by_key(|&&d| (tiles_of(d).unwrap_or(16), usize::MAX - d))?;
        let known = tiles_of(dim);
        if known.is_some_and(|t| t < 2) {
            return None;
        }
        // Each workgroup repeats what is kept before all loops.
        let repeated: f64 = plan
            .items
            .iter()
            .filter(|i| i.depth == 0)
            .map(|i| self.tensors[i.id].dims.iter().map(|d| d.known().unwrap_or(64) as f64).product::<f64>() * 0.15)
            .sum();
        let wanted = match plan.nanoseconds {
            Some(ns) => (ns / 40_000.0)
                .ceil()
                .min(if repeated > 0.0 { (ns * 0.08 / repeated).floor() } else { 64.0 })
                .clamp(1.0, 64.0) as i64,
            None if repeated > 0.0 => 1,
            None => 16,
        };
        let size = self.tile(plan, dim);
        let total = match known {
            Some(known) => Ix::constant(known),
            None => {
                let up = self.code.add(dims[dim], Ix::constant(size - 1));
                self.code.divide("arith.divui", up, Ix::constant(size))
            }
        };
        let count = self.code.min(total, Ix::constant(wanted));
        let count = self.code.max(count, Ix::constant(1));
        self.workgroups.push(count);
        if count.known() == Some(1) {
            return None;
        }
        let (id, of) = self.workgroup();
        let from = self.code.mul(total, id);
        let from = self.code.divide("arith.divui", from, of);
        let to = self.code.mul(total, id.plus(1));
        let to = self.code.divide("arith.divui", to, of);
        Some(Division { dim, tiles: (from, to) })
    }

    /// The elements of a tile along a loop.
    fn tile(&self, plan: &Plan, dim: usize) -> i64 {
        plan.jam[dim] * if plan.vector == Some(dim) { plan.lanes } else { 1 }
    }

    fn depth(
        &mut self,
        (nest, plan, dims): (&Nest, &Plan, &[Ix]),
        depth: usize,
        open: Vec<Option<Vec<Neighbour>>>,
        division: Option<Division>,
    ) -> Emitted<()> {
        let mut heap = Vec::new();
        for item in plan.items.iter().filter(|i| i.depth == depth) {
            self.keep(item, &open, &mut heap)?;
        }
        if let Some(&dim) = plan.order.get(depth) {
            let size = dims[dim];
            let share = division.filter(|d| d.dim == dim);
            let segments = self.segments(plan, dim, size, nest.overlap && share.is_none());
            let tile = self.tile(plan, dim);
            for (at, segment) in segments.iter().enumerate() {
                let (mut from, mut to) = (segment.from, segment.to);
                if let Some(Division { tiles: (first, end), .. }) = share {
                    let first = self.code.mul(first, Ix::constant(tile));
                    let end = self.code.mul(end, Ix::constant(tile));
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
                self.for_loop((from, to, Ix::constant(segment.step)), &[], |this, i, _| {
                    let mut neighbours = Vec::new();
                    for &offset in &segment.offsets {
                        let ix = i.plus(offset);
                        let idx = if plan.vector == Some(dim) { Idx::from(ix) } else { Idx::same(ix) };
                        let masked =
                            segment.masked && offset == *segment.offsets.last().expect("a tile has neighbours");
                        let mask = if masked {
                            let left = this.code.sub(size, ix);
                            Some(this.lane_mask(left))
                        } else {
                            None
                        };
                        neighbours.push(Neighbour { idx, mask });
                    }
                    let mut open = open.clone();
                    open[dim] = Some(neighbours);
                    this.depth((nest, plan, dims), depth + 1, open, division)?;
                    Ok(Vec::new())
                })?;
            }
        } else {
            let points = cross(&open);
            let mut values = Vec::new();
            for (id, _) in &nest.roots {
                values.push(self.pull(*id, &points)?);
            }
            for ((_, memory), values) in nest.roots.iter().zip(values) {
                for (point, value) in points.iter().zip(values) {
                    let offset = self.code.offset(memory, &point.idx);
                    self.code.store(memory, &offset, value, point.mask);
                }
            }
        }
        for ptr in heap.into_iter().rev() {
            self.free(ptr);
        }
        Ok(())
    }

    /// The parts of a loop: whole tiles, then what is left.
    fn segments(&mut self, plan: &Plan, dim: usize, size: Ix, overlap: bool) -> Vec<Segment> {
        let lanes = if plan.vector == Some(dim) { plan.lanes } else { 1 };
        let jam = plan.jam[dim];
        let tile = lanes * jam;
        let offsets = |count: i64| (0..count).map(|k| k * lanes).collect::<Vec<_>>();
        let Some(n) = size.known() else {
            let whole = self.code.divide("arith.divui", size, Ix::constant(tile));
            let whole = self.code.mul(whole, Ix::constant(tile));
            let mut parts =
                vec![Segment { from: Ix::ZERO, to: whole, step: tile, offsets: offsets(jam), masked: false }];
            if tile > 1 {
                parts.push(Segment { from: whole, to: size, step: lanes, offsets: vec![0], masked: lanes > 1 });
            }
            return parts;
        };
        let whole = n / tile * tile;
        let mut parts = Vec::new();
        parts.push(Segment {
            from: Ix::ZERO,
            to: Ix::constant(whole),
            step: tile,
            offsets: offsets(jam),
            masked: false,
        });
        if whole < n {
            let left = n - whole;
            let count = (left + lanes - 1) / lanes;
            let mut offsets = offsets(count);
            let ragged = left % lanes != 0;
            let slide = ragged && overlap && n >= lanes;
            if slide {
                *offsets.last_mut().expect("something is left") = left - lanes;
            }
            parts.push(Segment {
                from: Ix::constant(whole),
                to: Ix::constant(n),
                step: tile,
                offsets,
                masked: ragged && !slide,
            });
        }
        parts
    }

    /// Computes a tensor for the loops inside.
    fn keep(&mut self, item: &Item, open: &[Option<Vec<Neighbour>>], heap: &mut Vec<Value>) -> Emitted<()> {
        let first = |d: usize| open[d].as_ref().map(|n| n[0].idx.clone());
        if !item.scratch {
            let mut points = vec![Point::new(Vec::new())];
            let mut chosen: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
            for follows in &item.follows {
                let (mut next, mut picks) = (Vec::new(), Vec::new());
                for (point, chosen) in points.iter().zip(&chosen) {
                    let all = match follows {
                        Some(d) => open[*d].clone().ok_or("a loop that is not open")?,
                        None => vec![Neighbour { idx: Idx::constant(0), mask: None }],
                    };
                    for (k, neighbour) in all.iter().enumerate() {
                        // Two dimensions that follow one loop move together.
                        if chosen.iter().any(|c| Some(c.0) == *follows && c.1 != k) {
                            continue;
                        }
                        let mut point = point.clone();
                        point.idx.push(neighbour.idx.clone());
                        point.mask = point.mask.or(neighbour.mask);
                        next.push(point);
                        let mut pick = chosen.clone();
                        pick.extend(follows.map(|d| (d, k)));
                        picks.push(pick);
                    }
                }
                (points, chosen) = (next, picks);
            }
            self.pull(item.id, &points)?;
            return Ok(());
        }
        let tensor = self.tensors[item.id].clone();
        let held: Vec<Option<Idx>> = item.follows.iter().map(|f| f.and_then(first)).collect();
        let kept: Vec<usize> = (0..held.len()).filter(|&d| held[d].is_none()).collect();
        let sizes: Vec<Ix> = kept.iter().map(|&d| tensor.dims[d]).collect();
        let count = sizes.iter().fold(Ix::constant(1), |n, &s| self.code.mul(n, s));
        let bytes = tensor.elem.byte_width() as i64;
        let ptr = match count.known() {
            Some(count) if count * bytes <= STACK => self.code.stack(tensor.elem, count),
            _ => {
                let ptr = self.allocate(count, bytes);
                heap.push(ptr);
                ptr
            }
        };
        let memory = self.code.contiguous(ptr, tensor.elem, &sizes);
        let mut full = Memory { dims: tensor.dims.clone(), strides: vec![Ix::ZERO; held.len()], ..memory.clone() };
        for (at, &d) in kept.iter().enumerate() {
            full.strides[d] = memory.strides[at];
        }
        let nest = Nest { roots: vec![(item.id, full)], held: held.clone(), shared: false, overlap: true };
        self.code_scoped(|this| this.nest(&nest))?;
        let dims = held.into_iter().map(|h| h.map_or(Held::From(Ix::ZERO), Held::At)).collect();
        self.code.scope().buffers.insert(item.id, Buffer { memory, dims });
        Ok(())
    }

    /// Computes a tensor into memory, by the form that writes least.
    pub(crate) fn store_tensor(&mut self, id: usize, memory: Memory, overlap: bool) -> Emitted<()> {
        match self.tensors[id].kind.clone() {
            Kind::Empty => Ok(()),
            Kind::Concat { srcs, axis } => {
                let mut start = Ix::ZERO;
                for src in srcs {
                    let mut part = memory.clone();
                    let move_by = self.code.mul(start, memory.strides[axis]);
                    part.offset = self.code.add(memory.offset, move_by);
                    part.dims = self.tensors[src].dims.clone();
                    self.store_tensor(src, part, overlap)?;
                    start = self.code.add(start, self.tensors[src].dims[axis]);
                }
                Ok(())
            }
            Kind::Insert { src, dst, offsets, strides, kept, .. }
                if matches!(self.tensors[dst].kind, Kind::Empty) || self.is_memory(dst, &memory) =>
            {
                let mut part = Memory { dims: Vec::new(), strides: Vec::new(), ..memory.clone() };
                for d in 0..offsets.len() {
                    let move_by = self.code.mul(offsets[d], memory.strides[d]);
                    part.offset = self.code.add(part.offset, move_by);
                }
                for (at, &d) in kept.iter().enumerate() {
                    part.dims.push(self.tensors[src].dims[at]);
                    part.strides.push(self.code.mul(strides[d], memory.strides[d]));
                }
                self.store_tensor(src, part, overlap)
            }
            Kind::Expand { src, .. } | Kind::Collapse { src, .. } if self.is_contiguous(&memory) => {
                let dims = self.tensors[src].dims.clone();
                let mut view = self.code.contiguous(memory.ptr, memory.elem, &dims);
                view.offset = memory.offset;
                self.store_tensor(src, view, overlap)
            }
            _ => {
                let held = vec![None; memory.dims.len()];
                self.nest(&Nest { roots: vec![(id, memory)], held, shared: true, overlap })
            }
        }
    }

    /// Whether a tensor already is that memory.
    fn is_memory(&self, id: usize, memory: &Memory) -> bool {
        matches!(&self.tensors[id].kind, Kind::Memory(m) if m.ptr == memory.ptr && m.offset == memory.offset && m.strides == memory.strides)
    }

    fn is_contiguous(&mut self, memory: &Memory) -> bool {
        let dims = memory.dims.clone();
        self.code.contiguous(memory.ptr, memory.elem, &dims).strides == memory.strides
    }

    fn code_scoped<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        self.code.enter();
        let result = body(self);
        self.code.leave();
        result
    }
}

/// All combinations of neighbours, the last dimension fastest.
fn cross(open: &[Option<Vec<Neighbour>>]) -> Vec<Point> {
    let mut points = vec![Point::new(Vec::new())];
    for neighbours in open {
        let neighbours = neighbours.as_ref().expect("all loops are open");
        points = points
            .iter()
            .flat_map(|p| {
                neighbours.iter().map(|n| {
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
