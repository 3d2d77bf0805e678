//! Sizes as polynomials in what is not known, in one normal form: what is equal for all inputs is mostly equal here.
mod extent;
mod facts;
mod polynomial;
mod proof;
mod slope;
#[cfg(test)]
mod tests;

pub(super) use extent::is_ring;
use facts::Facts;
use halyard_ir::Value;
pub(super) use polynomial::{AtomId, Sym, gcd};
use std::collections::HashMap;

/// What polynomials are made of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    /// The size of a dimension of a tensor that nobody can say more about. Never negative.
    Dim(Value, usize),
    /// A scalar that nobody can say more about.
    Scalar(Value),
    /// How many iterations a loop has run before the one that its counter is in. Never negative.
    Iteration(Value),
    /// An operation of `arith` that is no sum and no product.
    Node(&'static str, Vec<Sym>),
}

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

    pub(super) fn iteration(&mut self, counter: Value) -> Sym {
        Sym::atom(self.id(Atom::Iteration(counter)))
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
