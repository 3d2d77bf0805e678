//! Numbers with scales: one for all, for each index of an axis, or for each block along it.
use super::zero_points::{along, listed};
use crate::onnx::{
    Body, Context, Dim, Elem, Node, Outcome, Scalar, Value, context::require::dimension, problem::invalid,
};

/// An elementwise operation on numbers with a scale, and perhaps a zero point: one for all, for each index of an axis, or for
/// each block along it.
pub(super) fn scaled(
    c: &mut Context<'_>,
    n: &Node,
    x: &Value,
    list: &[Value],
    axis: usize,
    to: Elem,
    body: impl FnOnce(&mut Body<'_>, &[Scalar]) -> Scalar,
) -> Outcome<Value> {
    let block = n.int("block_size", 0);
    if block < 0 {
        return invalid(format!("`block_size` is {block}"));
    }
    if let [scale, zero] = list
        && scale.rank() != zero.rank()
        && (scale.rank() > 1 || zero.rank() > 1)
    {
        return invalid(format!("the scale is of rank {}, its zero point of rank {}", scale.rank(), zero.rank()));
    }
    if block == 0 || list[0].rank() == 0 {
        for v in list {
            listed(c, v, (x, axis))?;
        }
        let x = c.settle(x);
        let mut inputs = vec![x.clone()];
        for v in list {
            let v = c.settle(v);
            inputs.push(along(c, &v, axis, x.rank())?);
        }
        return c.elementwise_to(&x.shape.clone(), &inputs, to, body);
    }
    for v in list {
        if v.rank() != x.rank() {
            return invalid(format!(
                "the scales of blocks are of rank {}, their numbers of rank {}",
                v.rank(),
                x.rank()
            ));
        }
        for i in (0..x.rank()).filter(|&i| i != axis) {
            c.require_same((v, i), (x, i))?;
        }
        let count = c.size_over(&x.shape[axis].offset(block - 1), &Dim::fixed(block));
        let why = format!("one for each {block} of {}", dimension(x, axis));
        c.require_size((v, axis), &count, &why)?;
    }
    let x = &c.settle(x);
    let list: Vec<_> = list.iter().map(|v| c.settle(v)).collect();
    if let Some(blocks) = x.shape[axis].exact_quotient(block) {
        // Blocks are a dimension of their own.
        let cut = |shape: &[Dim], by: Dim| {
            let mut shape = shape.to_vec();
            shape[axis] = blocks.clone();
            shape.insert(axis + 1, by);
            shape
        };
        let mut inputs = vec![c.reshape(x, &cut(&x.shape, Dim::fixed(block)))?];
        for v in &list {
            inputs.push(c.reshape(v, &cut(&v.shape, Dim::fixed(1)))?);
        }
        let result = c.elementwise_to(&inputs[0].shape.clone(), &inputs, to, body)?;
        return c.reshape(&result, &x.shape);
    }
    // The last block is shorter, or may be: each element finds its scale.
    let mut inputs = vec![x.clone()];
    for v in &list {
        let scales = c.gather_at(v, &x.shape, &[], |b, here, _| {
            let mut at = here.to_vec();
            let size = b.index_constant(block);
            at[axis] = b.div(&here[axis], &size);
            at
        });
        inputs.push(scales);
    }
    c.elementwise_to(&x.shape.clone(), &inputs, to, body)
}
