//! `RotaryEmbedding`.
use super::Entry;
use crate::onnx::{Context, Dim, Node, Order, Outcome, Scalar, Value, context::require::Rule, problem::invalid};

pub(super) const OPS: &[Entry] = &[("RotaryEmbedding", rotary)];

/// Pairs of elements turned by the angles of their positions.
fn rotary(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let (cos, sin) = (n.input(1)?.clone(), n.input(2)?.clone());
    if ![3, 4].contains(&x.rank()) {
        return invalid(format!("`{}` is of neither rank 3 nor rank 4", x.ty()));
    }
    let flat = x.rank() == 3;
    let interleaved = n.int("interleaved", 0) != 0;
    // To [batch, length, heads, size].
    let input = if flat {
        let count = n.int("num_heads", 0);
        if count < 1 || x.shape[2].get().is_some_and(|d| d % count != 0) {
            return invalid(format!("`num_heads` is {count}"));
        }
        let size = c.divided((&x, 2), count, "heads")?;
        c.reshape(&x, &[x.shape[0].clone(), x.shape[1].clone(), Dim::fixed(count), size])?
    } else {
        c.transpose(&x, &[0, 2, 1, 3])
    };
    let input = Value { label: x.label.clone(), ..input };
    let size = input.shape[3].clone();
    let (half, turned) = match n.int("rotary_embedding_dim", 0) {
        0 => (c.divided((&input, 3), 2, "halves")?, c.settle_dim(&size)),
        d if d < 0 || d % 2 != 0 => return invalid(format!("`rotary_embedding_dim` is {d}")),
        d => (Dim::fixed(d / 2), Dim::fixed(d)),
    };
    let text = "the heads are of size {0}, of which {1} are turned";
    c.require(Rule::AtLeast(size.clone(), turned.clone()), text, &[&size, &turned])?;
    angles(c, n, &input, &half)?;
    let (input, cos, sin) = (c.settle(&input), c.settle(&cos), c.settle(&sin));
    let (half, turned) = (Scalar::index(c.index(&half)), Scalar::index(c.index(&turned)));
    // Angles of each position: picked from the caches by identifier, or given for each batch.
    let ids = n.optional(3).cloned();
    let (cos_ssa, sin_ssa, cos_ty, sin_ty, x_ssa, x_ty) =
        (c.ssa(&cos), c.ssa(&sin), cos.ty(), sin.ty(), c.ssa(&input), input.ty());
    let ids = ids.map(|v| (c.ssa(&v), v.ty(), v.elem));
    let elem = x.elem;
    let out = c.empty(elem, &input.shape);
    let all = crate::onnx::generic::map(&[0, 1, 2, 3]);
    let result = c
        .generic(&[crate::onnx::Iter::Parallel; 4], &[], &[(&out, all)], |b, _| {
            let (batch, place, head, at) = (b.position(0), b.position(1), b.position(2), b.position(3));
            let (zero, two) = (b.index_constant(0), b.index_constant(2));
            let (half_index, turned_index) = (half.clone(), turned.clone());
            let inside = b.compare(Order::Lt, &at, &turned_index);
            let at_safe = b.select(&inside, &at, &zero);
            // The angle, the partner of the pair, and whether this is its first element.
            let (angle, partner, first) = if interleaved {
                let angle = b.div(&at_safe, &two);
                let rest = b.rem(&at_safe, &two);
                let first = b.compare(Order::Eq, &rest, &zero);
                let one = b.index_constant(1);
                let (up, down) = (b.add(&at_safe, &one), b.sub(&at_safe, &one));
                (angle, b.select(&first, &up, &down), first)
            } else {
                let first = b.compare(Order::Lt, &at_safe, &half_index);
                let (up, down) = (b.add(&at_safe, &half_index), b.sub(&at_safe, &half_index));
                (b.select(&first, &at_safe, &down), b.select(&first, &up, &down), first)
            };
            let row = match &ids {
                Some((ssa, ty, elem)) => {
                    let id = b.extract(ssa, ty, *elem, &[batch.clone(), place.clone()]);
                    vec![b.to_index(&id), angle]
                }
                None => vec![batch.clone(), place.clone(), angle],
            };
            let (cos, sin) = (b.extract(&cos_ssa, &cos_ty, elem, &row), b.extract(&sin_ssa, &sin_ty, elem, &row));
            let own = b.extract(&x_ssa, &x_ty, elem, &[batch.clone(), place.clone(), head.clone(), at]);
            let other = b.extract(&x_ssa, &x_ty, elem, &[batch, place, head, partner]);
            let (straight, cross) = (b.mul(&cos, &own), b.mul(&sin, &other));
            let (less, more) = (b.sub(&straight, &cross), b.add(&straight, &cross));
            let turned = b.select(&first, &less, &more);
            vec![b.select(&inside, &turned, &own)]
        })
        .remove(0);
    Ok(vec![if flat { c.reshape(&result, &x.shape)? } else { c.transpose(&result, &[0, 2, 1, 3]) }])
}

/// Cosines and sines are there for each position: a row for each identifier, or for each batch and place.
fn angles(c: &mut Context<'_>, n: &Node, input: &Value, half: &Dim) -> Outcome<()> {
    let caches = [n.input(1)?.clone(), n.input(2)?.clone()];
    let rank = if n.optional(3).is_some() { 2 } else { 3 };
    for cache in &caches {
        if cache.rank() != rank {
            return invalid(format!("the angles of type `{}` are not of rank {rank}", cache.ty()));
        }
        c.require_size((cache, rank - 1), half, "half of what is turned of a head")?;
    }
    let rows = match n.optional(3) {
        Some(ids) if ids.rank() != 2 => {
            return invalid(format!("the identifiers of type `{}` are not of rank 2", ids.ty()));
        }
        Some(ids) => {
            c.require_same((&caches[0], 0), (&caches[1], 0))?;
            vec![ids.clone()]
        }
        None => caches.to_vec(),
    };
    // In the form with heads in the middle the place is dimension 1.
    for v in &rows {
        c.require_same((v, 0), (input, 0))?;
        c.require_same((v, 1), (input, 1))?;
    }
    Ok(())
}
