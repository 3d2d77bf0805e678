//! Rows: results whose elements share sums, maxima and the like (softmax, normalisations), and such sums
//! themselves.
//!
//! A workgroup has some rows and some threads for each of them (lanes). What the elements of a row share is added
//! up by the lanes together and kept in a register of each; then the lanes go over the elements. If a lane has few
//! elements, their loops are unrolled, so that what one pass computed is still there in the next one.
use super::part::Part;
use super::part_plan::PartPlan;
use crate::Emitter;
use crate::analysis::access::{NEST, Sym};
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::{Input, Kind};
use crate::machine::gpu::LEAST_ROW_THREADS;
use crate::schedule::planner::Planner;
use halyard_ir::Value;
use std::collections::BTreeSet;

/// How a part is computed in rows.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// What is kept for each row, in the order in which it is computed, and where it is read.
    kept: Vec<(usize, Vec<Sym>)>,
    /// The dimensions of the part that are rows, and the others.
    rows: Vec<usize>,
    rest: Vec<usize>,
    /// Rows of a workgroup, lanes of a row.
    pub(super) side: i64,
    pub(super) lanes: i64,
    /// Whether neighbouring threads have neighbouring rows; otherwise they are lanes of one.
    pub(super) across: bool,
}

impl Rows {
    /// The rows of a workgroup of so many threads at most that there may be with so many lanes, and the lanes with so many
    /// rows.
    pub(super) fn legal(&self, most: i64) -> [Vec<i64>; 2] {
        let powers = || (0..).map(|k| 1i64 << k).take_while(|n| *n <= most);
        let fits = |n: i64| (LEAST_ROW_THREADS..=most).contains(&n);
        [
            powers().filter(|rows| fits(rows * self.lanes)).collect(),
            powers().filter(|lanes| fits(lanes * self.side)).collect(),
        ]
    }

    /// The threads of a workgroup.
    pub(super) fn threads(&self) -> i64 {
        self.side * self.lanes
    }
}

/// A thread among the rows of its workgroup.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    /// The thread.
    pub(super) thread: Index,
    /// Which lane of its row it is, of how many.
    pub(super) lane: Index,
    pub(super) lanes: i64,
    /// From one lane of a row to the next, in threads.
    pub(super) step: i64,
    /// The threads of the workgroup.
    pub(super) threads: i64,
    /// Neighbours along the row that belong to one lane.
    pub(super) run: i64,
}

