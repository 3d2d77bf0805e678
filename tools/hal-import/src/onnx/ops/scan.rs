//! Triangles of matrices.
use super::Entry;
use crate::onnx::{Context, Dim, Node, Num, Order, Outcome, Scalar, problem::invalid};

pub(super) const OPS: &[Entry] = &[("Trilu", trilu)];

/// Keeps the upper or lower triangle of the last two dimensions.
fn trilu(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let rank = x.rank();
    if rank < 2 {
        return invalid(format!("the input has rank {rank}, less than 2"));
    }
    let upper = n.int("upper", 1) != 0;
    let k = match n.optional(1) {
        Some(v) => c.read_dim(v)?,
        None => Dim::fixed(0),
    };
    let k = Scalar::index(c.index(&k));
    Ok(vec![c.elementwise(std::slice::from_ref(&x), x.elem, |b, v| {
        let (row, column) = (b.position(rank - 2), b.position(rank - 1));
        // Not `row + k`, which may be more than 64 bits hold.
        let diagonal = b.sub(&column, &row);
        let keep = b.compare(if upper { Order::Ge } else { Order::Le }, &diagonal, &k);
        let zero = b.number(x.elem, Num::I(0));
        b.select(&keep, &v[0], &zero)
    })?])
}
