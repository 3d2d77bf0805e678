//! What a nest computes before its innermost loops and keeps: values in registers, tensors in scratch memory.
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Buffer, Residency, Supported};
use crate::emit::nest::Nest;
use crate::emit::scratch::Taken;
use crate::emit::unrolled_lane::UnrolledLane;
use crate::graph::Memory;
use crate::schedule::planned::{InnerNest, Item};
use crate::schedule::planner::Held;

impl Emitter<'_> {
    /// Computes a tensor for the loops inside. With `for_all`, it is the same for all workgroups, and each thread computes it
    /// once.
    pub(crate) fn compute_at(
        &mut self,
        (item, inner): (&Item, &[InnerNest]),
        open: &[Option<Vec<UnrolledLane>>],
        heap: &mut Vec<Taken>,
        for_all: bool,
    ) -> Supported<()> {
        if !item.scratch {
            let mut points = vec![Point::new(Vec::new())];
            let mut chosen: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
            for follows in &item.follows {
                let (mut next, mut picks) = (Vec::new(), Vec::new());
                for (point, chosen) in points.iter().zip(&chosen) {
                    let all = match follows {
                        Some(d) => open[*d].clone().ok_or("a loop that is not open")?,
                        None => vec![UnrolledLane { idx: LaneIndex::constant(0), mask: None }],
                    };
                    for (k, unrolled) in all.iter().enumerate() {
                        // Two dimensions that follow one loop move together.
                        if chosen.iter().any(|c| Some(c.0) == *follows && c.1 != k) {
                            continue;
                        }
                        let mut point = point.clone();
                        point.idx.push(unrolled.idx.clone());
                        point.mask = point.mask.or(unrolled.mask);
                        next.push(point);
                        let mut pick = chosen.clone();
                        pick.extend(follows.map(|d| (d, k)));
                        picks.push(pick);
                    }
                }
                (points, chosen) = (next, picks);
            }
            self.materialize(item.id, &points)?;
            self.code.scope().kept.insert((item.id, self.roots.len()));
            return Ok(());
        }
        let tensor = self.tensors[item.id].clone();
        let held: Vec<Option<Vec<UnrolledLane>>> =
            item.follows.iter().map(|f| f.and_then(|d| open[d].clone())).collect();
        let shape = |h: &[UnrolledLane]| Held { count: h.len() as i64, lanes: h.iter().any(|n| !n.idx.is_uniform()) };
        let shapes: Vec<Option<Held>> = held.iter().map(|h| h.as_deref().map(shape)).collect();
        let planned = inner.iter().find(|nest| nest.id == item.id && nest.held == shapes);
        let planned = planned.ok_or("scratch memory that is not planned")?;
        // Lanes stand side by side, innermost.
        let width = self.code.lanes;
        let lanes = |h: &[UnrolledLane]| if h.iter().all(|n| n.idx.is_uniform()) { 1 } else { width };
        let extent = |d: usize| held[d].as_ref().map_or(tensor.dims[d], |h| Index::constant(h.len() as i64 * lanes(h)));
        let mut kept: Vec<usize> =
            (0..held.len()).filter(|&d| held[d].is_none() || extent(d).known() != Some(1)).collect();
        kept.sort_by_key(|&d| held[d].as_ref().map_or(1, |h| lanes(h)));
        let sizes: Vec<Index> = kept.iter().map(|&d| extent(d)).collect();
        let count = sizes.iter().fold(Index::constant(1), |n, &s| self.code.mul(n, s));
        let bytes = tensor.elem.byte_width() as i64;
        let for_all = for_all && item.for_all;
        let mut all = None;
        let ptr = match count.known() {
            Some(count) if count * bytes <= self.target.cpu.memory.stack_bytes && !for_all => {
                self.code.stack(tensor.elem, count)
            }
            _ => {
                let taken = self.take(count, bytes)?;
                if for_all {
                    all = Some(taken);
                } else {
                    heap.push(taken);
                }
                taken.ptr
            }
        };
        let packed = self.code.contiguous(ptr, tensor.elem, &sizes);
        let mut full = Memory { dims: tensor.dims.clone(), strides: vec![Index::ZERO; held.len()], ..packed.clone() };
        for (at, &d) in kept.iter().enumerate() {
            full.strides[d] = packed.strides[at];
        }
        kept.sort_unstable();
        let (dims, strides) = kept.iter().map(|&d| (extent(d), full.strides[d])).unzip();
        let memory = Memory { dims, strides, ..packed };
        let nest = Nest { roots: vec![(item.id, full)], held: held.clone(), overlap: true };
        let before = std::mem::replace(&mut self.next_rows, planned.next_rows.clone());
        let fill = |this: &mut Self| planned.nest.as_ref().map_or(Ok(()), |planned| this.nest(&nest, planned));
        match all {
            Some(taken) => self.fill_for_all(taken, None, fill)?,
            None => self.code_scoped(fill)?,
        }
        self.next_rows = before;
        let dims = held
            .into_iter()
            .map(|h| match h {
                None => Residency::From(Index::ZERO),
                Some(mut one) if one.len() == 1 && one[0].idx.is_uniform() => Residency::At(one.remove(0).idx),
                Some(all) => {
                    let step = lanes(&all);
                    Residency::Among(all.into_iter().map(|n| n.idx).collect(), step)
                }
            })
            .collect();
        self.code.scope().buffers.insert(item.id, Buffer { memory, dims });
        Ok(())
    }
}
