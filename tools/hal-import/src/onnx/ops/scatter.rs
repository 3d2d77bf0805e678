//! Writes at indices that are data. In small tensors, each element of the result searches the updates that may apply to it, in order,
//! so that no element is written twice concurrently. In others, updates are written one by one: their elements ([`nested`]), or a few
//! pieces of a large tensor ([`cache`]).
use super::{
    Entry, cache,
    gather::{from_end, to_index},
    sort::nested,
};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Order, Outcome, Part, Scalar, Value,
    context::require::{Rule, dimension, shown},
    dims,
    generic::map,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] =
    &[("ScatterElements", elements), ("Scatter", elements), ("ScatterND", nd), ("TensorScatter", tensor_scatter)];

/// Comparisons of results with updates, at most, in place of a loop over updates.
const SEARCHED: i64 = 1 << 15;

/// Whether so many results may each search so many updates.
fn searches(results: Option<i64>, updates: Option<i64>) -> bool {
    results.zip(updates).and_then(|(r, u)| r.checked_mul(u)).is_some_and(|n| n <= SEARCHED)
}

/// An element of an index tensor as an index that is surely within a dimension: the program has checked all of them before, so the
/// loop need not check each again.
fn index_within(b: &mut Body<'_>, value: &Scalar, size: &Scalar) -> Scalar {
    let (zero, one) = (b.index_constant(0), b.index_constant(1));
    let (index, last) = (to_index(b, value, size), b.sub(size, &one));
    let index = b.max(&index, &zero);
    b.min(&index, &last)
}

