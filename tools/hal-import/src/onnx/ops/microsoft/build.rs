//! Helpers for operators that are composed of standard ones.
use crate::onnx::{
    Context, Dim, Elem, Node, Num, Outcome, Tensor, Value,
    problem::{invalid, unsupported},
    proto::Attribute,
};

/// The first result of a standard operator.
pub(super) fn op(
    c: &mut Context<'_>,
    n: &Node,
    name: &str,
    inputs: &[&Value],
    attributes: &[Attribute],
) -> Outcome<Value> {
    let inputs = inputs.iter().map(|v| Some((*v).clone())).collect();
    Ok(super::super::apply(c, n, name, inputs, attributes.to_vec())?.swap_remove(0))
}

/// Calls a standard operator instead of the node, with its inputs and attributes.
pub(super) fn same(c: &mut Context<'_>, n: &Node, name: &str) -> Outcome {
    same_with(c, n, name, &[])
}

/// Does the same as [`same`], with other attributes than the node's.
pub(super) fn same_with(c: &mut Context<'_>, n: &Node, name: &str, instead: &[Attribute]) -> Outcome {
    let mut attributes: Vec<_> =
        n.attributes.iter().filter(|a| !instead.iter().any(|i| i.name == a.name)).cloned().collect();
    attributes.iter().for_each(|a| _ = n.has(a.name.as_deref().unwrap_or_default()));
    attributes.extend_from_slice(instead);
    super::super::apply(c, n, name, n.operands(), attributes)
}

/// Attributes of the node under their names, for an operator that has the same ones.
pub(super) fn kept(n: &Node, names: &[&str]) -> Vec<Attribute> {
    names.iter().for_each(|name| _ = n.has(name));
    n.attributes.iter().filter(|a| names.iter().any(|name| a.name.as_deref() == Some(*name))).cloned().collect()
}

pub(super) fn int(name: &str, value: i64) -> Attribute {
    Attribute { name: Some(name.into()), i: Some(value), ..Attribute::default() }
}

pub(super) fn float(name: &str, value: f64) -> Attribute {
    Attribute { name: Some(name.into()), f: Some(value as f32), ..Attribute::default() }
}

pub(super) fn ints(name: &str, values: &[i64]) -> Attribute {
    Attribute { name: Some(name.into()), ints: values.to_vec(), ..Attribute::default() }
}

pub(super) fn text(name: &str, value: &str) -> Attribute {
    Attribute { name: Some(name.into()), s: Some(value.to_owned().into()), ..Attribute::default() }
}

/// Returns a constant scalar.
pub(super) fn scalar(elem: Elem, value: f64) -> Value {
    Value::constant(Tensor::scalar(elem, if elem.is_float() { Num::F(value) } else { Num::I(value as i128) }))
}

/// The sum of values, with broadcasting.
pub(super) fn sum(c: &mut Context<'_>, n: &Node, values: &[&Value]) -> Outcome<Value> {
    let (first, rest) = values.split_first().expect("something to add");
    rest.iter().try_fold((*first).clone(), |sum, v| op(c, n, "Add", &[&sum, v], &[]))
}

/// Requires a value of a rank.
pub(super) fn ranked(v: &Value, rank: usize) -> Outcome<()> {
    if v.rank() == rank { Ok(()) } else { invalid(format!("`{}` is not of rank {rank}", v.ty())) }
}

/// Requires that attributes are 0 where they are given.
pub(super) fn unset(n: &Node, names: &[&str]) -> Outcome<()> {
    match names.iter().find(|name| n.int(name, 0) > 0) {
        Some(name) => unsupported(format!("`{name}` is set")),
        None => Ok(()),
    }
}

/// Slices along an axis, which is kept.
pub(super) fn cut(c: &mut Context<'_>, v: &Value, axis: usize, from: &Dim, size: &Dim) -> Value {
    let mut offsets = vec![Dim::fixed(0); v.rank()];
    let mut sizes = v.shape.clone();
    (offsets[axis], sizes[axis]) = (from.clone(), size.clone());
    c.slice(v, &offsets, &sizes, &vec![1; v.rank()])
}
