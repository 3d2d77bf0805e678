//! Narrows numbers before they are concatenated, so that executables store narrow numbers and concatenations move them. Quantised models
//! dequantise the pieces of a concatenation and quantise the whole.
use super::dims::dim_of;
use halyard_ir::{Attr, Builder, Op, Structured, Type, Value};

/// Moves elementwise operations that narrow the result of a `tensor.concat` to its operands, unless something else reads that result.
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
        let all = readers.iter().all(|(reader, operand)| once(reader) && narrows(concat, *reader, *operand).is_some());
        if readers.is_empty() || !all {
            continue;
        }
        for (reader, operand) in readers {
            swap(concat, reader, operand);
        }
        concat.erase();
    }
}

/// `Some` if an operation narrows each element of a concatenation regardless of its position.
fn narrows(concat: Op, reader: Op, operand: usize) -> Option<()> {
    if !reader.is("linalg.generic") || reader.result_count() != 1 || reader.block() != concat.block() {
        return None;
    }
    let structured = Structured::of(reader)?;
    let axis = concat.attr("dim").and_then(Attr::as_int)? as usize;
    let loops: Vec<usize> = (0..structured.loops()).collect();
    let in_order = |at: usize| structured.maps[at].projected_permutation().as_ref() == Some(&loops);
    // Other operands must not vary along the axis.
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
    let narrower = bits(reader.result(0)) < bits(concat.result(0));
    (maps_fit && starts_anew && !asks_where && narrower).then_some(())
}

/// Narrows the pieces, and concatenates the results.
fn swap(concat: Op, reader: Op, operand: usize) {
    let (builder, result) = (Builder::before(reader), reader.result(0));
    let narrow = |piece: Value| {
        let shape = piece.ty().shape();
        let open = (0..shape.len()).filter(|&d| shape[d].is_none());
        let sizes: Vec<Value> = open.map(|d| dim_of(&builder, piece, d)).collect();
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
