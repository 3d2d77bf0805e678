//! How a nest is divided among workgroups.
use super::Emitter;
use super::ix::Ix;
use super::keep::SMALL;
use super::plan::{Item, Plan};

/// A workgroup that is estimated to take less, in nanoseconds, is not worth handing out.
const GRAIN: f64 = 10_000.0;

/// The least number of workgroups where there are several.
const EVEN: i64 = 16;

/// The loop that is divided among workgroups.
#[derive(Clone, Copy)]
pub(crate) struct Division {
    pub(crate) dim: usize,
    /// First and end of this workgroup's tiles.
    pub(crate) tiles: (Ix, Ix),
}

impl Emitter<'_> {
    /// Chooses the loop whose tiles the workgroups share: the one with most tiles of those outside everything kept.
    pub(crate) fn divide(&mut self, plan: &Plan, dims: &[Ix]) -> Option<Division> {
        let kept = plan.items.iter().map(|i| i.depth).chain(plan.pack.as_ref().map(|p| p.depth));
        let first = kept.filter(|&d| d > 0).min().unwrap_or(plan.order.len());
        let eligible = &plan.order[..first];
        let tiles_of = |d: usize| {
            dims[d].known().map(|n| n.div_euclid(self.tile(plan, d)) + i64::from(n % self.tile(plan, d) > 0))
        };
        let &dim = eligible.iter().max_by_key(|&&d| (tiles_of(d).unwrap_or(16), usize::MAX - d))?;
        let known = tiles_of(dim);
        if known.is_some_and(|t| t < 2) {
            return None;
        }
        // Each workgroup repeats what is kept before all loops, unless it finds it in scratch memory.
        let size = |id: usize| self.tensors[id].dims.iter().try_fold(1, |n, d| Some(n * d.known()?));
        let found = |i: &Item| {
            let bytes = self.tensors[i.id].elem.byte_width() as i64;
            i.scratch && size(i.id).is_some_and(|n| n * bytes > SMALL)
        };
        let repeated: f64 = plan
            .items
            .iter()
            .filter(|i| i.depth == 0 && !found(i))
            .map(|i| size(i.id).unwrap_or(4096) as f64 * 0.15)
            .sum();
        let wanted = match plan.nanoseconds {
            Some(ns) => (ns / GRAIN)
                .ceil()
                .min(if repeated > 0.0 { (ns * 0.08 / repeated).floor() } else { 64.0 })
                .clamp(1.0, 64.0) as i64,
            None if repeated > 0.0 => 1,
            None => 16,
        };
        // Once it is worth handing out, in pieces that several threads can share evenly.
        let wanted = if wanted > 1 && repeated == 0.0 { wanted.max(EVEN) } else { wanted };
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
}
