//! Looking through the data of a body beforehand: one number says whether all of it is right. For an index it is the largest
//! one without a sign, where one below zero is larger than all others ([`counted`] where there may be none); for the rest it
//! is 1 where something is wrong.
use super::{
    hazards::{Danger, Hazard},
    safe::{compare, size_value},
    slice::{Copier, Needs},
    space::Space,
};
use crate::dispatch::structure::{Kind, Structure};
use halyard_ir::{AffineKind, Attr, Builder, Op, Type, Value};
use std::collections::HashMap;

/// So many operations in a row are computed again.
const COPIES: usize = 4;

/// What an operation that looks through data gives.
pub(super) enum Found {
    /// A tensor of one number, made by this operation.
    Reduced(Op),
    /// The value depends on nothing that a loop changes: the host computes it.
    Uniform,
}

/// Looks through the data of a hazard. `None` where that cannot be done beforehand.
pub(super) fn look(space: &Space, hazard: &Hazard) -> Option<Found> {
    if hazard.looped {
        return None;
    }
    let conditions = hazard.path.iter().map(|(condition, _)| *condition);
    let roots: Vec<Value> = [hazard.value].into_iter().chain(conditions).collect();
    let needs = Needs::of(space, &roots)?;
    if needs.loops.is_empty() && needs.arguments.is_empty() {
        return Some(Found::Uniform);
    }
    let structured = space.structured.as_ref()?;
    let at = Builder { before: space.op.next(), ..Builder::before(space.op) };
    let loops: Vec<usize> = needs.loops.iter().copied().collect();
    let place = |d: usize| loops.iter().position(|l| *l == d).expect("a loop that is needed");
    let arguments: Vec<usize> = needs.arguments.iter().copied().collect();
    let mut inputs: Vec<Value> = arguments.iter().map(|a| own_copy(&at, space.op.operand(*a), COPIES)).collect();
    let mut maps: Vec<String> = Vec::new();
    let mut shown = vec![false; space.extents.len()];
    for argument in &arguments {
        let results = structured.maps[*argument].results();
        for result in &results {
            if let AffineKind::Dim(d) = result {
                shown[*d] = true;
            }
        }
        maps.push(results.iter().map(|e| text(e, &place)).collect::<Vec<_>>().join(", "));
    }
    // Loops that no input shows: a tensor of which only the shape counts does.
    let hidden: Vec<usize> = loops.iter().copied().filter(|d| !shown[*d]).collect();
    if !hidden.is_empty() {
        let sizes: Vec<_> = hidden.iter().map(|d| space.extents[*d].first().copied()).collect::<Option<_>>()?;
        let dynamic: Vec<Value> = sizes.iter().filter(|s| s.known().is_none()).map(|s| size_value(&at, *s)).collect();
        let shape: Vec<Option<i64>> = sizes.iter().map(|s| s.known()).collect();
        let ty = Type::tensor(&shape, Type::integer(at.context(), 64));
        inputs.push(at.value("tensor.empty", &dynamic, ty, &[]));
        maps.push(hidden.iter().map(|d| format!("d{}", place(*d))).collect::<Vec<_>>().join(", "));
    }
    maps.push(String::new());
    let i64 = Type::integer(at.context(), 64);
    let zero = at.constant(Attr::integer(i64, 0));
    let start = at.fill(zero, at.value("tensor.empty", &[], Type::tensor(&[], i64), &[]));
    let maps: Vec<&str> = maps.iter().map(String::as_str).collect();
    let body = space.op.body()?.args();
    let op = at.generic(&inputs, &maps, (0, loops.len()), start, |inside, elements| {
        let map: HashMap<Value, Value> = arguments.iter().map(|a| body[*a]).zip(elements.iter().copied()).collect();
        let mut copier = Copier { root: space.op, beside: false, at: *inside, map, loops: loops.clone() };
        let wrong = measure(&mut copier, hazard);
        let most = *elements.last().expect("an element of the result");
        inside.value("arith.maxui", &[most, wrong], i64, &[])
    });
    Some(Found::Reduced(op))
}

/// Indices that were computed for the guarded operation alone are computed again: each of the two shares the executable of its
/// own copy, where one that both read would be stored.
fn own_copy(at: &Builder, value: Value, depth: usize) -> Value {
    let producer = value.def().filter(|op| depth > 0 && op.is("linalg.generic") && op.result_count() == 1);
    let producer = producer.filter(|op| op.block() == Some(at.block) && value.uses().len() == 1);
    let is_cheap = |op: &Op| {
        Structure::of(*op).is_some_and(|s| matches!(s.kind, Kind::Elementwise | Kind::Widen | Kind::Broadcast))
    };
    let Some(op) = producer.filter(is_cheap) else { return value };
    let operands: Vec<Value> = op.operands().into_iter().map(|v| own_copy(at, v, depth - 1)).collect();
    let copy = at.insert(op.duplicate());
    copy.set_operands(&operands);
    copy.result(0)
}

/// The number of one hazard: 0 where its place is not reached.
pub(super) fn measure(copier: &mut Copier, hazard: &Hazard) -> Value {
    let i64 = Type::integer(copier.at.context(), 64);
    let value = copier.value(hazard.value);
    let at = copier.at;
    let wide = |v: Value| if v.ty().bits() == 64 { v } else { at.value("arith.extui", &[v], i64, &[]) };
    let number = match hazard.danger {
        Danger::Index { .. } if hazard.may_be_absent => counted(&at, wide(value)),
        Danger::Index { .. } | Danger::Shift => wide(value),
        Danger::Divisor | Danger::Broken => wide(compare(&at, 0, value, at.constant(Attr::integer(value.ty(), 0)))),
    };
    let zero = at.constant(Attr::integer(i64, 0));
    hazard.path.iter().fold(number, |number, (condition, holds)| {
        let condition = copier.value(*condition);
        let [yes, no] = if *holds { [number, zero] } else { [zero, number] };
        at.value("arith.select", &[condition, yes, no], i64, &[])
    })
}

/// An index as a number that is not 0, so that 0 can say that there was none: one more than the index, unless it is negative.
/// The greatest and the least integer become the same number, which is out of range of any tensor.
pub(super) fn counted(at: &Builder, index: Value) -> Value {
    let i64 = Type::integer(at.context(), 64);
    let sign = at.value("arith.shrsi", &[index, at.constant(Attr::integer(i64, 63))], i64, &[]);
    let step = at.value("arith.addi", &[sign, at.constant(Attr::integer(i64, 1))], i64, &[]);
    at.value("arith.addi", &[index, step], i64, &[])
}

fn text(expr: &AffineKind, place: &dyn Fn(usize) -> usize) -> String {
    let two = |a: &AffineKind, sign: &str, b: &AffineKind| format!("({} {sign} {})", text(a, place), text(b, place));
    match expr {
        AffineKind::Dim(d) => format!("d{}", place(*d)),
        AffineKind::Symbol(s) => format!("s{s}"),
        AffineKind::Constant(c) => c.to_string(),
        AffineKind::Add(a, b) => two(a, "+", b),
        AffineKind::Mul(a, b) => two(a, "*", b),
        AffineKind::Mod(a, b) => two(a, "mod", b),
        AffineKind::FloorDiv(a, b) => two(a, "floordiv", b),
        AffineKind::CeilDiv(a, b) => two(a, "ceildiv", b),
    }
}
