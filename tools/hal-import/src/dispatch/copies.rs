//! Gives each user its own copy of what costs nothing to compute again: fills, broadcasts, widenings, slices, padding.
//! A producer with one user can share its executable; one with many would have to be stored.
use super::structure::{Kind, Structure};
use halyard_ir::{Block, Op};

/// Copies cheap operations of a block for all but one of their users that belong into executables. A user on the host
/// keeps the original.
pub(super) fn copy_cheap(block: Block) {
    let end = block.terminator();
    // Last operation first: a chain of cheap operations is copied as a whole.
    for op in block.ops().into_iter().rev().filter(|op| Some(*op) != end) {
        let Some(structure) = Structure::of(op) else { continue };
        if structure.kind.is_cheap() && op.result_count() == 1 {
            copy(op, structure.kind, block);
        }
    }
}

fn copy(op: Op, kind: Kind, block: Block) {
    let result = op.result(0);
    // The use list has no order that a person would know: sort by place and operand.
    let mut uses = result.uses();
    uses.sort_by(|(a, i), (b, j)| {
        if a == b {
            i.cmp(j)
        } else if a.block() == b.block() && a.is_before(*b) {
            std::cmp::Ordering::Less
        } else {
            std::cmp::Ordering::Greater
        }
    });
    let takes = |user: Op, operand: usize| {
        user.block() == Some(block)
            && Structure::of(user).is_some_and(|s| match kind {
                Kind::Pad => matches!(s.kind, Kind::Conv | Kind::Pool) && !s.is_init(operand),
                Kind::Fill | Kind::Slice => true,
                _ => s.operands[operand].is_some(),
            })
    };
    let (takers, others): (Vec<_>, Vec<_>) = uses.into_iter().partition(|(user, operand)| takes(*user, *operand));
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
        let copied = if std::mem::take(&mut keep) { op } else { block.insert_before(user, op.duplicate()) };
        user.set_operand(operand, copied.result(0));
        last = Some((user, copied));
    }
}
