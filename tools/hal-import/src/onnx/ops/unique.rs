//! `Unique`: elements or slices without repetitions, sorted or in order of first occurrence.
use super::{
    Entry,
    choose::rows,
    prefix::{positions, ranks},
    ranking::is_ahead,
    sort::sorted,
};
use crate::onnx::{Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value, generic::map};

pub(super) const OPS: &[Entry] = &[("Unique", unique)];

fn unique(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let (x, axis, flat) = if n.has("axis") {
        let axis = n.axis(n.int("axis", 0), x.rank())?;
        (x, axis, false)
    } else {
        let count = c.product(&x.shape);
        (c.reshape(&x, &[count])?, 0, true)
    };
    let size = x.shape[axis].clone();
    // The order of all, and where something new begins in it.
    let (places, fresh) = if flat || x.rank() == 1 {
        let (values, places) = sorted(c, &x, axis, &size, false)?;
        let fresh = begins(c, &values, std::slice::from_ref(&size))?;
        (places, fresh)
    } else {
        sorted_slices(c, &x, axis)?
    };
    let starts = positions(c, &fresh)?;
    let count = starts.shape[0].clone();
    let mut indices = rows(c, &places, 0, &starts)?;
    // The group of each element in sorted order, and so the group of each element.
    let groups = ranks(c, &fresh)?;
    let back = inverse(c, &places)?;
    let mut groups = rows(c, &groups, 0, &back)?;
    let mut counts = lengths(c, &starts, &size);
    if n.int("sorted", 1) == 0 {
        let (by_first, order) = sorted(c, &indices, 0, &count, false)?;
        counts = rows(c, &counts, 0, &order)?;
        let moved = inverse(c, &order)?;
        groups = rows(c, &moved, 0, &groups)?;
        indices = by_first;
    }
    let values = rows(c, &x, axis, &indices)?;
    let mut results = vec![values, indices, groups, counts];
    for (i, result) in results.iter_mut().enumerate() {
        *result = c.as_declared(result.clone(), n.declared.get(i).and_then(Option::as_deref))?;
    }
    Ok(results)
}

/// Finds where a sorted list changes. `list` may have several dimensions, of which the first is the list's.
fn begins(c: &mut Context<'_>, list: &Value, shape: &[Dim]) -> Outcome<Value> {
    let (ssa, ty) = (c.ssa(list), list.ty());
    c.elementwise_to(shape, std::slice::from_ref(list), Elem::Bool, |b, v| {
        let mut at: Vec<_> = (0..list.rank()).map(|d| b.position(d)).collect();
        let (zero, one) = (b.index_constant(0), b.index_constant(1));
        let first = b.compare(Order::Eq, &at[0], &zero);
        let before = b.sub(&at[0], &one);
        at[0] = b.max(&before, &zero);
        let other = b.extract(&ssa, &ty, list.elem, &at);
        let (above, below) = (is_ahead(b, &v[0], &other, true), is_ahead(b, &other, &v[0], true));
        let differs = b.or(&above, &below);
        b.or(&first, &differs)
    })
}

/// The positions that a permutation leads back to.
fn inverse(c: &mut Context<'_>, places: &Value) -> Outcome<Value> {
    let size = places.shape[0].clone();
    Ok(sorted(c, places, 0, &size, false)?.1)
}

/// Returns the distance from each start to the next one, or to the end.
fn lengths(c: &mut Context<'_>, starts: &Value, size: &Dim) -> Value {
    let count = starts.shape[0].clone();
    let out = c.empty(Elem::I64, std::slice::from_ref(&count));
    if starts.is_empty() {
        return out;
    }
    let (size, last) = (Scalar::index(c.index(size)), Scalar::index(c.index(&count.offset(-1))));
    let (ssa, ty) = (c.ssa(starts), starts.ty());
    c.generic(&[Iter::Parallel], &[(starts, map(&[0]))], &[(&out, map(&[0]))], |b, v| {
        let (here, one) = (b.position(0), b.index_constant(1));
        let next = b.add(&here, &one);
        let place = b.min(&next, &last);
        let next = b.extract(&ssa, &ty, Elem::I64, std::slice::from_ref(&place));
        let ends = b.compare(Order::Eq, &here, &last);
        let size = b.cast(&size, Elem::I64);
        let end = b.select(&ends, &size, &next);
        vec![b.sub(&end, &v[0])]
    })
    .remove(0)
}

