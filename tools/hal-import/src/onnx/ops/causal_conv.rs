//! `CausalConvWithState`: a depthwise convolution over time that also reads earlier inputs, kept as a state.
use super::Entry;
use crate::onnx::{Context, Dim, Iter, Node, Num, Outcome, context::require::Rule, generic::map, problem::invalid};

pub(super) const OPS: &[Entry] = &[("CausalConvWithState", causal_conv)];

pub(super) fn causal_conv(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, w) = (n.input(0)?.clone(), n.input(1)?.clone());
    if x.rank() != 3 || w.rank() != 3 {
        return invalid(format!("the input `{}` or the weights `{}` are not of rank 3", x.ty(), w.ty()));
    }
    let active = match n.string("activation", "none").as_str() {
        "none" => false,
        "silu" | "swish" => true,
        other => return invalid(format!("`activation` is `{other}`")),
    };
    c.require_same((&w, 0), (&x, 1))?;
    c.require_size((&w, 1), &Dim::fixed(1), "as each channel is convolved by itself")?;
    let taps = c.settle_dim(&w.shape[2]);
    c.require(Rule::AtLeast(taps.clone(), Dim::fixed(1)), "the kernel has {0} elements", &[&taps])?;
    // Of `com.microsoft`; the standard operator has none.
    let step = n.int("dilation", 1);
    if step < 1 {
        return invalid(format!("`dilation` is {step}"));
    }
    let (x, before) = (c.settle(&x), taps.offset(-1).times(step));
    let [batch, channels, length] = [0, 1, 2].map(|i| x.shape[i].clone());
    let padded = match n.optional(3) {
        None => c.pad(&x, &[Dim::fixed(0), Dim::fixed(0), before.clone()], &[0, 0, 0].map(Dim::fixed), Num::I(0)),
        Some(past) => {
            if past.rank() != 3 {
                return invalid(format!("`{}` is not of rank 3", past.ty()));
            }
            c.require_same((past, 0), (&x, 0))?;
            c.require_same((past, 1), (&x, 1))?;
            c.require_size((past, 2), &before, "as outputs read of what is before them")?;
            let past = c.settle(past);
            c.concat(&[past, x.clone()], 2)?
        }
    };
    let weights = c.settle(&w);
    let weights = c.reshape(&weights, &[channels.clone(), taps.clone()])?;
    let wide = x.elem.accumulator();
    let start = c.filled(wide, &[batch.clone(), channels.clone(), length.clone()], Num::I(0));
    let iters = [Iter::Parallel, Iter::Parallel, Iter::Parallel, Iter::Reduction];
    let read = if step == 1 { "d0, d1, d2 + d3".to_owned() } else { format!("d0, d1, d2 + d3 * {step}") };
    let ins = [(&padded, read), (&weights, map(&[1, 3]))];
    let sum = c.generic(&iters, &ins, &[(&start, map(&[0, 1, 2]))], |b, v| {
        let (x, w) = (b.cast(&v[0], wide), b.cast(&v[1], wide));
        let part = b.mul(&x, &w);
        vec![b.add(&v[2], &part)]
    });
    let mut inputs = sum;
    if let Some(bias) = n.optional(2) {
        if bias.rank() != 1 {
            return invalid(format!("the bias of type `{}` is not a list", bias.ty()));
        }
        c.require_size((bias, 0), &channels, "as there are channels")?;
        let bias = c.settle(bias);
        inputs.push(c.reshape(&bias, &[channels.clone(), Dim::fixed(1)])?);
    }
    let shape = [batch.clone(), channels.clone(), length];
    let output = c.elementwise_to(&shape, &inputs, x.elem, |b, v| {
        let mut sum = v[0].clone();
        if let Some(bias) = v.get(1) {
            let bias = b.cast(bias, wide);
            sum = b.add(&sum, &bias);
        }
        let mut result = b.cast(&sum, x.elem);
        if active {
            // The specification activates what was rounded.
            let rounded = b.cast(&result, wide);
            let gate = super::activation::sigmoid(b, &rounded);
            let gated = b.mul(&rounded, &gate);
            result = b.cast(&gated, x.elem);
        }
        result
    })?;
    let last = c.settle_dim(&padded.shape[2]).minus(&before);
    let present = c.slice(&padded, &[Dim::fixed(0), Dim::fixed(0), last], &[batch, channels, before], &[1; 3]);
    Ok(vec![output, present])
}
