//! Elements selected by data: their number is known only at run time.
use super::{Entry, prefix::positions};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Outcome, Scalar, Value,
    context::require::{Rule, dimension},
    generic::map,
    problem::invalid,
};

pub(super) const OPS: &[Entry] = &[("NonZero", non_zero), ("Compress", compress)];

/// Returns the indices of nonzero elements: a row for each dimension.
fn non_zero(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let count = c.product(&x.shape);
    let flat = c.reshape(&x, std::slice::from_ref(&count))?;
    let mask = c.elementwise(&[flat], Elem::Bool, |b, v| b.cast(&v[0], Elem::Bool))?;
    let places = positions(c, &mask)?;
    let shape = [Dim::fixed(x.rank() as i64), places.shape[0].clone()];
    if x.rank() == 0 || places.is_empty() {
        return Ok(vec![c.empty(Elem::I64, &shape)]);
    }
    // The stride of each dimension in elements.
    let (mut strides, mut sizes) = (Vec::new(), Vec::new());
    for d in 0..x.rank() {
        let below = c.product(&x.shape[d + 1..]);
        strides.push(Scalar::index(c.index(&below)));
        sizes.push(Scalar::index(c.index(&x.shape[d])));
    }
    let out = c.empty(Elem::I64, &shape);
    let rows = c.generic(&[Iter::Parallel; 2], &[(&places, map(&[1]))], &[(&out, map(&[0, 1]))], |b, v| {
        let (row, place) = (b.position(0), b.to_index(&v[0]));
        let one = b.index_constant(1);
        let (mut stride, mut size) = (strides[0].clone(), sizes[0].clone());
        for d in 1..strides.len() {
            let here = b.index_constant(d as i64);
            let is = b.compare(crate::onnx::Order::Eq, &row, &here);
            stride = b.select(&is, &strides[d], &stride);
            size = b.select(&is, &sizes[d], &size);
        }
        // Where there is an element, no size is 0.
        let (stride, size) = (b.max(&stride, &one), b.max(&size, &one));
        let above = b.div(&place, &stride);
        let index = b.rem(&above, &size);
        vec![b.cast(&index, Elem::I64)]
    });
    Ok(rows)
}

/// Slices along an axis, or elements of the flattened input, for which a condition holds.
fn compress(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, condition) = (n.input(0)?.clone(), n.input(1)?.clone());
    if condition.rank() != 1 {
        return invalid(format!("the condition of type `{}` is not a list", condition.ty()));
    }
    let (x, axis) = if n.has("axis") {
        let axis = n.axis(n.int("axis", 0), x.rank())?;
        (x, axis)
    } else {
        let count = c.product(&x.shape);
        (c.reshape(&x, &[count])?, 0)
    };
    let (own, wanted) = (&x.shape[axis], &condition.shape[0]);
    let text = format!("the condition has {{1}} elements, more than {} of size {{0}}", dimension(&x, axis));
    c.require(Rule::AtLeast(own.clone(), wanted.clone()), &text, &[own, wanted])?;
    let (x, condition) = (c.settle(&x), c.settle(&condition));
    let places = positions(c, &condition)?;
    Ok(vec![rows(c, &x, axis, &places)?])
}

/// An index that is right, so that everyone can tell.
pub(super) fn clamped(b: &mut Body<'_>, index: &Scalar, last: &Scalar) -> Scalar {
    let zero = b.index_constant(0);
    let index = b.max(index, &zero);
    b.min(&index, last)
}

/// The slices of a value at positions along an axis, which are right.
pub(crate) fn rows(c: &mut Context<'_>, x: &Value, axis: usize, places: &Value) -> Outcome<Value> {
    let mut shape = x.shape.clone();
    shape[axis] = places.shape[0].clone();
    if x.is_empty() || places.is_empty() {
        return Ok(c.empty(x.elem, &shape));
    }
    if let Some(number) = x.splat() {
        return Ok(c.filled(x.elem, &shape, number));
    }
    let last = Scalar::index(c.index(&x.shape[axis].offset(-1)));
    let (ssa, ty) = (c.ssa(x), x.ty());
    let out = c.empty(x.elem, &shape);
    let all: Vec<_> = (0..x.rank()).collect();
    let mut taken =
        c.generic(&vec![Iter::Parallel; x.rank()], &[(places, map(&[axis]))], &[(&out, map(&all))], |b, v| {
            let mut at: Vec<_> = all.iter().map(|&d| b.position(d)).collect();
            let place = b.to_index(&v[0]);
            at[axis] = clamped(b, &place, &last);
            vec![b.extract(&ssa, &ty, x.elem, &at)]
        });
    Ok(taken.remove(0))
}
