//! Sizes as polynomials in what is not known, in one normal form: what is equal for all inputs is mostly equal here.
use halyard_ir::Value;
use std::collections::{BTreeMap, HashMap};

/// A part of a polynomial that is not known, see [`Atom`].
pub(super) type AtomId = usize;

/// What polynomials are made of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    /// The size of a dimension of a tensor that nobody can say more about. Never negative.
    Dim(Value, usize),
    /// A scalar that nobody can say more about.
    Scalar(Value),
    /// An operation of `arith` that is no sum and no product.
    Node(&'static str, Vec<Sym>),
}

/// A polynomial with whole coefficients: for each product of atoms (sorted) its coefficient, none of them 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Sym(BTreeMap<Vec<AtomId>, i64>);

/// Larger ones are not worth it.
const MAX_TERMS: usize = 24;
const MAX_FACTORS: usize = 8;

impl Sym {
    pub(super) fn constant(value: i64) -> Self {
        Self((value != 0).then(|| (Vec::new(), value)).into_iter().collect())
    }

    pub(super) fn atom(id: AtomId) -> Self {
        Self(BTreeMap::from([(vec![id], 1)]))
    }

    /// The value, if nothing in it is unknown.
    pub(super) fn known(&self) -> Option<i64> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// Products of atoms with their coefficients.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&[AtomId], i64)> {
        self.0.iter().map(|(atoms, factor)| (&**atoms, *factor))
    }

    /// The atom, if it is nothing but one.
    pub(super) fn single(&self) -> Option<AtomId> {
        match self.terms().next()? {
            ([atom], 1) if self.0.len() == 1 => Some(*atom),
            _ => None,
        }
    }

    /// `self + factor * other`; `None` where numbers grow too large.
    pub(super) fn plus(&self, factor: i64, other: &Self) -> Option<Self> {
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
    pub(super) fn times(&self, other: &Self) -> Option<Self> {
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
    pub(super) fn divisor(&self) -> i64 {
        self.0.values().fold(0, |g, f| gcd(g, *f))
    }

    /// All coefficients divided by a number that divides them.
    fn divided(&self, by: i64) -> Self {
        Self(self.0.iter().map(|(atoms, f)| (atoms.clone(), f / by)).collect())
    }
}

pub(super) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.checked_abs().unwrap_or(1) } else { gcd(b, a % b) }
}

/// What holds at a place of the program because it was checked before.
#[derive(Debug, Default)]
struct Facts {
    /// Atoms that are something else.
    same: HashMap<AtomId, Sym>,
    /// What is not negative.
    at_least_zero: Vec<Sym>,
    /// The atoms of `same`, in order.
    learned: Vec<AtomId>,
}

/// How much is known at a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark(usize, usize);

/// All atoms, and what is known about them.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    atoms: Vec<Atom>,
    ids: HashMap<Atom, AtomId>,
    facts: Facts,
    normal: HashMap<AtomId, Sym>,
}

impl Symbols {
    /// The number of an atom.
    pub(super) fn id(&mut self, atom: Atom) -> AtomId {
        if let Some(id) = self.ids.get(&atom) {
            return *id;
        }
        self.atoms.push(atom.clone());
        self.ids.insert(atom, self.atoms.len() - 1);
        self.atoms.len() - 1
    }

    pub(super) fn get(&self, id: AtomId) -> &Atom {
        &self.atoms[id]
    }

    pub(super) fn dim(&mut self, tensor: Value, d: usize) -> Sym {
        Sym::atom(self.id(Atom::Dim(tensor, d)))
    }

    pub(super) fn scalar(&mut self, value: Value) -> Sym {
        Sym::atom(self.id(Atom::Scalar(value)))
    }

    pub(super) fn add(&mut self, a: &Sym, b: &Sym) -> Sym {
        a.plus(1, b).unwrap_or_else(|| self.node("arith.addi", vec![a.clone(), b.clone()]))
    }

    pub(super) fn sub(&mut self, a: &Sym, b: &Sym) -> Sym {
        a.plus(-1, b).unwrap_or_else(|| self.node("arith.subi", vec![a.clone(), b.clone()]))
    }

    pub(super) fn mul(&mut self, a: &Sym, b: &Sym) -> Sym {
        a.times(b).unwrap_or_else(|| self.node("arith.muli", vec![a.clone(), b.clone()]))
    }

