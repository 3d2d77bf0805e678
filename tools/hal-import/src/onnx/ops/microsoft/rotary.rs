//! `RotaryEmbedding` of onnxruntime.
use super::{
    super::Entry,
    build::{int, op, ranked, unset},
    fused::times,
};
use crate::onnx::{Context, Dim, Elem, Node, Outcome, Scalar, Value, problem::invalid};

pub(super) const OPS: &[Entry] = &[("RotaryEmbedding", rotary)];

fn rotary(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, ids) = (n.input(0)?.clone(), n.input(1)?.clone());
    let (cos, sin) = (n.input(2)?.clone(), n.input(3)?.clone());
    unset(n, &["is_packed_batching"])?;
    let (heads, turned) = (n.int("num_heads", 0), n.int("rotary_embedding_dim", 0));
    let (interleaved, scale) = (n.int("interleaved", 0), n.float("scale", 1.0));
    let heads = match (heads, x.rank()) {
        (0, 3) => {
            // The caches tell how large a head is.
            let (Some(width), Some(half)) = (x.shape[2].get(), cos.shape.last().and_then(Dim::get)) else {
                return invalid("`num_heads` is missing, and sizes do not tell it");
            };
            if half < 1 || width % (2 * half) != 0 {
                return invalid(format!("heads of size {} do not divide {width}", 2 * half));
            }
            width / (2 * half)
        }
        (heads, _) => heads,
    };
    let ids = identifiers(c, &x, &ids)?;
    let result = turn(c, n, &x, &ids, (&cos, &sin), heads, turned, interleaved)?;
    Ok(vec![times(c, n, &result, scale)?])
}

/// A position for each token, where the node has only the first one.
fn identifiers(c: &mut Context<'_>, x: &Value, ids: &Value) -> Outcome<Value> {
    if ids.rank() == 2 {
        return Ok(ids.clone());
    }
    ranked(ids, 1)?;
    c.require_size((ids, 0), &Dim::fixed(1), "as there is one first position")?;
    let length = if x.rank() == 4 { x.shape[2].clone() } else { x.shape[1].clone() };
    let shape = [x.shape[0].clone(), length];
    let ids = Value { label: ids.label.clone(), ..c.settle(ids) };
    c.elementwise_to(&shape, &[ids], Elem::I64, |b, v| {
        let place = b.position(1);
        let place: Scalar = b.cast(&place, Elem::I64);
        let first = b.cast(&v[0], Elem::I64);
        b.add(&first, &place)
    })
}

/// Calls the standard operator.
#[allow(clippy::too_many_arguments)]
pub(super) fn turn(
    c: &mut Context<'_>,
    n: &Node,
    x: &Value,
    ids: &Value,
    (cos, sin): (&Value, &Value),
    heads: i64,
    turned: i64,
    interleaved: i64,
) -> Outcome<Value> {
    let mut attributes = vec![int("interleaved", interleaved), int("num_heads", heads)];
    // Caches of fewer angles than a head has pairs turn a part of it.
    let size = match x.rank() {
        4 => x.shape[3].get(),
        _ => x.shape[2].get().map(|w| w / heads.max(1)),
    };
    let half = cos.shape.last().and_then(Dim::get);
    let turned = match (turned, size, half) {
        (0, Some(size), Some(half)) if 2 * half < size => 2 * half,
        _ => turned,
    };
    attributes.push(int("rotary_embedding_dim", turned));
    op(c, n, "RotaryEmbedding", &[x, cos, sin, ids], &attributes)
}
