//! Proofs that a polynomial is at least 0 for all inputs.
use super::{
    Atom, Symbols,
    polynomial::{AtomId, Sym},
};

/// So many conclusions in a row are tried.
const STEPS: usize = 3;
/// The same in loops, whose counters take some.
const STEPS_IN_LOOPS: usize = 6;
/// Beside what sizes can be, 64 bits hold a number up to this.
const LARGEST_FACTOR: i64 = 1 << 62;

impl Symbols {
    /// The operand that a maximum or minimum is.
    pub(super) fn choose(&mut self, name: &str, args: &[Sym]) -> Option<Sym> {
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

    /// Whether something is at least 0 for all inputs, as far as that can be seen. `false` says nothing.
    pub(in crate::dispatch::assumptions) fn is_at_least_zero(&self, sym: &Sym) -> bool {
        if self.facts.of_loops.is_empty() {
            return self.prove(sym, STEPS);
        }
        self.prove(sym, STEPS_IN_LOOPS) || self.is_surely_natural(sym)
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
        if self.facts.of_loops.iter().any(|f| self.less(sym, f).is_some_and(|rest| self.prove(&rest, depth - 1))) {
            return true;
        }
        let nodes: Vec<(AtomId, i64)> =
            sym.terms().filter_map(|(atoms, f)| if let [atom] = atoms { Some((*atom, f)) } else { None }).collect();
        nodes.into_iter().any(|(atom, factor)| {
            let Some(rest) = sym.plus(-factor, &Sym::atom(atom)) else { return false };
            if let Some((a, b)) = self.either(atom, factor) {
                let at_least_zero = |one: &Sym| rest.plus(factor, one).is_some_and(|s| self.prove(&s, depth - 1));
                return at_least_zero(a) && at_least_zero(b);
            }
            let bounds = self.bounds(atom, factor);
            bounds.into_iter().any(|bound| rest.plus(1, &bound).is_some_and(|lower| self.prove(&lower, depth - 1)))
        })
    }

    /// A polynomial less as much of a fact as cancels one of its negative terms.
    fn less(&self, sym: &Sym, fact: &Sym) -> Option<Sym> {
        sym.terms().filter(|(_, factor)| *factor < 0).find_map(|(atoms, factor)| {
            fact.terms().filter(|(inner, by)| *by < 0 && !inner.is_empty()).find_map(|(inner, by)| {
                let mut rest = atoms.to_vec();
                for atom in inner {
                    rest.remove(rest.iter().position(|a| a == atom)?);
                }
                if !rest.iter().all(|a| self.is_natural(*a)) {
                    return None;
                }
                // Rounded up.
                let times = factor.checked_neg()?.checked_sub(by.checked_add(1)?)? / by.checked_neg()?;
                let monomial = rest.into_iter().try_fold(Sym::constant(times), |m, atom| m.times(&Sym::atom(atom)))?;
                sym.plus(-1, &monomial.times(fact)?)
            })
        })
    }

    /// The operands of a minimum that is added, or a maximum that is taken away: what holds for both holds for it.
    fn either(&self, atom: AtomId, factor: i64) -> Option<(&Sym, &Sym)> {
        let Atom::Node(name, args) = &self.atoms[atom] else { return None };
        let [a, b] = &args[..] else { return None };
        matches!((*name, factor > 0), ("arith.minsi", true) | ("arith.maxsi", false)).then_some((a, b))
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
        let small = |factor: i64| factor <= LARGEST_FACTOR || sym.known().is_some();
        sym.terms().all(|(atoms, factor)| factor > 0 && small(factor) && atoms.iter().all(|a| self.is_natural(*a)))
    }

    /// Whether an atom is never negative.
    pub(super) fn is_natural(&self, id: AtomId) -> bool {
        match &self.atoms[id] {
            Atom::Dim(..) | Atom::Iteration(_) => true,
            Atom::Scalar(_) => {
                // It is said to be 0, or some number above, at least.
                let says =
                    |fact: &Sym| fact.plus(-1, &Sym::atom(id)).and_then(|rest| rest.known()).is_some_and(|n| n <= 0);
                [&self.facts.at_least_zero, &self.facts.of_loops].into_iter().flatten().any(says)
            }
            Atom::Node(name, args) => {
                let natural = |sym: &Sym| self.has_no_negative_part(sym);
                match *name {
                    "arith.maxsi" => args.iter().any(natural),
                    "arith.remsi" => args.first().is_some_and(natural),
                    "arith.minsi" | "arith.divsi" | "arith.divui" | "arith.floordivsi" | "arith.ceildivsi"
                    | "arith.ceildivui" | "arith.remui" => args.iter().all(natural),
                    // They start again from below where 64 bits do not hold them.
                    "arith.addi" | "arith.muli" => args.iter().all(natural) && self.is_held(id),
                    _ => false,
                }
            }
        }
    }
}
