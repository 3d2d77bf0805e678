//! How a nest is divided among workgroups.
use crate::Emitter;
use crate::emit::index::Index;
use crate::machine::workgroups::MOST_BY_SCHEDULE;
use crate::schedule::plan::{Item, Plan};

/// How a nest is divided: what is chosen, before anything of it is emitted.
#[derive(Clone, Copy, Debug)]
struct Partition {
    /// The loop whose tiles the workgroups share.
    dim: usize,
    /// The size of a tile.
    tile: i64,
    /// How many tiles there are, if it is known.
    tiles: Option<i64>,
    /// How many workgroups there are, at most.
    workgroups: i64,
}

/// The loop that is divided among workgroups.
#[derive(Clone, Copy)]
pub(crate) struct WorkgroupTiles {
    pub(crate) dim: usize,
    /// First and end of this workgroup's tiles.
    pub(crate) tiles: (Index, Index),
}

impl Emitter<'_> {
    /// The number of workgroups that the schedule asks for, or else ours; no more than there are pieces of work.
    pub(crate) fn chosen_workgroups(&mut self, ours: i64, pieces: Option<i64>) -> i64 {
        let most = pieces.map_or(MOST_BY_SCHEDULE, |n| n.min(MOST_BY_SCHEDULE)).max(1);
        let count = self.choices.number("workgroups", ours.min(most), |n| (1..=most).contains(&n));
        let powers = (0..).map(|k| 1i64 << k).take_while(|n| *n < most);
        self.choices.record_number("workgroups", count, powers.chain([most]));
        count
    }

    /// Chooses the loop whose tiles the workgroups share: the one with most tiles of those outside everything kept.
    fn partition(&mut self, plan: &Plan, dims: &[Index]) -> Option<Partition> {
        let numbers = &self.target.cpu.workgroups;
        let kept = plan.items.iter().map(|i| i.depth).chain(plan.pack.as_ref().map(|p| p.depth));
        let first = kept.filter(|&d| d > 0).min().unwrap_or(plan.order.len());
        let eligible = &plan.order[..first];
        let tiles_of = |d: usize| {
            dims[d].known().map(|n| n.div_euclid(self.tile(plan, d)) + i64::from(n % self.tile(plan, d) > 0))
        };
        let several = |d: usize| tiles_of(d).is_none_or(|t| t > 1);
        let &dim = eligible.iter().max_by_key(|&&d| (tiles_of(d).unwrap_or(numbers.unknown_tiles), usize::MAX - d))?;
        let legal: Vec<i64> = eligible.iter().filter(|&&d| several(d)).map(|&d| d as i64).collect();
        let dim = self.choices.number("parallel_loop", dim as i64, |d| legal.contains(&d)) as usize;
        let known = tiles_of(dim);
        if !several(dim) {
            return None;
        }
        self.choices.record_number("parallel_loop", dim as i64, legal);
        // Each workgroup repeats what is kept before all loops, unless it finds it in scratch memory.
        let size = |id: usize| self.tensors[id].dims.iter().try_fold(1, |n, d| Some(n * d.known()?));
        let found = |i: &Item| {
            let bytes = self.tensors[i.id].elem.byte_width() as i64;
            i.scratch && size(i.id).is_some_and(|n| n * bytes > self.target.cpu.memory.recomputed_bytes)
        };
        let repeated: f64 = plan
            .items
            .iter()
            .filter(|i| i.depth == 0 && !found(i))
            .map(|i| size(i.id).unwrap_or(numbers.unknown_elements) as f64 * self.target.cpu.costs.repeated_element)
            .sum();
        let most = numbers.most_by_estimate;
        let wanted = match plan.nanoseconds {
            Some(ns) => (ns / numbers.worth_handing_out)
                .ceil()
                .min(if repeated > 0.0 { (ns * numbers.repeated_share / repeated).floor() } else { most })
                .clamp(1.0, most) as i64,
            None if repeated > 0.0 => 1,
            None => numbers.unknown_work,
        };
        // Once it is worth handing out, in pieces that several threads can share evenly.
        let wanted = if wanted > 1 && repeated == 0.0 { wanted.max(numbers.fewest_of_several) } else { wanted };
        let workgroups = self.chosen_workgroups(wanted, known);
        Some(Partition { dim, tile: self.tile(plan, dim), tiles: known, workgroups })
    }

    /// Divides a nest among workgroups; `None` if one does everything.
    pub(crate) fn divide(&mut self, plan: &Plan, dims: &[Index]) -> Option<WorkgroupTiles> {
        let Partition { dim, tile, tiles, workgroups } = self.partition(plan, dims)?;
        let total = match tiles {
            Some(tiles) => Index::constant(tiles),
            None => {
                let up = self.code.add(dims[dim], Index::constant(tile - 1));
                self.code.divide("arith.divui", up, Index::constant(tile))
            }
        };
        let count = self.code.min(total, Index::constant(workgroups));
        let count = self.code.max(count, Index::constant(1));
        self.workgroups.push(count);
        if count.known() == Some(1) {
            return None;
        }
        let (id, of) = self.workgroup();
        let from = self.code.mul(total, id);
        let from = self.code.divide("arith.divui", from, of);
        let to = self.code.mul(total, id.plus(1));
        let to = self.code.divide("arith.divui", to, of);
        Some(WorkgroupTiles { dim, tiles: (from, to) })
    }
}
