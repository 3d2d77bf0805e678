//! What slicing, inserting, concatenating and reading elements assume about sizes.
use super::super::{
    sizes::{Sizes, kept},
    symbols::Sym,
};
use super::{Claim, Relation};
use crate::dispatch::guards::is_guarded_slice;
use halyard_ir::{Attr, Op, Value};

/// A part of `whole` lies in it.
pub(in crate::dispatch::assumptions) fn slice(sizes: &mut Sizes, op: Op, whole: Value, first: usize) -> Vec<Claim> {
    slice_where(sizes, op, (whole, first), |_| true)
}

/// The same for a slice in a loop over elements, without the dimensions that guards check.
pub(in crate::dispatch::assumptions) fn slice_in_loop(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let unguarded = |d: usize| !is_guarded_slice(op, d);
    if op.is("tensor.extract_slice") {
        return slice_where(sizes, op, (op.operand(0), 1), unguarded);
    }
    let mut found = slice_where(sizes, op, (op.operand(1), 2), unguarded);
    found.extend(place_of_insert(sizes, op));
    found
}

fn slice_where(
    sizes: &mut Sizes,
    op: Op,
    (whole, first): (Value, usize),
    is_claimed: impl Fn(usize) -> bool,
) -> Vec<Claim> {
    let part = sizes.slice(op, first);
    let dims = sizes.dims(whole);
    let mut found = Vec::new();
    for (d, size) in part.sizes.iter().enumerate() {
        found.push(Claim::natural(size, format!("size {{0}} of dimension {d} is negative")));
    }
    for (d, dim) in dims.iter().enumerate().filter(|(d, _)| is_claimed(*d)) {
        let (offset, size, stride) = (&part.offsets[d], &part.sizes[d], &part.strides[d]);
        if stride.known().is_none() {
            let text = format!("the stride of dimension {d} is {{1}}; it must be {{0}} at least");
            found.push(Claim::new(Relation::AtMost, Sym::constant(1), stride.clone(), text));
        }
        let count = sizes.symbols.sub(size, &Sym::constant(1));
        let way = sizes.symbols.mul(&count, stride);
        let end = sizes.symbols.add(offset, &way);
        let (least, most) =
            if stride.known().is_some_and(|s| s < 0) { (end, offset.clone()) } else { (offset.clone(), end) };
        let last = sizes.symbols.sub(dim, &Sym::constant(1));
        let by = if stride.known() == Some(1) { "" } else { " by {3}" };
        let text = format!("dimension {d}: {{1}} elements from {{0}}{by} do not lie in a size of {{2}}");
        let shown = vec![offset.clone(), size.clone(), dim.clone(), stride.clone()];
        let shown = if by.is_empty() { shown[..3].to_vec() } else { shown };
        for (left, right) in [(Sym::constant(0), least), (most, last)] {
            let claim = Claim::new(Relation::AtMost, left, right, text.clone());
            found.push(Claim { unless_zero: part.sizes.clone(), shown: shown.clone(), ..claim });
        }
    }
    found
}

pub(in crate::dispatch::assumptions) fn insert_slice(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let mut found = slice(sizes, op, op.operand(1), 2);
    found.extend(place_of_insert(sizes, op));
    found
}

/// What is inserted has the sizes of its place.
fn place_of_insert(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let mut found = Vec::new();
    let part = sizes.slice(op, 2);
    let declared = op.attr("static_sizes").and_then(Attr::as_i64s).unwrap_or_default();
    let source = op.operand(0);
    let kept = kept(&part.sizes, &declared, &source.ty().shape());
    for (d, (is, wants)) in sizes.dims(source).into_iter().zip(kept).enumerate() {
        let text = format!("dimension {d} of what is inserted is {{0}}, of the place {{1}}; they must be equal");
        found.push(Claim::new(Relation::Equal, is, wants, text));
    }
    found
}

/// The element that is read or written lies in its tensor.
pub(in crate::dispatch::assumptions) fn element(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let tensor = usize::from(op.is("tensor.insert"));
    let dims = sizes.dims(op.operand(tensor));
    (dims.into_iter().enumerate())
        .map(|(d, size)| {
            let index = sizes.scalar(op.operand(tensor + 1 + d));
            Claim::new(
                Relation::Inside,
                index,
                size,
                format!("index {{0}} of dimension {d} lies outside of size {{1}}"),
            )
        })
        .collect()
}

pub(in crate::dispatch::assumptions) fn concat(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let axis = op.attr("dim").and_then(Attr::as_int);
    let mut found = Vec::new();
    let (first, others) = (sizes.dims(op.operand(0)), &op.operands()[1..]);
    for (k, part) in others.iter().enumerate() {
        let part = sizes.dims(*part);
        for (d, (a, b)) in first.iter().zip(part).enumerate().filter(|(d, _)| Some(*d as i64) != axis) {
            let text = format!("dimension {d} of operand 0 is {{0}}, of operand {} {{1}}; they must be equal", k + 1);
            found.push(Claim::new(Relation::Equal, a.clone(), b, text));
        }
    }
    // The type of the result may know more.
    let mut whole = first;
    if let Some(axis) = axis.and_then(|a| usize::try_from(a).ok()) {
        for part in others {
            let part = sizes.dims(*part);
            whole[axis] = sizes.symbols.add(&whole[axis], &part[axis]);
        }
    }
    for (d, (is, known)) in whole.into_iter().zip(op.result(0).ty().shape()).enumerate() {
        if let Some(known) = known {
            let text = format!("dimension {d} of its result is {{0}}; it must be {{1}}");
            found.push(Claim::new(Relation::Equal, is, Sym::constant(known), text));
        }
    }
    found
}
