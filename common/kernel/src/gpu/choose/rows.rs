//! Which parts are computed in rows, and by how many threads.
use crate::analysis::access::{NEST, Sym};
use crate::gpu::part_plan::PartPlan;
use crate::graph::{Input, Kind};
use crate::machine::gpu::LEAST_ROW_THREADS;
use crate::schedule::planner::Planner;
use std::collections::BTreeSet;

/// How a part is computed in rows.
#[derive(Clone, Debug)]
pub(in crate::gpu) struct Rows {
    /// What is kept for each row, in the order in which it is computed, and where it is read.
    pub(in crate::gpu) kept: Vec<(usize, Vec<Sym>)>,
    /// The dimensions of the part that are rows, and the others.
    pub(in crate::gpu) rows: Vec<usize>,
    pub(in crate::gpu) rest: Vec<usize>,
    /// Rows of a workgroup, lanes of a row.
    pub(in crate::gpu) side: i64,
    pub(in crate::gpu) lanes: i64,
    /// Neighbours along a row that belong to one lane.
    pub(in crate::gpu) run: i64,
    /// Whether neighbouring threads have neighbouring rows; otherwise they are lanes of one.
    pub(in crate::gpu) across: bool,
}

impl Rows {
    /// The rows of a workgroup of so many threads at most that there may be with so many lanes, and the lanes with so many
    /// rows.
    pub(in crate::gpu) fn legal(&self, most: i64) -> [Vec<i64>; 2] {
        let powers = || (0..).map(|k| 1i64 << k).take_while(|n| *n <= most);
        let fits = |n: i64| (LEAST_ROW_THREADS..=most).contains(&n);
        [
            powers().filter(|rows| fits(rows * self.lanes)).collect(),
            powers().filter(|lanes| fits(lanes * self.side)).collect(),
        ]
    }

    /// The threads of a workgroup.
    pub(in crate::gpu) fn threads(&self) -> i64 {
        self.side * self.lanes
    }
}

