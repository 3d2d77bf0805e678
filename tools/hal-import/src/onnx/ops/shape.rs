//! Shapes: reading and changing them, joining and splitting.
use super::Entry;
use crate::onnx::{
    Context, Dim, Elem, Node, Outcome, Value,
    generic::shape_text,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("Shape", shape),
    ("Size", size),
    ("Reshape", reshape),
    ("Flatten", flatten),
    ("Squeeze", squeeze),
    ("Unsqueeze", unsqueeze),
    ("Transpose", transpose),
    ("Expand", expand),
    ("Tile", tile),
    ("Concat", concat),
    ("Split", split),
    ("DepthToSpace", depth_to_space),
    ("SpaceToDepth", space_to_depth),
];

fn shape(_: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?;
    let rank = x.rank() as i64;
    let bound = |v: i64| (if v < 0 { v + rank } else { v }).clamp(0, rank) as usize;
    let (start, end) = (bound(n.int("start", 0)), bound(n.int("end", rank)));
    let dims: Vec<_> = x.shape.get(start..end).unwrap_or_default().to_vec();
    Ok(vec![Value::dims(Elem::I64, vec![Dim::fixed(dims.len() as i64)], dims)])
}

fn size(c: &mut Context<'_>, n: &Node) -> Outcome {
    let count = c.product(&n.input(0)?.shape);
    Ok(vec![Value::dims(Elem::I64, Vec::new(), vec![count])])
}

fn reshape(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let wanted = match n.ints("shape") {
        Some(list) => list.into_iter().map(Dim::fixed).collect(),
        None => c.read_dims(n.input(1)?)?,
    };
    let keep_zero = n.int("allowzero", 0) != 0;
    // What the model declares of the result is as good as a shape that only the run knows.
    let declared = n
        .declared
        .first()
        .and_then(Option::as_ref)
        .filter(|_| wanted.iter().any(|d| d.get().is_none() && !c.is_size(d)));
    if let Some(shape) = declared
        && x.count().is_some_and(|n| shape.iter().try_fold(1i64, |n, &d| n.checked_mul(d)) == Some(n))
    {
        let shape: Vec<_> = shape.iter().map(|&d| Dim::fixed(d)).collect();
        return Ok(vec![c.reshape(&x, &shape)?]);
    }
    let mut shape = Vec::new();
    let mut inferred = None;
    for (i, d) in wanted.iter().enumerate() {
        shape.push(match d.get() {
            Some(-1) if inferred.is_some() => return invalid("two sizes are -1"),
            Some(-1) => {
                inferred = Some(i);
                Dim::fixed(1)
            }
            Some(0) if !keep_zero => match x.shape.get(i) {
                Some(d) => d.clone(),
                None => {
                    return invalid(format!(
                        "size 0 at {i} copies a dimension that the input of rank {} does not have",
                        x.rank()
                    ));
                }
            },
            Some(s) if s < -1 => return invalid(format!("size {s} is negative")),
            Some(_) => d.clone(),
            // The run decides; 0 and -1 are told from sizes there.
            None if c.is_size(d) => d.clone(),
            None => return reshape_at_run(c, n, &x, &wanted),
        });
    }
    if let Some(at) = inferred {
        shape[at] = quotient(c, &x.shape, &shape)?;
    }
    Ok(vec![c.reshape(&x, &shape)?])
}

/// The product of some sizes over that of others, of which it is a multiple.
fn quotient(c: &mut Context<'_>, above: &[Dim], below: &[Dim]) -> Outcome<Dim> {
    let mut above: Vec<_> = above.to_vec();
    let mut below: Vec<_> = below.to_vec();
    // Equal factors cancel, so that `[N, 4] → [N, -1]` stays static.
    below.retain(|d| match above.iter().position(|a| a == d) {
        Some(i) => {
            above.remove(i);
            false
        }
        None => true,
    });
    let (whole, part) = (c.product(&above), c.product(&below));
    match (whole.get(), part.get()) {
        (_, Some(0)) => Ok(Dim::fixed(0)),
        (Some(a), Some(b)) if a % b != 0 => invalid(format!("{a} elements are not a multiple of {b}")),
        _ => Ok(c.size_over(&whole, &part)),
    }
}

