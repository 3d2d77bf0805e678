//! Decides which operations of a block share an executable.
//!
//! Groups grow along uses, in the order of the program: each operation tries to join what it reads. Every group has
//! *outer loops*: the parallel loops that all its operations run in step, along which the work can be cut into
//! workgroups. Joining two groups pairs their outer loops along the values that pass between them; loops without a
//! partner are dropped (they run inside), and the policy says when that is worth it.
use super::{
    graph::{Edge, Graph},
    structure::Kind,
};
use halyard_ir::Op;
use std::collections::{BTreeMap, BTreeSet};

/// No executable gets more operations than this.
const MAX_OPS: usize = 64;
/// An executable that loses outer loops by fusion keeps at least this many iterations of them, …
pub(super) const MIN_OUTER: i64 = 8;
/// … unless it works on no more elements than this.
const SMALL: i64 = 1 << 16;

/// The loops of a group.
#[derive(Debug, Clone, Default)]
pub(super) struct Loops {
    /// Outer loop of each loop of each member, by operation number.
    pub(super) of: BTreeMap<usize, Vec<Option<usize>>>,
    /// The extent of each outer loop, `None` if dynamic, by number.
    pub(super) outer: BTreeMap<usize, Option<i64>>,
}

/// How the outer loops of a producer and a consumer fit.
#[derive(Debug, Default)]
pub(super) struct Fit {
    pairs: BTreeMap<usize, usize>,
    pub(super) dropped_producer: Vec<usize>,
    pub(super) dropped_consumer: Vec<usize>,
}

impl Fit {
    /// The outer loops of the producer that have a partner.
    pub(super) fn paired(&self) -> impl Iterator<Item = usize> {
        self.pairs.keys().copied()
    }
}

/// What a group is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Profile {
    pub(super) heavy: bool,
    pub(super) row: bool,
    pub(super) moves: bool,
    cheap: bool,
    /// Every reduction runs along the last dimensions of what it reads.
    pub(super) trailing: bool,
}

/// Forms the groups of a graph.
pub(super) struct Former<'g> {
    /// The graph.
    pub(super) graph: &'g mut Graph,
    /// The loops of each group.
    pub(super) loops: Vec<Loops>,
    /// Whether the body of each operation holds loops.
    holds_loops: Vec<bool>,
}

/// Merges the groups of a graph as far as it is worth it.
pub(super) fn cluster(graph: &mut Graph) {
    let n = graph.ops.len();
    let holds_loops = graph.ops.iter().map(|op| holds_loops(*op)).collect();
    let mut former = Former { loops: Vec::with_capacity(n), graph, holds_loops };
    let mut next = 0;
    for i in 0..n {
        let loops = former.initial(i, &mut next);
        former.loops.push(loops);
    }
    for op in 0..n {
        if former.graph.structures[op].is_none() || former.widens_for_its_reader(op) {
            continue;
        }
        let mut refused = BTreeSet::new();
        // A merge may bring further producers within reach: ask again until nothing changes.
        loop {
            let own = former.graph.group[op];
            let from = former.within_reach(op);
            if !from.into_iter().any(|g| !refused.contains(&g) && (former.try_merge(g, own) || !refused.insert(g))) {
                break;
            }
        }
        former.attend(op);
    }
}

