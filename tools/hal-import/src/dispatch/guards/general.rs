//! Operations whose bodies can be changed: those with a name and a hidden body become `linalg.generic`.
use super::size::Size;
use crate::dispatch::guards::safe::size_value;
use halyard_ir::{Affine, Attr, Block, Builder, Op, Region, Structured, Type, Value};

/// The operation as a `linalg.generic`, which takes its place; `None` if it has no such form.
pub(super) fn generalize(op: Op) -> Option<Op> {
    match &*op.name() {
        "linalg.generic" => Some(op),
        "tensor.generate" => Some(from_generate(op)),
        _ => from_named(op),
    }
}

fn attributes(at: &Builder, maps: &[Affine], parallel: &[bool], inputs: usize) -> [(&'static str, Attr); 3] {
    let context = at.context();
    let kind = |p: &bool| {
        let text = if *p { "#linalg.iterator_type<parallel>" } else { "#linalg.iterator_type<reduction>" };
        Attr::parse(context, text).expect("an attribute of linalg")
    };
    let maps: Vec<Attr> = maps.iter().map(|m| Attr::affine_map(*m)).collect();
    let segments = [inputs as i32, (maps.len() - inputs) as i32];
    [
        ("iterator_types", Attr::array(context, &parallel.iter().map(kind).collect::<Vec<_>>())),
        ("operandSegmentSizes", Attr::i32s(context, &segments)),
        ("indexing_maps", Attr::array(context, &maps)),
    ]
}

fn replace(op: Op, new: Op) -> Op {
    for (old, result) in op.results().into_iter().zip(new.results()) {
        old.replace_all_uses(result);
    }
    op.erase();
    new
}

/// Moves the operations of a block to the end of another one.
fn move_body(from: Block, to: Block, loc: halyard_ir::Loc, arguments: &[Value]) {
    let end = Builder::at_end(to, loc).op("linalg.yield", &[], &[], &[]);
    for (old, new) in from.args().into_iter().zip(arguments) {
        old.replace_all_uses(*new);
    }
    let last = from.terminator().expect("bodies are terminated");
    for inner in from.ops() {
        if inner == last {
            end.block()
                .expect("just made")
                .insert_before(end, Builder::create(loc, "linalg.yield", &inner.operands(), &[], &[], Vec::new()));
        } else {
            inner.move_before(end);
        }
    }
    end.erase();
}

fn from_named(op: Op) -> Option<Op> {
    let structured = Structured::of(op)?;
    let body =
        op.body().filter(|b| b.args().len() == op.operand_count() && op.operand_count() == structured.maps.len())?;
    let at = Builder::before(op);
    let types: Vec<Type> = body.args().iter().map(|a| a.ty()).collect();
    let block = Block::create(&types, at.loc);
    move_body(body, block, at.loc, &block.args());
    let region = Region::create();
    region.append(block);
    let attrs = attributes(&at, &structured.maps, &structured.parallel(), structured.inputs);
    let results: Vec<Type> = op.results().iter().map(|r| r.ty()).collect();
    let new = at.op_with_regions("linalg.generic", &op.operands(), &results, &attrs, vec![region]);
    Some(replace(op, new))
}

fn from_generate(op: Op) -> Op {
    let at = Builder::before(op);
    let context = at.context();
    let ty = op.result(0).ty();
    let sizes: Vec<Value> = (0..ty.rank())
        .filter(|d| ty.shape()[*d].is_none())
        .map(|d| size_value(&at, Size::of(op.result(0), d)))
        .collect();
    let empty = at.value("tensor.empty", &sizes, ty, &[]);
    let block = Block::create(&[ty.element()], at.loc);
    let inside = Builder::at_end(block, at.loc);
    let dim = |d: usize| Attr::integer(Type::integer(context, 64), d as i64);
    let here: Vec<Value> =
        (0..ty.rank()).map(|d| inside.value("linalg.index", &[], Type::index(context), &[("dim", dim(d))])).collect();
    move_body(op.body().expect("it has a body"), block, at.loc, &here);
    let region = Region::create();
    region.append(block);
    let all: Vec<usize> = (0..ty.rank()).collect();
    let attrs = attributes(&at, &[Affine::of_dims(context, ty.rank(), &all)], &vec![true; ty.rank()], 0);
    let new = at.op_with_regions("linalg.generic", &[empty], &[ty], &attrs, vec![region]);
    replace(op, new)
}