/// A reshape whose sizes are data. One of them may be -1, any may be 0.
fn reshape_at_run(c: &mut Context<'_>, n: &Node, x: &Value, wanted: &[Dim]) -> Outcome {
    let copies = n.int("allowzero", 0) == 0;
    let (zero, minus, one) = (c.index(&Dim::fixed(0)), c.index(&Dim::fixed(-1)), c.index(&Dim::fixed(1)));
    let mut sizes = Vec::new();
    for (i, d) in wanted.iter().enumerate() {
        let mut ssa = c.index(d);
        if let Some(own) = x.shape.get(i).filter(|_| copies) {
            let own = c.index(own);
            let is_zero = c.w.value(format!("arith.cmpi eq, {ssa}, {zero} : index"));
            ssa = c.w.value(format!("arith.select {is_zero}, {own}, {ssa} : index"));
        }
        sizes.push(ssa);
    }
    let mut known = one.clone();
    for ssa in &sizes {
        let open = c.w.value(format!("arith.cmpi eq, {ssa}, {minus} : index"));
        let factor = c.w.value(format!("arith.select {open}, {one}, {ssa} : index"));
        known = c.w.value(format!("arith.muli {known}, {factor} : index"));
    }
    // An empty tensor would divide by zero.
    let known = c.w.value(format!("arith.maxsi {known}, {one} : index"));
    let all = c.product(&x.shape);
    let all = c.index(&all);
    let rest = c.w.value(format!("arith.divsi {all}, {known} : index"));
    let (mut shape, mut names) = (Vec::new(), Vec::new());
    for ssa in sizes {
        let open = c.w.value(format!("arith.cmpi eq, {ssa}, {minus} : index"));
        let size = c.w.value(format!("arith.select {open}, {rest}, {ssa} : index"));
        names.push(size.clone());
        shape.push(c.fresh_symbol(size));
    }
    // How dimensions group is not known, so this is neither an expansion nor a collapse.
    let list = c.w.value(format!("tensor.from_elements {} : tensor<{}xindex>", names.join(", "), names.len()));
    let (ssa, result) = (c.ssa(x), crate::onnx::value::tensor_type(x.elem, &shape));
    let text = format!("tensor.reshape {ssa}({list}) : ({}, tensor<{}xindex>) -> {result}", x.ty(), names.len());
    Ok(vec![c.value(text, x.elem, shape)])
}

fn flatten(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.int("axis", 1);
    let axis = if axis == x.rank() as i64 { x.rank() } else { n.axis(axis, x.rank())? };
    let shape = [c.product(&x.shape[..axis]), c.product(&x.shape[axis..])];
    Ok(vec![c.reshape(&x, &shape)?])
}

fn squeeze(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axes: Vec<_> = match n.ints_or_input("axes", 1)? {
        Some(list) => list.into_iter().map(|a| n.axis(a, x.rank())).collect::<Outcome<_>>()?,
        None if x.shape.iter().any(|d| d.get().is_none()) => {
            return unsupported("the axes are those of size 1, which is not known of dynamic dimensions");
        }
        None => (0..x.rank()).filter(|&i| x.shape[i].is(1)).collect(),
    };
    if let Some(&bad) = axes.iter().find(|&&a| x.shape[a].get().is_some_and(|d| d != 1)) {
        return invalid(format!("axis {bad} of {} is not of size 1", shape_text(&x.shape)));
    }
    let shape: Vec<_> = (0..x.rank()).filter(|i| !axes.contains(i)).map(|i| x.shape[i].clone()).collect();
    Ok(vec![c.reshape(&x, &shape)?])
}

fn unsqueeze(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let Some(list) = n.ints_or_input("axes", 1)? else { return invalid("`axes` is missing") };
    let rank = x.rank() + list.len();
    let axes: Vec<_> = list.into_iter().map(|a| n.axis(a, rank)).collect::<Outcome<_>>()?;
    let mut rest = x.shape.iter();
    let shape: Vec<_> = (0..rank)
        .map(|i| if axes.contains(&i) { Some(Dim::fixed(1)) } else { rest.next().cloned() })
        .collect::<Option<_>>()
        .unwrap_or_default();
    if shape.len() != rank || rest.next().is_some() {
        return invalid("an axis is named twice");
    }
    Ok(vec![c.reshape(&x, &shape)?])
}

fn transpose(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let permutation: Vec<_> = match n.ints("perm") {
        Some(list) => list.into_iter().map(|p| n.axis(p, x.rank())).collect::<Outcome<_>>()?,
        None => (0..x.rank()).rev().collect(),
    };
    let mut sorted = permutation.clone();
    sorted.sort_unstable();
    if sorted != (0..x.rank()).collect::<Vec<_>>() {
        return invalid(format!("`perm` {permutation:?} is no permutation of the {} dimensions", x.rank()));
    }
    Ok(vec![c.transpose(&x, &permutation)])
}

fn expand(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let wanted = c.read_dims(n.input(1)?)?;
    let shape = c.broadcast_shape(&[&x.shape, &wanted])?;
    Ok(vec![c.broadcast(&x, &shape)?])
}

/// Opset 1 repeats along one axis; later versions take a count for each.
fn tile(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let repeats = if n.opset < 6 {
        let axis = n.input(2)?.splat().map_or(0, |a| a.int() as i64);
        let axis = n.axis(axis, x.rank())?;
        let mut repeats = vec![Dim::fixed(1); x.rank()];
        repeats[axis] = c.read_dims(n.input(1)?)?.remove(0);
        repeats
    } else {
        c.read_dims(n.input(1)?)?
    };
    if repeats.len() != x.rank() {
        return invalid(format!("there are {} repeats for rank {}", repeats.len(), x.rank()));
    }
    if repeats.iter().all(|r| r.is(1)) {
        return Ok(vec![x]);
    }
    // [a, b] → [1, a, 1, b] → [r, a, s, b] → [r·a, s·b]
    let (mut narrow, mut wide, mut shape) = (Vec::new(), Vec::new(), Vec::new());
    for (d, r) in x.shape.iter().zip(&repeats) {
        shape.push(c.size_times(d, r));
        if !r.is(1) {
            narrow.push(Dim::fixed(1));
            wide.push(r.clone());
        }
        narrow.push(d.clone());
        wide.push(d.clone());
    }
    if shape.iter().any(|d| d.is(0)) {
        return Ok(vec![c.empty(x.elem, &shape)]);
    }
    let spread = c.reshape(&x, &narrow)?;
    let repeated = c.broadcast(&spread, &wide)?;
    Ok(vec![c.reshape(&repeated, &shape)?])
}