    pub(super) fn scale(&mut self, a: &Sym, by: i64) -> Sym {
        self.mul(a, &Sym::constant(by))
    }

    /// An operation of two operands, simplified where that holds for all values.
    pub(super) fn node(&mut self, name: &'static str, args: Vec<Sym>) -> Sym {
        let [a, b] = &args[..] else { return Sym::atom(self.id(Atom::Node(name, args))) };
        match name {
            "arith.maxsi" | "arith.minsi" if a == b => return a.clone(),
            "arith.floordivsi" | "arith.ceildivsi" | "arith.divsi" => {
                if let Some(by) = b.known().filter(|by| *by > 0 && a.divisor() % by == 0) {
                    return a.divided(by);
                }
            }
            _ => {}
        }
        if let (Some(a), Some(b)) = (a.known(), b.known())
            && let Some(value) = fold(name, a, b)
        {
            return Sym::constant(value);
        }
        Sym::atom(self.id(Atom::Node(name, args)))
    }

    /// The same with all that is known to be equal said in one way.
    pub(super) fn normal(&mut self, sym: &Sym) -> Sym {
        if sym.known().is_some() {
            return sym.clone();
        }
        let mut sum = Sym::default();
        for (atoms, factor) in &sym.0 {
            let mut term = Sym::constant(*factor);
            for atom in atoms {
                let atom = self.normal_atom(*atom);
                term = self.mul(&term, &atom);
            }
            sum = self.add(&sum, &term);
        }
        sum
    }

    fn normal_atom(&mut self, id: AtomId) -> Sym {
        if let Some(known) = self.normal.get(&id) {
            return known.clone();
        }
        let normal = if let Some(same) = self.facts.same.get(&id).cloned() {
            self.normal(&same)
        } else if let Atom::Node(name, args) = self.atoms[id].clone() {
            let args: Vec<Sym> = args.iter().map(|a| self.normal(a)).collect();
            self.choose(name, &args).unwrap_or_else(|| self.node(name, args))
        } else {
            Sym::atom(id)
        };
        self.normal.insert(id, normal.clone());
        normal
    }

    /// The operand that a maximum or minimum is.
    fn choose(&mut self, name: &str, args: &[Sym]) -> Option<Sym> {
        let [a, b] = args else { return None };
        let (large, small) = match name {
            "arith.maxsi" => (a, b),
            "arith.minsi" => (b, a),
            _ => return None,
        };
        // `large` and `small` where the first operand is chosen.
        let (forth, back) = (self.sub(large, small), self.sub(small, large));
        if self.is_at_least_zero(&forth) {
            Some(a.clone())
        } else if self.is_at_least_zero(&back) {
            Some(b.clone())
        } else {
            None
        }
    }

    /// Notes that two are equal.
    pub(super) fn learn_equal(&mut self, a: &Sym, b: &Sym) {
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
    pub(super) fn learn_at_least_zero(&mut self, sym: &Sym) {
        if sym.known().is_none() && !self.facts.at_least_zero.contains(sym) {
            self.facts.at_least_zero.push(sym.clone());
            self.normal.clear();
        }
    }

    fn mentions(&self, inside: AtomId, atom: AtomId) -> bool {
        inside == atom
            || match &self.atoms[inside] {
                Atom::Node(_, args) => {
                    args.iter().flat_map(|a| a.terms()).any(|(atoms, _)| atoms.iter().any(|a| self.mentions(*a, atom)))
                }
                _ => false,
            }
    }

    /// What is known here.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.facts.learned.len(), self.facts.at_least_zero.len())
    }

    /// Forgets what was learned since.
    pub(super) fn forget(&mut self, mark: Mark) {
        for atom in self.facts.learned.drain(mark.0..) {
            self.facts.same.remove(&atom);
        }
        self.facts.at_least_zero.truncate(mark.1);
        self.normal.clear();
    }

    /// Whether something is at least 0 for all inputs, as far as that can be seen. `false` says nothing.
    pub(super) fn is_at_least_zero(&self, sym: &Sym) -> bool {
        self.prove(sym, 3)
    }

