//! How polynomials change with one of their atoms, and what they are where it has a value.
use super::{
    Atom, Symbols,
    polynomial::{AtomId, Sym},
};
use std::cmp::Ordering;

impl Symbols {
    /// Whether a polynomial grows with an atom, falls, or does not depend on it, for all values of the others. `None` if that cannot be
    /// seen.
    pub(in crate::dispatch::assumptions) fn slope(&self, sym: &Sym, atom: AtomId) -> Option<Ordering> {
        let mut slope = Ordering::Equal;
        for (atoms, factor) in sym.terms() {
            let (own, others): (Vec<AtomId>, Vec<AtomId>) = atoms.iter().copied().partition(|a| *a == atom);
            if others.iter().any(|other| self.mentions(*other, atom)) {
                return None;
            }
            match own.len() {
                0 => continue,
                1 => {}
                _ => return None,
            }
            let direction = factor.cmp(&0);
            if !others.iter().all(|other| self.is_natural(*other)) || slope.is_ne() && slope != direction {
                return None;
            }
            slope = direction;
        }
        Some(slope)
    }

    /// A polynomial with another one in the place of an atom.
    pub(in crate::dispatch::assumptions) fn with(&mut self, sym: &Sym, atom: AtomId, value: &Sym) -> Sym {
        let mut sum = Sym::constant(0);
        for (atoms, factor) in sym.terms() {
            let mut term = Sym::constant(factor);
            for id in atoms {
                let part = match self.atoms[*id].clone() {
                    _ if *id == atom => value.clone(),
                    Atom::Node(name, args) => {
                        let args = args.iter().map(|arg| self.with(arg, atom, value)).collect();
                        self.node(name, args)
                    }
                    _ => Sym::atom(*id),
                };
                term = self.mul(&term, &part);
            }
            sum = self.add(&sum, &term);
        }
        sum
    }
}
