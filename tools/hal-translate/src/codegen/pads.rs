//! `tensor.pad` by amounts that may be negative, or as large as 64 bits are, element by element. Upstream lowers it to a copy of all of the
//! source, from the first amount on: with a negative one it writes beyond the result.
use halyard_ir::{Attr, Block, Builder, DYNAMIC, Op, Region, Type, Value};
use std::collections::HashMap;

/// The largest amount that upstream lowers: its offsets, in bytes, overflow with larger ones.
const LARGEST: i64 = 1 << 40;

/// Whether upstream's lowering is not right for all amounts that a `tensor.pad` may have.
pub(super) fn is_unsafe(pad: Op) -> bool {
    let amounts = |name: &str| pad.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
    ["static_low", "static_high"].into_iter().flat_map(amounts).any(|amount| !(0..=LARGEST).contains(&amount))
}

/// The result of a `tensor.pad`: loops over its elements.
pub(super) fn elementwise(pad: Op) -> Value {
    let at = Builder::before(pad);
    let (context, source, ty) = (at.context(), pad.operand(0), pad.result(0).ty());
    let (index, rank, shape) = (Type::index(context), ty.rank(), ty.shape());
    let mut dynamic = pad.operands().into_iter().skip(1);
    let mut amounts = |name: &str| -> Vec<Value> {
        let list = pad.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
        let value = |n: i64| if n == DYNAMIC { dynamic.next().expect("an operand for each") } else { at.index(n) };
        list.into_iter().map(value).collect()
    };
    let (low, high) = (amounts("static_low"), amounts("static_high"));
    let dims: Vec<Value> =
        (0..rank).map(|d| at.value("tensor.dim", &[source, at.index(d as i64)], index, &[])).collect();
    let add = |at: &Builder, a: Value, b: Value| at.value("arith.addi", &[a, b], index, &[]);
    let open = (0..rank).filter(|&d| shape[d].is_none());
    let sizes: Vec<Value> = open.map(|d| add(&at, add(&at, dims[d], low[d]), high[d])).collect();
    let empty = at.value("tensor.empty", &sizes, ty, &[]);
    let map = (0..rank).map(|d| format!("d{d}")).collect::<Vec<_>>().join(", ");
    let whole = at.generic(&[], &[&map], (rank, 0), empty, |at, _| {
        let dim = |d: usize| ("dim", Attr::integer(Type::integer(context, 64), d as i64));
        let here: Vec<Value> = (0..rank).map(|d| at.value("linalg.index", &[], index, &[dim(d)])).collect();
        let truth = Type::integer(context, 1);
        let mut inside = at.constant(Attr::integer(truth, 1));
        let mut place = vec![source];
        for d in 0..rank {
            let from = at.value("arith.subi", &[here[d], low[d]], index, &[]);
            // Unsigned, less: not before the source either.
            let predicate = Attr::integer(Type::integer(context, 64), 6);
            let fits = at.value("arith.cmpi", &[from, dims[d]], truth, &[("predicate", predicate)]);
            inside = at.value("arith.andi", &[inside, fits], truth, &[]);
            place.push(from);
        }
        let branch = |fill: &dyn Fn(&Builder) -> Value| {
            let block = Block::create(&[], at.loc);
            let inner = Builder::at_end(block, at.loc);
            let value = fill(&inner);
            inner.op("scf.yield", &[value], &[], &[]);
            let region = Region::create();
            region.append(block);
            region
        };
        let yes = branch(&|inner| inner.value("tensor.extract", &place, ty.element(), &[]));
        let no = branch(&|inner| padding(pad, inner, &here));
        at.op_with_regions("scf.if", &[inside], &[ty.element()], &[], vec![yes, no]).result(0)
    });
    whole.result(0)
}

/// The element at a place outside the source.
fn padding(pad: Op, at: &Builder, here: &[Value]) -> Value {
    let body = pad.body().expect("a padding has a body");
    let mut known: HashMap<Value, Value> = body.args().into_iter().zip(here.iter().copied()).collect();
    let mapped = |known: &HashMap<Value, Value>, value: Value| known.get(&value).copied().unwrap_or(value);
    for op in body.ops() {
        let operands: Vec<Value> = op.operands().into_iter().map(|v| mapped(&known, v)).collect();
        if op.is("tensor.yield") {
            return operands[0];
        }
        let copy = at.insert(op.duplicate());
        operands.into_iter().enumerate().for_each(|(i, value)| copy.set_operand(i, value));
        known.extend(op.results().into_iter().zip(copy.results()));
    }
    unreachable!("a padding yields an element")
}
