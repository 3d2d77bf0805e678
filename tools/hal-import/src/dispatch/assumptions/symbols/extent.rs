//! The least and the greatest value of polynomials, as far as numbers say.
use super::{
    Atom, Symbols,
    polynomial::{AtomId, Sym},
};

/// Whether an operation would be part of a polynomial, but that its numbers were too large.
pub(in crate::dispatch::assumptions) fn is_ring(name: &str) -> bool {
    matches!(name, "arith.addi" | "arith.subi" | "arith.muli")
}

/// From the least to the greatest value, as far as they are known.
#[derive(Debug, Clone, Copy)]
struct Extent {
    least: Option<i128>,
    most: Option<i128>,
}

/// No deeper expressions are looked at.
const DEPTH: usize = 8;

/// So many facts in a row say how large an atom is.
const FACTS: usize = 2;

/// No dimension is larger: the bytes of a tensor are counted with 48 bits.
const LARGEST: i128 = 1 << 48;

impl Symbols {
    /// What a polynomial is never less than.
    #[cfg(test)]
    pub(super) fn least(&self, sym: &Sym) -> Option<i128> {
        self.extent(sym, DEPTH, FACTS).least
    }

    /// Whether the numbers alone say that a polynomial is at least 0.
    pub(in crate::dispatch::assumptions) fn is_surely_natural(&self, sym: &Sym) -> bool {
        let extent = self.extent(sym, DEPTH, FACTS);
        extent.least.is_some_and(|least| least >= 0) && extent.most.is_none_or(|most| i64::try_from(most).is_ok())
    }

    /// Whether 64 bits hold an atom, as far as numbers say.
    pub(super) fn is_held(&self, id: AtomId) -> bool {
        self.extent_of(id, DEPTH, FACTS).most.is_some_and(|most| i64::try_from(most).is_ok())
    }

    /// Whether 64 bits hold the value of a polynomial, and of all that it is computed from, however large its scalars are. Products of
    /// sizes count elements, of which a run has checked that they are not too many.
    pub(in crate::dispatch::assumptions) fn is_exact(&self, sym: &Sym) -> bool {
        if !self.has_scalar(sym) {
            return true;
        }
        let fits = |end: Option<i128>| end.is_some_and(|end| i64::try_from(end).is_ok());
        let extent = self.extent(sym, DEPTH, FACTS);
        let nodes = sym.terms().flat_map(|(atoms, _)| atoms);
        fits(extent.least)
            && fits(extent.most)
            && nodes.into_iter().all(|atom| match &self.atoms[*atom] {
                Atom::Node(_, args) => args.iter().all(|arg| self.is_exact(arg)),
                _ => true,
            })
    }

    fn has_scalar(&self, sym: &Sym) -> bool {
        sym.terms().flat_map(|(atoms, _)| atoms).any(|atom| match &self.atoms[*atom] {
            Atom::Dim(..) | Atom::Iteration(_) => false,
            Atom::Scalar(_) => true,
            Atom::Node(name, args) => is_ring(name) || args.iter().any(|arg| self.has_scalar(arg)),
        })
    }

    fn extent(&self, sym: &Sym, depth: usize, facts: usize) -> Extent {
        let mut sum = Extent::point(0);
        for (atoms, factor) in sym.terms() {
            let product = atoms.iter().fold(Extent::point(1), |p, atom| p.times(self.extent_of(*atom, depth, facts)));
            sum = sum.plus(product.times(Extent::point(factor)));
        }
        sum
    }

    fn extent_of(&self, id: AtomId, depth: usize, facts: usize) -> Extent {
        let Some(depth) = depth.checked_sub(1) else { return Extent::UNKNOWN };
        let own = match &self.atoms[id] {
            Atom::Dim(..) | Atom::Iteration(_) => Extent { least: Some(0), most: Some(LARGEST) },
            Atom::Scalar(_) => Extent { least: Some(i64::MIN.into()), most: Some(i64::MAX.into()) },
            Atom::Node(name, args) => match &args[..] {
                [a, b] => Extent::of_node(name, self.extent(a, depth, facts), self.extent(b, depth, facts)),
                _ => Extent::UNKNOWN,
            },
        };
        let Some(fewer) = facts.checked_sub(1) else { return own };
        let known = [&self.facts.of_loops, &self.facts.at_least_zero].into_iter().flatten();
        known.fold(own, |own, fact| own.and(self.bound_by(fact, id, depth, fewer)))
    }

