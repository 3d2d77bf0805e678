//! Reads at indices that are data.
use super::Entry;
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Order, Outcome, Scalar, Value,
    context::require::{Rule, dimension, shown},
    generic::map,
    layout::{as_usize, pick},
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[("Gather", gather), ("GatherElements", gather_elements), ("GatherND", gather_nd)];

/// An index counted from the end if negative.
pub(super) fn from_end(b: &mut Body<'_>, index: &Scalar, size: &Scalar) -> Scalar {
    let zero = b.index_constant(0);
    let negative = b.compare(Order::Lt, index, &zero);
    let wrapped = b.add(index, size);
    b.select(&negative, &wrapped, index)
}

/// An element of an index tensor as an index.
pub(super) fn to_index(b: &mut Body<'_>, value: &Scalar, size: &Scalar) -> Scalar {
    let wide = b.cast(value, Elem::I64);
    let index = b.to_index(&wide);
    from_end(b, &index, size)
}

fn gather(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, indices) = (n.input(0)?.clone(), n.input(1)?.clone());
    let axis = n.axis(n.int("axis", 0), x.rank())?;
    let mut shape = x.shape[..axis].to_vec();
    shape.extend(indices.shape.iter().cloned());
    shape.extend(x.shape[axis + 1..].iter().cloned());
    if let Some(list) = indices.tensor().map(crate::onnx::Tensor::ints) {
        if let Some(size) = x.shape[axis].get()
            && let Some(bad) = list.iter().find(|&&i| i < -size || i >= size)
        {
            return invalid(format!("index {bad} is out of range for size {size}"));
        }
        // Those of a size that only the run knows.
        if let (Some(&least), Some(&most)) = (list.iter().min(), list.iter().max()) {
            let size = &x.shape[axis];
            for (index, room) in [(most, most.saturating_add(1)), (least, least.saturating_neg())] {
                let text = format!("index {index} is out of range for {} of size {{0}}", dimension(&x, axis));
                c.require(Rule::AtLeast(size.clone(), Dim::fixed(room)), &text, &[size])?;
            }
        }
        let own = &x.shape[axis];
        let at: Vec<_> = list.iter().map(|&i| if i < 0 { own.offset(i) } else { Dim::fixed(i) }).collect();
        if let (Some(known), Some(at)) = (&x.known, crate::onnx::dims::fixed(&at)) {
            let inner: usize = as_usize(&x.shape[axis + 1..]).iter().product();
            let (size, count) = (as_usize(&x.shape[axis..=axis])[0], at.len());
            let source = |flat: usize| {
                let (outer, rest) = (flat / (count * inner), flat % (count * inner));
                (outer * size + at[rest / inner] as usize) * inner + rest % inner
            };
            return Ok(vec![pick(known, &x, shape, source)]);
        }
        if let ([at], 0) = (&at[..], indices.rank()) {
            return Ok(vec![c.take(&x, axis, at)?]);
        }
        // A run of indices is a slice.
        if at.windows(2).all(|w| w[1].minus(&w[0]).is(1)) && indices.rank() == 1 && !at.is_empty() {
            let mut offsets = vec![Dim::fixed(0); x.rank()];
            offsets[axis] = at[0].clone();
            return Ok(vec![c.slice(&x, &offsets, &shape, &vec![1; x.rank()])]);
        }
    }
    if shape.iter().any(|d| d.is(0)) {
        return Ok(vec![c.empty(x.elem, &shape)]);
    }
    if x.splat().is_some() {
        // Nothing is read.
        c.require_indices(&indices, &x.shape[axis])?;
    }
    let size = Scalar::index(c.index(&x.shape[axis]));
    let (ssa, ty) = (c.ssa(&x), x.ty());
    let out = c.empty(x.elem, &shape);
    let rank = shape.len();
    let index_map: Vec<_> = (axis..axis + indices.rank()).collect();
    let all: Vec<_> = (0..rank).collect();
    Ok(c.generic(&vec![Iter::Parallel; rank], &[(&indices, map(&index_map))], &[(&out, map(&all))], |b, v| {
        let index = to_index(b, &v[0], &size);
        let mut at: Vec<_> = (0..axis).map(|d| b.position(d)).collect();
        at.push(index);
        at.extend((axis + indices.rank()..rank).map(|d| b.position(d)).collect::<Vec<_>>());
        vec![b.extract(&ssa, &ty, x.elem, &at)]
    }))
}

