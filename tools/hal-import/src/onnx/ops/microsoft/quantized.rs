//! Operators on quantised numbers: dequantised, computed as floats, and quantised again.
use super::{
    super::{Entry, apply},
    build::{int, ints, kept, op, same},
};
use crate::onnx::{Context, Node, Outcome, Tensor, Value, problem::invalid, proto::Attribute};

pub(super) const OPS: &[Entry] = &[
    ("QuantizeLinear", |c, n| same(c, n, "QuantizeLinear")),
    ("DequantizeLinear", |c, n| same(c, n, "DequantizeLinear")),
    ("QLinearAdd", |c, n| binary(c, n, "Add")),
    ("QLinearMul", |c, n| binary(c, n, "Mul")),
    ("QLinearLeakyRelu", |c, n| unary(c, n, "LeakyRelu", &["alpha"])),
    ("QLinearSigmoid", |c, n| unary(c, n, "Sigmoid", &[])),
    ("QLinearSoftmax", softmax),
    ("QLinearReduceMean", reduce_mean),
    ("QLinearAveragePool", |c, n| {
        let names = ["auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"];
        pool(c, n, "AveragePool", &names)
    }),
    ("QLinearGlobalAveragePool", |c, n| pool(c, n, "GlobalAveragePool", &[])),
    ("QLinearConcat", concat),
    ("QLinearWhere", |c, n| {
        let (x, y) = (floats(c, n, 1)?, floats(c, n, 4)?);
        let result = op(c, n, "Where", &[n.input(0)?, &x, &y], &[])?;
        Ok(vec![numbers(c, n, &result, 7, Some(8))?])
    }),
    ("NhwcMaxPool", |c, n| {
        let x = n.input(0)?.clone();
        let attributes = kept(n, &["auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "strides"]);
        Ok(vec![in_front(c, &x, true, |c, x| op(c, n, "MaxPool", &[x], &attributes))?])
    }),
];

/// The floats of an input, of which the scale and the zero point follow.
fn floats(c: &mut Context<'_>, n: &Node, at: usize) -> Outcome<Value> {
    let inputs = vec![Some(n.input(at)?.clone()), Some(n.input(at + 1)?.clone()), n.optional(at + 2).cloned()];
    Ok(apply(c, n, "DequantizeLinear", inputs, Vec::new())?.swap_remove(0))
}

/// Floats as numbers, by the scale and zero point of these inputs; the type is that of the zero point, or of input 0.
fn numbers(c: &mut Context<'_>, n: &Node, x: &Value, scale: usize, zero: Option<usize>) -> Outcome<Value> {
    let zero = match zero.and_then(|at| n.optional(at)).cloned() {
        Some(zero) => zero,
        None => Value::constant(Tensor::from_ints(n.input(0)?.elem, &[0]).reshaped(Vec::new())),
    };
    op(c, n, "QuantizeLinear", &[x, n.input(scale)?, &zero], &[])
}

fn binary(c: &mut Context<'_>, n: &Node, name: &str) -> Outcome {
    let (a, b) = (floats(c, n, 0)?, floats(c, n, 3)?);
    let result = op(c, n, name, &[&a, &b], &[])?;
    Ok(vec![numbers(c, n, &result, 6, Some(7))?])
}

fn unary(c: &mut Context<'_>, n: &Node, name: &str, attributes: &[&str]) -> Outcome {
    let x = floats(c, n, 0)?;
    let result = op(c, n, name, &[&x], &kept(n, attributes))?;
    Ok(vec![numbers(c, n, &result, 3, Some(4))?])
}

/// Follows the rules of the version that `opset` names.
fn softmax(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = floats(c, n, 0)?;
    let (axis, opset) = (n.int("axis", -1), n.int("opset", 13));
    let result = if opset >= 13 {
        op(c, n, "Softmax", &[&x], &[int("axis", axis)])?
    } else {
        let axes: Vec<_> = (n.axis(axis, x.rank())?..x.rank()).collect();
        super::super::softmax::softmax(c, &x, &axes, false)?
    };
    Ok(vec![numbers(c, n, &result, 3, Some(4))?])
}

fn reduce_mean(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = floats(c, n, 0)?;
    let mut attributes = kept(n, &["keepdims"]);
    attributes.extend(n.ints("axes").map(|axes| ints("axes", &axes)));
    let result = op(c, n, "ReduceMean", &[&x], &attributes)?;
    Ok(vec![numbers(c, n, &result, 3, Some(4))?])
}

/// An operation that wants channels in front of space, on a value that may have them last.
pub(super) fn in_front(
    c: &mut Context<'_>,
    x: &Value,
    last: bool,
    f: impl FnOnce(&mut Context<'_>, &Value) -> Outcome<Value>,
) -> Outcome<Value> {
    let rank = x.rank();
    if !last {
        return f(c, x);
    }
    if rank < 3 {
        return invalid(format!("the input has rank {rank}, less than 3"));
    }
    let first: Vec<_> = [0, rank - 1].into_iter().chain(1..rank - 1).collect();
    let turned = c.transpose(x, &first);
    let result = f(c, &turned)?;
    let back: Vec<_> = [0].into_iter().chain(2..rank).chain([1]).collect();
    Ok(c.transpose(&result, &back))
}

fn pool(c: &mut Context<'_>, n: &Node, name: &str, attributes: &[&str]) -> Outcome {
    let last = n.int("channels_last", 0) != 0;
    let attributes = kept(n, attributes);
    let x = floats(c, n, 0)?;
    let result = in_front(c, &x, last, |c, x| op(c, n, name, &[x], &attributes))?;
    Ok(vec![numbers(c, n, &result, 3, Some(4))?])
}

/// Inputs 0 and 1 are the scale and the zero point of the result; then come three for each part.
fn concat(c: &mut Context<'_>, n: &Node) -> Outcome {
    let count = n.inputs.len().saturating_sub(2);
    if count == 0 || !count.is_multiple_of(3) {
        return invalid(format!("there are {} inputs", n.inputs.len()));
    }
    let parts = (0..count / 3).map(|i| floats(c, n, 2 + 3 * i)).collect::<Outcome<Vec<_>>>()?;
    let axis = Attribute { name: Some("axis".into()), i: Some(n.int("axis", 0)), ..Attribute::default() };
    let result = op(c, n, "Concat", &parts.iter().collect::<Vec<_>>(), &[axis])?;
    Ok(vec![op(c, n, "QuantizeLinear", &[&result, n.input(0)?, n.input(1)?], &[])?])
}
