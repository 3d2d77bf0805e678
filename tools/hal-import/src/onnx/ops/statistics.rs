//! `BatchNormalization` in training mode: uses mean and variance of the batch, and updates running averages.
use super::{
    conv::per_channel,
    matmul::narrowed,
    reduce::{count, over, sum},
};
use crate::onnx::{Context, Dim, Node, Outcome, Value, problem::invalid};

/// The result, the new averages of mean and variance, and, before opset 14, mean and variance of the batch.
pub(super) fn batch_training(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let (epsilon, momentum) = (n.float("epsilon", 1e-5), n.float("momentum", 0.9));
    if n.opset < 9 && n.int("spatial", 1) == 0 {
        return crate::onnx::problem::unsupported("it trains without `spatial`; reshape its input to rank 2");
    }
    let parameters: Vec<Value> = (1..5).map(|i| n.input(i).cloned()).collect::<Outcome<_>>()?;
    if x.rank() < 2 {
        return invalid(format!("the input has rank {}, and so no channels", x.rank()));
    }
    for p in &parameters {
        per_channel(c, p, (&x, 1))?;
    }
    let x = c.settle(&x);
    let axes: Vec<_> = (0..x.rank()).filter(|&i| i != 1).collect();
    super::reduce::some(c, &x, &axes, "mean")?;
    let x = c.settle(&x);
    let parameters: Vec<_> = parameters.iter().map(|v| c.settle(v)).collect();
    let (elem, wide) = (x.elem, x.elem.accumulator());
    let number = count(c, &x, &axes);
    let list = [x.shape[1].clone()];
    let mut column = list.to_vec();
    column.resize(x.rank() - 1, Dim::fixed(1));
    let total = sum(c, &x, &axes, |_, v| v.clone())?;
    let mean = c.elementwise(&[total], wide, |b, v| over(b, &v[0], &number))?;
    let spread = c.reshape(&mean, &column)?;
    let centred = c.elementwise_to(&x.shape.clone(), &[x.clone(), spread], wide, |b, v| {
        let value = b.cast(&v[0], wide);
        b.sub(&value, &v[1])
    })?;
    let squares = sum(c, &centred, &axes, |b, v| b.mul(v, v))?;
    let variance = c.elementwise(&[squares], wide, |b, v| over(b, &v[0], &number))?;
    let mut inputs = vec![centred];
    for v in [&variance, &parameters[0], &parameters[1]] {
        inputs.push(c.reshape(v, &column)?);
    }
    let result = c.elementwise_to(&x.shape.clone(), &inputs, elem, |b, v| {
        let (scale, bias) = (b.cast(&v[2], wide), b.cast(&v[3], wide));
        let epsilon = b.like(&v[1], epsilon);
        let raised = b.add(&v[1], &epsilon);
        let root = b.math("sqrt", &raised);
        let normal = b.div(&v[0], &root);
        let scaled = b.mul(&normal, &scale);
        let value = b.add(&scaled, &bias);
        b.cast(&value, elem)
    })?;
    let mut results = vec![result];
    for (old, new) in parameters[2..].iter().zip([&mean, &variance]) {
        results.push(c.elementwise(&[old.clone(), new.clone()], old.elem, |b, v| {
            let before = b.cast(&v[0], wide);
            let (keep, take) = (b.like(&before, momentum), b.like(&before, 1.0 - momentum));
            let (kept, added) = (b.mul(&before, &keep), b.mul(&v[1], &take));
            let value = b.add(&kept, &added);
            b.cast(&value, old.elem)
        })?);
    }
    for (old, new) in parameters[2..].iter().zip([&mean, &variance]) {
        results.push(narrowed(c, new, old.elem)?);
    }
    Ok(results)
}
