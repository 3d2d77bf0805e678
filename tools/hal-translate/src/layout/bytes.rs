//! What products and convolutions with packed bytes are built of.
use halyard_ir::{Builder, Op, Structured, Type, Value};

/// What makes signed bytes of so many dimensions wider for one operation alone, and the bytes.
pub(super) fn widened_bytes(wide: Value, rank: usize) -> Option<(Op, Value)> {
    let wider = wide.def().filter(|d| d.is("linalg.generic") && d.result(0).uses().len() == 1)?;
    let structured = Structured::of(wider)?;
    let same = |map: usize| structured.maps[map].projected_permutation().is_some_and(|p| p.into_iter().eq(0..rank));
    let plain = structured.inputs == 1 && structured.loops() == rank && same(0) && same(1);
    let [extend, end] = wider.body()?.ops()[..] else { return None };
    let elem = wider.operand(0).ty().element();
    let signed = extend.is("arith.extsi") && end.operand(0) == extend.result(0);
    (plain && signed && elem.is_integer() && elem.bits() == 8).then(|| (wider, wider.operand(0)))
}

/// Puts a sum of products of `x` and packed bytes in the place of an operation whose weights `wider` made wider, with maps of both and of the
/// result over so many parallel and reduction loops.
pub(super) fn multiply(op: Op, (x, packed): (Value, Value), wider: Op, maps: &[&str], loops: (usize, usize)) {
    let (at, int) = (Builder::before(op), wider.result(0).ty().element());
    let init = op.operand(op.operand_count() - 1);
    let sums = at.generic(&[x, widened(&at, packed, int)], maps, loops, init, |inside, e| {
        let product = inside.value("arith.muli", &[e[0], e[1]], int, &[]);
        inside.value("arith.addi", &[e[2], product], int, &[])
    });
    op.result(0).replace_all_uses(sums.result(0));
    op.erase();
    wider.erase();
}

/// A tensor of signed integers, of known sizes, made wider.
pub(super) fn widened(at: &Builder, narrow: Value, int: Type) -> Value {
    let all = (0..narrow.ty().rank()).map(|d| format!("d{d}")).collect::<Vec<_>>().join(", ");
    let empty = at.value("tensor.empty", &[], Type::tensor(&narrow.ty().shape(), int), &[]);
    let wide = at.generic(&[narrow], &[&all, &all], (narrow.ty().rank(), 0), empty, |inside, e| {
        inside.value("arith.extsi", &[e[0]], int, &[])
    });
    wide.result(0)
}
