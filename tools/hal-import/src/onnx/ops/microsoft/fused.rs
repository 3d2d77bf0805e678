//! Products and convolutions fused with further operations.
use super::{
    super::{Entry, matmul::narrowed},
    activations::{activate, parameters},
    build::{kept, op, scalar},
};
use crate::onnx::{Context, Node, Outcome, Value, problem::invalid};

pub(super) const OPS: &[Entry] = &[
    ("FusedMatMul", |c, n| Ok(vec![matmul(c, n)?])),
    ("TransposeMatMul", |c, n| Ok(vec![matmul(c, n)?])),
    ("FusedMatMulActivation", |c, n| {
        let product = matmul(c, n)?;
        Ok(vec![activate(c, n, &product, &n.string("activation", ""), &parameters(n))?])
    }),
    ("FusedGemm", gemm),
    ("FusedConv", conv),
];

/// A factor as the product wants it: its last two dimensions swapped, and its first one put before the last.
fn turned(c: &mut Context<'_>, v: &Value, flip: bool, batch: bool) -> Outcome<Value> {
    let rank = v.rank();
    if rank < 2 {
        return Ok(v.clone());
    }
    let mut order: Vec<_> = (0..rank).collect();
    if batch {
        if rank < 3 {
            return invalid(format!("`{}` has no batch to be turned", v.ty()));
        }
        order = (1..rank - 1).chain([0, rank - 1]).collect();
    }
    if flip {
        order.swap(rank - 2, rank - 1);
    }
    if order.windows(2).all(|w| w[0] < w[1]) {
        return Ok(v.clone());
    }
    Ok(Value { label: v.label.clone(), ..c.transpose(v, &order) })
}

/// Computes `alpha · A' · B'`.
fn matmul(c: &mut Context<'_>, n: &Node) -> Outcome<Value> {
    let flag = |name: &str| n.int(name, 0) != 0;
    let (flip_a, flip_b) = (flag("transA"), flag("transB"));
    let (batch_a, batch_b) = (flag("transBatchA"), flag("transBatchB"));
    let a = turned(c, &n.input(0)?.clone(), flip_a, batch_a)?;
    let b = turned(c, &n.input(1)?.clone(), flip_b, batch_b)?;
    let alpha = n.float("alpha", 1.0);
    let elem = a.elem;
    let product = super::super::matmul::product(c, &a, &b)?;
    if alpha == 1.0 {
        return narrowed(c, &product, elem);
    }
    c.elementwise(&[product], elem, |b, v| {
        let alpha = b.like(&v[0], alpha);
        let scaled = b.mul(&alpha, &v[0]);
        b.cast(&scaled, elem)
    })
}

fn gemm(c: &mut Context<'_>, n: &Node) -> Outcome {
    let attributes = kept(n, &["alpha", "beta", "transA", "transB"]);
    let product = super::super::apply(c, n, "Gemm", n.operands(), attributes)?.swap_remove(0);
    Ok(vec![activate(c, n, &product, &n.string("activation", ""), &parameters(n))?])
}

/// A convolution, plus input 3, activated.
fn conv(c: &mut Context<'_>, n: &Node) -> Outcome {
    let attributes = kept(n, &["auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"]);
    let inputs = [0, 1, 2].map(|i| n.optional(i).cloned()).to_vec();
    let mut result = super::super::apply(c, n, "Conv", inputs, attributes)?.swap_remove(0);
    if let Some(more) = n.optional(3).cloned() {
        result = op(c, n, "Add", &[&result, &more], &[])?;
    }
    let parameters: Vec<_> = n.floats("activation_params").unwrap_or_default().into_iter().map(f64::from).collect();
    Ok(vec![activate(c, n, &result, &n.string("activation", ""), &parameters)?])
}

/// Multiplies a value by a constant.
pub(super) fn times(c: &mut Context<'_>, n: &Node, x: &Value, by: f64) -> Outcome<Value> {
    if by == 1.0 { Ok(x.clone()) } else { op(c, n, "Mul", &[x, &scalar(x.elem, by)], &[]) }
}
