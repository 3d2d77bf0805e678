//! Polynomials with whole coefficients in atoms, in normal form.
use std::collections::BTreeMap;

/// A part of a polynomial that is not known, see [`Atom`].
pub(in crate::dispatch::assumptions) type AtomId = usize;

/// A polynomial with whole coefficients: for each product of atoms (sorted) its coefficient, none of them 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(in crate::dispatch::assumptions) struct Sym(pub(super) BTreeMap<Vec<AtomId>, i64>);

/// Larger ones are not worth it.
const MAX_TERMS: usize = 24;

const MAX_FACTORS: usize = 8;

impl Sym {
    pub(in crate::dispatch::assumptions) fn constant(value: i64) -> Self {
        Self((value != 0).then(|| (Vec::new(), value)).into_iter().collect())
    }

    pub(in crate::dispatch::assumptions) fn atom(id: AtomId) -> Self {
        Self(BTreeMap::from([(vec![id], 1)]))
    }

    /// The value, if nothing in it is unknown.
    pub(in crate::dispatch::assumptions) fn known(&self) -> Option<i64> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// Products of atoms with their coefficients.
    pub(in crate::dispatch::assumptions) fn terms(&self) -> impl Iterator<Item = (&[AtomId], i64)> {
        self.0.iter().map(|(atoms, factor)| (&**atoms, *factor))
    }

    /// The atom, if it is nothing but one.
    pub(in crate::dispatch::assumptions) fn single(&self) -> Option<AtomId> {
        match self.terms().next()? {
            ([atom], 1) if self.0.len() == 1 => Some(*atom),
            _ => None,
        }
    }

    /// `self + factor * other`; `None` where numbers grow too large.
    pub(in crate::dispatch::assumptions) fn plus(&self, factor: i64, other: &Self) -> Option<Self> {
        let mut sum = self.0.clone();
        for (atoms, f) in &other.0 {
            let entry = sum.entry(atoms.clone()).or_default();
            *entry = entry.checked_add(f.checked_mul(factor)?)?;
            if *entry == 0 {
                sum.remove(atoms);
            }
        }
        (sum.len() <= MAX_TERMS).then_some(Self(sum))
    }

    /// `self * other`; `None` where numbers grow too large.
    pub(in crate::dispatch::assumptions) fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (left, f) in &self.0 {
            for (right, g) in &other.0 {
                let mut atoms = [&**left, &**right].concat();
                if atoms.len() > MAX_FACTORS {
                    return None;
                }
                atoms.sort_unstable();
                product = product.plus(1, &Self(BTreeMap::from([(atoms, f.checked_mul(*g)?)])))?;
            }
        }
        Some(product)
    }

    /// The greatest number that divides all coefficients; 0 for the constant 0.
    pub(in crate::dispatch::assumptions) fn divisor(&self) -> i64 {
        self.0.values().fold(0, |g, f| gcd(g, *f))
    }

    /// All coefficients divided by a number that divides them.
    pub(super) fn divided(&self, by: i64) -> Self {
        Self(self.0.iter().map(|(atoms, f)| (atoms.clone(), f / by)).collect())
    }
}

pub(in crate::dispatch::assumptions) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.checked_abs().unwrap_or(1) } else { gcd(b, a % b) }
}
