//! `tensor.gather` and `tensor.scatter`: their indices are looked at beforehand; the loops that they become keep to their
//! tensors by themselves.
use super::{reduce::counted, safe::size_value, size::Size};
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// A tensor of positions in one dimension of the indexed tensor.
pub(super) struct Positions {
    pub(super) dimension: usize,
    pub(super) size: Size,
    /// The largest one without a sign, [`counted`], as `tensor<i64>`; 0 if there is none.
    pub(super) largest: Op,
}

/// Looks through the indices of each dimension that is indexed.
pub(super) fn positions(op: Op) -> Vec<Positions> {
    let (indexed, indices, name) = match op.is("tensor.gather") {
        true => (op.operand(0), op.operand(1), "gather_dims"),
        false => (op.operand(1), op.operand(2), "scatter_dims"),
    };
    let dimensions = op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
    let dimensions = dimensions.into_iter().enumerate().map(|(slot, d)| (slot, d as usize));
    dimensions
        .map(|(slot, dimension)| Positions {
            dimension,
            size: Size::of(indexed, dimension),
            largest: largest(op, indices, slot),
        })
        .collect()
}

fn largest(op: Op, indices: Value, slot: usize) -> Op {
    let at = Builder { before: op.next(), ..Builder::before(op) };
    let context = at.context();
    let i64 = Type::integer(context, 64);
    let rank = indices.ty().rank() - 1;
    let shape = indices.ty().shape();
    let dynamic = shape[..rank].iter().enumerate().filter(|(_, s)| s.is_none());
    let dynamic: Vec<Value> = dynamic.map(|(d, _)| size_value(&at, Size::of(indices, d))).collect();
    let segments = [1, 0, dynamic.len() as i32, 0];
    let operands: Vec<Value> = [indices].into_iter().chain(dynamic).collect();
    let sizes: Vec<i64> = shape[..rank].iter().map(|s| s.unwrap_or(i64::MIN)).chain([1]).collect();
    let mut offsets = vec![0; rank];
    offsets.push(slot as i64);
    let attrs = [
        ("static_offsets", Attr::i64s(context, &offsets)),
        ("static_sizes", Attr::i64s(context, &sizes)),
        ("static_strides", Attr::i64s(context, &vec![1; rank + 1])),
        ("operandSegmentSizes", Attr::i32s(context, &segments)),
    ];
    let element = indices.ty().element();
    let slice = at.value("tensor.extract_slice", &operands, Type::tensor(&shape[..rank], element), &attrs);
    let zero = at.constant(Attr::integer(i64, 0));
    let start = at.fill(zero, at.value("tensor.empty", &[], Type::tensor(&[], i64), &[]));
    let all: Vec<String> = (0..rank).map(|d| format!("d{d}")).collect();
    at.generic(&[slice], &[&all.join(", "), ""], (0, rank), start, |inside, elements| {
        let wide = match (element.is_index(), element.bits()) {
            (true, _) => inside.value("arith.index_cast", &[elements[0]], i64, &[]),
            (_, 64) => elements[0],
            _ => inside.value("arith.extsi", &[elements[0]], i64, &[]),
        };
        inside.value("arith.maxui", &[elements[1], counted(inside, wide)], i64, &[])
    })
}
