//! Writes conditions into the program.
use super::{
    claims::{Claim, Relation},
    sizes::Sizes,
    symbols::{Atom, AtomId, Sym},
};
use halyard_diag::Template;
use halyard_ir::{
    Attr, Builder, Op, Type, Value,
    form::{Checks, Program},
    line_of, node_of,
};

/// Adds checks to a program.
#[derive(Debug)]
pub(super) struct Emitter {
    checks: Checks,
    function: String,
}

/// Who makes a claim: the node of the model, or else the operation.
pub(super) fn subject(op: Op, name: &str) -> String {
    match node_of(op) {
        Some((node, Some(operator))) => format!("{operator} `{node}`"),
        Some((node, None)) => format!("`{node}`"),
        None => format!("`{name}`"),
    }
}

impl Emitter {
    pub(super) fn new(program: Program) -> Self {
        Self { checks: Checks::of(program.op), function: String::new() }
    }

    /// Goes on with another function.
    pub(super) fn enter(&mut self, function: Op) {
        self.function = function.symbol().unwrap_or_default();
    }

    /// Puts a check of what an operation claims before `place`.
    pub(super) fn check(&mut self, sizes: &Sizes, (op, place): (Op, Op), claim: &Claim) {
        let builder = Builder { loc: op.loc(), ..Builder::before(place) };
        let at = Place { builder, sizes };
        let (left, right) = match claim.relation {
            Relation::AtMost => sizes.symbols.exact_sides(&claim.left, &claim.right),
            _ => (claim.left.clone(), claim.right.clone()),
        };
        // eq, sle, ult
        let predicate = match claim.relation {
            Relation::Equal => 0,
            Relation::AtMost => 3,
            Relation::Inside => 6,
        };
        let holds = at.compare(predicate, at.value(&left), at.value(&right));
        let mut condition = at.exactly(holds, &[&left, &right]);
        let or = |a: Value, b: Value| builder.value("arith.ori", &[a, b], a.ty(), &[]);
        for size in &claim.unless_zero {
            let empty = at.compare(0, at.value(size), builder.index(0));
            let empty = at.exactly(empty, &[size]);
            condition = or(condition, empty);
        }
        for (from, to) in &claim.unless_idle {
            let (to, from) = sizes.symbols.exact_sides(to, from);
            let idle = at.compare(3, at.value(&to), at.value(&from));
            condition = or(condition, at.exactly(idle, &[&to, &from]));
        }
        let shown: Vec<Value> = claim.shown.iter().map(|s| at.saturated(s)).collect();
        let line = match (node_of(op), line_of(op)) {
            (Some(_), _) => String::new(),
            (None, Some(line)) => format!(" of `@{}`, line {line}", self.function),
            (None, None) => format!(" of `@{}`", self.function),
        };
        let who = Template::escape(&format!("{}{line}", subject(op, &op.name())));
        self.checks.call(&builder, condition, &format!("{who}: {}", claim.text), &shown);
    }
}

/// Where a check is written.
pub(super) struct Place<'s> {
    pub(super) builder: Builder,
    pub(super) sizes: &'s Sizes,
}

impl Place<'_> {
    fn compare(&self, predicate: i64, left: Value, right: Value) -> Value {
        let context = self.builder.context();
        let predicate = Attr::integer(Type::integer(context, 64), predicate);
        self.builder.value("arith.cmpi", &[left, right], Type::integer(context, 1), &[("predicate", predicate)])
    }

    /// The value of a polynomial.
    pub(super) fn value(&self, sym: &Sym) -> Value {
        if let Some(known) = sym.known() {
            return self.builder.index(known);
        }
        let mut sum: Option<Value> = None;
        // Constants come first in the order of terms, and last in sums.
        let mut terms: Vec<(&[AtomId], i64)> = sym.terms().collect();
        terms.sort_by_key(|(atoms, factor)| (atoms.is_empty(), *factor < 0));
        for (atoms, factor) in terms {
            let product = atoms.iter().map(|a| self.atom(*a)).reduce(|a, b| self.binary("arith.muli", a, b));
            sum = Some(match (sum, product, factor) {
                (None, Some(product), 1) => product,
                (Some(sum), Some(product), 1) => self.binary("arith.addi", sum, product),
                (Some(sum), Some(product), -1) => self.binary("arith.subi", sum, product),
                (sum, product, factor) => {
                    let factor = self.builder.index(factor);
                    let term = product.map_or(factor, |p| self.binary("arith.muli", p, factor));
                    sum.map_or(term, |sum| self.binary("arith.addi", sum, term))
                }
            });
        }
        sum.expect("a polynomial that is not known has terms")
    }

    /// An `index` or `i64` as `index`.
    fn index(&self, value: Value) -> Value {
        match value.ty().is_index() {
            true => value,
            false => self.builder.value("arith.index_cast", &[value], Type::index(self.builder.context()), &[]),
        }
    }

    fn binary(&self, name: &str, left: Value, right: Value) -> Value {
        self.builder.value(name, &[left, right], Type::index(self.builder.context()), &[])
    }

    pub(super) fn atom(&self, id: AtomId) -> Value {
        let index = Type::index(self.builder.context());
        match self.sizes.symbols.get(id) {
            Atom::Dim(tensor, d) => {
                let d = self.builder.index(*d as i64);
                self.builder.value("tensor.dim", &[*tensor, d], index, &[])
            }
            Atom::Scalar(value) => self.index(*value),
            Atom::Iteration(counter) => {
                let op = counter.argument_block().and_then(|b| b.parent()).expect("a counter is an argument of a loop");
                let [from, step] = [op.operand(0), op.operand(2)].map(|v| self.index(v));
                let way = self.binary("arith.subi", self.index(*counter), from);
                self.binary("arith.divsi", way, step)
            }
            Atom::Node(name, args) => {
                let args: Vec<Value> = args.iter().map(|a| self.value(a)).collect();
                self.builder.value(name, &args, index, &[])
            }
        }
    }
}
