//! Moves reshapes above paddings, so that a grouped convolution, which reads its padded input through a reshape, can take
//! the padding into its executable.
use super::dims::dim_of;
use halyard_ir::{Attr, Block, Builder, Op, Region, Type, Value};

/// Rewrites `expand_shape(pad(x))` to `pad(expand_shape(x))` in a function, where no padded dimension is taken apart, unless into
/// dimensions of one element and one of the others. Sizes that are taken apart must be known.
pub(super) fn pad_after_reshapes(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        if op.is("tensor.expand_shape") && op.operand(0).def().is_some_and(|d| d.is("tensor.pad")) {
            found.push(op);
        }
    });
    for op in found {
        _ = swap(op);
    }
}

fn swap(expand: Op) -> Option<()> {
    let pad = expand.operand(0).def()?;
    let amounts = |name: &str| pad.attr(name).and_then(Attr::as_i64s);
    let (low, high) = (amounts("static_low")?, amounts("static_high")?);
    let (input, body) = (pad.operand(0), pad.body()?);
    let body_ops = body.ops();
    // The padding value must be made outside, or be a constant.
    let [constants @ .., end] = body_ops.as_slice() else { return None };
    if pad.operand_count() != 1 || pad.result(0).uses().len() != 1 || !constants.iter().all(|c| c.is("arith.constant"))
    {
        return None;
    }
    let groups = expand.attr("reassociation")?.as_array()?;
    let group = |g: Attr| g.as_i64s().map(|g| g.into_iter().map(|d| d as usize).collect());
    let groups: Vec<Vec<usize>> = groups.into_iter().map(group).collect::<Option<_>>()?;
    let result = expand.result(0).ty();
    let mut shape = result.shape();
    let (mut lows, mut highs) = (vec![0; shape.len()], vec![0; shape.len()]);
    let mut open = Vec::new();
    let mut known = input.ty().shape();
    for (d, g) in groups.iter().enumerate() {
        // The one dimension that has all elements of what is taken apart.
        let mut long = g.iter().copied().filter(|at| shape[*at] != Some(1));
        let at = match (long.next(), long.next()) {
            (at, None) => at.unwrap_or(g[0]),
            _ if low[d] == 0 && high[d] == 0 && g.iter().all(|at| shape[*at].is_some()) => {
                // A check has told the size, which the type of the input need not say.
                known[d] = pad.result(0).ty().shape()[d];
                continue;
            }
            _ => return None,
        };
        shape[at] = input.ty().shape()[d];
        if shape[at].is_none() {
            open.push(d);
        }
        (lows[at], highs[at]) = (low[d], high[d]);
    }
    let builder = Builder::before(expand);
    let sizes: Vec<Value> = open.into_iter().map(|d| dim_of(&builder, input, d)).collect();
    let (ty, told) = (input.ty(), Type::tensor(&known, input.ty().element()));
    let input = if ty == told { input } else { builder.value("tensor.cast", &[input], told, &[]) };
    let wide = builder.expand(input, &sizes, Type::tensor(&shape, result.element()), &groups);
    let wide = padded(&builder, wide, (&lows, &highs), end.operand(0), result);
    expand.result(0).replace_all_uses(wide);
    expand.erase();
    // It would count as a user of what was padded.
    pad.erase();
    Some(())
}

/// A tensor with so many times a value before and after it in each dimension. The value may be a constant in another region.
pub(super) fn padded(
    builder: &Builder,
    input: Value,
    (low, high): (&[i64], &[i64]),
    value: Value,
    result: Type,
) -> Value {
    let context = builder.context();
    let value = match value.def().filter(|d| d.is("arith.constant")) {
        Some(constant) => builder.insert(constant.duplicate()).result(0),
        None => value,
    };
    let region = Region::create();
    let block = Block::create(&vec![Type::index(context); low.len()], builder.loc);
    region.append(block);
    Builder::at_end(block, builder.loc).op("tensor.yield", &[value], &[], &[]);
    let attrs = [
        ("static_low", Attr::i64s(context, low)),
        ("static_high", Attr::i64s(context, high)),
        ("operandSegmentSizes", Attr::i32s(context, &[1, 0, 0])),
    ];
    builder.op_with_regions("tensor.pad", &[input], &[result], &attrs, vec![region]).result(0)
}
