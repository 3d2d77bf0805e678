//! Gives each user its own copy of what costs nothing to compute again: fills, broadcasts, widenings, slices, padding.
//! A producer with one user can share its executable; one with many would have to be stored.
use super::structure::{Kind, Structure};
use halyard_ir::{Block, Op};
use std::collections::HashMap;

/// Copies cheap operations of a block for all but one of their users that belong into executables. A user on the host
/// keeps the original.
pub(super) fn copy_cheap(block: Block) {
    let end = block.terminator();
    let mut places = HashMap::new();
    for op in block.ops() {
        op.walk(&mut |op| {
            let next = places.len();
            places.insert(op, (next, usize::MAX));
        });
    }
    // Last operation first: a chain of cheap operations is copied as a whole.
    for op in block.ops().into_iter().rev().filter(|op| Some(*op) != end) {
        if op.result_count() != 1 || is_used_once_beside(op) {
            continue;
        }
        let Some(structure) = Structure::of(op) else { continue };
        if structure.kind.is_cheap() {
            copy(op, structure.kind, &mut places);
        }
    }
}

/// Whether the only user of an operation is in its block, so that no copy of it can be wanted.
fn is_used_once_beside(op: Op) -> bool {
    matches!(op.result(0).uses().as_slice(), [(user, _)] if user.block() == op.block())
}

/// Where an operation stands: its number in the function, and for a copy, which stands before its user and has the user's
/// number, when it was made.
type Place = (usize, usize);

fn copy(op: Op, kind: Kind, places: &mut HashMap<Op, Place>) {
    let result = op.result(0);
    let takes = |user: Op, operand: usize| {
        Structure::of(user).is_some_and(|s| match kind {
            Kind::Pad => matches!(s.kind, Kind::Conv | Kind::Pool) && !s.is_init(operand),
            Kind::Fill | Kind::Slice => true,
            _ => s.operands[operand].is_some(),
        })
    };
    let (mut takers, others): (Vec<_>, Vec<_>) =
        result.uses().into_iter().partition(|(user, operand)| takes(*user, *operand));
    // The use list has no order that a person would know: sort by place and operand.
    takers.sort_by_key(|(user, operand)| (places[user], *operand));
    // A padding that must be stored for one user is stored for all.
    if kind == Kind::Pad && !others.is_empty() {
        return;
    }
    let mut keep = others.is_empty();
    let mut last: Option<(Op, Op)> = None;
    for (user, operand) in takers {
        if let Some((_, copied)) = last.filter(|(u, _)| *u == user) {
            user.set_operand(operand, copied.result(0));
            continue;
        }
        let beside = user.block().expect("users are in blocks");
        let original = std::mem::take(&mut keep) && Some(beside) == op.block();
        let copied = if original { op } else { beside.insert_before(user, op.duplicate()) };
        let (at, next) = (places[&user].0, places.len());
        places.entry(copied).or_insert((at, next));
        user.set_operand(operand, copied.result(0));
        last = Some((user, copied));
    }
}
