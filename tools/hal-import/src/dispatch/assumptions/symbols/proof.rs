//! Proofs that a polynomial is at least 0 for all inputs.
use super::{
    Atom, Symbols,
    polynomial::{AtomId, Sym},
};

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
