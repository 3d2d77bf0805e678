//! Constants that are the same everywhere become scalars inside the operations that read them, or fills.
use super::structure::Structure;
use halyard_ir::{Attr, Block, Builder, Op, Structured, Value};

/// Rewrites splat constants of tensor type that operations of a block (and of blocks inside) use.
pub(super) fn inline_splats(block: Block) {
    inline_splats_before(block, None);
}

/// `outer` is the loop over elements that the block is in: such a loop holds nothing that would be an executable.
fn inline_splats_before(block: Block, outer: Option<Op>) {
    for op in block.ops() {
        if op.is_of("linalg") {
            inline_into_linalg(op);
            continue;
        }
        if matches!(&*op.name(), "tensor.insert_slice" | "tensor.concat" | "tensor.pad" | "tensor.scatter") {
            fill_operands(op, 0, outer);
        }
        let outer = outer.or_else(|| (op.is("scf.for") && Structure::of(op).is_some()).then_some(op));
        for inner in op.regions().into_iter().flat_map(|r| r.blocks()) {
            inline_splats_before(inner, outer);
        }
    }
}

/// Elementwise operations take scalars into their bodies. What others read stays a tensor: their kernels are made for
/// memory, and weights that happen to be equal are still weights. Inits are fills in any case.
fn inline_into_linalg(op: Op) {
    let parallel = Structured::of(op).map_or_else(|| Structure::of(op).map(|s| s.parallel), |s| Some(s.parallel()));
    let Some(parallel) = parallel else { return };
    let elementwise = parallel.iter().all(|p| *p);
    if elementwise && op.is("linalg.generic") {
        inline_into(op);
    }
    let inputs = op.operand_count() - op.result_count();
    fill_operands(op, if elementwise { 0 } else { inputs }, None);
}

/// The scalar that a tensor holds everywhere, as an attribute: a splat constant, or a fill with a constant.
fn splat_of(value: Value) -> Option<Attr> {
    let def = value.def()?;
    if def.is("linalg.fill") {
        return def.operand(0).constant_attr();
    }
    if def.is("arith.constant") {
        return def.attr("value").filter(|v| v.value_type().is_ranked_tensor())?.splat_value();
    }
    None
}

/// Replaces inputs of a `linalg.generic` that hold the same scalar everywhere by that scalar in the body. The inputs
/// that give the loops their extents stay.
fn inline_into(op: Op) {
    let Some(structured) = Structured::of(op) else { return };
    let Some(body) = op.body() else { return };
    let mut dropped = Vec::new();
    for i in 0..structured.inputs {
        let operand = op.operand(i);
        if !operand.ty().is_ranked_tensor() {
            continue;
        }
        let Some(scalar) = splat_of(operand) else { continue };
        let rest: Vec<usize> = (0..structured.maps.len()).filter(|j| *j != i && !dropped.contains(j)).collect();
        let shown =
            |d: usize| rest.iter().any(|j| structured.maps[*j].results().contains(&halyard_ir::AffineKind::Dim(d)));
        if !(0..structured.loops()).all(shown) {
            continue;
        }
        if let Some(first) = body.ops().first() {
            let constant = Builder::before(*first).constant(scalar);
            body.args()[i].replace_all_uses(constant);
            dropped.push(i);
        }
    }
    if dropped.is_empty() {
        return;
    }
    let keep = |i: &usize| !dropped.contains(i);
    let maps = op.attr("indexing_maps").and_then(Attr::as_array).unwrap_or_default();
    let context = op.context();
    let maps: Vec<Attr> = (0..maps.len()).filter(keep).map(|i| maps[i]).collect();
    let operands: Vec<Value> = (0..op.operand_count()).filter(keep).map(|i| op.operand(i)).collect();
    for i in dropped.iter().rev() {
        body.erase_arg(*i);
    }
    op.set_operands(&operands);
    op.set_attr("indexing_maps", Attr::array(context, &maps));
    let inits = operands.len() - (structured.inputs - dropped.len());
    op.set_attr(
        "operandSegmentSizes",
        Attr::i32s(context, &[(structured.inputs - dropped.len()) as i32, inits as i32]),
    );
}

/// Makes splat constants among the operands from `first` on into fills, which an executable computes where it needs them.
fn fill_operands(op: Op, first: usize, outer: Option<Op>) {
    for (i, operand) in op.operands().into_iter().enumerate().skip(first) {
        let constant = operand.def().filter(|d| d.is("arith.constant") && operand.ty().is_ranked_tensor());
        let Some(scalar) = constant.and_then(|c| c.attr("value")).and_then(Attr::splat_value) else { continue };
        op.set_operand(i, filled(outer.unwrap_or(op), operand, scalar));
    }
}

fn filled(before: Op, like: Value, scalar: Attr) -> Value {
    let builder = Builder::before(before);
    let value = builder.constant(scalar);
    let empty = builder.value("tensor.empty", &[], like.ty(), &[]);
    builder.fill(value, empty)
}
