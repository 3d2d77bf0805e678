//! Sums of whole tensors: one result or a few, so that only as many workgroups would have something to do. They are summed
//! in parts, and then the parts: two executables, the first of which has work for all threads.
use halyard_ir::{Affine, Attr, Block, Builder, EXTREMES, Op, Region, Type};

/// Sums of fewer elements are done before others have begun.
const LARGE: i64 = 1 << 18;
/// More results than this are shared out as they are.
const FEW: i64 = 8;
/// The parts, as many as divide what is summed.
const PARTS: std::ops::RangeInclusive<i64> = 8..=64;

/// What may be done in any order. Sums must start from zero; what the others start from may come in more than once.
const SUMS: &[&str] = &["arith.addf", "arith.addi"];

/// Rewrites such sums in a function.
pub(super) fn split_reductions(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        if op.is("linalg.generic") {
            found.push(op);
        }
    });
    for op in found {
        _ = split(op);
    }
}

/// The operation that combines, of a body that asks for no index.
fn combiner(op: Op) -> Option<Op> {
    let body = op.body()?;
    let sum = body.terminator()?.operand(0).def()?;
    let accumulator = *body.args().last()?;
    let name = sum.name();
    let known = SUMS.contains(&&*name) || EXTREMES.contains(&&*name);
    let once = accumulator.uses().len() == 1 && sum.operands().contains(&accumulator);
    let plain = !body.ops().iter().any(|o| o.is("linalg.index") || o.is("tensor.extract"));
    (known && once && plain && sum.result(0).uses().len() == 1).then_some(sum)
}

fn split(op: Op) -> Option<()> {
    let sum = combiner(op).filter(|_| op.result_count() == 1)?;
    let operands = op.operands();
    let (&init, inputs) = operands.split_last()?;
    let maps = op.attr("indexing_maps")?.as_array()?;
    let dims: Vec<Vec<usize>> =
        maps.iter().map(|m| m.as_affine_map()?.projected_permutation()).collect::<Option<_>>()?;
    let out = dims.last()?.clone();
    // What is computed on the way shares the executable of the sum, which goes through no reshape.
    let given = |v: &halyard_ir::Value| {
        v.ty().is_ranked_tensor() && v.ty().is_static() && !v.def().is_some_and(|d| d.is_of("linalg"))
    };
    let fill = init.def().filter(|d| d.is("linalg.fill"))?;
    if inputs.is_empty() || !inputs.iter().all(given) || !init.ty().is_static() {
        return None;
    }
    if SUMS.contains(&&*sum.name()) {
        let start = fill.operand(0).constant_attr()?;
        if start.as_float().or(start.as_int().map(|i| i as f64)) != Some(0.0) {
            return None;
        }
    }
    let loops = op.attr("iterator_types")?.as_array()?;
    let size = |d: usize| {
        let place = |(v, dims): (&halyard_ir::Value, &Vec<usize>)| {
            dims.iter().position(|at| *at == d).and_then(|at| v.ty().shape()[at])
        };
        operands.iter().zip(&dims).find_map(place)
    };
    let sizes: Vec<i64> = (0..loops.len()).map(size).collect::<Option<_>>()?;
    let results: i64 = out.iter().map(|&d| sizes[d]).product();
    let all = sizes.iter().try_fold(1i64, |n, &s| n.checked_mul(s))?;
    let d = (0..loops.len()).find(|d| !out.contains(d) && sizes[*d] > 1)?;
    let parts = PARTS.rev().find(|parts| sizes[d] % parts == 0)?;
    if results > FEW || all < LARGE {
        return None;
    }
    let builder = Builder::before(op);
    let context = builder.context();
    // The loop `d` becomes two: the parts, and what is in one.
    let moved = |dims: &[usize]| -> Vec<usize> {
        let two = |&at: &usize| if at == d { vec![d, d + 1] } else { vec![at + usize::from(at > d)] };
        dims.iter().flat_map(two).collect()
    };
    let map = |count: usize, dims: &[usize]| Attr::affine_map(Affine::of_dims(context, count, dims));
    let iterator = |kind: &str| Attr::parse(context, &format!("#linalg.iterator_type<{kind}>"));
    let (parallel, reduction) = (iterator("parallel")?, iterator("reduction")?);
    let elem = init.ty().element();
    let mut shape = vec![Some(parts)];
    shape.extend(init.ty().shape());
    let partial = Type::tensor(&shape, elem);
    let mut values = Vec::new();
    let mut new_maps = Vec::new();
    for (value, dims) in inputs.iter().zip(&dims) {
        new_maps.push(map(loops.len() + 1, &moved(dims)));
        let Some(at) = dims.iter().position(|at| *at == d) else {
            values.push(*value);
            continue;
        };
        let mut shape = value.ty().shape();
        shape.splice(at..=at, [Some(parts), Some(sizes[d] / parts)]);
        let groups: Vec<Vec<usize>> =
            (0..dims.len()).map(|k| if k == at { vec![at, at + 1] } else { vec![k + usize::from(k > at)] }).collect();
        values.push(builder.reshape(*value, Type::tensor(&shape, value.ty().element()), &groups));
    }
    new_maps.push(map(loops.len() + 1, &[&[d], &*moved(&out)].concat()));
    values.push(builder.fill(fill.operand(0), builder.value("tensor.empty", &[], partial, &[])));
    let first = op.block()?.insert_before(op, op.duplicate());
    first.set_operands(&values);
    first.set_attr("indexing_maps", Attr::array(context, &new_maps));
    let mut iterators = loops;
    iterators.insert(d, parallel);
    first.set_attr("iterator_types", Attr::array(context, &iterators));
    first.result(0).set_ty(partial);
    // The sum of the parts.
    let block = Block::create(&[elem, elem], builder.loc);
    let args = block.args();
    let body = Builder::at_end(block, builder.loc);
    let total = body.value(&sum.name(), &[args[1], args[0]], elem, &[]);
    body.op("linalg.yield", &[total], &[], &[]);
    let region = Region::create();
    region.append(block);
    let rank = shape.len();
    let own: Vec<usize> = (1..rank).collect();
    let maps = [map(rank, &(0..rank).collect::<Vec<_>>()), map(rank, &own)];
    let iterators: Vec<Attr> = (0..rank).map(|at| if at == 0 { reduction } else { parallel }).collect();
    let attrs = [
        ("indexing_maps", Attr::array(context, &maps)),
        ("iterator_types", Attr::array(context, &iterators)),
        ("operandSegmentSizes", Attr::i32s(context, &[1, 1])),
    ];
    let both = [first.result(0), init];
    let last = builder.op_with_regions("linalg.generic", &both, &[init.ty()], &attrs, vec![region]);
    op.result(0).replace_all_uses(last.result(0));
    op.erase();
    Some(())
}