impl Planner<'_> {
    /// The rows of a part, if it has any that are worth it.
    pub(in crate::gpu) fn rows_of(&self, part: &PartPlan) -> Option<Rows> {
        let numbers = &self.gpu_model().rows;
        let wide: Vec<usize> = (0..part.dims.len()).filter(|&d| part.dims[d].known() != Some(1)).collect();
        let idx: Vec<Sym> = (0..part.dims.len())
            .map(|d| if wide.contains(&d) { Sym::var((NEST, d)) } else { Sym::default() })
            .collect();
        let mut kept: Vec<(usize, Vec<Sym>)> = Vec::new();
        let mut rows = BTreeSet::new();
        for u in part.roots.iter().flat_map(|r| self.graph.uses(r.0, idx.clone(), &BTreeSet::new())) {
            let Kind::Result { node, .. } = self.graph.tensors[u.id].kind else { continue };
            if !self.graph.nodes[node].reduction.contains(&true) {
                continue;
            }
            if self.graph.combiners(node).is_none() {
                self.graph.choice_of(node)?;
            }
            for sym in &u.idx {
                if *sym != Sym::default() {
                    let (of, d) = sym.exactly()?;
                    if of != NEST {
                        return None;
                    }
                    rows.insert(d);
                }
            }
            if !kept.contains(&(u.id, u.idx.clone())) {
                kept.push((u.id, u.idx));
            }
        }
        let last = kept.iter().map(|k| k.0).max()?;
        kept.sort_by_key(|k| k.0);
        let rest: Vec<usize> = wide.iter().copied().filter(|d| !rows.contains(d)).collect();
        let rows: Vec<usize> = rows.into_iter().collect();
        let product = |sizes: Vec<Option<i64>>| sizes.into_iter().try_fold(1i64, |n, s| Some(n * s?));
        let count = product(rows.iter().map(|&d| part.dims[d].known()).collect());
        let Kind::Result { node, .. } = self.graph.tensors[last].kind else { return None };
        let lengths = kept.iter().filter_map(|k| match self.graph.tensors[k.0].kind {
            Kind::Result { node, .. } => {
                let n = &self.graph.nodes[node];
                Some(
                    product(n.reductions().into_iter().map(|d| n.dims[d].known()).collect())
                        .unwrap_or(numbers.typical_size),
                )
            }
            _ => None,
        });
        let length = lengths.max().unwrap_or(1);
        let across =
            if rest.is_empty() { !self.reads_along(node) } else { wide.last().is_some_and(|d| rows.contains(d)) };
        let many = count.is_none_or(|n| n >= numbers.busy);
        if rest.is_empty() && (length < 32 || (across && many)) {
            return None;
        }
        let power = |n: i64| n.max(1).unsigned_abs().next_power_of_two() as i64;
        let (side, lanes) = if across {
            let lanes = self.row_lanes(if many { 1 } else { power(length / 4).min(8) });
            (64 / lanes.min(2), lanes)
        } else {
            // More lanes where they keep a row in registers.
            let of = |elements: i64| power((length + elements - 1) / elements);
            let wanted = of(numbers.lane_elements / 2).min(numbers.threads * 2).max(of(numbers.lane_elements));
            let keeps = !rest.is_empty() && wanted <= numbers.most_threads;
            let most = if keeps { wanted } else { 0 }.max(numbers.threads);
            let lanes = self.row_lanes(power((length + 3) / 4).min(most));
            ((128 / lanes).max(1), lanes)
        };
        let fits =
            |rows: i64| rows & (rows - 1) == 0 && (LEAST_ROW_THREADS..=numbers.most_threads).contains(&(rows * lanes));
        let side = self.choices.number("rows", side.min((numbers.threads / lanes).max(1)), fits);
        let run = if across { 1 } else { self.row_run(part, &kept, &rest, lanes) };
        Some(Rows { kept, rows, rest, side, lanes, run, across })
    }

    /// The neighbours of a lane: as many as are loaded at once, where all rows are made of such.
    fn row_run(&self, part: &PartPlan, kept: &[(usize, Vec<Sym>)], rest: &[usize], lanes: i64) -> i64 {
        let product = |sizes: Vec<Option<i64>>| sizes.into_iter().try_fold(1i64, |n, s| Some(n * s?));
        let run = self.gpu_model().load_run;
        let fits = |n: Option<i64>| n.is_some_and(|n| n % run == 0 && n >= run * lanes / 2);
        let length = product(rest.iter().map(|&d| part.dims[d].known()).collect());
        let sums = kept.iter().all(|k| match self.graph.tensors[k.0].kind {
            Kind::Result { node, .. } => {
                let n = &self.graph.nodes[node];
                fits(product(n.reductions().into_iter().map(|d| n.dims[d].known()).collect()))
            }
            _ => false,
        });
        if sums && (rest.is_empty() || fits(length)) { run } else { 1 }
    }

    /// The lanes of a row: as asked for, or ours.
    fn row_lanes(&self, ours: i64) -> i64 {
        let most = self.gpu_model().rows.most_threads;
        self.choices.number("lanes", ours, |n| n & (n - 1) == 0 && n <= most)
    }

    /// Whether a reduction reads its largest operand along its sum.
    pub(in crate::gpu) fn reads_along(&self, node: usize) -> bool {
        let n = &self.graph.nodes[node];
        let wide = |d: &usize| n.dims[*d].known() != Some(1);
        let sum = n.reductions().into_iter().rfind(wide);
        let own = (0..n.dims.len()).filter(|&d| !n.reduction[d]).rfind(wide);
        let tensors = n.inputs.iter().enumerate().filter_map(|(i, input)| match input {
            Input::Tensor(tensor) => Some((i, *tensor)),
            Input::Scalar(_) => None,
        });
        let typical = self.gpu_model().rows.typical_size;
        let size = |tensor: usize| -> i64 {
            self.graph.tensors[tensor].dims.iter().map(|d| d.known().unwrap_or(typical)).product()
        };
        let largest = tensors.max_by_key(|&(_, tensor)| size(tensor));
        largest.is_some_and(|(i, tensor)| self.runs_along(node, i, tensor, sum, own))
    }
}
