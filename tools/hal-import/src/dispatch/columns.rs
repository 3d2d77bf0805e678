//! Columns: reductions over other than the last dimensions, and what runs along the same rows again (softmax over channels).
//! A kernel keeps a column of vectors from the first row to the last, so it must not be too long.
use super::cluster::{Fit, Former, MIN_OUTER, product};

/// A column has at most this many rows: a vector of each fits the second-level cache.
const MAX_ROWS: i64 = 8192;
/// For each of the outer iterations that a group keeps at least there are this many columns: they make a vector.
const LANES: i64 = 16;
/// So many elements at least lie side by side: fewer are better served by other lanes, each operation on its own.
const MIN_WIDTH: i64 = 4;

impl Former<'_> {
    /// The elements that lie side by side behind the last reduction of an operation: 1 if it reduces the last dimensions or
    /// nothing, `None` if that is not known.
    pub(super) fn behind(&self, op: usize) -> Option<i64> {
        let Some(s) = self.graph.structures[op].as_ref().filter(|s| s.kind.is_row()) else { return Some(1) };
        let access = s.operands.first()?.as_ref()?;
        let extents = self.extents(op);
        let long = access.iter().rev().flatten().filter(|l| extents[**l] != Some(1));
        let last = long.take_while(|l| s.parallel[**l]);
        product(last.map(|l| extents[*l]))
    }

    /// Whether a group of such reductions may run together with a consumer that repeats their rows: columns that are short
    /// enough, and enough of them to be divided among workgroups.
    pub(super) fn are_columns(&self, from: usize, to: usize, fit: &Fit) -> bool {
        let rows = product(fit.dropped_consumer.iter().map(|c| self.loops[to].outer[c]));
        let columns = product(fit.paired().map(|p| self.loops[from].outer[&p]));
        let wide = |m: &usize| self.behind(*m).is_none_or(|n| n == 1 || n >= MIN_WIDTH);
        let enough = rows.is_none_or(|n| n <= MAX_ROWS) && columns.is_none_or(|n| n >= MIN_OUTER * LANES);
        self.graph.members[from].iter().all(wide) && (enough || self.is_small([from, to]))
    }
}