fn gather_elements(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, indices) = (n.input(0)?.clone(), n.input(1)?.clone());
    let axis = n.axis(n.int("axis", 0), x.rank())?;
    if indices.rank() != x.rank() {
        return invalid(format!("the indices have rank {}, the input {}", indices.rank(), x.rank()));
    }
    for i in (0..x.rank()).filter(|&i| i != axis) {
        let (own, wanted) = (&x.shape[i], &indices.shape[i]);
        let text = format!(
            "{} is {{0}}, of {} {{1}}: there are more indices than elements",
            dimension(&x, i),
            shown(&indices)
        );
        c.require(Rule::AtLeast(own.clone(), wanted.clone()), &text, &[own, wanted])?;
    }
    if x.splat().is_some() {
        c.require_indices(&indices, &x.shape[axis])?;
    }
    let size = Scalar::index(c.index(&x.shape[axis]));
    let (ssa, ty) = (c.ssa(&x), x.ty());
    let shape = indices.shape.clone();
    Ok(vec![c.elementwise_to(&shape, &[indices], x.elem, |b, v| {
        let index = to_index(b, &v[0], &size);
        let mut at: Vec<_> = (0..x.rank()).map(|d| b.position(d)).collect();
        at[axis] = index;
        b.extract(&ssa, &ty, x.elem, &at)
    })?])
}

/// The last dimension of the indices is a position in the input after its `batch_dims` first dimensions.
fn gather_nd(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, mut indices) = (n.input(0)?.clone(), n.input(1)?.clone());
    let Ok(batch) = usize::try_from(n.int("batch_dims", 0)) else { return invalid("`batch_dims` is negative") };
    let Some(outer) = indices.rank().checked_sub(1) else { return invalid("the indices are a scalar") };
    if indices.shape[outer].get().is_none()
        && let Some(rank) = n.declared_rank(0)
        && let Some(depth) = (outer + x.rank()).checked_sub(batch + rank).filter(|d| *d > 0)
    {
        // It is in the rank that the model declares for the result.
        c.require_size((&indices, outer), &Dim::fixed(depth as i64), "as the declared rank of the result asks for")?;
        indices = c.settle(&indices);
    }
    let (last, outer) = indices.shape.split_last().expect("seen above");
    let Some(depth) = last.get().map(|d| d as usize) else {
        return unsupported(format!(
            "{} says of what rank the result is, and is dynamic; declare that rank, or fix the size by `--dim` or `--input-shape`",
            dimension(&indices, outer.len())
        ));
    };
    if batch.saturating_add(depth) > x.rank() || batch > outer.len() {
        return invalid(format!(
            "indices of {depth} positions and {batch} batch dimensions do not fit rank {}",
            x.rank()
        ));
    }
    for i in 0..batch {
        c.require_same((&x, i), (&indices, i))?;
    }
    let mut shape = outer.to_vec();
    shape.extend(x.shape[batch + depth..].iter().cloned());
    if shape.iter().any(|d| d.is(0)) {
        return Ok(vec![c.empty(x.elem, &shape)]);
    }
    if x.splat().is_some() {
        for k in 0..depth {
            let position =
                Value { label: indices.label.clone(), ..c.take(&indices, outer.len(), &Dim::fixed(k as i64))? };
            c.require_indices(&position, &x.shape[batch + k])?;
        }
    }
    let sizes: Vec<_> = x.shape[batch..batch + depth].iter().map(|d| Scalar::index(c.index(d))).collect();
    let (ssa, ty, index_ssa, index_ty) = (c.ssa(&x), x.ty(), c.ssa(&indices), indices.ty());
    let out = c.empty(x.elem, &shape);
    let all: Vec<_> = (0..shape.len()).collect();
    let outer = outer.len();
    Ok(c.generic(&vec![Iter::Parallel; shape.len()], &[], &[(&out, map(&all))], |b, _| {
        let here: Vec<_> = all.iter().map(|&d| b.position(d)).collect();
        let mut at = here[..batch].to_vec();
        for (k, size) in sizes.iter().enumerate() {
            let mut index_at = here[..outer].to_vec();
            index_at.push(b.index_constant(k as i64));
            let read = b.extract(&index_ssa, &index_ty, indices.elem, &index_at);
            at.push(to_index(b, &read, size));
        }
        at.extend_from_slice(&here[outer..]);
        vec![b.extract(&ssa, &ty, x.elem, &at)]
    }))
}
