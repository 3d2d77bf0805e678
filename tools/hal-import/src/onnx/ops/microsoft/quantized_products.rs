//! Products of quantised numbers.
use super::{
    super::{
        Entry, apply,
        integers::integers_to_floats,
        matmul::narrowed,
        node,
        quantize::by_own_range,
        recurrent::{QuantisedWeights, quantised_lstm},
    },
    build::{kept, op},
};
use crate::onnx::{Context, Elem, Node, Outcome, problem::invalid};

pub(super) const OPS: &[Entry] = &[
    ("MatMulIntegerToFloat", |c, n| {
        let inputs = [0, 1, 2, 3, 4, 5, 6].map(|i| n.optional(i).cloned());
        Ok(vec![integers_to_floats(c, n, inputs)?])
    }),
    ("DynamicQuantizeMatMul", dynamic_matmul),
    ("DynamicQuantizeLSTM", dynamic_lstm),
    ("QGemm", gemm),
    ("MatMulInteger16", |c, n| {
        let (a, b) = (n.input(0)?.clone(), n.input(1)?.clone());
        let (a, b) = (narrowed(c, &a, Elem::I32)?, narrowed(c, &b, Elem::I32)?);
        Ok(vec![super::super::matmul::product(c, &a, &b)?])
    }),
    ("QLinearConv", |c, n| {
        let last = n.int("channels_last", 0) != 0;
        let names = ["auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"];
        let attributes = kept(n, &names);
        let mut inputs = n.operands();
        let x = n.input(0)?.clone();
        let rank = x.rank();
        if !last || rank < 3 {
            return apply(c, n, "QLinearConv", inputs, attributes);
        }
        let first: Vec<_> = [0, rank - 1].into_iter().chain(1..rank - 1).collect();
        inputs[0] = Some(c.transpose(&x, &first));
        let y = apply(c, n, "QLinearConv", inputs, attributes)?.swap_remove(0);
        let back: Vec<_> = [0].into_iter().chain(2..rank).chain([1]).collect();
        Ok(vec![c.transpose(&y, &back)])
    }),
];

fn dynamic_matmul(c: &mut Context<'_>, n: &Node) -> Outcome {
    let a = n.input(0)?.clone();
    let [numbers, scale, zero] = by_own_range(c, &a)?;
    let b = [1, 2, 3, 4].map(|i| n.optional(i).cloned());
    let [weights, b_scale, b_zero, bias] = b;
    let inputs = [Some(numbers), weights, Some(scale), b_scale, Some(zero), b_zero, bias];
    Ok(vec![integers_to_floats(c, n, inputs)?])
}

/// An LSTM with quantised weights, which lie turned. Inputs and states are quantised by their own ranges, as in onnxruntime.
fn dynamic_lstm(c: &mut Context<'_>, n: &Node) -> Outcome {
    let weights = |at: usize, scale: usize| -> Outcome<QuantisedWeights> {
        let [numbers, scale, zero] = [at, scale, scale + 1].map(|input| n.input(input).cloned());
        Ok(QuantisedWeights { numbers: numbers?, scale: scale?, zero: zero? })
    };
    let weights = [weights(1, 8)?, weights(2, 10)?];
    for list in &weights {
        super::build::ranked(&list.numbers, 3)?;
    }
    let [w, r] = weights.each_ref().map(|of| Some(c.transpose(&of.numbers, &[0, 2, 1])));
    let mut inputs = vec![n.optional(0).cloned(), w, r];
    inputs.extend((3..8).map(|i| n.optional(i).cloned()));
    let names =
        ["activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "input_forget"];
    quantised_lstm(c, &node(n, "LSTM", inputs, kept(n, &names)), &weights)
}

/// `alpha · a_scale · b_scale · ((A - a_zero) · (B - b_zero) + C)`, quantised again if there is a scale for that.
fn gemm(c: &mut Context<'_>, n: &Node) -> Outcome {
    let [a, a_scale, a_zero, b, b_scale] = [0, 1, 2, 3, 4].map(|i| n.input(i).cloned());
    let (mut a, a_scale, a_zero, mut b, b_scale) = (a?, a_scale?, a_zero?, b?, b_scale?);
    let b_zero = n.optional(5).cloned();
    super::build::ranked(&a, 2)?;
    super::build::ranked(&b, 2)?;
    if n.int("transA", 0) != 0 {
        a = c.transpose(&a, &[1, 0]);
    }
    if n.int("transB", 0) != 0 {
        b = c.transpose(&b, &[1, 0]);
    }
    let alpha = n.float("alpha", 1.0);
    let inputs = vec![Some(a), Some(b), Some(a_zero), b_zero];
    let mut sums = apply(c, n, "MatMulInteger", inputs, Vec::new())?.swap_remove(0);
    if let Some(more) = n.optional(6).cloned() {
        sums = op(c, n, "Add", &[&sums, &more], &[])?;
    }
    let result = c.elementwise(&[sums, a_scale, b_scale], Elem::F32, |b, v| {
        let sum = b.cast(&v[0], Elem::F32);
        let scale = b.mul(&v[1], &v[2]);
        let alpha = b.like(&scale, alpha);
        let scale = b.mul(&scale, &alpha);
        b.mul(&sum, &scale)
    })?;
    match (n.optional(7).cloned(), n.optional(8).cloned()) {
        (Some(scale), Some(zero)) => Ok(vec![op(c, n, "QuantizeLinear", &[&result, &scale, &zero], &[])?]),
        (Some(_), None) => invalid("`y_zero_point` (input 8) is missing"),
        (None, _) => Ok(vec![result]),
    }
}
