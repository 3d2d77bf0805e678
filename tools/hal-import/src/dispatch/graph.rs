//! The operations of one block as a graph of groups: a group is one operation of the host or what becomes one dispatch.

mod places;
mod uses;

use super::structure::{Kind, Structure};
use halyard_ir::{Affine, AffineKind, Block, Op, Structured, Value, names};
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use uses::Uses;

pub(super) use uses::Edge;

/// The graph. Operations and groups are known by numbers; an operation's number is its place in the block.
pub(super) struct Graph {
    /// The operations of the block without its terminator.
    pub(super) ops: Vec<Op>,
    /// What has to be in executables has a structure.
    pub(super) structures: Vec<Option<Structure>>,
    /// The group of each operation.
    pub(super) group: Vec<usize>,
    /// The operations of each group, ascending; empty once it was merged into another one.
    pub(super) members: Vec<Vec<usize>>,
    number: HashMap<Op, usize>,
    uses: Uses,
    /// The place of each group in an order in which it comes after what it needs. A detour never leads beyond the place of
    /// its end, so that looking for one is looking at what lies between.
    place: Vec<usize>,
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

impl Graph {
    /// The graph of a block, each operation a group of its own.
    pub(super) fn of(block: Block) -> Self {
        let end = block.terminator();
        let ops: Vec<Op> = block.ops().into_iter().filter(|op| Some(*op) != end).collect();
        let number: HashMap<Op, usize> = ops.iter().enumerate().map(|(i, op)| (*op, i)).collect();
        let structures = ops.iter().map(|op| Structure::of(*op)).collect();
        let uses = Uses::between(&ops, &number, end);
        let n = ops.len();
        let mut graph = Self {
            group: (0..n).collect(),
            place: (0..n).collect(),
            members: (0..n).map(|i| vec![i]).collect(),
            before: vec![Vec::new(); n],
            after: vec![Vec::new(); n],
            ops,
            structures,
            number,
            uses,
        };
        graph.connect();
        graph
    }

    /// Whether an operation copies windows of what it reads, which may overlap.
    pub(super) fn copies_windows(&self, op: usize) -> bool {
        let is_broadcast = self.structures[op].as_ref().is_some_and(|s| s.kind == Kind::Broadcast);
        let slides = |map: &Affine| map.results().iter().any(|e| matches!(e, AffineKind::Add(..)));
        is_broadcast && Structured::of(self.ops[op]).is_some_and(|s| s.maps.iter().any(slides))
    }

    fn connect(&mut self) {
        let mut last_effect = None;
        // Operations that need work of a device or of someone else, and checks among them.
        let mut waits = vec![false; self.ops.len()];
        let mut late_checks = Vec::new();
        for i in 0..self.ops.len() {
            let mut from: BTreeSet<usize> = self.uses.of(i).iter().map(|u| u.from).collect();
            from.remove(&i);
            waits[i] = self.structures[i].is_some() || !is_scalar(self.ops[i]) || from.iter().any(|f| waits[*f]);
            if is_check(self.ops[i]) {
                late_checks.extend(waits[i].then_some(i));
            } else if self.structures[i].is_some() {
                // What a check has made sure of is taken for granted by all that comes after it.
                from.extend(&late_checks);
            }
            if has_effect(self.ops[i]) {
                from.extend(last_effect);
                last_effect = Some(i);
            }
            for f in from {
                self.before[i].push(f);
                self.after[f].push(i);
            }
        }
    }

    /// The operation of this block that is or holds an operation.
    pub(super) fn holder(&self, op: Op) -> Option<usize> {
        std::iter::successors(Some(op), |op| op.parent()).find_map(|op| self.number.get(&op).copied())
    }

    /// The groups that an operation directly depends on and that belong into executables, the latest first.
    pub(super) fn producers(&self, op: usize) -> Vec<usize> {
        let mut groups: Vec<usize> = self.before[op]
            .iter()
            .filter(|f| self.structures[**f].is_some())
            .map(|f| self.group[*f])
            .filter(|g| *g != self.group[op])
            .collect();
        groups.sort_by_key(|g| std::cmp::Reverse(self.members[*g].last().copied()));
        groups.dedup();
        groups
    }

    fn next(&self, group: usize) -> impl Iterator<Item = usize> + '_ {
        self.members[group].iter().flat_map(|m| &self.after[*m]).map(|a| self.group[*a]).filter(move |g| *g != group)
    }

    /// Puts the operations of one group into another. There must be no detour from one to the other.
    pub(super) fn merge(&mut self, from: usize, into: usize) {
        self.join_places(from, into);
        let moved = std::mem::take(&mut self.members[from]);
        for &m in &moved {
            self.group[m] = into;
        }
        self.members[into].extend(moved);
        self.members[into].sort_unstable();
    }

    /// The groups in an order in which each comes after what it needs; otherwise by the place of their last operation.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut waiting: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.members.len()];
        for (i, before) in self.before.iter().enumerate() {
            let own = self.group[i];
            waiting[own].extend(before.iter().map(|b| self.group[*b]).filter(|g| *g != own));
        }
        let key = |g: usize| std::cmp::Reverse((self.members[g].last().copied(), g));
        let live = (0..self.members.len()).filter(|g| !self.members[*g].is_empty());
        let mut ready: BinaryHeap<_> = live.filter(|g| waiting[*g].is_empty()).map(key).collect();
        let mut order = Vec::new();
        while let Some(std::cmp::Reverse((_, g))) = ready.pop() {
            order.push(g);
            let next: BTreeSet<usize> = self.next(g).collect();
            for n in next {
                if waiting[n].remove(&g) && waiting[n].is_empty() {
                    ready.push(key(n));
                }
            }
        }
        order
    }
}

/// Values from outside that the regions of an operation use.
pub(super) fn captured(op: Op) -> Vec<Value> {
    let mut values = Vec::new();
    for inner in op.regions().into_iter().flat_map(|r| r.blocks()).flat_map(|b| b.ops()) {
        inner.walk(&mut |inner| {
            for value in inner.operands() {
                let owner = value.def().or_else(|| value.argument_block().and_then(|b| b.parent()));
                if owner.is_some_and(|o| o == op && value.def().is_none() || o != op && o.is_inside(op))
                    || values.contains(&value)
                {
                    continue;
                }
                values.push(value);
            }
        });
    }
    values
}

/// Operands and captured values.
pub(super) fn all_operands(op: Op) -> Vec<Value> {
    let mut values = op.operands();
    values.extend(captured(op));
    values
}

/// Whether an operation is a check at run time: marked by [`super::checks`], without results.
fn is_check(op: Op) -> bool {
    op.is("cf.assert") || op.is("func.call") && op.has_attr(names::PURE) && op.result_count() == 0
}

/// Whether an operation is about scalars, or makes no work.
fn is_scalar(op: Op) -> bool {
    let name = op.name();
    op.regions().is_empty()
        && (name.starts_with("arith.")
            || name.starts_with("math.")
            || name.starts_with("tensor.") && !name.contains("insert"))
        || is_check(op)
        || name == "ml_program.global_load_const"
}

/// Whether an operation of the host must keep its place among others that do this: it reads or writes state.
fn has_effect(op: Op) -> bool {
    let mut found = false;
    op.walk(&mut |op| {
        let name = op.name();
        found |= matches!(&*name, "ml_program.global_store" | "ml_program.global_load" | "func.call")
            && !(name == "func.call" && op.has_attr(names::PURE));
    });
    found
}

#[cfg(test)]
mod tests;