    /// What a fact says of an atom, by what is known of the others.
    fn bound_by(&self, fact: &Sym, id: AtomId, depth: usize, facts: usize) -> Extent {
        let Some(factor) = fact.terms().find_map(|(atoms, f)| (atoms == [id]).then_some(i128::from(f))) else {
            return Extent::UNKNOWN;
        };
        let alone = Sym::atom(id);
        let Some(rest) = i64::try_from(factor).ok().and_then(|f| fact.plus(f.checked_neg()?, &alone)) else {
            return Extent::UNKNOWN;
        };
        if rest.terms().any(|(atoms, _)| atoms.iter().any(|atom| self.mentions(*atom, id))) {
            return Extent::UNKNOWN;
        }
        // factor * atom + rest >= 0
        let most = self.extent(&rest, depth, facts).most;
        match factor > 0 {
            true => Extent { least: most.map(|most| -most.div_euclid(factor)), most: None },
            false => Extent { least: None, most: most.map(|most| most.div_euclid(-factor)) },
        }
    }
}

impl Extent {
    const UNKNOWN: Self = Self { least: None, most: None };

    fn point(value: i64) -> Self {
        let value = Some(i128::from(value));
        Self { least: value, most: value }
    }

    fn and(self, other: Self) -> Self {
        let both = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        Self { least: both(self.least, other.least, i128::max), most: both(self.most, other.most, i128::min) }
    }

    fn plus(self, other: Self) -> Self {
        let add = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Self { least: add(self.least, other.least), most: add(self.most, other.most) }
    }

    fn times(self, other: Self) -> Self {
        let (a, b) = (self.known(), other.known());
        if let (Some((a, b)), Some((c, d))) = (a, b) {
            let Some(all) = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.checked_mul(y)).into_iter().collect()
            else {
                return Self::UNKNOWN;
            };
            let all: Vec<i128> = all;
            return Self { least: all.iter().min().copied(), most: all.iter().max().copied() };
        }
        let is_natural = |e: Self| e.least.is_some_and(|l| l >= 0);
        match (a, b) {
            (Some((0, 0)), _) | (_, Some((0, 0))) => Self::point(0),
            // By a number: one end becomes the other where it is negative.
            (Some((x, y)), _) if x == y => other.scaled(x),
            (_, Some((x, y))) if x == y => self.scaled(x),
            _ if is_natural(self) && is_natural(other) => {
                Self { least: self.least.zip(other.least).and_then(|(a, b)| a.checked_mul(b)), most: None }
            }
            _ => Self::UNKNOWN,
        }
    }

    fn scaled(self, by: i128) -> Self {
        let scale = |end: Option<i128>| end?.checked_mul(by);
        match by < 0 {
            true => Self { least: scale(self.most), most: scale(self.least) },
            false => Self { least: scale(self.least), most: scale(self.most) },
        }
    }

    fn known(self) -> Option<(i128, i128)> {
        self.least.zip(self.most)
    }

    fn of_node(name: &str, a: Self, b: Self) -> Self {
        let by = b.known().filter(|(x, y)| x == y && *x > 0).map(|(x, _)| x);
        let is_natural = a.least.is_some_and(|least| least >= 0);
        let both = |x: Option<i128>, y: Option<i128>, pick: fn(i128, i128) -> i128| x.zip(y).map(|(x, y)| pick(x, y));
        let one = |x: Option<i128>, y: Option<i128>, pick: fn(i128, i128) -> i128| match (x, y) {
            (Some(x), Some(y)) => Some(pick(x, y)),
            (x, y) => x.or(y),
        };
        match (name, by) {
            ("arith.addi", _) => a.plus(b),
            ("arith.subi", _) => a.plus(b.scaled(-1)),
            ("arith.muli", _) => a.times(b),
            ("arith.minsi", _) => {
                Self { least: both(a.least, b.least, i128::min), most: one(a.most, b.most, i128::min) }
            }
            ("arith.maxsi", _) => {
                Self { least: one(a.least, b.least, i128::max), most: both(a.most, b.most, i128::max) }
            }
            ("arith.floordivsi", Some(by)) => a.each(|x| x.div_euclid(by)),
            ("arith.ceildivsi", Some(by)) => a.each(|x| -(-x).div_euclid(by)),
            ("arith.divsi", Some(by)) => a.each(|x| x / by),
            ("arith.divui", Some(by)) if is_natural => a.each(|x| x / by),
            ("arith.ceildivui", Some(by)) if is_natural => a.each(|x| -(-x).div_euclid(by)),
            ("arith.remsi" | "arith.remui", Some(by)) if is_natural => {
                let most = a.most.map_or(by - 1, |most| most.min(by - 1));
                Self { least: Some(0), most: Some(most) }
            }
            ("arith.remsi", Some(by)) => Self { least: Some(1 - by), most: Some(by - 1) },
            ("arith.remui", Some(by)) => Self { least: Some(0), most: Some(by - 1) },
            _ => Self::UNKNOWN,
        }
    }

    fn each(self, f: impl Fn(i128) -> i128) -> Self {
        Self { least: self.least.map(&f), most: self.most.map(&f) }
    }
}
