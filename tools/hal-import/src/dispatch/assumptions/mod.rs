//! States what a program takes for granted about sizes, as checks at run time (`hal.check`).
//!
//! Operations of MLIR on tensors of unknown sizes have a meaning only where sizes fit: operands of an addition are as
//! large as each other, a slice lies in its tensor. Each such condition that is not seen to hold for all inputs becomes a
//! check before the operation; one that never holds is an error. What was checked once is known from there on, so that a
//! program states little more than how its inputs have to fit.
mod claims;
mod counters;
mod distributed;
mod emit;
mod exact;
mod points;
mod reach;
mod rounded;
mod sizes;
mod symbols;

use super::{checks, structure::Structure};
use claims::{Claim, Relation, claims, claims_in_loop};
use emit::Emitter;
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Block, Op, Session, Type, Value,
    form::{Check, Program},
};
use sizes::{Sizes, is_wide};
use std::collections::HashSet;
use symbols::{Atom, Sym};

/// Adds the checks of all functions. Gives warnings about what the checks make slow. Errors: conditions that never hold, tensors larger
/// than any memory.
pub(super) fn state(session: &Session, program: Program) -> Result<Vec<Diagnostic>> {
    state_of(session, program, false)
}

/// Adds the checks of slices in loops over elements, which were left to guards, where a pass has put something else into the loop since,
/// so that the host runs it. Errors: as [`state`].
pub(super) fn state_rest(session: &Session, program: Program) -> Result<Vec<Diagnostic>> {
    let mut has_loops = false;
    program.op.walk(&mut |op| has_loops |= op.is("scf.for") || op.is("scf.while"));
    if has_loops && !program.trusts_data() { state_of(session, program, true) } else { Ok(Vec::new()) }
}

fn state_of(session: &Session, program: Program, rest: bool) -> Result<Vec<Diagnostic>> {
    let mut walk = Walk {
        session,
        checks: program.checks().into_iter().map(Check::symbol).collect(),
        rest,
        trusts_data: program.trusts_data(),
        emitter: Emitter::new(program),
        sizes: Sizes::default(),
        found: Vec::new(),
        warnings: Vec::new(),
    };
    for function in program.functions() {
        walk.sizes = Sizes::default();
        walk.emitter.enter(function);
        for block in function.regions().into_iter().flat_map(|r| r.blocks()) {
            block.args().into_iter().for_each(|v| walk.check_type(function, v.ty()));
            walk.block(block, true);
        }
    }
    if walk.found.is_empty() { Ok(walk.warnings) } else { Err(Error::many(walk.found)) }
}

