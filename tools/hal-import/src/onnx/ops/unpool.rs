//! `MaxUnpool`: writes the maxima of a pooling back to their positions.
use super::{Entry, window::numbers};
use crate::onnx::{Context, Dim, Node, Num, Outcome, problem::invalid};

pub(super) const OPS: &[Entry] = &[("MaxUnpool", max_unpool)];

fn max_unpool(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, indices) = (n.input(0)?.clone(), n.input(1)?.clone());
    let Some(rank) = x.rank().checked_sub(2).filter(|_| indices.rank() == x.rank()) else {
        return invalid(format!("`{}` and its indices `{}` are no result of a pooling", x.ty(), indices.ty()));
    };
    let Some(kernel) = n.ints("kernel_shape").filter(|k| k.len() == rank) else {
        return invalid(format!("`kernel_shape` does not have {rank} numbers"));
    };
    let (strides, pads) = (numbers(n, rank, "strides", rank, 1)?, numbers(n, rank, "pads", 2 * rank, 0)?);
    for i in 0..x.rank() {
        c.require_same((&indices, i), (&x, i))?;
    }
    let (x, indices) = (c.settle(&x), c.settle(&indices));
    let mut shape = x.shape[..2].to_vec();
    for d in 0..rank {
        let size = x.shape[2 + d].offset(-1).times(strides[d]).offset(kernel[d] - pads[d] - pads[rank + d]);
        c.require_count(&size, &format!("size {} of the result", 2 + d))?;
        shape.push(size);
    }
    let (count, total) = (c.product(&x.shape), c.product(&shape));
    c.require_range(&indices, &Dim::fixed(0), &total.offset(-1))?;
    let one = Dim::fixed(1);
    let values = c.reshape(&x, std::slice::from_ref(&count))?;
    let places = c.reshape(&indices, &[count, one])?;
    let start = c.filled(x.elem, std::slice::from_ref(&total), Num::I(0));
    let (from, at, to) = (c.ssa(&values), c.ssa(&places), c.ssa(&start));
    // Windows that overlap may name one place twice, with one value.
    let text = format!(
        "tensor.scatter {from} into {to}[{at}] scatter_dims([0]) unique : ({}, {}, {}) -> {}",
        values.ty(),
        start.ty(),
        places.ty(),
        start.ty()
    );
    let flat = c.value(text, x.elem, start.shape.clone());
    let result = c.reshape(&flat, &shape)?;
    let Some(wanted) = n.optional(2) else { return Ok(vec![result]) };
    let wanted = c.read_dims_of(wanted, Some(shape.len()))?;
    if wanted.len() != shape.len() {
        return invalid(format!("`output_shape` (input 2) has {} sizes for rank {}", wanted.len(), shape.len()));
    }
    // The rest of a larger result is 0.
    let mut high = Vec::new();
    for (i, (own, wanted)) in shape.iter().zip(&wanted).enumerate() {
        let text = format!("size {i} of `output_shape` is {{0}}, less than the {{1}} that the pooling was made of");
        c.require(crate::onnx::context::require::Rule::AtLeast(wanted.clone(), own.clone()), &text, &[wanted, own])?;
        high.push(c.settle_dim(wanted).minus(&c.settle_dim(own)));
    }
    Ok(vec![c.pad(&result, &vec![Dim::fixed(0); shape.len()], &high, Num::I(0))])
}
