//! `Attention`.
use super::{
    Entry,
    matmul::{narrowed, product},
    softmax::softmax,
};
use crate::onnx::{
    Context, Dim, Elem, Node, Num, Order, Outcome, Scalar, Value,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[("Attention", attention)];

/// `[batch, length, heads · size]` → `[batch, heads, length, size]`; rank 4 has that form already.
fn heads(c: &mut Context<'_>, x: &Value, count: i64) -> Outcome<Value> {
    if x.rank() == 4 {
        return Ok(x.clone());
    }
    let [batch, length, width] = &x.shape[..] else {
        return invalid(format!("`{}` is of neither rank 3 nor rank 4", x.ty()));
    };
    if count < 1 || width.get().is_some_and(|d| d % count != 0) {
        return invalid(format!("`{}` does not split into {count} heads", x.ty()));
    }
    let size = c.divided((x, 2), count, "heads")?;
    let split = c.reshape(x, &[batch.clone(), length.clone(), Dim::fixed(count), size])?;
    Ok(Value { label: x.label.clone(), ..c.transpose(&split, &[0, 2, 1, 3]) })
}

/// Keys and values of few heads, each repeated for the queries that share it.
fn repeated(c: &mut Context<'_>, x: &Value, heads: &Dim) -> Outcome<Value> {
    if x.shape[1] == *heads {
        return Ok(x.clone());
    }
    let (Some(own), Some(wanted)) = (x.shape[1].get(), heads.get()) else {
        return unsupported("the number of heads is dynamic");
    };
    if own < 1 || wanted % own != 0 {
        return invalid(format!("{wanted} heads of queries do not share {own} heads of keys"));
    }
    let [batch, _, length, size] = &x.shape[..] else { return invalid("the keys are not of rank 4") };
    let narrow = c.reshape(x, &[batch.clone(), Dim::fixed(own), Dim::fixed(1), length.clone(), size.clone()])?;
    let wide = c.broadcast(
        &narrow,
        &[batch.clone(), Dim::fixed(own), Dim::fixed(wanted / own), length.clone(), size.clone()],
    )?;
    c.reshape(&wide, &[batch.clone(), heads.clone(), length.clone(), size.clone()])
}

/// `softmax(softcap(Q · scale · Kᵀ) + mask) · V`; see the function body in the specification.
fn attention(c: &mut Context<'_>, n: &Node) -> Outcome {
    if n.optional(6).is_some() {
        return unsupported("`nonpad_kv_seqlen` (input 6) is given");
    }
    let flat = n.input(0)?.rank() == 3;
    let (q, k, v) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let (q_heads, kv_heads) = (n.int("q_num_heads", 0), n.int("kv_num_heads", 0));
    let (q, mut k, mut v) = (heads(c, &q, q_heads)?, heads(c, &k, kv_heads)?, heads(c, &v, kv_heads)?);
    if let Some(v) = [&q, &k, &v].into_iter().find(|v| v.rank() != 4) {
        return invalid(format!("`{}` is of neither rank 3 nor rank 4", v.ty()));
    }
    for (one, other, i) in [(&q, &k, 0), (&k, &v, 0), (&k, &v, 1), (&k, &v, 2), (&q, &k, 3)] {
        c.require_same((one, i), (other, i))?;
    }
    let q = c.settle(&q);
    (k, v) = (c.settle(&k), c.settle(&v));
    let elem = q.elem;
    let mut past = Dim::fixed(0);
    if let (Some(old_k), Some(old_v)) = (n.optional(4).cloned(), n.optional(5).cloned()) {
        if old_k.rank() != 4 || old_v.rank() != 4 {
            return invalid(format!("`{}` and `{}` are not of rank 4", old_k.ty(), old_v.ty()));
        }
        c.require_same((&old_k, 2), (&old_v, 2))?;
        past = c.settle_dim(&old_k.shape[2]);
        (k, v) = (c.concat(&[old_k, k], 2)?, c.concat(&[old_v, v], 2)?);
    }
    let present = (k.clone(), v.clone());
    let all_heads = q.shape[1].clone();
    let (k, v) = (repeated(c, &k, &all_heads)?, repeated(c, &v, &all_heads)?);
    let scale = match q.shape[3].get() {
        _ if n.has("scale") => Some(n.float("scale", 1.0)),
        Some(size) => Some(1.0 / (size as f64).sqrt()),
        None => None,
    };
    let size = Scalar::index(c.index(&q.shape[3]));
    // Half of the scale on either side keeps narrow floats in range.
    let root = scale.map(|scale| scale.abs().sqrt().copysign(scale));
    let mut scaled = |x: &Value, by: Option<f64>| {
        c.elementwise(std::slice::from_ref(x), elem, |b, v| {
            let by = match by {
                Some(by) => b.like(&v[0], by),
                None => {
                    let size = b.cast(&size, Elem::F32);
                    let (square, one) = (b.math("sqrt", &size), b.like(&size, 1.0));
                    let fourth = b.math("sqrt", &square);
                    let by = b.div(&one, &fourth);
                    b.cast(&by, elem)
                }
            };
            b.mul(&v[0], &by)
        })
    };
    let (q, k) = (scaled(&q, root)?, scaled(&k, root.map(f64::abs))?);
    let turned = c.transpose(&k, &[0, 1, 3, 2]);
    let raw = product(c, &q, &turned)?;
    let raw = narrowed(c, &raw, elem)?;
    let shape = raw.shape.clone();
    let softcap = n.float("softcap", 0.0);
    let capped = if softcap == 0.0 {
        raw.clone()
    } else {
        c.elementwise(std::slice::from_ref(&raw), elem, |b, v| {
            let cap = b.like(&v[0], softcap);
            let ratio = b.div(&v[0], &cap);
            let bent = b.math("tanh", &ratio);
            b.mul(&bent, &cap)
        })?
    };
    let mask = match n.optional(3).cloned() {
        Some(mask) => Some(widened(c, &mask, &shape[3])?),
        None => None,
    };
    let causal = n.int("is_causal", 0) != 0;
    let mut biased = capped.clone();
    // How far a query sees to either side of its own position.
    let (left, right) = (n.int("left_window_size", -1), n.int("right_window_size", -1));
    let right = if causal { 0 } else { right };
    if mask.is_some() || left >= 0 || right >= 0 {
        let past = Scalar::index(c.index(&past));
        let mut inputs = vec![capped.clone()];
        inputs.extend(mask);
        biased = c.elementwise_to(&shape, &inputs, elem, |b, v| {
            let low = b.like(&v[0], f64::NEG_INFINITY);
            let mut value = v[0].clone();
            if let Some(mask) = v.get(1) {
                value = if mask.elem == Some(Elem::Bool) {
                    b.select(mask, &value, &low)
                } else {
                    let mask = b.cast(mask, elem);
                    b.add(&value, &mask)
                };
            }
            for (reach, order) in [(left, Order::Ge), (right, Order::Le)] {
                if reach < 0 {
                    continue;
                }
                let (row, column) = (b.position(2), b.position(3));
                let own = b.add(&row, &past);
                let reach = b.index_constant(reach);
                let end = if order == Order::Le { b.add(&own, &reach) } else { b.sub(&own, &reach) };
                let seen = b.compare(order, &column, &end);
                value = b.select(&seen, &value, &low);
            }
            value
        })?;
    }
    let weights = match n.int("softmax_precision", 0) {
        0 => softmax(c, &biased, &[3], true)?,
        code => {
            let wide = Elem::from_onnx(code as i32).or_else(|t| unsupported(format!("`softmax_precision` is {t}")))?;
            let x = narrowed(c, &biased, wide)?;
            let y = softmax(c, &x, &[3], true)?;
            narrowed(c, &y, elem)?
        }
    };
    let sum = product(c, &weights, &v)?;
    let mut result = narrowed(c, &sum, elem)?;
    if flat {
        let turned = c.transpose(&result, &[0, 2, 1, 3]);
        let [batch, length, count, size] = &turned.shape[..] else { return invalid("the result is not of rank 4") };
        let width = c.size_times(count, size);
        let to = [batch.clone(), length.clone(), width];
        result = c.reshape(&turned, &to)?;
    }
    let scores = match n.int("qk_matmul_output_mode", 0) {
        0 => raw,
        1 => capped,
        2 => biased,
        _ => weights,
    };
    Ok(vec![result, present.0, present.1, scores])
}

/// A mask of fewer keys masks the rest.
fn widened(c: &mut Context<'_>, mask: &Value, length: &Dim) -> Outcome<Value> {
    let rank = mask.rank();
    let Some(own) = mask.shape.last() else { return Ok(mask.clone()) };
    match length.minus(own).get() {
        Some(more) if more > 0 && !own.is(1) => {
            let (low, mut high) = (vec![Dim::fixed(0); rank], vec![Dim::fixed(0); rank]);
            high[rank - 1] = Dim::fixed(more);
            let with = if mask.elem == Elem::Bool { Num::I(0) } else { Num::F(f64::NEG_INFINITY) };
            Ok(c.pad(mask, &low, &high, with))
        }
        _ => Ok(mask.clone()),
    }
}
