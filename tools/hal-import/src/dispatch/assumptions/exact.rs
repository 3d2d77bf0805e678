//! Checks whose arithmetic does not overflow: numbers that a user passes may be as large as 64 bits are.
use super::{
    emit::Place,
    symbols::{Atom, Sym, Symbols, is_ring},
};
use halyard_ir::{Attr, Type, Value};

/// What 64 bits hold, less what the double precision that it is compared in rounds.
const LIMIT: f64 = 9.2e18;

impl Symbols {
    /// The two sides of `left <= right` with terms moved to the other side, such that 64 bits hold both, if there is a way.
    pub(super) fn exact_sides(&self, left: &Sym, right: &Sym) -> (Sym, Sym) {
        let given = (left.clone(), right.clone());
        let is_exact = |(left, right): &(Sym, Sym)| self.is_exact(left) && self.is_exact(right);
        if is_exact(&given) {
            return given;
        }
        let Some(difference) = right.plus(-1, left) else { return given };
        // One term alone.
        let alone = difference.terms().filter(|(atoms, _)| !atoms.is_empty()).filter_map(|(atoms, factor)| {
            let product = atoms.iter().try_fold(Sym::constant(1), |p, atom| p.times(&Sym::atom(*atom)))?;
            let rest = difference.plus(factor.checked_neg()?, &product)?;
            let scaled = |sym: &Sym, by: i64| Sym::default().plus(by, sym);
            match factor > 0 {
                true => Some((scaled(&rest, -1)?, scaled(&product, factor)?)),
                false => Some((scaled(&product, factor.checked_neg()?)?, rest)),
            }
        });
        alone.into_iter().find(is_exact).unwrap_or(given)
    }
}

impl Place<'_> {
    /// Whether a condition holds, and what it was computed from is what 64 bits hold.
    pub(super) fn exactly(&self, condition: Value, of: &[&Sym]) -> Value {
        let mut condition = condition;
        let mut inexact = Vec::new();
        of.iter().for_each(|sym| self.find_inexact(sym, &mut inexact));
        for sym in inexact {
            let value = self.float(&sym);
            let f64 = value.ty();
            let size = self.builder.value("math.absf", &[value], f64, &[]);
            let limit = self.builder.constant(Attr::float(f64, LIMIT));
            // ole
            let predicate = Attr::integer(Type::integer(self.builder.context(), 64), 5);
            let fits = self.builder.value("arith.cmpf", &[size, limit], condition.ty(), &[("predicate", predicate)]);
            condition = self.builder.value("arith.andi", &[condition, fits], condition.ty(), &[]);
        }
        condition
    }

    /// The value of a polynomial for messages: the largest or the least number where 64 bits do not hold it.
    pub(super) fn saturated(&self, sym: &Sym) -> Value {
        let value = self.value(sym);
        let mut inexact = Vec::new();
        self.find_inexact(sym, &mut inexact);
        if inexact.is_empty() {
            return value;
        }
        let float = self.float(sym);
        let beyond = |predicate: i64, limit: f64, ours: i64, value: Value| {
            let (context, ty) = (self.builder.context(), value.ty());
            let limit = self.builder.constant(Attr::float(float.ty(), limit));
            let predicate = Attr::integer(Type::integer(context, 64), predicate);
            let truth = Type::integer(context, 1);
            let holds = self.builder.value("arith.cmpf", &[float, limit], truth, &[("predicate", predicate)]);
            self.builder.value("arith.select", &[holds, self.builder.index(ours), value], ty, &[])
        };
        // ogt, olt
        beyond(2, LIMIT, i64::MAX, beyond(4, -LIMIT, i64::MIN, value))
    }

    /// The polynomials in one that 64 bits may not hold.
    fn find_inexact(&self, sym: &Sym, found: &mut Vec<Sym>) {
        if self.sizes.symbols.is_exact(sym) {
            return;
        }
        for atom in sym.terms().flat_map(|(atoms, _)| atoms) {
            if let Atom::Node(_, args) = self.sizes.symbols.get(*atom) {
                args.iter().for_each(|arg| self.find_inexact(arg, found));
            }
        }
        let stands_alone = sym
            .single()
            .is_some_and(|atom| !matches!(self.sizes.symbols.get(atom), Atom::Node(name, _) if is_ring(name)));
        if !stands_alone && !found.contains(sym) {
            found.push(sym.clone());
        }
    }

    /// A polynomial in double precision.
    fn float(&self, sym: &Sym) -> Value {
        let f64 = Type::f64(self.builder.context());
        let number = |n: i64| self.builder.constant(Attr::float(f64, n as f64));
        let binary = |name: &str, a: Value, b: Value| self.builder.value(name, &[a, b], f64, &[]);
        let mut sum = number(0);
        for (atoms, factor) in sym.terms() {
            let mut product = number(factor);
            for atom in atoms {
                let factor = match self.sizes.symbols.get(*atom) {
                    Atom::Node(name, args) if is_ring(name) => {
                        let name = format!("{}f", &name[..name.len() - 1]);
                        args.iter().map(|arg| self.float(arg)).reduce(|a, b| binary(&name, a, b)).expect("operands")
                    }
                    _ => {
                        let i64 = Type::integer(self.builder.context(), 64);
                        let value = self.builder.value("arith.index_cast", &[self.atom(*atom)], i64, &[]);
                        self.builder.value("arith.sitofp", &[value], f64, &[])
                    }
                };
                product = binary("arith.mulf", product, factor);
            }
            sum = binary("arith.addf", sum, product);
        }
        sum
    }
}
