//! Turns outs that operations of parallel loops read into inputs. Upstream fuses such an operation into the loops of
//! its user and also keeps its result: if there are more loops, it would read what it has written before, and add to
//! it again.
use halyard_ir::{Affine, AffineKind, Attr, Block, Builder, Op, Region, Structured, Value};

/// Rewrites the generic operations of a module.
pub(crate) fn rewrite(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        if op.is("linalg.generic") && op.result_count() > 0 {
            found.push(op);
        }
    });
    for op in found {
        let (Some(structured), Some(body)) = (Structured::of(op), op.body()) else { continue };
        let read: Vec<usize> = (structured.inputs..structured.inputs + op.result_count())
            .filter(|&o| body.args()[o].has_uses() && is_permutation(structured.maps[o], structured.loops()))
            .collect();
        if !read.is_empty() {
            read_as_inputs(op, &structured, &read);
        }
    }
}

/// Whether each iteration has a separate element: no loop is a reduction.
fn is_permutation(map: Affine, loops: usize) -> bool {
    let results = map.results();
    results.len() == loops && (0..loops).all(|d| results.contains(&AffineKind::Dim(d)))
}

fn read_as_inputs(op: Op, structured: &Structured, read: &[usize]) {
    let Some(maps) = op.attr("indexing_maps").and_then(Attr::as_array) else { return };
    let Some(iterators) = op.attr("iterator_types") else { return };
    let (inputs, all) = (structured.inputs, op.operand_count());
    let order: Vec<usize> = (0..inputs).chain(read.iter().copied()).chain(inputs..all).collect();
    let copy = op.duplicate();
    let from = copy.body().expect("the operation has a body");
    let types: Vec<_> = order.iter().map(|&o| from.args()[o].ty()).collect();
    let body = Block::create(&types, op.loc());
    // The first block argument for an operand, the input, takes over its uses.
    for (&operand, arg) in order.iter().zip(body.args()) {
        from.args()[operand].replace_all_uses(arg);
    }
    for inner in from.ops() {
        inner.detach();
        body.append(inner);
    }
    copy.erase();
    let region = Region::create();
    region.append(body);
    let context = op.context();
    let operands: Vec<Value> = order.iter().map(|&o| op.operand(o)).collect();
    let results: Vec<_> = op.results().iter().map(|r| r.ty()).collect();
    let attrs = [
        ("indexing_maps", Attr::array(context, &order.iter().map(|&o| maps[o]).collect::<Vec<_>>())),
        ("iterator_types", iterators),
        ("operandSegmentSizes", Attr::i32s(context, &[(inputs + read.len()) as i32, (all - inputs) as i32])),
    ];
    let made = Builder::before(op).op_with_regions("linalg.generic", &operands, &results, &attrs, vec![region]);
    for (old, new) in op.results().into_iter().zip(made.results()) {
        old.replace_all_uses(new);
    }
    op.erase();
}
