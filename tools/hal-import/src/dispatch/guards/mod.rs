//! Data never leads out of a buffer. What a kernel reads or writes at an index that is data, divides by, or shifts by, is made
//! safe in its body; beside it, an operation looks through the same data and finds one number, which a check at the end of the
//! block is about: an index that is out of range fails the call, and is named.
//!
//! [`hazards`] finds what nobody can tell to be right ([`ranges`], [`size`]), [`safe`] changes bodies, [`reduce`] looks through
//! data ([`slice`] copies what computes it), [`loops`] carries what loops over elements find, [`report`] says it.
mod general;
mod hazards;
mod indexed;
mod interval;
mod loops;
mod ranges;
mod reduce;
mod report;
mod safe;
mod size;
mod slice;
mod space;

use super::structure::{Kind, Structure};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Block, Builder, Op, Session, Type, Value,
    form::{Checks, Program},
};
use hazards::{Danger, Hazard, hazards};
pub(super) use hazards::{first_danger, is_guarded_slice};
use reduce::{Found, look};
pub(super) use safe::protects;
use safe::{compare, drop_assertions, make_safe, size_value, wrap_quotients};
use size::Size;
use slice::Copier;
use space::Space;
use std::collections::HashMap;

/// Guards all functions of a program. Errors: data of the program that is wrong in every run; a place that cannot be guarded.
pub(super) fn guard(session: &Session, program: Program) -> Result<()> {
    let trusted = program.trusts_data();
    let mut guards = Guards { session, checks: Checks::of(program.op), wrong: Vec::new(), trusted };
    for function in program.functions() {
        function.regions().into_iter().flat_map(|r| r.blocks()).for_each(|block| guards.block(block));
    }
    if guards.wrong.is_empty() { Ok(()) } else { Err(Error::many(guards.wrong)) }
}

struct Guards<'s> {
    session: &'s Session,
    checks: Checks,
    wrong: Vec<Diagnostic>,
    trusted: bool,
}