impl Planner<'_> {
    /// The rows of a part, if it has any that are worth it.
    pub(super) fn rows_of(&self, part: &PartPlan) -> Option<Rows> {
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
            let lanes = self.row_lanes(power((length + 3) / 4).min(numbers.threads));
            ((128 / lanes).max(1), lanes)
        };
        let fits =
            |rows: i64| rows & (rows - 1) == 0 && (LEAST_ROW_THREADS..=numbers.threads).contains(&(rows * lanes));
        let side = self.choices.number("rows", side.min(numbers.threads / lanes), fits);
        Some(Rows { kept, rows, rest, side, lanes, across })
    }

    /// The lanes of a row: as asked for, or ours.
    fn row_lanes(&self, ours: i64) -> i64 {
        let most = self.gpu_model().rows.threads;
        self.choices.number("lanes", ours, |n| n & (n - 1) == 0 && n <= most)
    }

    /// Whether a reduction reads its largest operand along its sum.
    pub(super) fn reads_along(&self, node: usize) -> bool {
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

impl Emitter<'_> {
    /// How many workgroups the rows of a part take.
    pub(super) fn row_workgroups(&mut self, part: &Part, rows: &Rows) -> Index {
        let count = self.row_count(part, rows);
        self.code.divide("arith.divui", count.plus(rows.side - 1), Index::constant(rows.side))
    }

    fn row_count(&mut self, part: &Part, rows: &Rows) -> Index {
        let sizes: Vec<Index> = rows.rows.iter().map(|&d| part.dims[d]).collect();
        self.count(&sizes)
    }

    /// Computes the rows of a workgroup.
    pub(super) fn rows(&mut self, part: &Part, rows: &Rows, group: Index, thread: Index) -> Supported<()> {
        let count = self.row_count(part, rows);
        let fast = if rows.across { rows.side } else { rows.lanes };
        let fast_part = self.code.divide("arith.remui", thread, Index::constant(fast));
        let slow_part = self.code.divide("arith.divui", thread, Index::constant(fast));
        let (own, lane) = if rows.across { (fast_part, slow_part) } else { (slow_part, fast_part) };
        let step = if rows.across { rows.side } else { 1 };
        let run = self.row_run(part, rows);
        let lane = Lane { thread, lane, lanes: rows.lanes, step, threads: rows.threads(), run };
        let first = self.code.mul(group, Index::constant(rows.side));
        let at = self.code.add(first, own);
        // Threads without a row come along with the last one: all must come to the barriers.
        let (row, there) = self.bounded(at, count, rows.side);
        let sizes: Vec<Index> = rows.rows.iter().map(|&d| part.dims[d]).collect();
        let mut idx = vec![LaneIndex::constant(0); part.dims.len()];
        for (&d, at) in rows.rows.iter().zip(self.unrolled(row, &sizes)) {
            idx[d] = at;
        }
        for (id, at) in &rows.kept {
            let place = |s: &Sym| s.exactly().map_or(LaneIndex::constant(0), |(_, d)| idx[d].clone());
            let point = Point::new(at.iter().map(place).collect());
            if self.code.recall(*id, &point).is_none() {
                self.add_up_row(*id, &point, lane)?;
            }
        }
        let sizes: Vec<Index> = rows.rest.iter().map(|&d| part.dims[d]).collect();
        let length = self.count(&sizes);
        let store = |this: &mut Self, at: Index| {
            let mut idx = idx.clone();
            for (&d, at) in rows.rest.iter().zip(this.unrolled(at, &sizes)) {
                idx[d] = at;
            }
            this.store_at(part, &[Point::new(idx)])
        };
        if let Some(n) = self.few(length, lane) {
            for j in 0..n {
                let (at, inside) = self.lane_element(lane, j, length);
                match self.code.and(inside, there) {
                    Some(inside) => self.when(inside, |this| store(this, at))?,
                    None => store(self, at)?,
                }
            }
            return Ok(());
        }
        let all = |this: &mut Self| {
            let from = this.code.mul(lane.lane, Index::constant(lane.run));
            this.for_loop((from, length, Index::constant(lane.lanes * lane.run)), &[], |this, at, _| {
                for e in 0..lane.run {
                    store(this, at.plus(e))?;
                }
                Ok(Vec::new())
            })?;
            Ok(())
        };
        match there {
            Some(there) => self.when(there, all),
            None => all(self),
        }
    }

    /// How many elements each lane has of so many, if they stay in registers.
    fn few(&self, length: Index, lane: Lane) -> Option<i64> {
        let all = lane.lanes * lane.run;
        length.known().map(|n| (n + all - 1) / all * lane.run).filter(|&n| n <= self.gpu_model().rows.lane_elements)
    }

    /// The neighbours of a lane: as many as are loaded at once, where all rows are made of such.
    fn row_run(&self, part: &Part, rows: &Rows) -> i64 {
        let product = |sizes: Vec<Option<i64>>| sizes.into_iter().try_fold(1i64, |n, s| Some(n * s?));
        let run = self.gpu_model().load_run;
        let fits = |n: Option<i64>| n.is_some_and(|n| n % run == 0 && n >= run * rows.lanes / 2);
        let rest = product(rows.rest.iter().map(|&d| part.dims[d].known()).collect());
        let sums = rows.kept.iter().all(|k| match self.tensors[k.0].kind {
            Kind::Result { node, .. } => {
                let n = &self.nodes[node];
                fits(product(n.reductions().into_iter().map(|d| n.dims[d].known()).collect()))
            }
            _ => false,
        });
        if !rows.across && sums && (rows.rest.is_empty() || fits(rest)) { run } else { 1 }
    }

    /// The `j`-th element of a lane, or the last one of all, and whether it exists.
    fn lane_element(&mut self, lane: Lane, j: i64, length: Index) -> (Index, Option<Value>) {
        let (run, place) = (lane.run, j % lane.run);
        let own = self.code.mul(lane.lane, Index::constant(run));
        // Runs are whole or not there at all.
        let at = own.plus(j / run * run * lane.lanes);
        if length.known().is_some_and(|n| n >= (j / run + 1) * run * lane.lanes) {
            return (at.plus(place), None);
        }
        let (a, b) = (self.code.ix(at), self.code.ix(length));
        let inside = self.code.compare(2, a, b);
        (self.code.min(at, length.plus(-run)).plus(place), Some(inside))
    }

    /// Computes a reduction by the lanes of a row; all of them have the result then.
    pub(super) fn add_up_row(&mut self, id: usize, point: &Point, lane: Lane) -> Supported<()> {
        let Kind::Result { node, .. } = self.tensors[id].kind else { return Err("a row that is no sum".into()) };
        let domain = point.at(self.domain(node, &point.idx));
        let Some(combiners) = self.graph.combiners(node) else {
            let along = self.graph.choice_of(node).ok_or("a sum in an unknown way")?;
            let values = self.choose_row(node, along, &domain, lane)?;
            for (result, value) in self.nodes[node].results.clone().into_iter().zip(values) {
                self.code.remember(result, point, value);
            }
            return Ok(());
        };
        let initial = self.initial(node, std::slice::from_ref(&domain))?;
        let mut totals: Vec<Value> =
            combiners.iter().zip(&initial).map(|(c, v)| c.neutral(&mut self.code, v.ty())).collect();
        let n = &self.nodes[node];
        let dims: Vec<usize> = n.reductions().into_iter().filter(|&d| n.dims[d].known() != Some(1)).collect();
        let sizes: Vec<Index> = dims.iter().map(|&d| n.dims[d]).collect();
        let length = self.count(&sizes);
        let step = |this: &mut Self, at: Index, totals: &[Value]| {
            let mut domain = domain.clone();
            for (&d, at) in dims.iter().zip(this.unrolled(at, &sizes)) {
                domain.idx[d] = at;
            }
            this.step(node, &[domain], totals.to_vec())
        };
        if let Some(n) = self.few(length, lane) {
            for j in 0..n {
                let (at, inside) = self.lane_element(lane, j, length);
                let next = step(self, at, &totals)?;
                totals = match inside {
                    None => next,
                    Some(inside) => {
                        next.into_iter().zip(&totals).map(|(new, &old)| self.code.select(inside, new, old)).collect()
                    }
                };
            }
        } else {
            let from = self.code.mul(lane.lane, Index::constant(lane.run));
            let by = Index::constant(lane.lanes * lane.run);
            totals = self.for_loop((from, length, by), &totals, |this, at, carried| {
                (0..lane.run).try_fold(carried.to_vec(), |carried, e| step(this, at.plus(e), &carried))
            })?;
        }
        let results = self.nodes[node].results.clone();
        for ((index, combiner), (total, initial)) in combiners.iter().enumerate().zip(totals.into_iter().zip(initial)) {
            let total = self.combine_lanes(*combiner, total, lane)?;
            let value = self.combined(*combiner, initial, total)?;
            if self.nodes[node].out_map(index) == self.nodes[node].out_map(0) {
                self.code.remember(results[index], point, value);
            }
        }
        Ok(())
    }
}
