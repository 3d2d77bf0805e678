//! Who uses what in a block, by numbers: groups ask again and again while they grow.
use super::{Graph, captured};
use halyard_ir::{Op, Value};
use std::collections::HashMap;

/// A use of a result of one group by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Edge {
    /// The consuming operation.
    pub(in super::super) to: usize,
    /// The number of its operand.
    pub(in super::super) operand: usize,
    /// The producing operation.
    pub(in super::super) from: usize,
    /// The number of its result.
    pub(in super::super) result: usize,
}

/// An edge, or a capture by a region of the consumer, which has no operand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) from: usize,
    result: usize,
    to: usize,
    operand: Option<usize>,
}

/// The uses between the operations of a block.
#[derive(Debug, Default)]
pub(super) struct Uses {
    of: Lists,
    by: Lists,
    /// Whether the terminator uses a result of an operation.
    leaves: Vec<bool>,
}

/// A list of uses for each operation, one behind the other.
#[derive(Debug, Default)]
struct Lists {
    all: Vec<Use>,
    ends: Vec<usize>,
}

impl Lists {
    /// The lists of `n` operations, from uses in the order of those.
    fn new(n: usize, all: Vec<Use>, op: fn(&Use) -> usize) -> Self {
        let ends = (0..n).map(|i| all.partition_point(|u| op(u) <= i)).collect();
        Self { all, ends }
    }

    fn at(&self, op: usize) -> &[Use] {
        let start = op.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[op]]
    }

    fn count(&self, ops: &[usize]) -> usize {
        ops.iter().map(|op| self.at(*op).len()).sum()
    }
}

impl Uses {
    /// The uses of what numbered operations produce.
    pub(super) fn between(ops: &[Op], number: &HashMap<Op, usize>, terminator: Option<Op>) -> Self {
        let definition = |value: Value| Some((number.get(&value.def()?).copied()?, value.index()));
        let mut all = Vec::with_capacity(2 * ops.len());
        for (to, op) in ops.iter().enumerate() {
            let operands = op.operands().into_iter().enumerate().map(|(i, value)| (Some(i), value));
            let read = operands.chain(captured(*op).into_iter().map(|value| (None, value)));
            all.extend(read.filter_map(|(operand, value)| {
                let (from, result) = definition(value)?;
                Some(Use { from, result, to, operand })
            }));
        }
        let mut leaves = vec![false; ops.len()];
        for (from, _) in terminator.into_iter().flat_map(Op::operands).filter_map(definition) {
            leaves[from] = true;
        }
        let mut by = all.clone();
        by.sort_by_key(|u| u.from);
        Self { of: Lists::new(ops.len(), all, |u| u.to), by: Lists::new(ops.len(), by, |u| u.from), leaves }
    }

    /// The uses by an operation: its operands in order, and what its regions capture.
    pub(super) fn of(&self, op: usize) -> &[Use] {
        self.of.at(op)
    }
}

impl Graph {
    /// All uses of results of one group by operands of another; `None` if a region of the other captures one, so that
    /// nobody knows how it is read.
    pub(in super::super) fn edges(&self, from: usize, to: usize) -> Option<Vec<Edge>> {
        // One result may have as many readers as the block has operations.
        let few = self.uses.by.count(&self.members[from]) < self.uses.of.count(&self.members[to]);
        let (members, uses) =
            if few { (&self.members[from], &self.uses.by) } else { (&self.members[to], &self.uses.of) };
        let passes = |u: &&Use| self.group[u.from] == from && self.group[u.to] == to;
        let edge = |u: &Use| Some(Edge { to: u.to, operand: u.operand?, from: u.from, result: u.result });
        let mut edges =
            members.iter().flat_map(|m| uses.at(*m)).filter(passes).map(edge).collect::<Option<Vec<_>>>()?;
        edges.sort_unstable();
        Some(edges)
    }

    /// Whether nothing but two groups uses the results of the first.
    pub(in super::super) fn only_used_by(&self, group: usize, user: usize) -> bool {
        let inside = |u: &Use| self.group[u.to] == user || self.group[u.to] == group;
        self.members[group].iter().all(|m| !self.uses.leaves[*m] && self.uses.by.at(*m).iter().all(inside))
    }
}
