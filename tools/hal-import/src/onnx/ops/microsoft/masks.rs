//! Masks of attention in onnxruntime's forms.
use super::build::op;
use crate::onnx::{
    Context, Dim, Elem, Node, Order, Outcome, Scalar, Value,
    problem::{invalid, unsupported},
};

/// The sizes of scores.
pub(super) struct Sizes {
    pub(super) batch: Dim,
    pub(super) queries: Dim,
    pub(super) keys: Dim,
}

/// Returns the addend of scores: 0 for keys that count, `filter` elsewhere. The mask is a number of keys for each row
/// (their end, or end and start), or a flag for each key, or one for each query and key.
pub(super) fn additive(c: &mut Context<'_>, mask: &Value, sizes: &Sizes, filter: f64, elem: Elem) -> Outcome<Value> {
    let one = Dim::fixed(1);
    match mask.rank() {
        1 => lengths(c, mask, sizes, filter, elem),
        2 | 3 => {
            c.require_size((mask, 0), &sizes.batch, "as there are rows")?;
            c.require_size((mask, mask.rank() - 1), &sizes.keys, "as there are keys")?;
            if mask.rank() == 3 {
                c.require_size((mask, 1), &sizes.queries, "as there are queries")?;
            }
            let mask = c.settle(mask);
            let queries = if mask.rank() == 3 { mask.shape[1].clone() } else { one.clone() };
            let shape = [mask.shape[0].clone(), one, queries, mask.shape[mask.rank() - 1].clone()];
            let mask = c.reshape(&mask, &shape)?;
            c.elementwise(&[mask], elem, |b, v| {
                let zero = b.like(&v[0], 0.0);
                let seen = b.compare(Order::Gt, &v[0], &zero);
                let (none, low) = (b.float(elem, 0.0), b.float(elem, filter));
                b.select(&seen, &none, &low)
            })
        }
        rank => unsupported(format!("the mask is of rank {rank}")),
    }
}

fn lengths(c: &mut Context<'_>, mask: &Value, sizes: &Sizes, filter: f64, elem: Elem) -> Outcome<Value> {
    let (own, batch) = (c.settle_dim(&mask.shape[0]), c.settle_dim(&sizes.batch));
    let both = own == batch.times(2);
    if !both {
        if own == batch.times(3).offset(2) {
            return unsupported("the mask has lengths and cumulated lengths");
        }
        c.require_size((mask, 0), &batch, "as there are rows")?;
    }
    let (ssa, ty, of) = (c.ssa(mask), mask.ty(), mask.elem);
    let rows = Scalar::index(c.index(&batch));
    let shape = [sizes.batch.clone(), Dim::fixed(1), Dim::fixed(1), sizes.keys.clone()];
    c.elementwise_to(&shape, &[], elem, |b, _| {
        let (row, key) = (b.position(0), b.position(3));
        let end = b.extract(&ssa, &ty, of, std::slice::from_ref(&row));
        let end = b.to_index(&end);
        let mut seen = b.compare(Order::Lt, &key, &end);
        if both {
            let at = b.add(&row, &rows);
            let start = b.extract(&ssa, &ty, of, &[at]);
            let start = b.to_index(&start);
            let after = b.compare(Order::Ge, &key, &start);
            seen = b.and(&seen, &after);
        }
        let (none, low) = (b.float(elem, 0.0), b.float(elem, filter));
        b.select(&seen, &none, &low)
    })
}

/// The sum of a mask and a bias, either of which may be missing.
pub(super) fn with_bias(
    c: &mut Context<'_>,
    n: &Node,
    mask: Option<Value>,
    bias: Option<Value>,
) -> Outcome<Option<Value>> {
    if let Some(bias) = bias.as_ref().filter(|b| b.rank() != 4) {
        return invalid(format!("the bias of type `{}` is not of rank 4", bias.ty()));
    }
    Ok(match (mask, bias) {
        (Some(mask), Some(bias)) => Some(op(c, n, "Add", &[&mask, &bias], &[])?),
        (mask, bias) => mask.or(bias),
    })
}
