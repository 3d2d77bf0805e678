//! Loops that another tool has distributed (`scf.forall`). Each is one kernel, whose iterations run in any order and check nothing: what
//! they assume is known to hold, or is checked before the loop, at the iterations where it would fail first. A loop of which neither
//! can be said runs its iterations one after another, as `scf.for`, which checks step by step.
use super::{
    Walk,
    claims::{Claim, Relation, claims_in_distributed},
    counters::Counter,
    emit,
    symbols::{Atom, Sym},
};
use crate::dispatch::{guards, sequential::one_after_another};
use halyard_diag::Diagnostic;
use halyard_ir::{Op, Value};
use std::cmp::Ordering;

/// A claim that does not surely hold inside of a loop.
struct Open {
    op: Op,
    claim: Claim,
    /// The loops around it, outermost first.
    counters: Vec<Counter>,
    /// Whether it has to hold only in some iterations.
    is_conditional: bool,
}

impl Walk<'_> {
    /// Goes through a `scf.forall`. `Some`: the loop that has taken its place.
    pub(super) fn distributed(&mut self, op: Op, always: bool) -> Option<Op> {
        let mut open = Vec::new();
        let mark = self.sizes.symbols.mark();
        self.find_open(op, &mut Vec::new(), false, &mut open);
        self.sizes.symbols.forget(mark);
        let mut before = Vec::new();
        let mut obstacle = if self.trusts_data { None } else { guards::first_danger(op) };
        for open in open {
            match self.before_loop(op, &open) {
                Some(claims) => before.extend(claims.into_iter().map(|claim| (open.op, claim))),
                None if self.trusts_data => {}
                None => obstacle = Some(obstacle.unwrap_or(open.op)),
            }
        }
        if let Some(obstacle) = obstacle {
            let text = format!(
                "{}: its iterations run one after another, because `{}` has to be checked in each of them",
                emit::subject(op, "scf.forall"),
                obstacle.name()
            );
            let hint = "what follows from counters and sizes alone is checked before the loop; `--bounds=trust` leaves out the rest";
            let d = Diagnostic::warning(text).code("checked-in-turn").hint(hint);
            self.warnings.push(d.at(self.session.span(obstacle)));
            let new = one_after_another(op);
            self.sizes.forget_inside(new);
            return Some(new);
        }
        for (inner, claim) in before {
            self.claim((inner, op), claim, always);
        }
        None
    }

    /// Finds what does not surely hold in the body of a loop or branch.
    fn find_open(&mut self, op: Op, counters: &mut Vec<Counter>, is_conditional: bool, open: &mut Vec<Open>) {
        let outside = counters.len();
        counters.extend(self.sizes.enter_loop(op));
        for (i, region) in op.regions().into_iter().enumerate() {
            let mark = self.sizes.symbols.mark();
            if op.is("scf.if") && i == 0 {
                self.learn(op.operand(0));
            }
            let is_conditional = is_conditional || !is_run_always(op);
            for inner in region.blocks().into_iter().flat_map(|b| b.ops()) {
                for claim in claims_in_distributed(&mut self.sizes, inner) {
                    if !self.holds_where_it_counts(&claim) {
                        open.push(Open { op: inner, claim, counters: counters.clone(), is_conditional });
                    }
                }
                if inner.is_of("scf") && !inner.regions().is_empty() {
                    let mark = self.sizes.symbols.mark();
                    self.find_open(inner, counters, is_conditional, open);
                    self.sizes.symbols.forget(mark);
                }
            }
            self.sizes.symbols.forget(mark);
        }
        counters.truncate(outside);
    }

    /// Whether a claim is known to hold where none of the sizes is 0 that excuse it.
    fn holds_where_it_counts(&mut self, claim: &Claim) -> bool {
        if self.holds(claim) {
            return true;
        }
        let mark = self.sizes.symbols.mark();
        for size in &claim.unless_zero {
            self.sizes.symbols.learn_positive(size);
        }
        let holds = self.holds(claim);
        self.sizes.symbols.forget(mark);
        holds
    }

    /// What has to hold before a loop, so that a claim holds in all of its iterations.
    fn before_loop(&mut self, root: Op, open: &Open) -> Option<Vec<Claim>> {
        if open.is_conditional {
            return None;
        }
        let claim = open.claim.exact.as_deref().unwrap_or(&open.claim);
        let parts = match claim.relation {
            Relation::Inside => {
                let last = self.sizes.symbols.sub(&claim.right, &Sym::constant(1));
                vec![(Sym::constant(0), claim.left.clone()), (claim.left.clone(), last)]
            }
            _ => vec![(claim.left.clone(), claim.right.clone())],
        };
        parts.into_iter().map(|sides| self.at_worst(root, (claim, sides), &open.counters)).collect()
    }

    /// A claim in the iteration where it fails first.
    fn at_worst(&mut self, root: Op, (claim, sides): (&Claim, (Sym, Sym)), counters: &[Counter]) -> Option<Claim> {
        let symbols = &mut self.sizes.symbols;
        let (left, right) = (symbols.normal(&sides.0), symbols.normal(&sides.1));
        let mut difference = symbols.sub(&right, &left);
        let is_equal = claim.relation == Relation::Equal;
        let mut all: Vec<Sym> = [left, right].into_iter().chain(claim.shown.iter().cloned()).collect();
        // The ends of inner loops may depend on outer counters.
        for counter in counters.iter().rev() {
            let atom = counter.atom.single()?;
            let end = match symbols.slope(&difference, atom)? {
                Ordering::Equal | Ordering::Greater => &counter.ends.0,
                Ordering::Less => &counter.ends.1,
            };
            if is_equal && symbols.slope(&difference, atom)? != Ordering::Equal {
                return None;
            }
            difference = symbols.with(&difference, atom, end);
            all.iter_mut().for_each(|sym| *sym = symbols.with(sym, atom, end));
        }
        let unless_zero: Vec<Sym> =
            claim.unless_zero.iter().filter(|size| size.known().is_none_or(|n| n == 0)).cloned().collect();
        let unless_idle: Vec<(Sym, Sym)> =
            claim.unless_idle.iter().cloned().chain(counters.iter().map(|counter| counter.bounds.clone())).collect();
        let needed = all.iter().chain(&unless_zero).chain(unless_idle.iter().flat_map(|(from, to)| [from, to]));
        if !needed.into_iter().all(|sym| self.is_known_before(sym, root)) {
            return None;
        }
        let (text, relation) = (claim.text.clone(), if is_equal { Relation::Equal } else { Relation::AtMost });
        let mut all = all.into_iter();
        let (left, right) = (all.next()?, all.next()?);
        Some(Claim { relation, left, right, unless_zero, unless_idle, text, shown: all.collect(), exact: None })
    }

    /// Whether nothing in a polynomial is made in a loop.
    fn is_known_before(&self, sym: &Sym, root: Op) -> bool {
        let outside = |value: Value| {
            let maker = value.def().or_else(|| value.argument_block().and_then(|b| b.parent()));
            maker.is_none_or(|maker| maker != root && !maker.is_inside(root))
        };
        sym.terms().flat_map(|(atoms, _)| atoms).all(|atom| match self.sizes.symbols.get(*atom) {
            Atom::Dim(value, _) | Atom::Scalar(value) | Atom::Iteration(value) => outside(*value),
            Atom::Node(_, args) => args.iter().all(|a| self.is_known_before(a, root)),
        })
    }
}

/// Whether the body of an operation runs as often as its counters say.
fn is_run_always(op: Op) -> bool {
    matches!(&*op.name(), "scf.for" | "scf.forall" | "scf.forall.in_parallel")
}