    fn prove(&self, sym: &Sym, depth: usize) -> bool {
        if self.has_no_negative_part(sym) {
            return true;
        }
        if self.facts.at_least_zero.iter().any(|f| sym.plus(-1, f).is_some_and(|rest| self.has_no_negative_part(&rest)))
        {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let nodes: Vec<(AtomId, i64)> =
            sym.terms().filter_map(|(atoms, f)| if let [atom] = atoms { Some((*atom, f)) } else { None }).collect();
        nodes.into_iter().any(|(atom, factor)| {
            let Some(rest) = sym.plus(-factor, &Sym::atom(atom)) else { return false };
            let bounds = self.bounds(atom, factor);
            bounds.into_iter().any(|bound| rest.plus(1, &bound).is_some_and(|lower| self.prove(&lower, depth - 1)))
        })
    }

    /// What `factor * atom` is never less than.
    fn bounds(&self, atom: AtomId, factor: i64) -> Vec<Sym> {
        let Atom::Node(name, args) = &self.atoms[atom] else { return Vec::new() };
        let [a, b] = &args[..] else { return Vec::new() };
        let scaled = |sym: &Sym, by: i64| Sym::default().plus(by, sym);
        let mut found = Vec::new();
        match (*name, factor > 0) {
            ("arith.maxsi", true) | ("arith.minsi", false) => found.extend([scaled(a, factor), scaled(b, factor)]),
            // by * floor(a / by) <= a, by * ceil(a / by) >= a
            ("arith.floordivsi", false) | ("arith.ceildivsi", true) => {
                found.extend(b.known().filter(|by| *by > 0 && factor % by == 0).map(|by| scaled(a, factor / by)));
            }
            // by * floor(a / by) >= a - by + 1
            ("arith.floordivsi", true) => {
                if let Some(by) = b.known().filter(|by| *by > 0 && factor % by == 0) {
                    found.push(a.plus(1, &Sym::constant(1 - by)).and_then(|a| scaled(&a, factor / by)));
                }
            }
            ("arith.ceildivsi", false) => {
                if let Some(by) = b.known().filter(|by| *by > 0 && factor % by == 0) {
                    found.push(a.plus(1, &Sym::constant(by - 1)).and_then(|a| scaled(&a, factor / by)));
                }
            }
            ("arith.divsi" | "arith.divui", false) => {
                if let Some(by) = b.known().filter(|by| *by > 0)
                    && self.prove(a, 1)
                {
                    found.push(if factor % by == 0 { scaled(a, factor / by) } else { scaled(a, factor) });
                }
            }
            ("arith.remsi" | "arith.remui", false) => {
                found.extend(b.known().filter(|by| *by > 0).map(|by| scaled(&Sym::constant(by - 1), factor)));
            }
            _ => {}
        }
        found.into_iter().flatten().collect()
    }

    fn has_no_negative_part(&self, sym: &Sym) -> bool {
        sym.terms().all(|(atoms, factor)| factor > 0 && atoms.iter().all(|a| self.is_natural(*a)))
    }

    /// Whether an atom is never negative.
    fn is_natural(&self, id: AtomId) -> bool {
        match &self.atoms[id] {
            Atom::Dim(..) => true,
            Atom::Scalar(_) => self.facts.at_least_zero.iter().any(|f| f.single() == Some(id)),
            Atom::Node(name, args) => {
                let natural = |sym: &Sym| self.has_no_negative_part(sym);
                match *name {
                    "arith.maxsi" => args.iter().any(natural),
                    "arith.remsi" => args.first().is_some_and(natural),
                    "arith.minsi" | "arith.divsi" | "arith.divui" | "arith.floordivsi" | "arith.ceildivsi"
                    | "arith.ceildivui" | "arith.remui" | "arith.addi" | "arith.muli" => args.iter().all(natural),
                    _ => false,
                }
            }
        }
    }
}

fn fold(name: &str, a: i64, b: i64) -> Option<i64> {
    match name {
        "arith.maxsi" => Some(a.max(b)),
        "arith.minsi" => Some(a.min(b)),
        "arith.divsi" => a.checked_div(b),
        "arith.remsi" => a.checked_rem(b),
        "arith.divui" | "arith.remui" | "arith.ceildivui" | "arith.maxui" | "arith.minui" if a >= 0 && b > 0 => {
            Some(match name {
                "arith.divui" => a / b,
                "arith.remui" => a % b,
                "arith.maxui" => a.max(b),
                "arith.minui" => a.min(b),
                _ => a / b + i64::from(a % b != 0),
            })
        }
        "arith.floordivsi" if b > 0 => Some(a.div_euclid(b)),
        "arith.ceildivsi" if b > 0 => Some(a.div_euclid(b) + i64::from(a.rem_euclid(b) != 0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