/// `data` after all elements of `updates` were written in order: `place` is given the position of each, and gives its place.
fn one_by_one(
    c: &mut Context<'_>,
    n: &Node,
    (data, updates): (&Value, &Value),
    place: impl FnOnce(&mut Body<'_>, &[Scalar]) -> Vec<Scalar>,
) -> Outcome<Value> {
    let (combine, plain) = (combine(n)?, n.string("reduction", "none") == "none");
    let ends: Vec<_> = updates.shape.iter().map(|d| c.index(d)).collect();
    let (ssa, ty, elem) = (c.ssa(updates), updates.ty(), data.elem);
    let whole = data.ty();
    let done = nested(c, &ends, std::slice::from_ref(data), |b, at, now| {
        let place = place(b, at);
        let update = b.extract(&ssa, &ty, elem, at);
        let new = if plain {
            update
        } else {
            let old = b.extract(&now[0], &whole, elem, &place);
            combine(b, &old, &update)
        };
        let list: Vec<_> = place.iter().map(|s| s.name.as_str()).collect();
        vec![b.w.value(format!("tensor.insert {} into {}[{}] : {whole}", new.name, now[0], list.join(", ")))]
    });
    Ok(done.into_iter().next().expect("one tensor is carried"))
}

/// Returns how `reduction` combines an element and an update.
fn combine(n: &Node) -> Outcome<fn(&mut Body<'_>, &Scalar, &Scalar) -> Scalar> {
    Ok(match n.string("reduction", "none").as_str() {
        "none" => |_, _, update| update.clone(),
        "add" => |b, a, update| b.add(a, update),
        "mul" => |b, a, update| b.mul(a, update),
        "max" => |b, a, update| b.max(a, update),
        "min" => |b, a, update| b.min(a, update),
        other => return unsupported(format!("`reduction` is `{other}`")),
    })
}

fn is_at(b: &mut Body<'_>, index: &Scalar, size: &Scalar, dimension: usize) -> Scalar {
    let wide = b.cast(index, Elem::I64);
    let index = b.to_index(&wide);
    let index = from_end(b, &index, size);
    let here = b.position(dimension);
    b.compare(Order::Eq, &index, &here)
}

fn elements(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (data, indices, updates) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let axis = n.axis(n.int("axis", 0), data.rank())?;
    let combine = combine(n)?;
    let differ = |(a, b): (&Dim, &Dim)| a != b && a.get().is_some() && b.get().is_some();
    if indices.rank() != data.rank()
        || indices.rank() != updates.rank()
        || indices.shape.iter().zip(&updates.shape).any(differ)
    {
        return invalid(format!("`{}`, `{}` and `{}` do not fit", data.ty(), indices.ty(), updates.ty()));
    }
    let rank = data.rank();
    for i in 0..rank {
        c.require_same((&indices, i), (&updates, i))?;
        let (own, wanted) = (&data.shape[i], &indices.shape[i]);
        if i != axis {
            let text = format!(
                "{} is {{0}}, of {} {{1}}: there are more indices than elements",
                dimension(&data, i),
                shown(&indices)
            );
            c.require(Rule::AtLeast(own.clone(), wanted.clone()), &text, &[own, wanted])?;
        }
    }
    let (data, indices, updates) = (c.settle(&data), c.settle(&indices), c.settle(&updates));
    c.require_indices(&indices, &data.shape[axis])?;
    if !searches(updates.count(), data.shape[axis].get()) && rank > 0 {
        let size = Scalar::index(c.index(&data.shape[axis]));
        let (ssa, ty, elem) = (c.ssa(&indices), indices.ty(), indices.elem);
        let done = one_by_one(c, n, (&data, &updates), |b, at| {
            let index = b.extract(&ssa, &ty, elem, at);
            let mut place = at.to_vec();
            place[axis] = index_within(b, &index, &size);
            place
        })?;
        return Ok(vec![done]);
    }
    // Updates reach only as far as they go along the other axes.
    let mut reach = updates.shape.clone();
    reach[axis] = data.shape[axis].clone();
    let origin = vec![Dim::fixed(0); rank];
    let part = c.slice(&data, &origin, &reach, &vec![1; rank]);
    let size = Scalar::index(c.index(&data.shape[axis]));
    let all: Vec<_> = (0..rank).collect();
    let source: Vec<_> = (0..rank).map(|d| if d == axis { rank } else { d }).collect();
    let iters = [vec![Iter::Parallel; rank], vec![Iter::Reduction]].concat();
    let done = c
        .generic(&iters, &[(&indices, map(&source)), (&updates, map(&source))], &[(&part, map(&all))], |b, v| {
            let hit = is_at(b, &v[0], &size, axis);
            let combined = combine(b, &v[2], &v[1]);
            vec![b.select(&hit, &combined, &v[2])]
        })
        .remove(0);
    if reach == data.shape {
        return Ok(vec![done]);
    }
    Ok(vec![insert(c, &done, &data, (&vec![0; rank], &vec![1; rank]))])
}

/// `data` with elements replaced by those of a part, which begins somewhere and goes on in steps.
fn insert(c: &mut Context<'_>, part: &Value, data: &Value, (starts, steps): (&[i64], &[i64])) -> Value {
    let list = |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let sizes: Vec<_> = part.shape.iter().map(|d| d.get().map_or_else(|| c.index(d), |d| d.to_string())).collect();
    let (part_ssa, data_ssa) = (c.ssa(part), c.ssa(data));
    let text = format!(
        "tensor.insert_slice {part_ssa} into {data_ssa}[{}] [{}] [{}] : {} into {}",
        list(starts),
        sizes.join(", "),
        list(steps),
        part.ty(),
        data.ty()
    );
    c.value(text, data.elem, data.shape.clone())
}

fn nd(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (data, mut indices, updates) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let combine = combine(n)?;
    let Some(outer) = indices.rank().checked_sub(1) else { return invalid("the indices are a scalar") };
    if indices.shape[outer].get().is_none()
        && let Some(depth) = (outer + data.rank()).checked_sub(updates.rank())
    {
        // The ranks say it.
        c.require_size((&indices, outer), &Dim::fixed(depth as i64), "as the rank of the updates asks for")?;
        indices = c.settle(&indices);
    }
    let (last, outer) = indices.shape.split_last().expect("seen above");
    let Some(depth) = last.get().map(|d| d as usize) else {
        return invalid(format!("`{}`, `{}` and `{}` do not fit", data.ty(), indices.ty(), updates.ty()));
    };
    if depth > data.rank() || updates.rank() != outer.len() + data.rank() - depth {
        return invalid(format!("`{}`, `{}` and `{}` do not fit", data.ty(), indices.ty(), updates.ty()));
    }
    for i in 0..outer.len() {
        c.require_same((&indices, i), (&updates, i))?;
    }
    for i in depth..data.rank() {
        c.require_same((&data, i), (&updates, outer.len() + i - depth))?;
    }
    let (data, indices, updates) = (c.settle(&data), c.settle(&indices), c.settle(&updates));
    let outer = &indices.shape[..indices.rank() - 1];
    if let Some(part) = assigned(&data, &indices) {
        let shape: Vec<_> = part.sizes.iter().copied().map(Dim::fixed).collect();
        let plain = n.string("reduction", "none") == "none";
        if plain || shape == data.shape {
            let mut new = c.reshape(&updates, &shape)?;
            if !plain {
                new = c.elementwise(&[data.clone(), new], data.elem, |b, v| combine(b, &v[0], &v[1]))?;
            }
            let whole = shape == data.shape;
            return Ok(vec![if whole { new } else { insert(c, &new, &data, (&part.starts, &part.steps)) }]);
        }
    }
    let pieces = indices.count().filter(|_| depth > 0 && n.string("reduction", "none") == "none");
    if cache::in_pieces(&data, &updates, pieces.map(|count| count / depth as i64)) {
        return Ok(vec![cache::at_rows(c, &data, &indices, &updates)?]);
    }
    let (rank, outer) = (data.rank(), outer.to_vec());
    let sizes: Vec<_> = data.shape[..depth].iter().map(|d| Scalar::index(c.index(d))).collect();
    let walk: Vec<_> = (rank..rank + outer.len()).collect();
    // A tensor of positions for each indexed dimension.
    let mut positions = Vec::new();
    for d in 0..depth {
        let position = Value { label: indices.label.clone(), ..c.take(&indices, outer.len(), &Dim::fixed(d as i64))? };
        c.require_indices(&position, &data.shape[d])?;
        positions.push(position);
    }
    let rows = outer.iter().try_fold(1i64, |n, d| n.checked_mul(d.get()?));
    if !searches(data.count(), rows) && updates.rank() > 0 {
        let (lists, within) = (positions.iter().map(|p| (c.ssa(p), p.ty(), p.elem)).collect::<Vec<_>>(), outer.len());
        let done = one_by_one(c, n, (&data, &updates), |b, at| {
            let indexed = lists.iter().zip(&sizes).map(|((ssa, ty, elem), size)| {
                let index = b.extract(ssa, ty, *elem, &at[..within]);
                index_within(b, &index, size)
            });
            let mut place: Vec<_> = indexed.collect();
            place.extend_from_slice(&at[within..]);
            place
        })?;
        return Ok(vec![done]);
    }
    let mut ins: Vec<_> = positions.iter().map(|p| (p, map(&walk))).collect();
    let update_map: Vec<_> = walk.iter().copied().chain(depth..rank).collect();
    ins.push((&updates, map(&update_map)));
    let all: Vec<_> = (0..rank).collect();
    let iters = [vec![Iter::Parallel; rank], vec![Iter::Reduction; outer.len()]].concat();
    Ok(c.generic(&iters, &ins, &[(&data, map(&all))], |b, v| {
        let (update, old) = (&v[depth], &v[depth + 1]);
        let mut hit = b.int(Elem::Bool, 1);
        for d in 0..depth {
            let here = is_at(b, &v[d], &sizes[d], d);
            hit = b.and(&hit, &here);
        }
        let combined = combine(b, old, update);
        vec![b.select(&hit, &combined, old)]
    }))
}

/// The part of `data` that the indices of a `ScatterND` mean, if each element is meant once, in order: exporters write the assignment to a
/// slice in this way.
fn assigned(data: &Value, indices: &Value) -> Option<Part> {
    let outer = dims::fixed(&indices.shape[..indices.rank() - 1])?;
    let sizes = dims::fixed(&data.shape)?;
    let ramps = indices.ramps_of_lists()?;
    let mut part = Part::of(&ramps, &outer, &sizes[..ramps.len()])?;
    let rest = &sizes[ramps.len()..];
    part.starts.extend(rest.iter().map(|_| 0));
    part.sizes.extend(rest);
    part.steps.extend(rest.iter().map(|_| 1));
    Some(part)
}

/// Updates of a cache: `update` is written along `axis` from `write_indices` on, for each batch.
fn tensor_scatter(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (cache, update) = (n.input(0)?.clone(), n.input(1)?.clone());
    let axis = n.axis(n.int("axis", -2), cache.rank())?;
    let circular = match n.string("mode", "linear").as_str() {
        "linear" => false,
        "circular" => true,
        other => return unsupported(format!("`mode` is `{other}`")),
    };
    let starts = n.optional(2).cloned();
    if cache.rank() != update.rank() {
        return invalid(format!("`{}` does not fit into `{}`", update.ty(), cache.ty()));
    }
    for i in (0..cache.rank()).filter(|&i| i != axis) {
        c.require_same((&cache, i), (&update, i))?;
    }
    let (own, wanted) = (&cache.shape[axis], &update.shape[axis]);
    let text = format!("{} is {{0}}, of {} {{1}}: it does not fit", dimension(&cache, axis), shown(&update));
    c.require(Rule::AtLeast(own.clone(), wanted.clone()), &text, &[own, wanted])?;
    if let Some(starts) = &starts {
        if starts.rank() != 1 {
            return invalid(format!("the indices of type `{}` are not a list", starts.ty()));
        }
        c.require_same((starts, 0), (&cache, 0))?;
        let batch = cache.shape[0].get().filter(|_| !circular && axis > 0);
        if cache::in_pieces(&cache, &update, batch) {
            let (cache, update, starts) = (c.settle(&cache), c.settle(&update), c.settle(starts));
            return Ok(vec![cache::along(c, (&cache, &update), axis, &starts)?]);
        }
        // Circular updates begin within the cache, others end there, too.
        let last = if circular { own.offset(-1) } else { own.minus(wanted) };
        c.require_range(starts, &Dim::fixed(0), &last)?;
    }
    let (cache, update) = (c.settle(&cache), c.settle(&update));
    let starts = starts.map(|v| c.settle(&v));
    let (room, length) = (Scalar::index(c.index(&cache.shape[axis])), Scalar::index(c.index(&update.shape[axis])));
    let (ssa, ty) = (c.ssa(&update), update.ty());
    let mut inputs = vec![cache.clone()];
    if let Some(starts) = starts {
        let mut shape = starts.shape.clone();
        shape.resize(cache.rank(), Dim::fixed(1));
        inputs.push(c.reshape(&starts, &shape)?);
    }
    let rank = cache.rank();
    Ok(vec![c.elementwise_to(&cache.shape.clone(), &inputs, cache.elem, |b, v| {
        let here = b.position(axis);
        let zero = b.index_constant(0);
        let mut offset = match v.get(1) {
            Some(start) => {
                let start = b.to_index(start);
                b.sub(&here, &start)
            }
            None => here,
        };
        if circular {
            let up = b.add(&offset, &room);
            offset = b.rem(&up, &room);
        }
        let (from, to) = (b.compare(Order::Ge, &offset, &zero), b.compare(Order::Lt, &offset, &length));
        let hit = b.and(&from, &to);
        // Where nothing is written, some place must be read all the same.
        let place = b.select(&hit, &offset, &zero);
        let mut at: Vec<_> = (0..rank).map(|d| b.position(d)).collect();
        at[axis] = place;
        let update = b.extract(&ssa, &ty, cache.elem, &at);
        b.select(&hit, &update, &v[0])
    })?])
}