fn concat(c: &mut Context<'_>, n: &Node) -> Outcome {
    let inputs = n.all()?;
    let Some(first) = inputs.first() else { return invalid("there is no input") };
    // Before opset 4 the axis may be left out.
    let axis = n.axis(n.int("axis", 1), first.rank())?;
    Ok(vec![c.concat(&inputs, axis)?])
}

fn split(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.axis(n.int("axis", 0), x.rank())?;
    let given = match n.ints("split") {
        Some(list) => Some(list.into_iter().map(Dim::fixed).collect()),
        None => n.optional(1).map(|v| c.read_dims(v)).transpose()?,
    };
    let sizes = match given {
        Some(sizes) => sizes,
        None => {
            let count = if n.has("num_outputs") { n.int("num_outputs", 1) } else { n.outputs.len() as i64 };
            let Some(total) = x.shape[axis].get() else {
                let even = x.shape[axis].exact_quotient(count);
                return match even {
                    Some(part) => pieces(c, &x, axis, &vec![part; count as usize]),
                    None => unsupported("it splits a dynamic dimension into equal parts"),
                };
            };
            if count < 1 || (n.opset < 18 && total % count != 0) {
                return invalid(format!("size {total} does not split into {count} equal parts"));
            }
            // The last part may be smaller.
            let part = (total + count - 1) / count;
            (0..count).map(|i| Dim::fixed((total - i * part).clamp(0, part))).collect::<Vec<_>>()
        }
    };
    let total = sizes.iter().fold(Dim::fixed(0), |a, b| a.plus(b));
    if let (Some(a), Some(b)) = (total.get(), x.shape[axis].get())
        && a != b
    {
        return invalid(format!("the parts add up to {a}, but the dimension is of size {b}"));
    }
    pieces(c, &x, axis, &sizes)
}

/// Pieces of the given sizes, in order, along an axis.
pub(super) fn pieces(c: &mut Context<'_>, x: &Value, axis: usize, sizes: &[Dim]) -> Outcome {
    let mut offsets = vec![Dim::fixed(0); x.rank()];
    let mut results = Vec::new();
    for size in sizes {
        let mut shape = x.shape.clone();
        shape[axis] = size.clone();
        results.push(c.slice(x, &offsets, &shape, &vec![1; x.rank()]));
        offsets[axis] = offsets[axis].plus(size);
    }
    Ok(results)
}

/// Rank 4, blocks of channels to blocks of pixels, in the order of `mode`.
fn depth_to_space(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, block) = (n.input(0)?.clone(), n.int("blocksize", 0));
    let [batch, depth, height, width] = &x.shape[..] else { return invalid("the input is not of rank 4") };
    let side = Dim::fixed(block);
    let Some(rest) = depth.exact_quotient(block * block).filter(|_| block > 0) else {
        return invalid(format!("`blocksize` {block} does not fit the channels"));
    };
    let (split, permutation) = if n.string("mode", "DCR") == "CRD" {
        ([batch.clone(), rest.clone(), side.clone(), side.clone(), height.clone(), width.clone()], [0, 1, 4, 2, 5, 3])
    } else {
        ([batch.clone(), side.clone(), side.clone(), rest.clone(), height.clone(), width.clone()], [0, 3, 4, 1, 5, 2])
    };
    let cut = c.reshape(&x, &split)?;
    let moved = c.transpose(&cut, &permutation);
    let shape = [batch.clone(), rest, height.times(block), width.times(block)];
    Ok(vec![c.reshape(&moved, &shape)?])
}

fn space_to_depth(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, block) = (n.input(0)?.clone(), n.int("blocksize", 0));
    let [batch, depth, height, width] = &x.shape[..] else { return invalid("the input is not of rank 4") };
    let side = Dim::fixed(block);
    let parts = if block > 0 { height.exact_quotient(block).zip(width.exact_quotient(block)) } else { None };
    let Some((h, w)) = parts else { return invalid(format!("`blocksize` {block} does not fit height and width")) };
    let split = [batch.clone(), depth.clone(), h.clone(), side.clone(), w.clone(), side];
    let cut = c.reshape(&x, &split)?;
    let permutation = if n.string("mode", "DCR") == "CRD" { [0, 1, 3, 5, 2, 4] } else { [0, 3, 5, 1, 2, 4] };
    let moved = c.transpose(&cut, &permutation);
    let shape = [batch.clone(), depth.times(block * block), h, w];
    Ok(vec![c.reshape(&moved, &shape)?])
}