impl Guards<'_> {
    fn block(&mut self, block: Block) {
        for op in block.ops() {
            match &*op.name() {
                name if name.starts_with("linalg.") || name == "tensor.generate" => self.body(op),
                "tensor.gather" | "tensor.scatter" => self.indexed(op),
                "tensor.pad" | "scf.forall" => self.opaque(op),
                _ if Structure::of(op).is_some_and(|s| s.kind == Kind::Loop) => self.repeated(op),
                _ => {
                    for inner in op.regions().into_iter().flat_map(|r| r.blocks()) {
                        self.block(inner);
                    }
                }
            }
        }
    }

    fn say(&mut self, op: Op, text: String, hint: Option<&str>) {
        let d = Diagnostic::error(text).code(if hint.is_some() { "unsupported" } else { "out-of-range" });
        let d = if let Some(hint) = hint { d.hint(hint) } else { d };
        self.wrong.push(d.at(self.session.span(op)));
    }

    /// What cannot be guarded is refused.
    fn refuse(&mut self, op: Op, hazard: &Hazard) {
        let what = match hazard.danger {
            Danger::Index { .. } => "an index that depends on data",
            Danger::Divisor => "a divisor that depends on data",
            Danger::Shift => "a shift that depends on data",
            Danger::Broken => "a `cf.assert`",
        };
        let (subject, inner) = (report::subject(op), hazard.op.name());
        let text = format!("{subject}: {what} (`{inner}`) cannot be checked here");
        self.say(hazard.op, text, Some("`--bounds=trust` leaves such checks out"));
    }

    fn is_known_wrong(&mut self, op: Op, hazard: &Hazard) -> bool {
        let Some(value) = hazard.certain else { return false };
        let subject = report::subject(op);
        let text = match hazard.danger {
            Danger::Index { size: Size::Known(size), dimension, .. } => {
                format!("{subject}: index {value} is out of range for dimension {dimension} of size {size}")
            }
            Danger::Shift => format!("{subject}: an integer of {} bits is shifted by {value}", hazard.bits),
            Danger::Divisor => format!("{subject}: division by zero"),
            _ => return false,
        };
        self.say(hazard.op, text, None);
        true
    }

    /// An operation of linalg, or `tensor.generate`.
    fn body(&mut self, op: Op) {
        if self.trusted {
            return drop_assertions(op);
        }
        let mut risky = false;
        op.walk(&mut |inner| risky |= is_risky(&inner.name()));
        if !risky {
            return;
        }
        let found = hazards(&Space::of(op));
        let subject = report::subject(op);
        let Some(op) = general::generalize(op) else {
            return found.first().map_or((), |hazard| self.refuse(op, hazard));
        };
        wrap_quotients(&Space::of(op));
        let space = Space::of(op);
        let mut found = hazards(&space);
        found.retain(|hazard| !self.is_known_wrong(op, hazard));
        let before = Builder::before(op);
        for hazard in found.iter().filter(|h| !h.unless_empty) {
            make_safe(hazard, Some(&before));
        }
        let mut seen: Vec<&Hazard> = Vec::new();
        for hazard in &found {
            let same = |h: &&Hazard| h.value == hazard.value && h.danger == hazard.danger && h.path == hazard.path;
            if seen.iter().any(same) {
                continue;
            }
            seen.push(hazard);
            let idle = report::is_idle(&before, &space);
            self.need_something(&before, hazard, idle, space.size(size_of(hazard)).lo >= 1, &subject);
            if hazard.unless_empty {
                continue;
            }
            let Some(number) = look(&space, hazard) else {
                self.refuse(op, hazard);
                continue;
            };
            let late = late(op);
            let number = match number {
                Found::Reduced(reduced) => {
                    let tensor = reduced.result(0);
                    late.value("tensor.extract", &[tensor], tensor.ty().element(), &[])
                }
                Found::Uniform => {
                    let mut copier =
                        Copier { root: op, beside: false, at: late, map: HashMap::new(), loops: Vec::new() };
                    reduce::measure(&mut copier, hazard)
                }
            };
            report::check(&mut self.checks, &late, &space, hazard, number, &subject);
        }
        drop_assertions(op);
    }

    /// Checks that a tensor that is read has an element at all: there is no safe index where it has none.
    fn need_something(&mut self, at: &Builder, hazard: &Hazard, idle: Option<Value>, known: bool, subject: &str) {
        let Danger::Index { size, length: 1, dimension } = hazard.danger else { return };
        if known || !hazard.path.is_empty() {
            return;
        }
        let flag = Type::integer(at.context(), 1);
        let some = compare(at, 4, size_value(at, size), at.index(0));
        let fine = idle.map_or(some, |idle| at.value("arith.ori", &[some, idle], flag, &[]));
        let subject = halyard_diag::Template::escape(subject);
        let text = format!("{subject}: dimension {dimension} has size 0, so that no index is in range");
        self.checks.call(at, fine, &text, &[]);
    }

    /// A loop over elements.
    fn repeated(&mut self, op: Op) {
        if self.trusted {
            return drop_assertions(op);
        }
        let space = Space::of(op);
        let found = hazards(&space);
        let Some(first) = found.first() else { return };
        let subject = report::subject(op);
        let before = Builder::before(op);
        let context = op.context();
        let i64 = Type::integer(context, 64);
        let empty = before.value("tensor.empty", &[], Type::tensor(&[Some(found.len() as i64)], i64), &[]);
        let start = before.fill(before.constant(Attr::integer(i64, 0)), empty);
        let late = late(op);
        for hazard in &found {
            let known = space.size(size_of(hazard)).lo >= 1;
            if let Some(idle) = idle_loops(&before, hazard.op, op) {
                self.need_something(
                    &before,
                    &Hazard { path: Vec::new(), ..hazard.clone() },
                    Some(idle),
                    known,
                    &subject,
                );
            }
        }
        let texts: Vec<Hazard> = found.iter().map(|h| Hazard { path: Vec::new(), ..h.clone() }).collect();
        let said = |h: &Hazard| (report::counts_from_end(h.value, size_of(h)), report::message(&subject, h));
        let said: Vec<(bool, String)> = texts.iter().map(said).collect();
        let Some(new) = loops::carry(op, start, &found) else { return self.refuse(op, first) };
        let numbers = *new.results().last().expect("it carries the numbers");
        let nowhere = Space::of(new);
        for (slot, (hazard, (shifted, message))) in texts.iter().zip(said).enumerate() {
            let number = late.value("tensor.extract", &[numbers, late.index(slot as i64)], i64, &[]);
            report::check_number(&mut self.checks, &late, &nowhere, hazard, shifted, number, &message);
        }
    }

    /// `tensor.gather` and `tensor.scatter`.
    fn indexed(&mut self, op: Op) {
        if self.trusted {
            return;
        }
        let subject = report::subject(op);
        let (space, late) = (Space::of(op), late(op));
        for positions in indexed::positions(op) {
            let danger = Danger::Index { size: positions.size, dimension: positions.dimension, length: 1 };
            let tensor = positions.largest.result(0);
            let number = late.value("tensor.extract", &[tensor], tensor.ty().element(), &[]);
            let hazard = Hazard {
                op,
                operand: 0,
                value: number,
                bits: 64,
                danger,
                path: Vec::new(),
                looped: false,
                may_be_absent: true,
                unless_empty: false,
                certain: None,
            };
            report::check(&mut self.checks, &late, &space, &hazard, number, &subject);
        }
    }

    /// What has a body that nothing is known of.
    fn opaque(&mut self, op: Op) {
        if self.trusted {
            return drop_assertions(op);
        }
        wrap_quotients(&Space::of(op));
        if let Some(hazard) = hazards(&Space::of(op)).first() {
            self.refuse(op, hazard);
        }
    }
}

/// Whether an operation may do wrong, depending on its operands.
fn is_risky(name: &str) -> bool {
    matches!(name, "tensor.extract" | "cf.assert")
        || ["arith.div", "arith.rem", "arith.floordiv", "arith.ceildiv", "arith.sh"].iter().any(|p| name.starts_with(p))
            && !name.ends_with('f')
}

fn size_of(hazard: &Hazard) -> Size {
    if let Danger::Index { size, .. } = hazard.danger { size } else { Size::Known(1) }
}

/// The end of the block of an operation: data is checked when all work of the block is on its way.
fn late(op: Op) -> Builder {
    let block = op.block().expect("it is in a block");
    Builder { block, before: block.terminator(), loc: op.loc() }
}

/// Whether one of the loops around an operation does not run; `None` if that is not known before they do.
fn idle_loops(at: &Builder, inner: Op, outermost: Op) -> Option<Value> {
    let flag = Type::integer(at.context(), 1);
    let mut idle: Option<Value> = None;
    let mut op = inner;
    while op != outermost {
        op = op.parent()?;
        let outside = |v: Value| {
            let maker = v.def().or_else(|| v.argument_block().and_then(|b| b.parent()));
            maker.is_none_or(|maker| !maker.is_inside(outermost))
        };
        if !op.is("scf.for") || !outside(op.operand(0)) || !outside(op.operand(1)) {
            return None;
        }
        let empty = compare(at, 5, op.operand(0), op.operand(1));
        idle = Some(idle.map_or(empty, |idle| at.value("arith.ori", &[idle, empty], flag, &[])));
    }
    idle
}
