//! Numbers are made narrower before they are concatenated, so that executables store narrow ones and concatenations move those: quantised
//! models concatenate numbers that they have dequantised, and quantise the whole.
use halyard_ir::{Attr, Builder, Op, Structured, Type, Value};

/// Moves elementwise operations whose results are narrower than their operand before the `tensor.concat` that gives this, if nothing
/// else reads it.
pub(super) fn narrow_before_concats(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        if op.is("tensor.concat") {
            found.push(op);
        }
    });
    // The last first: its pieces may be concatenations.
    for concat in found.into_iter().rev() {
        let readers = concat.result(0).uses();
        let once = |reader: &Op| readers.iter().filter(|(other, _)| other == reader).count() == 1;
        let all =
            readers.iter().all(|(reader, operand)| once(reader) && narrows(concat, *reader, *operand) == Some(true));
        if readers.is_empty() || !all {
            continue;
        }
        for (reader, operand) in readers {
            swap(concat, reader, operand);
        }
        concat.erase();
    }
}

/// Whether an operation makes each element of a concatenation narrower, wherever it is in it.
fn narrows(concat: Op, reader: Op, operand: usize) -> Option<bool> {
    if !reader.is("linalg.generic") || reader.result_count() != 1 || reader.block() != concat.block() {
        return Some(false);
    }
    let structured = Structured::of(reader)?;
    let axis = concat.attr("dim").and_then(Attr::as_int)? as usize;
    let loops: Vec<usize> = (0..structured.loops()).collect();
    let in_order = |at: usize| structured.maps[at].projected_permutation().as_ref() == Some(&loops);
    // What others have is the same in all pieces.
    let apart = |at: usize| {
        let map = &structured.maps[at];
        map.results().is_empty() || map.projected_permutation().is_some_and(|dims| !dims.contains(&axis))
    };
    let maps_fit = operand < structured.inputs
        && in_order(operand)
        && in_order(structured.inputs)
        && (0..structured.inputs).all(|at| at == operand || apart(at));
    let body = reader.body()?;
    let starts_anew = body.args().last()?.uses().is_empty();
    let mut asks_where = false;
    reader.walk(&mut |op| asks_where |= op.is("linalg.index"));
    let bits = |value: Value| value.ty().element().bits();
    Some(maps_fit && starts_anew && !asks_where && bits(reader.result(0)) < bits(concat.result(0)))
}

/// Makes the pieces narrower, and concatenates them.
fn swap(concat: Op, reader: Op, operand: usize) {
    let (builder, result) = (Builder::before(reader), reader.result(0));
    let narrow = |piece: Value| {
        let shape = piece.ty().shape();
        let open = (0..shape.len()).filter(|&d| shape[d].is_none());
        let sizes: Vec<Value> = open
            .map(|d| {
                let at = builder.index(d as i64);
                builder.value("tensor.dim", &[piece, at], Type::index(builder.context()), &[])
            })
            .collect();
        let ty = Type::tensor(&shape, result.ty().element());
        let empty = builder.value("tensor.empty", &sizes, ty, &[]);
        let copy = builder.insert(reader.duplicate());
        copy.set_operand(operand, piece);
        copy.set_operand(copy.operand_count() - 1, empty);
        copy.result(0).set_ty(ty);
        copy.result(0)
    };
    let pieces: Vec<Value> = concat.operands().into_iter().map(narrow).collect();
    let dim = concat.attr("dim").expect("each concatenation has one");
    let whole = builder.value("tensor.concat", &pieces, result.ty(), &[("dim", dim)]);
    result.replace_all_uses(whole);
    reader.erase();
}
