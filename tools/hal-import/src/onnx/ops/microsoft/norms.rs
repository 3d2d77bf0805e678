//! Normalisations, some of a sum.
use super::{
    super::{Entry, apply},
    build::{float, int, op, sum},
};
use crate::onnx::{
    Context, Node, Outcome, Value,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("SkipLayerNormalization", |c, n| skip(c, n, true)),
    ("SkipSimplifiedLayerNormalization", |c, n| skip(c, n, false)),
    ("SimplifiedLayerNormalization", simplified),
    ("LayerNormalization", |c, n| super::build::same(c, n, "LayerNormalization")),
    ("SkipGroupNorm", skip_group),
    ("GroupNorm", skip_group),
];

/// Operators that onnxruntime writes without a domain.
pub(super) const STANDARD: &[Entry] = &[("SimplifiedLayerNormalization", simplified)];

/// The normalisation of the sum of input, skip and bias, and that sum.
fn skip(c: &mut Context<'_>, n: &Node, centred: bool) -> Outcome {
    let (x, skip, gamma) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let (beta, bias) =
        if centred { (n.optional(3).cloned(), n.optional(4).cloned()) } else { (None, n.optional(3).cloned()) };
    if x.rank() < 2 {
        return invalid(format!("the input of type `{}` has no rows", x.ty()));
    }
    let epsilon = n.float("epsilon", 1e-12);
    let mut parts = vec![&x, &skip];
    parts.extend(bias.iter());
    let whole = sum(c, n, &parts)?;
    if whole.rank() != x.rank() {
        return invalid(format!("`{}` does not broadcast to `{}`", skip.ty(), x.ty()));
    }
    let attributes = vec![int("axis", -1), float("epsilon", epsilon)];
    let name = if centred { "LayerNormalization" } else { "RMSNormalization" };
    let inputs = vec![Some(whole.clone()), Some(gamma), beta];
    let mut results = apply(c, n, name, inputs, attributes)?;
    if n.wants(1) || n.wants(2) {
        if !centred {
            return unsupported("outputs 1 and 2 (`mean`, `inv_std_var`) are used");
        }
        results.truncate(3);
    } else {
        results.truncate(1);
        results.extend([whole.clone(), whole.clone()]);
    }
    results.push(whole);
    Ok(results)
}

/// `x / sqrt(mean(x²) + epsilon) · scale`, and the inverse of the root.
fn simplified(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, scale) = (n.input(0)?.clone(), n.input(1)?.clone());
    let (axis, epsilon) = (n.int("axis", -1), n.float("epsilon", 1e-5));
    let attributes = [int("axis", axis), float("epsilon", epsilon)];
    let result = op(c, n, "RMSNormalization", &[&x, &scale], &attributes)?;
    if !n.wants(1) {
        return Ok(vec![result]);
    }
    let axes: Vec<_> = (n.axis(axis, x.rank())?..x.rank()).collect();
    let count = super::super::reduce::count(c, &x, &axes);
    let squares = super::super::reduce::sum(c, &x, &axes, |b, v| b.mul(v, v))?;
    let inverse = c.elementwise(&[squares], x.elem.accumulator(), |b, v| {
        let mean = super::super::reduce::over(b, &v[0], &count);
        let epsilon = b.like(&mean, epsilon);
        let sum = b.add(&mean, &epsilon);
        let root = b.math("sqrt", &sum);
        let one = b.like(&root, 1.0);
        b.div(&one, &root)
    })?;
    let inverse = super::super::softmax::kept(c, &inverse, &x.shape.clone(), &axes)?;
    Ok(vec![result, inverse])
}

/// Groups of channels of `x + skip + bias`, with a SiLU where asked for.
fn skip_group(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let (gamma, beta) = (n.input(1)?.clone(), n.input(2)?.clone());
    let last = n.int("channels_last", 1) != 0;
    let rank = x.rank();
    if rank < 3 {
        return invalid(format!("the input of type `{}` has no channels in space", x.ty()));
    }
    let (groups, epsilon, silu) = (n.int("groups", 0), n.float("epsilon", 1e-5), n.int("activation", 0));
    let mut whole = x.clone();
    for more in [n.optional(3).cloned(), n.optional(4).cloned()].into_iter().flatten() {
        // A list, or one for each image, is about channels.
        let mut shape = more.shape.clone();
        if more.rank() == 2 {
            let ones = vec![1.into(); rank - 2];
            shape = if last { [&shape[..1], &ones, &shape[1..]].concat() } else { [shape, ones].concat() };
        } else if more.rank() == 1 && !last {
            shape.extend(vec![1.into(); rank - 2]);
        }
        let more = c.reshape(&more, &shape)?;
        whole = op(c, n, "Add", &[&whole, &more], &[])?;
    }
    let first: Vec<_> = [0, rank - 1].into_iter().chain(1..rank - 1).collect();
    let turned = if last { c.transpose(&whole, &first) } else { whole.clone() };
    let attributes = [int("num_groups", groups), float("epsilon", epsilon)];
    let mut result = op(c, n, "GroupNormalization", &[&turned, &gamma, &beta], &attributes)?;
    match silu {
        0 => {}
        1 => result = op(c, n, "Swish", &[&result], &[])?,
        other => return invalid(format!("`activation` is {other}")),
    }
    if last {
        let back: Vec<_> = [0].into_iter().chain(2..rank).chain([1]).collect();
        result = c.transpose(&result, &back);
    }
    Ok(vec![result, whole])
}

/// A value in the type of another one.
pub(super) fn like(c: &mut Context<'_>, x: &Value, of: &Value) -> Outcome<Value> {
    super::super::matmul::narrowed(c, x, of.elem)
}
