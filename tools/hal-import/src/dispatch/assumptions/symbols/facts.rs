//! What was checked before a place of the program, and so holds there.
use super::{
    Atom, Symbols,
    polynomial::{AtomId, Sym},
};
use std::collections::HashMap;

/// What holds at a place of the program because it was checked before.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Atoms that are something else.
    pub(super) same: HashMap<AtomId, Sym>,
    /// Polynomials that were checked to be at least 0.
    pub(super) at_least_zero: Vec<Sym>,
    /// The atoms of `same`, in order.
    pub(super) learned: Vec<AtomId>,
    /// Polynomials that are at least 0 in the loops around the place: how far their counters go. There are few of them, so that proofs
    /// try all.
    pub(super) of_loops: Vec<Sym>,
}

/// How much is known at a place.
#[derive(Debug, Clone, Copy)]
pub(in crate::dispatch::assumptions) struct Mark(usize, usize, usize);

impl Symbols {
    /// Notes that two are equal.
    pub(in crate::dispatch::assumptions) fn learn_equal(&mut self, a: &Sym, b: &Sym) {
        let (a, b) = (self.normal(a), self.normal(b));
        let Some(difference) = a.plus(-1, &b) else { return };
        // The youngest atom that stands alone, and nowhere else in it, is said by the others.
        let alone = |(atoms, f): (&[AtomId], i64)| match atoms {
            [atom] if f.abs() == 1 => Some((*atom, f)),
            _ => None,
        };
        let candidates: Vec<(AtomId, i64)> = difference.terms().filter_map(alone).collect();
        for (atom, factor) in candidates.into_iter().rev() {
            let Some(rest) = difference.plus(-factor, &Sym::atom(atom)) else { continue };
            if rest.terms().any(|(atoms, _)| atoms.iter().any(|a| self.mentions(*a, atom))) {
                continue;
            }
            // factor * atom + rest = 0
            if let Some(value) = Sym::default().plus(-factor, &rest) {
                self.facts.same.insert(atom, value);
                self.facts.learned.push(atom);
                self.normal.clear();
                return;
            }
        }
    }

    /// Notes that something is not negative.
    pub(in crate::dispatch::assumptions) fn learn_at_least_zero(&mut self, sym: &Sym) {
        if sym.known().is_none() && !self.facts.at_least_zero.contains(sym) {
            self.facts.at_least_zero.push(sym.clone());
            self.normal.clear();
        }
    }

    /// Notes that something is not negative in a loop.
    pub(in crate::dispatch::assumptions) fn learn_of_loop(&mut self, sym: &Sym) {
        if sym.known().is_none() && !self.facts.of_loops.contains(sym) {
            self.facts.of_loops.push(sym.clone());
            self.normal.clear();
        }
    }

    /// Notes that something is 1 at least.
    pub(in crate::dispatch::assumptions) fn learn_positive(&mut self, sym: &Sym) {
        let sym = self.normal(sym);
        if let Some(less) = sym.plus(-1, &Sym::constant(1)) {
            self.learn_of_loop(&less);
        }
        let Some(Atom::Node(name, args)) = sym.single().map(|id| self.atoms[id].clone()) else { return };
        let never = |arg: &Sym| arg.known().is_some_and(|n| n <= 0);
        match (name, &args[..]) {
            ("arith.minsi", args) => args.iter().for_each(|arg| self.learn_positive(arg)),
            ("arith.maxsi", [a, b]) if never(a) => self.learn_positive(b),
            ("arith.maxsi", [a, b]) if never(b) => self.learn_positive(a),
            _ => {}
        }
    }

    pub(super) fn mentions(&self, inside: AtomId, atom: AtomId) -> bool {
        inside == atom
            || match &self.atoms[inside] {
                Atom::Node(_, args) => {
                    args.iter().flat_map(|a| a.terms()).any(|(atoms, _)| atoms.iter().any(|a| self.mentions(*a, atom)))
                }
                _ => false,
            }
    }

    /// What is known here.
    pub(in crate::dispatch::assumptions) fn mark(&self) -> Mark {
        Mark(self.facts.learned.len(), self.facts.at_least_zero.len(), self.facts.of_loops.len())
    }

    /// Forgets what was learned since.
    pub(in crate::dispatch::assumptions) fn forget(&mut self, mark: Mark) {
        for atom in self.facts.learned.drain(mark.0..) {
            self.facts.same.remove(&atom);
        }
        self.facts.at_least_zero.truncate(mark.1);
        self.facts.of_loops.truncate(mark.2);
        self.normal.clear();
    }
}
