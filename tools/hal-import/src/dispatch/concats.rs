//! A chain of insertions that fills an empty tensor piece after piece is a concatenation, which needs one dispatch and
//! moves each element once; or none at all, if all pieces are computed by executables that can write to their place.
use super::structure::{Kind, Structure};
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Rewrites such chains in a function.
pub(super) fn find_concats(function: Op) {
    let mut last = Vec::new();
    function.walk(&mut |op| {
        if op.is("tensor.insert_slice") && destination_user(op).is_none() {
            last.push(op);
        }
    });
    for op in last {
        let Some((parts, dim)) = pieces(op) else { continue };
        let index = Type::integer(op.context(), 64);
        let result = op.result(0);
        let concat = Builder::before(op).value(
            "tensor.concat",
            &parts,
            result.ty(),
            &[("dim", Attr::integer(index, dim as i64))],
        );
        result.replace_all_uses(concat);
        let mut dead = Some(op);
        while let Some(op) = dead.filter(|op| op.is("tensor.insert_slice") && !op.has_uses()) {
            dead = op.operand(1).def();
            op.erase();
        }
    }
}

/// The alignment of buffers that executables rely on, in bytes.
const ALIGNMENT: i64 = 64;

/// Whether the pieces of a `tensor.concat` can be one after the other in memory: the host leaves them there.
pub(super) fn is_in_a_row(op: Op) -> bool {
    let Some(axis) = op.attr("dim").and_then(Attr::as_int) else { return false };
    let outer: Vec<_> = op.result(0).ty().shape().into_iter().take(axis as usize).collect();
    op.result(0).ty().is_static()
        && op.operands().iter().all(|v| v.ty().is_static())
        && outer.iter().all(|n| *n == Some(1))
}

/// Whether all pieces are also computed by executables, and start at aligned addresses. What only moves pieces that exist
/// already is work, which has its own executable.
pub(super) fn is_made_in_place(op: Op) -> bool {
    let mut offset = 0;
    is_in_a_row(op)
        && op.operands().into_iter().all(|piece| {
            let starts_right = offset % ALIGNMENT == 0;
            offset += piece.ty().element_count().unwrap_or(0) * piece.ty().element().byte_width() as i64;
            starts_right && is_computed(piece)
        })
}

/// Whether a value is the result of an executable of its own kind of work, or pieces of such results.
fn is_computed(value: Value) -> bool {
    let Some(def) = value.def() else { return false };
    match &*def.name() {
        "tensor.collapse_shape" | "tensor.expand_shape" => is_computed(def.operand(0)),
        "tensor.concat" => is_made_in_place(def),
        _ => Structure::of(def).is_some_and(|s| s.kind.is_heavy() || s.kind.is_row() || s.kind == Kind::Elementwise),
    }
}

/// The insertion that continues a chain: the only user, which inserts into the result.
fn destination_user(op: Op) -> Option<Op> {
    match op.result(0).uses().as_slice() {
        [(user, 1)] if user.is("tensor.insert_slice") => Some(*user),
        _ => None,
    }
}

/// The pieces of a chain that ends with `last`, and the dimension that they follow each other in.
fn pieces(last: Op) -> Option<(Vec<Value>, usize)> {
    let whole: Vec<i64> = last.result(0).ty().shape().into_iter().collect::<Option<_>>()?;
    let mut chain = vec![last];
    loop {
        let into = chain[chain.len() - 1].operand(1).def()?;
        if into.is("tensor.empty") {
            break;
        }
        if !into.is("tensor.insert_slice") || into.result(0).uses().len() != 1 {
            return None;
        }
        chain.push(into);
    }
    chain.reverse();
    // The first dimension that a piece does not fill; one piece that fills everything is no concatenation.
    let list = |op: Op, name: &str| op.attr(name).and_then(Attr::as_i64s);
    let dim = list(chain[0], "static_sizes")?.iter().zip(&whole).position(|(s, w)| s != w)?;
    let mut at = 0;
    for op in &chain {
        let (offsets, sizes, strides) =
            (list(*op, "static_offsets")?, list(*op, "static_sizes")?, list(*op, "static_strides")?);
        let source = op.operand(0).ty().shape();
        let fits = |d: usize| {
            strides[d] == 1 && if d == dim { offsets[d] == at } else { offsets[d] == 0 && sizes[d] == whole[d] }
        };
        if source.len() != whole.len() || !(0..whole.len()).all(fits) || sizes[dim] < 0 {
            return None;
        }
        at += sizes[dim];
    }
    (at == whole[dim] && chain.len() > 1).then(|| (chain.iter().map(|op| op.operand(0)).collect(), dim))
}