impl Former<'_> {
    fn initial(&self, op: usize, next: &mut usize) -> Loops {
        let mut loops = Loops::default();
        let Some(s) = &self.graph.structures[op] else { return loops };
        let extents = self.extents(op);
        let of = s.parallel.iter().enumerate().map(|(l, parallel)| {
            parallel.then(|| {
                *next += 1;
                loops.outer.insert(*next, extents[l]);
                *next
            })
        });
        let of = of.collect();
        loops.of.insert(op, of);
        loops
    }

    /// The extent of each loop of an operation, where a value shows it.
    pub(super) fn extents(&self, op: usize) -> Vec<Option<i64>> {
        let Some(s) = &self.graph.structures[op] else { return Vec::new() };
        let mut extents = vec![None; s.parallel.len()];
        let values = self.graph.ops[op].results().into_iter().zip(s.results.iter().cloned());
        let operands =
            self.graph.ops[op].operands().into_iter().zip(s.operands.iter().map(|a| a.clone().unwrap_or_default()));
        for (value, access) in values.chain(operands) {
            if !value.ty().is_ranked_tensor() {
                continue;
            }
            for (loop_, size) in access.iter().zip(value.ty().shape()) {
                if let Some(l) = loop_ {
                    extents[*l] = extents[*l].or(size);
                }
            }
        }
        extents
    }

    pub(super) fn kinds(&self, group: usize) -> impl Iterator<Item = Kind> + '_ {
        self.graph.members[group].iter().filter_map(|m| self.graph.structures[*m].as_ref()).map(|s| s.kind)
    }

    pub(super) fn profile(&self, group: usize) -> Profile {
        let any = |f: fn(Kind) -> bool| self.kinds(group).any(f);
        Profile {
            heavy: any(Kind::is_heavy),
            row: any(Kind::is_row),
            moves: any(|k| matches!(k, Kind::Movement | Kind::Loop)),
            cheap: self.kinds(group).all(Kind::is_cheap),
            trailing: self.graph.members[group].iter().all(|m| self.behind(*m) == Some(1)),
        }
    }

    /// The groups that an operation can join: those that it reads, and those whose numbers are made wider for it in its own group. The latest
    /// come first.
    fn within_reach(&self, op: usize) -> Vec<usize> {
        let mut groups = self.graph.producers(op);
        if self.reads_wide(op) {
            let own = self.graph.group[op];
            let kind = |m: &usize| self.graph.structures[*m].as_ref().map(|s| s.kind);
            let wider = self.graph.members[own].iter().filter(|m| kind(m) == Some(Kind::Widen));
            groups.extend(wider.flat_map(|m| self.graph.producers(*m)));
            groups.sort_by_key(|g| std::cmp::Reverse(self.graph.members[*g].last().copied()));
            groups.dedup();
        }
        groups
    }

    /// Whether an operation reads numbers that are made wider as it reads any others.
    fn reads_wide(&self, op: usize) -> bool {
        let kind = self.graph.structures[op].as_ref().map(|s| s.kind);
        matches!(kind, Some(Kind::Elementwise | Kind::Reduction | Kind::Softmax)) && !self.walks(self.graph.group[op])
    }

    fn try_merge(&mut self, from: usize, to: usize) -> bool {
        let Some(edges) = self.graph.edges(from, to) else { return false };
        let fit = self.fit(from, to, &edges);
        let good = self.graph.members[from].len() + self.graph.members[to].len() <= MAX_OPS
            && self.worth(from, to, &edges, fit.as_ref())
            && !self.graph.has_detour(from, to);
        if !good {
            return false;
        }
        self.join(from, to, fit.unwrap_or_default());
        true
    }

    /// Pairs outer loops along the values that pass; `None` if nobody knows how one of them is read.
    pub(super) fn fit(&self, from: usize, to: usize, edges: &[Edge]) -> Option<Fit> {
        let (mut forth, mut back) =
            (BTreeMap::<usize, BTreeSet<usize>>::new(), BTreeMap::<usize, BTreeSet<usize>>::new());
        let (mut broken_from, mut broken_to) = (BTreeSet::new(), BTreeSet::new());
        for e in edges {
            let written = &self.graph.structures[e.from].as_ref()?.results[e.result];
            let read = self.graph.structures[e.to].as_ref()?.operands[e.operand].as_ref()?;
            for (w, r) in written.iter().zip(read) {
                let p = w.and_then(|l| self.loops[from].of[&e.from][l]);
                let c = r.and_then(|l| self.loops[to].of[&e.to][l]);
                match (p, c) {
                    (Some(p), Some(c)) => {
                        forth.entry(p).or_default().insert(c);
                        back.entry(c).or_default().insert(p);
                    }
                    (Some(p), None) => _ = broken_from.insert(p),
                    (None, Some(c)) => _ = broken_to.insert(c),
                    (None, None) => {}
                }
            }
        }
        let mut fit = Fit::default();
        for &p in self.loops[from].outer.keys() {
            let partner = forth.get(&p).filter(|cs| cs.len() == 1).and_then(|cs| cs.first().copied());
            match partner.filter(|c| !broken_from.contains(&p) && !broken_to.contains(c) && back[c].len() == 1) {
                Some(c) => _ = fit.pairs.insert(p, c),
                None => fit.dropped_producer.push(p),
            }
        }
        let paired: BTreeSet<usize> = fit.pairs.values().copied().collect();
        fit.dropped_consumer = self.loops[to].outer.keys().copied().filter(|c| !paired.contains(c)).collect();
        Some(fit)
    }

    /// Whether two groups should be one executable.
    fn worth(&self, from: usize, to: usize, edges: &[Edge], fit: Option<&Fit>) -> bool {
        let (p, c) = (self.profile(from), self.profile(to));
        let kind = |op: usize| self.graph.structures[op].as_ref().map(|s| s.kind);
        let exclusive = self.graph.only_used_by(from, to);
        if p.moves || c.moves {
            // What is moved may come from a constant or a piece of a tensor: no work, only addresses.
            return !p.moves && exclusive && self.kinds(from).all(|k| matches!(k, Kind::Fill | Kind::Slice));
        }
        // No family of kernels has loops in a body: they stay alone, so that nothing else is in plain loops with them.
        if self.walks(from) || (self.walks(to) && !self.kinds(from).all(|k| k == Kind::Fill)) {
            return false;
        }
        let Some(fit) = fit else { return false };
        let into_heavy = |e: &Edge| {
            kind(e.to).is_some_and(Kind::is_heavy)
                && self.graph.structures[e.to].as_ref().is_some_and(|s| !s.is_init(e.operand))
        };
        if p.cheap {
            let padded = self.kinds(from).any(|k| k == Kind::Pad);
            let windows = edges.iter().all(|e| {
                into_heavy(e) && matches!(kind(e.to), Some(Kind::Conv | Kind::Pool)) || self.graph.copies_windows(e.to)
            });
            return exclusive && (!padded || windows);
        }
        // A producer that is computed again along loops that it does not have must not have other readers.
        let spreads = !fit.dropped_consumer.is_empty();
        if p.heavy {
            return !c.heavy && !c.row && fit.dropped_producer.is_empty() && !spreads;
        }
        if c.heavy {
            return !p.row
                && !edges.iter().any(into_heavy)
                && fit.dropped_producer.is_empty()
                && (!spreads || exclusive);
        }
        match (p.row, c.row) {
            (false, false) => fit.dropped_producer.is_empty() && (!spreads || exclusive),
            (false, true) => {
                let shrinks = !fit.dropped_producer.is_empty();
                (!shrinks || exclusive || self.is_wide(from, to, fit)) && (!spreads || exclusive)
            }
            (true, _) => {
                let fits = p.trailing || self.are_columns(from, to, fit);
                fit.dropped_producer.is_empty() && (!spreads || (fits && self.is_wide(from, to, fit)))
            }
        }
    }

    /// Whether an operation only makes narrow numbers wide for another one, which it joins then: what is stored stays narrow, and kernels
    /// multiply bytes as they are. Where both can be in the executable that makes the numbers, they come to be when the other one joins.
    fn widens_for_its_reader(&self, op: usize) -> bool {
        let kind = |op: usize| self.graph.structures[op].as_ref().map(|s| s.kind);
        if kind(op) != Some(Kind::Widen) {
            return false;
        }
        let mut at = op;
        loop {
            let [(user, operand)] = self.graph.ops[at].result(0).uses()[..] else { return false };
            let Some(user) = self.graph.holder(user).filter(|u| self.graph.ops[*u] == user) else { return false };
            match kind(user) {
                Some(Kind::Pad | Kind::Slice | Kind::Broadcast) => at = user,
                Some(k) if k.is_heavy() => {
                    return self.graph.structures[user].as_ref().is_some_and(|s| !s.is_init(operand));
                }
                _ if self.reads_wide(user) => return at == op,
                _ => return false,
            }
        }
    }

    /// Whether the body of an operation of a group holds loops.
    fn walks(&self, group: usize) -> bool {
        self.graph.members[group].iter().any(|m| self.holds_loops[*m])
    }

    /// Whether enough parallel work is left in the paired loops, or there is little work at all.
    pub(super) fn is_wide(&self, from: usize, to: usize, fit: &Fit) -> bool {
        let outer = product(fit.paired().map(|p| self.loops[from].outer[&p]));
        outer.is_none_or(|n| n >= MIN_OUTER) || self.is_small([from, to])
    }

    /// Whether all operations of some groups work on few elements.
    pub(super) fn is_small<const N: usize>(&self, groups: [usize; N]) -> bool {
        let mut most = groups.into_iter().flat_map(|g| &self.graph.members[g]).map(|m| product(self.extents(*m)));
        most.all(|n| n.is_some_and(|n| n <= SMALL))
    }

    pub(super) fn join(&mut self, from: usize, to: usize, fit: Fit) {
        let row = self.profile(from).row;
        let producer = std::mem::take(&mut self.loops[from]);
        let consumer = &mut self.loops[to];
        // Loops that only the consumer has run inside where the producer works row by row; any other producer is
        // computed again along them.
        if row {
            for d in &fit.dropped_consumer {
                consumer.outer.remove(d);
            }
        }
        let kept = |id: &Option<usize>, outer: &BTreeMap<usize, Option<i64>>| id.filter(|id| outer.contains_key(id));
        for loops in consumer.of.values_mut() {
            for id in loops.iter_mut() {
                *id = kept(id, &consumer.outer);
            }
        }
        for (op, loops) in producer.of {
            let mapped =
                loops.iter().map(|id| kept(&id.and_then(|id| fit.pairs.get(&id).copied()), &consumer.outer)).collect();
            consumer.of.insert(op, mapped);
        }
        self.graph.merge(from, to);
    }
}

/// Whether the body of an operation of linear algebra holds loops.
fn holds_loops(op: Op) -> bool {
    op.is_of("linalg") && op.body().is_some_and(|b| b.ops().iter().any(|o| o.is("scf.for") || o.is("scf.while")))
}

/// The product of extents; `None` if one is not known.
pub(super) fn product(sizes: impl IntoIterator<Item = Option<i64>>) -> Option<i64> {
    sizes.into_iter().try_fold(1i64, |n, s| s.map(|s| n.saturating_mul(s)))
}
