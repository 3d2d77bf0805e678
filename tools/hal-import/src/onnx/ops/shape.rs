//! Shapes: reading and changing them, joining tensors.
use super::Entry;
use crate::onnx::{
    Context, Dim, Elem, Node, Outcome, Value,
    axes::{Axes, Named},
    context::require::{Rule, dimension},
    generic::shape_text,
    problem::{invalid, unsupported},
};
use std::rc::Rc;

pub(super) const OPS: &[Entry] = &[
    ("Shape", shape),
    ("Size", size),
    ("Squeeze", squeeze),
    ("Unsqueeze", unsqueeze),
    ("Transpose", transpose),
    ("Expand", expand),
    ("Tile", tile),
    ("Concat", concat),
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

fn squeeze(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axes: Vec<_> = match Axes::of(n, "axes", 1, x.rank())? {
        Some(Axes::Known(axes)) => axes,
        Some(Axes::Data(list)) => return squeeze_at_run(c, n, &x, &list),
        None if x.shape.iter().any(|d| d.get().is_none()) => match single(c, n, &x)? {
            Single::Axes(axes) => axes,
            Single::Result(result) => return Ok(vec![result]),
        },
        None => (0..x.rank()).filter(|&i| x.shape[i].is(1)).collect(),
    };
    if let Some(&bad) = axes.iter().find(|&&a| x.shape[a].get().is_some_and(|d| d != 1)) {
        return invalid(format!("axis {bad} of {} is not of size 1", shape_text(&x.shape)));
    }
    for &axis in &axes {
        c.require_size((&x, axis), &Dim::fixed(1), "so that it cannot be dropped")?;
    }
    let shape: Vec<_> = (0..x.rank()).filter(|i| !axes.contains(i)).map(|i| x.shape[i].clone()).collect();
    Ok(vec![c.reshape(&x, &shape)?])
}

/// The known dimensions of size 1.
enum Single {
    Axes(Vec<usize>),
    Result(Value),
}

/// Removes all dimensions of size 1, some of which may be known only at run time: the rank that the model declares may
/// determine their number.
fn single(c: &mut Context<'_>, n: &Node, x: &Value) -> Outcome<Single> {
    let ones: Vec<_> = (0..x.rank()).filter(|&i| x.shape[i].is(1)).collect();
    let open: Vec<_> = (0..x.rank()).filter(|&i| x.shape[i].get().is_none()).collect();
    let Some(left) = n.declared_rank(0).filter(|left| left + ones.len() <= x.rank()) else {
        // The number of dimensions to remove is unknown: only those known to be 1 are removed. The rank of the result
        // must not depend on the others.
        for &i in &open {
            let text = format!(
                "{} is 1, so that it would be dropped, too, which was not known at import; name the axes",
                dimension(x, i)
            );
            c.require(Rule::NotZero(x.shape[i].offset(-1)), &text, &[])?;
        }
        return Ok(Single::Axes(ones));
    };
    let flags = (0..x.rank()).map(|i| c.compare_dims("eq", &x.shape[i], &Dim::fixed(1))).collect();
    let named = Named { flags, count: None, only: None, none: None };
    c.rank_without(&named, x.rank(), Some(left), x)?;
    if left + ones.len() == x.rank() {
        return Ok(Single::Axes(ones));
    }
    if left + ones.len() + open.len() == x.rank() {
        return Ok(Single::Axes([ones, open].concat()));
    }
    let shape = c.unnamed_sizes(&x.shape, &named.flags, left);
    Ok(Single::Result(c.regroup(x, &shape)))
}

/// The run says which dimensions of size 1 go.
fn squeeze_at_run(c: &mut Context<'_>, n: &Node, x: &Value, list: &Value) -> Outcome {
    let named = c.read_axes(list, x.rank())?;
    if let Some(none) = &named.none {
        // An empty list may mean all dimensions of size 1, or none.
        let some = c.flag(true);
        let some = c.and_or("xori", none, &some);
        c.check_values(&some, "`axes` is empty", &[]);
    }
    let left = c.rank_without(&named, x.rank(), n.declared_rank(0), list)?;
    for (i, (size, flag)) in x.shape.clone().iter().zip(&named.flags).enumerate() {
        let (zero, one) = (Dim::fixed(0), Dim::fixed(1));
        let surplus = c.choose(flag, &size.offset(-1), &zero);
        let text = format!("{} is {{0}}, so that it cannot be dropped", dimension(x, i));
        let fine = c.compare_dims("eq", &surplus, &zero);
        if size.get() != one.get() {
            let size = c.index(size);
            c.check_values(&fine, &text, &[Ok((size, "index"))]);
        }
    }
    let shape = c.unnamed_sizes(&x.shape, &named.flags, left);
    let result = c.regroup(x, &shape);
    Ok(vec![c.as_declared(result, n.declared.first().and_then(Option::as_deref))?])
}

fn unsqueeze(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let given = match n.ints("axes") {
        Some(list) => list,
        None => match n.input(1)?.tensor().map(crate::onnx::Tensor::ints) {
            Some(list) => list,
            None if n.input(1)?.is_empty() => Vec::new(),
            None => return unsqueeze_at_run(c, n, &x),
        },
    };
    let rank = x.rank() + given.len();
    let axes: Vec<_> = given.into_iter().map(|a| n.axis(a, rank)).collect::<Outcome<_>>()?;
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

/// The run says which dimensions of the result are new.
fn unsqueeze_at_run(c: &mut Context<'_>, n: &Node, x: &Value) -> Outcome {
    let list = n.input(1)?.clone();
    let rank = match list.count().map(|count| x.rank() + count as usize).or_else(|| n.declared_rank(0)) {
        Some(rank) if rank >= x.rank() => rank,
        _ => {
            return unsupported(
                "how many axes `axes` (input 1) holds is not known at import, and so is the rank of the result; make it a constant, or give it or the result a shape",
            );
        }
    };
    let named = c.read_axes(&list, rank)?;
    c.rank_without(&named, rank, Some(x.rank()), &list)?;
    let (one, mut place, mut shape) = (Dim::fixed(1), Dim::fixed(0), Vec::new());
    for (d, flag) in named.flags.iter().enumerate() {
        let mut size = one.clone();
        for (at, own) in x.shape.iter().enumerate().filter(|(at, _)| *at <= d) {
            let here = c.compare_dims("eq", &place, &Dim::fixed(at as i64));
            size = c.choose(&here, own, &size);
        }
        shape.push(c.choose(flag, &one, &size));
        let next = c.choose(flag, &Dim::fixed(0), &one);
        place = place.plus(&next);
    }
    let result = c.regroup(x, &shape);
    Ok(vec![c.as_declared(result, n.declared.first().and_then(Option::as_deref))?])
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
    let mut result = c.transpose(&x, &permutation);
    if permutation == [1, 0] {
        super::stored::transpose(c, &x, &mut result);
    }
    Ok(vec![result])
}

fn expand(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let list = c.settle(n.input(1)?);
    let wanted = match (list.rank(), list.count(), n.declared_rank(0)) {
        // A shorter list keeps the first dimensions unchanged.
        (1, None, Some(rank)) => c.filled_up(&list, rank, 1, true, "`shape` (input 1)")?,
        _ => c.read_list(&list, None, "`shape` (input 1)")?,
    };
    for d in &wanted {
        c.require_count(d, "a size of the shape")?;
    }
    let shape = c.broadcast_shape(&[&x.shape, &wanted])?;
    c.require_fit(&x, &shape)?;
    let skip = shape.len() - wanted.len();
    for (i, d) in wanted.iter().enumerate() {
        let size = c.settle_dim(&shape[skip + i]);
        let text = format!("size {i} of the shape is {{0}}, which does not broadcast to {{1}}");
        c.require(Rule::Fits(d.clone(), size.clone()), &text, &[d, &size])?;
    }
    let ramps = x.ramp().map(|ramp| Rc::new(vec![ramp.broadcast(shape.len())]));
    Ok(vec![Value { ramps, ..c.broadcast(&x, &shape)? }])
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
        c.read_list(n.input(1)?, Some(x.rank()), "`repeats` (input 1)")?
    };
    if repeats.len() != x.rank() {
        return invalid(format!("there are {} repeats for rank {}", repeats.len(), x.rank()));
    }
    if repeats.iter().all(|r| r.is(1)) {
        return Ok(vec![x]);
    }
    for (i, r) in repeats.iter().enumerate() {
        c.require_count(r, &format!("the number of repeats of dimension {i}"))?;
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

/// Rank 4, blocks of channels to blocks of pixels, in the order of `mode`.
fn depth_to_space(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, block) = (n.input(0)?.clone(), n.int("blocksize", 0));
    let [batch, depth, height, width] = &x.shape[..] else { return invalid("the input is not of rank 4") };
    let side = Dim::fixed(block);
    if block < 1 || depth.get().is_some_and(|d| d % block.saturating_mul(block) != 0) {
        return invalid(format!("`blocksize` {block} does not fit the channels"));
    }
    let rest = c.divided((&x, 1), block.saturating_mul(block), "positions of a block")?;
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
    if block < 1 || [height, width].iter().any(|d| d.get().is_some_and(|d| d % block != 0)) {
        return invalid(format!("`blocksize` {block} does not fit height and width"));
    }
    let (h, w) = (c.divided((&x, 2), block, "rows of blocks")?, c.divided((&x, 3), block, "columns of blocks")?);
    let split = [batch.clone(), depth.clone(), h.clone(), side.clone(), w.clone(), side];
    let cut = c.reshape(&x, &split)?;
    let permutation = if n.string("mode", "DCR") == "CRD" { [0, 1, 3, 5, 2, 4] } else { [0, 3, 5, 1, 2, 4] };
    let moved = c.transpose(&cut, &permutation);
    let shape = [batch.clone(), depth.times(block * block), h, w];
    Ok(vec![c.reshape(&moved, &shape)?])
}