/// The order of the slices along an axis, as their elements tell one after the other, and where another one begins in it.
fn sorted_slices(c: &mut Context<'_>, x: &Value, axis: usize) -> Outcome<(Value, Value)> {
    let front: Vec<_> = [axis].into_iter().chain((0..x.rank()).filter(|&d| d != axis)).collect();
    let moved = c.transpose(x, &front);
    let (size, inner) = (x.shape[axis].clone(), c.product(&moved.shape[1..]));
    let mut list = c.reshape(&moved, &[size.clone(), inner.clone()])?;
    let mut inner = inner;
    if inner.get().is_none_or(|inner| inner == 0) {
        // One element more, the same of all, so that there is one to read.
        let zero = Dim::fixed(0);
        list = c.pad(&list, &[zero.clone(), zero.clone()], &[zero, Dim::fixed(1)], Num::I(0));
        inner = inner.offset(1);
    }
    let square = [size.clone(), size.clone()];
    // The first element at which two slices differ, or their length.
    let length = Scalar::index(c.index(&inner));
    let most = c.filled(Elem::I64, &square, Num::I(i64::MAX.into()));
    let first = c
        .generic(
            &[Iter::Parallel, Iter::Parallel, Iter::Reduction],
            &[(&list, map(&[0, 2])), (&list, map(&[1, 2]))],
            &[(&most, map(&[0, 1]))],
            |b, v| {
                let (above, below) = (is_ahead(b, &v[0], &v[1], true), is_ahead(b, &v[1], &v[0], true));
                let differs = b.or(&above, &below);
                let here = b.position(2);
                let here = b.cast(&here, Elem::I64);
                let least = b.min(&v[2], &here);
                vec![b.select(&differs, &least, &v[2])]
            },
        )
        .remove(0);
    let (ssa, ty) = (c.ssa(&list), list.ty());
    let zero = c.filled(Elem::I64, std::slice::from_ref(&size), Num::I(0));
    let ranks = c
        .generic(&[Iter::Parallel, Iter::Reduction], &[(&first, map(&[0, 1]))], &[(&zero, map(&[0]))], |b, v| {
            let (here, other) = (b.position(0), b.position(1));
            let (place, zero, one) = (b.to_index(&v[0]), b.index_constant(0), b.index_constant(1));
            let differs = b.compare(Order::Lt, &place, &length);
            let last = b.sub(&length, &one);
            let place = b.min(&place, &last);
            let place = b.max(&place, &zero);
            let mine = b.extract(&ssa, &ty, list.elem, &[here.clone(), place.clone()]);
            let theirs = b.extract(&ssa, &ty, list.elem, &[other.clone(), place]);
            let ahead = is_ahead(b, &theirs, &mine, false);
            let earlier = b.compare(Order::Lt, &other, &here);
            let before = b.select(&differs, &ahead, &earlier);
            let one = b.int(Elem::I64, 1);
            let more = b.add(&v[1], &one);
            vec![b.select(&before, &more, &v[1])]
        })
        .remove(0);
    let places = inverse(c, &ranks)?;
    let ordered = rows(c, &list, 0, &places)?;
    let fresh = begins(c, &ordered, &[size.clone(), inner])?;
    let none = c.filled(Elem::Bool, std::slice::from_ref(&size), Num::I(0));
    let any = c
        .generic(&[Iter::Parallel, Iter::Reduction], &[(&fresh, map(&[0, 1]))], &[(&none, map(&[0]))], |b, v| {
            vec![b.or(&v[0], &v[1])]
        })
        .remove(0);
    let fresh = c.elementwise(&[any], Elem::Bool, |b, v| {
        let (here, zero) = (b.position(0), b.index_constant(0));
        let first = b.compare(Order::Eq, &here, &zero);
        b.or(&first, &v[0])
    })?;
    Ok((places, fresh))
}
