//! Activations, some with a bias.
use super::{
    super::{Entry, activation::sigmoid},
    build::{cut, kept, op, same, sum, text},
};
use crate::onnx::{
    Context, Dim, Node, Outcome, Value,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("Gelu", |c, n| same(c, n, "Gelu")),
    ("BiasGelu", |c, n| biased(c, n, "none")),
    ("FastGelu", |c, n| biased(c, n, "tanh")),
    ("QuickGelu", quick_gelu),
    ("BiasSplitGelu", bias_split_gelu),
    ("BiasAdd", |c, n| Ok(vec![sum(c, n, &[n.input(0)?, n.input(1)?, n.input(2)?])?])),
    ("GemmFastGelu", |c, n| {
        let product = op(c, n, "MatMul", &[n.input(0)?, n.input(1)?], &[])?;
        let sum = with_optional(c, n, &product, 2)?;
        Ok(vec![op(c, n, "Gelu", &[&sum], &[text("approximate", "tanh")])?])
    }),
];

/// A value with a bias that may be left out.
pub(super) fn with_optional(c: &mut Context<'_>, n: &Node, x: &Value, input: usize) -> Outcome<Value> {
    match n.optional(input).cloned() {
        Some(bias) => op(c, n, "Add", &[x, &bias], &[]),
        None => Ok(x.clone()),
    }
}

fn biased(c: &mut Context<'_>, n: &Node, approximate: &str) -> Outcome {
    let x = n.input(0)?.clone();
    let x = with_optional(c, n, &x, 1)?;
    Ok(vec![op(c, n, "Gelu", &[&x], &[text("approximate", approximate)])?])
}

/// Computes `x · sigmoid(alpha · x)`.
fn quick_gelu(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let alpha = n.float("alpha", 1.702);
    let elem = x.elem;
    Ok(vec![c.elementwise(&[x], elem, |b, v| {
        let wide = b.cast(&v[0], elem.accumulator());
        let alpha = b.like(&wide, alpha);
        let scaled = b.mul(&alpha, &wide);
        let gate = sigmoid(b, &scaled);
        let result = b.mul(&wide, &gate);
        b.cast(&result, elem)
    })?])
}

/// The first half of the last dimension times the `Gelu` of the second.
fn bias_split_gelu(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, bias) = (n.input(0)?.clone(), n.input(1)?.clone());
    let x = op(c, n, "Add", &[&x, &bias], &[])?;
    let Some(axis) = x.rank().checked_sub(1) else { return invalid("the input is a scalar") };
    let half = c.divided((&x, axis), 2, "halves")?;
    let (left, right) = (cut(c, &x, axis, &Dim::fixed(0), &half), cut(c, &x, axis, &half, &half));
    let gate = op(c, n, "Gelu", &[&right], &[])?;
    Ok(vec![op(c, n, "Mul", &[&left, &gate], &[])?])
}

/// An activation that another operator ends with, by name and parameters.
pub(super) fn activate(c: &mut Context<'_>, n: &Node, x: &Value, name: &str, parameters: &[f64]) -> Outcome<Value> {
    use super::build::float;
    let p = |i: usize, name: &str| parameters.get(i).map(|v| float(name, *v));
    match name {
        "" => Ok(x.clone()),
        "Relu" | "Tanh" | "Sigmoid" | "Softplus" | "Softsign" | "HardSwish" | "Gelu" => op(c, n, name, &[x], &[]),
        "LeakyRelu" | "Elu" | "ThresholdedRelu" => op(c, n, name, &[x], &Vec::from_iter(p(0, "alpha"))),
        "Selu" => op(c, n, name, &[x], &p(0, "alpha").into_iter().chain(p(1, "gamma")).collect::<Vec<_>>()),
        "HardSigmoid" => op(c, n, name, &[x], &p(0, "alpha").into_iter().chain(p(1, "beta")).collect::<Vec<_>>()),
        "Clip" => {
            let [low, high] = parameters else { return invalid("`Clip` has not two parameters") };
            let (low, high) = (super::build::scalar(x.elem, *low), super::build::scalar(x.elem, *high));
            op(c, n, "Clip", &[x, &low, &high], &[])
        }
        "Softmax" => op(
            c,
            n,
            name,
            &[x],
            &kept(n, &["activation_axis"])
                .into_iter()
                .map(|a| crate::onnx::proto::Attribute { name: Some("axis".into()), ..a })
                .collect::<Vec<_>>(),
        ),
        _ => unsupported(format!("`activation` is `{name}`")),
    }
}

/// The parameters of an activation that has an attribute for each.
pub(super) fn parameters(n: &Node) -> Vec<f64> {
    let known =
        ["activation_alpha", "activation_beta", "activation_gamma"].map(|name| n.has(name).then(|| n.float(name, 0.0)));
    known.into_iter().flatten().collect()
}
