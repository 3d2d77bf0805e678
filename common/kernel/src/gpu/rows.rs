//! Rows: results whose elements share sums, maxima and the like (softmax, normalisations), and such sums
//! themselves.
//!
//! A workgroup has some rows and some threads for each of them (lanes). What the elements of a row share is added
//! up by the lanes together and kept in a register of each; then the lanes go over the elements. If a lane has few
//! elements, their loops are unrolled, so that what one pass computed is still there in the next one.
use super::choose::Rows;
use super::part::Part;
use crate::Emitter;
use crate::analysis::access::Sym;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Kind;
use halyard_ir::Value;

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
    /// The most elements of a lane that have code of their own.
    pub(super) unrolled: i64,
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
        let numbers = &self.gpu_model().rows;
        let unrolled = if rows.rest.is_empty() { numbers.summed_elements } else { numbers.lane_elements };
        let lane = Lane { thread, lane, lanes: rows.lanes, step, threads: rows.threads(), run: rows.run, unrolled };
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
        if let Some(n) = few(length, lane) {
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
        if let Some(n) = few(length, lane) {
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

/// How many elements each lane has of so many, if that is few enough for each to have code of its own.
fn few(length: Index, lane: Lane) -> Option<i64> {
    let all = lane.lanes * lane.run;
    length.known().map(|n| (n + all - 1) / all * lane.run).filter(|&n| n <= lane.unrolled)
}