struct Walk<'s> {
    session: &'s Session,
    /// The symbols of checks that the program has.
    checks: HashSet<String>,
    /// Only slices in loops of the host are checked, where no check covers them yet.
    rest: bool,
    /// Nothing is checked step by step.
    trusts_data: bool,
    emitter: Emitter,
    sizes: Sizes,
    found: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Walk<'_> {
    /// Goes through a block; `always` says that it runs whenever its function does.
    fn block(&mut self, block: Block, always: bool) {
        block.ops().into_iter().for_each(|op| self.operation(op, always));
    }

    fn operation(&mut self, op: Op, always: bool) {
        if !self.rest || self.is_unchecked_slice(op) {
            for claim in claims(&mut self.sizes, op) {
                self.claim((op, op), claim, always);
            }
        }
        self.learn_from(op);
        if op.is("scf.forall")
            && !self.rest
            && let Some(new) = self.distributed(op, always)
        {
            return self.operation(new, always);
        }
        for result in op.results() {
            let ty = result.ty();
            self.check_type(op, ty);
            // In order, so that long chains are never followed back.
            if ty.is_ranked_tensor() && !ty.is_static() {
                self.sizes.dims(result);
            } else if is_wide(result) {
                self.sizes.scalar(result);
            }
        }
        let is_structured = op.is_of("linalg") || op.is("scf.forall") || Structure::of(op).is_some();
        // The checks of a loop make the host run it.
        if is_structured && (self.rest || !op.is("scf.for") || self.is_sound_loop(op)) {
            return;
        }
        for (i, region) in op.regions().into_iter().enumerate() {
            for inner in region.blocks() {
                let mark = self.sizes.symbols.mark();
                if op.is("scf.if") && i == 0 {
                    self.learn(op.operand(0));
                }
                self.sizes.enter_loop(op);
                self.block(inner, false);
                self.sizes.symbols.forget(mark);
            }
        }
    }

    /// Whether everything that a loop over elements assumes is known to hold, except what guards check step by step.
    fn is_sound_loop(&mut self, op: Op) -> bool {
        let mark = self.sizes.symbols.mark();
        self.sizes.enter_loop(op);
        let inside = op.regions().into_iter().flat_map(|r| r.blocks()).flat_map(|b| b.ops());
        let is_sound = inside.into_iter().all(|inner| {
            let all = claims_in_loop(&mut self.sizes, inner);
            all.iter().all(|claim| self.holds(claim)) && (inner.regions().is_empty() || self.is_sound_loop(inner))
        });
        self.sizes.symbols.forget(mark);
        is_sound
    }

    /// Whether a slice in a loop is at a place that no check has looked at.
    fn is_unchecked_slice(&self, op: Op) -> bool {
        let name = op.name();
        let tensors = if name == "tensor.insert_slice" { 2 } else { 1 };
        let in_loop =
            || std::iter::successors(op.parent(), |op| op.parent()).any(|op| op.is("scf.for") || op.is("scf.while"));
        if !name.ends_with("_slice") || op.is("tensor.parallel_insert_slice") || !in_loop() {
            return false;
        }
        let is_checked = |value: Value| {
            let cast = value.def().filter(|d| d.is("arith.index_cast")).map(|d| d.operand(0));
            let uses = [Some(value), cast].into_iter().flatten().flat_map(|v| v.uses());
            uses.into_iter().any(|(user, _)| self.is_check_call(user))
        };
        op.operands()
            .into_iter()
            .skip(tensors)
            .any(|value| value.def().is_none_or(|d| !d.is("arith.constant")) && !is_checked(value))
    }

    fn is_check_call(&self, op: Op) -> bool {
        let calls_check = || op.callee().is_some_and(|name| self.checks.contains(&name));
        op.is("cf.assert") || op.is("func.call") && calls_check()
    }

    /// Whether a claim is known to hold.
    fn holds(&mut self, claim: &Claim) -> bool {
        let symbols = &mut self.sizes.symbols;
        let (left, right) = (symbols.normal(&claim.left), symbols.normal(&claim.right));
        let difference = symbols.sub(&right, &left);
        let holds = match claim.relation {
            Relation::Equal => difference.known() == Some(0),
            Relation::AtMost => symbols.is_at_least_zero(&difference),
            Relation::Inside => {
                let room = symbols.sub(&difference, &Sym::constant(1));
                symbols.is_at_least_zero(&left) && symbols.is_at_least_zero(&room)
            }
        };
        holds
            || claim.unless_zero.iter().any(|size| symbols.normal(size).known() == Some(0))
            || claim.unless_idle.iter().any(|(from, to)| {
                let (from, to) = (symbols.normal(from), symbols.normal(to));
                let room = symbols.sub(&from, &to);
                symbols.is_at_least_zero(&room)
            })
            || claim.exact.as_ref().is_some_and(|exact| self.holds(exact))
    }

    /// Checks what an operation claims, before `place`.
    fn claim(&mut self, (op, place): (Op, Op), claim: Claim, always: bool) {
        if self.holds(&claim) {
            return;
        }
        if let Some(exact) = claim.exact {
            return self.claim((op, place), *exact, always);
        }
        let symbols = &mut self.sizes.symbols;
        let (left, right) = (symbols.normal(&claim.left), symbols.normal(&claim.right));
        let difference = symbols.sub(&right, &left);
        let one = Sym::constant(1);
        // What is not 0 for sure excuses nothing.
        let mut unless_zero = Vec::new();
        for size in &claim.unless_zero {
            let size = symbols.normal(size);
            let less = symbols.sub(&size, &one);
            if !symbols.is_at_least_zero(&less) && !unless_zero.contains(&size) {
                unless_zero.push(size);
            }
        }
        let mut unless_idle = Vec::new();
        for (from, to) in &claim.unless_idle {
            let (from, to) = (symbols.normal(from), symbols.normal(to));
            let span = symbols.sub(&to, &from);
            let less = symbols.sub(&span, &one);
            if !symbols.is_at_least_zero(&less) && !unless_idle.contains(&(from.clone(), to.clone())) {
                unless_idle.push((from, to));
            }
        }
        let is_excused = !unless_zero.is_empty() || !unless_idle.is_empty();
        let never = match claim.relation {
            Relation::Equal => difference.known().is_some_and(|d| d != 0),
            Relation::AtMost => difference.known().is_some_and(|d| d < 0),
            Relation::Inside => left.known().is_some_and(|l| l < 0) || difference.known().is_some_and(|d| d <= 0),
        };
        if never && !is_excused && always && claim.shown.iter().all(|s| symbols.normal(s).known().is_some()) {
            let template = halyard_diag::Template::parse(&claim.text).expect("claims are well-formed");
            let text = template.fill(|i| symbols.normal(&claim.shown[i]).known().unwrap_or_default().to_string());
            return self.refuse(op, text);
        }
        self.emitter.check(&self.sizes, (op, place), &Claim { unless_zero, unless_idle, ..claim.clone() });
        if !is_excused && ![&claim.left, &claim.right].into_iter().any(|s| self.waits(s)) {
            self.learn_relation(claim.relation, &claim.left, &claim.right);
        }
    }

    fn learn_relation(&mut self, relation: Relation, left: &Sym, right: &Sym) {
        let symbols = &mut self.sizes.symbols;
        let (left, right) = (symbols.normal(left), symbols.normal(right));
        match relation {
            Relation::Equal => symbols.learn_equal(&left, &right),
            Relation::AtMost => {
                let room = symbols.sub(&right, &left);
                symbols.learn_at_least_zero(&room);
            }
            Relation::Inside => {
                let room = symbols.sub(&right, &left);
                let room = symbols.sub(&room, &Sym::constant(1));
                symbols.learn_at_least_zero(&left);
                symbols.learn_at_least_zero(&room);
            }
        }
    }

    /// Learns from a check that the program has.
    fn learn_from(&mut self, op: Op) {
        if self.is_check_call(op) {
            self.learn(op.operand(0));
        }
    }

    /// Learns that a condition holds.
    fn learn(&mut self, condition: Value) {
        let Some(op) = condition.def() else { return };
        if op.is("arith.andi") {
            self.learn(op.operand(0));
            self.learn(op.operand(1));
            return;
        }
        if !op.is("arith.cmpi") || !is_wide(op.operand(0)) {
            return;
        }
        let (a, b) = (self.sizes.scalar(op.operand(0)), self.sizes.scalar(op.operand(1)));
        if self.waits(&a) || self.waits(&b) {
            return;
        }
        let one = Sym::constant(1);
        let symbols = &mut self.sizes.symbols;
        // eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge
        match op.attr("predicate").and_then(Attr::as_int) {
            Some(0) => self.learn_relation(Relation::Equal, &a, &b),
            Some(2) => {
                let a = symbols.add(&a, &one);
                self.learn_relation(Relation::AtMost, &a, &b);
            }
            Some(3) => self.learn_relation(Relation::AtMost, &a, &b),
            Some(4) => {
                let b = symbols.add(&b, &one);
                self.learn_relation(Relation::AtMost, &b, &a);
            }
            Some(5) => self.learn_relation(Relation::AtMost, &b, &a),
            Some(6) => {
                let b = symbols.normal(&b);
                if symbols.is_at_least_zero(&b) {
                    self.learn_relation(Relation::Inside, &a, &b);
                }
            }
            _ => {}
        }
    }

    /// Whether a value is read from what a dispatch computes: a check of it may come last.
    fn waits(&self, sym: &Sym) -> bool {
        sym.terms().flat_map(|(atoms, _)| atoms).any(|atom| match self.sizes.symbols.get(*atom) {
            Atom::Dim(..) => false,
            Atom::Scalar(value) | Atom::Iteration(value) => checks::waits(*value),
            Atom::Node(_, args) => args.iter().any(|a| self.waits(a)),
        })
    }

    fn check_type(&mut self, op: Op, ty: Type) {
        if !ty.is_ranked_tensor() || ty.shape().contains(&Some(0)) {
            return;
        }
        let width = i64::try_from(ty.element().byte_width()).unwrap_or(i64::MAX);
        let known = ty.shape().into_iter().flatten().try_fold(width, |n, d| n.checked_mul(d));
        if known.is_none() {
            self.refuse(op, format!("a tensor of type `{ty}` is larger than any memory"));
        }
    }

    fn refuse(&mut self, op: Op, text: String) {
        let d = Diagnostic::error(format!("{}: {text}", emit::subject(op, &op.name()))).code("sizes-do-not-fit");
        self.found.push(d.at(self.session.span(op)));
    }
}
