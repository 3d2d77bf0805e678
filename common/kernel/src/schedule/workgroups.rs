//! How a nest is divided among workgroups: along which loop, and among how many. [`crate::emit::workgroup_partition`] emits it.
use super::choices::Choices;
use crate::graph::Size;
use crate::machine::workgroups::MOST_BY_SCHEDULE;
use crate::schedule::planned::{Item, Partition, Plan};
use crate::schedule::planner::Planner;

impl Choices {
    /// The number of workgroups that the schedule asks for, or else ours; no more than there are pieces of work.
    pub(crate) fn chosen_workgroups(&mut self, ours: i64, pieces: Option<i64>) -> i64 {
        let most = pieces.map_or(MOST_BY_SCHEDULE, |n| n.min(MOST_BY_SCHEDULE)).max(1);
        let count = self.number("workgroups", ours.min(most), |n| (1..=most).contains(&n));
        let powers = (0..).map(|k| 1i64 << k).take_while(|n| *n < most);
        self.record_number("workgroups", count, powers.chain([most]));
        count
    }
}

impl Planner<'_> {
    /// Chooses the loop whose tiles the workgroups share: the one with most tiles of those outside everything kept. Where only a run knows how
    /// many that has (it may be the images of a batch, of which there is one), they share the tiles of another loop, too.
    pub(crate) fn partition(&mut self, plan: &Plan, dims: &[Size]) -> Option<Partition> {
        let numbers = &self.target.cpu.workgroups;
        let kept = plan.items.iter().map(|i| i.depth).chain(plan.pack.as_ref().map(|p| p.depth));
        let first = kept.filter(|&d| d > 0).min().unwrap_or(plan.order.len());
        let eligible = &plan.order[..first];
        let tiles_of = |d: usize| dims[d].known().map(|n| n.div_euclid(plan.tile(d)) + i64::from(n % plan.tile(d) > 0));
        let several = |d: usize| tiles_of(d).is_none_or(|t| t > 1);
        let longest = |loops: &[usize]| {
            loops.iter().copied().max_by_key(|&d| (tiles_of(d).unwrap_or(numbers.unknown_tiles), usize::MAX - d))
        };
        let dim = longest(eligible)?;
        let legal: Vec<i64> = eligible.iter().filter(|&&d| several(d)).map(|&d| d as i64).collect();
        let dim = self.choices.number("parallel_loop", dim as i64, |d| legal.contains(&d)) as usize;
        let known = tiles_of(dim);
        if !several(dim) {
            return None;
        }
        self.choices.record_number("parallel_loop", dim as i64, legal.clone());
        let second = if known.is_none() {
            let others: Vec<usize> = eligible.iter().copied().filter(|&d| d != dim && several(d)).collect();
            self.second_parallel_loop(longest(&others), &others)
        } else {
            None
        };
        let affordable = self.affordable_workgroups(&plan.items, plan.nanoseconds);
        let most = numbers.most_by_estimate;
        let wanted = match plan.nanoseconds {
            Some(ns) => (ns / numbers.worth_handing_out).ceil().min(affordable).clamp(1.0, most) as i64,
            None if affordable.is_finite() => 1,
            None => numbers.unknown_work,
        };
        // Once it is worth handing out, in pieces that several threads can share evenly.
        let several = wanted > 1 && affordable.is_infinite();
        let wanted = if several { wanted.max(numbers.fewest_of_several) } else { wanted };
        let stretches = plan.stretches.filter(|_| plan.vector == Some(dim)).unwrap_or(1);
        let workgroups = self.choices.chosen_workgroups(wanted.max(stretches), known);
        let place = |d: usize| plan.order.iter().position(|&at| at == d);
        let (dim, inside) = match second {
            Some(other) if place(other) < place(dim) => (other, Some(dim)),
            other => (dim, other),
        };
        let inside = inside.map(|d| (d, plan.tile(d)));
        Some(Partition { dim, tile: plan.tile(dim), tiles: tiles_of(dim), inside, workgroups })
    }

    /// The other loop whose tiles are shared, one of `others`, if any.
    fn second_parallel_loop(&mut self, ours: Option<usize>, others: &[usize]) -> Option<usize> {
        let legal: Vec<i64> = [-1].into_iter().chain(others.iter().map(|&d| d as i64)).collect();
        let ours = ours.map_or(-1, |d| d as i64);
        let chosen = self.choices.number("second_parallel_loop", ours, |d| legal.contains(&d));
        self.choices.record_number("second_parallel_loop", chosen, legal);
        usize::try_from(chosen).ok()
    }

    /// The workgroups, at most, so that little of the time of a nest goes into what each of them repeats: what is kept before all loops, unless
    /// it is found in scratch memory. Infinite if there is no such thing.
    pub(crate) fn affordable_workgroups(&self, items: &[Item], nanoseconds: Option<f64>) -> f64 {
        let numbers = &self.target.cpu.workgroups;
        let size = |id: usize| self.graph.tensors[id].dims.iter().try_fold(1, |n, d| Some(n * d.known()?));
        let repeated: f64 = items
            .iter()
            .filter(|i| i.depth == 0 && !i.for_all)
            .map(|i| size(i.id).unwrap_or(numbers.unknown_elements) as f64 * self.target.cpu.costs.repeated_element)
            .sum();
        match nanoseconds {
            _ if repeated == 0.0 => f64::INFINITY,
            Some(nanoseconds) => (nanoseconds * numbers.repeated_share / repeated).floor(),
            None => 1.0,
        }
    }
}
