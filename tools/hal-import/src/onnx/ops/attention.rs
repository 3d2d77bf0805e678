//! `Attention`.
use super::{
    Entry,
    matmul::{narrowed, product},
    softmax::softmax_with_sink,
};
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value,
    context::require::{Rule, dimension},
    generic::map,
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
pub(crate) fn repeated(c: &mut Context<'_>, x: &Value, heads: &Dim) -> Outcome<Value> {
    if x.shape[1] == *heads {
        return Ok(x.clone());
    }
    let (Some(own), Some(wanted)) = (x.shape[1].get(), heads.get()) else {
        let (own, wanted) = (x.shape[1].clone(), heads.clone());
        let group = c.quotient(&wanted, &own, "{0} heads of queries do not share {1} heads of keys")?;
        let shape = [x.shape[0].clone(), wanted, x.shape[2].clone(), x.shape[3].clone()];
        return Ok(c.gather_at(x, &shape, &[group, own.offset(-1)], |b, here, sizes| {
            let head = b.div(&here[1], &sizes[0]);
            let head = b.min(&head, &sizes[1]);
            vec![here[0].clone(), head, here[2].clone(), here[3].clone()]
        }));
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

/// The queries up to which they alone are scaled.
const FEW: i64 = 16;

/// `Q · scale · Kᵀ`, in the type of the inputs. The default scale is `1 / sqrt(size of a head)`.
pub(crate) fn scores(c: &mut Context<'_>, q: &Value, k: &Value, scale: Option<f64>) -> Outcome<Value> {
    let elem = q.elem;
    let scale = scale.or(q.shape[3].get().map(|size| 1.0 / (size as f64).sqrt()));
    let size = Scalar::index(c.index(&q.shape[3]));
    // Half of the scale on either side keeps narrow floats in range.
    let root = scale.map(|scale| scale.abs().sqrt().copysign(scale));
    // Of few queries, more keys would be scaled than there are products of a query: a pass over the cache.
    let (settled_q, settled_k) = (c.settle(q), c.settle(k));
    let alike = settled_q.shape[..2] == settled_k.shape[..2] && settled_q.shape[3] == settled_k.shape[3];
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
    let few = alike && q.shape[2].get().is_none_or(|rows| rows <= FEW) && settled_q.shape[2] != settled_k.shape[2];
    if let Some(scale) = scale.filter(|_| few && elem == Elem::F32) {
        let q = scaled(&settled_q, Some(scale))?;
        return Ok(rows_by_rows(c, &q, &settled_k));
    }
    let (q, k) = (scaled(q, root)?, scaled(k, root.map(f64::abs))?);
    let turned = c.transpose(&k, &[0, 1, 3, 2]);
    let raw = product(c, &q, &turned)?;
    narrowed(c, &raw, elem)
}

/// `Q · Kᵀ` of heads, where keys are read as they lie.
fn rows_by_rows(c: &mut Context<'_>, q: &Value, k: &Value) -> Value {
    let shape = [&q.shape[..3], &k.shape[2..3]].concat();
    let init = c.filled(Elem::F32, &shape, Num::I(0));
    let iters = [vec![Iter::Parallel; 4], vec![Iter::Reduction]].concat();
    let ins = [(q, map(&[0, 1, 2, 4])), (k, map(&[0, 1, 3, 4]))];
    c.generic(&iters, &ins, &[(&init, map(&[0, 1, 2, 3]))], |b, v| {
        let product = b.mul(&v[0], &v[1]);
        vec![b.add(&v[2], &product)]
    })
    .remove(0)
}

fn attention(c: &mut Context<'_>, n: &Node) -> Outcome {
    attention_with_sink(c, n, None)
}

/// `softmax(softcap(Q · scale · Kᵀ) + mask) · V`; see the function body in the specification. `sink`, `[1, heads, 1, 1]`, is one more score
/// of each query, of a key without a value.
pub(super) fn attention_with_sink(c: &mut Context<'_>, n: &Node, sink: Option<&Value>) -> Outcome {
    let kept = n.optional(6).cloned();
    if n.optional(4).is_some() != n.optional(5).is_some() {
        return invalid("of the past keys and values (inputs 4 and 5) only one is given");
    }
    if kept.is_some() && n.optional(4).is_some() {
        return invalid("both the past (inputs 4 and 5) and `nonpad_kv_seqlen` (input 6) are given");
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
    let raw = scores(c, &q, &k, n.has("scale").then(|| n.float("scale", 1.0)))?;
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
    // The distance to which a query attends on either side of its position.
    let (left, right) = (n.int("left_window_size", -1), n.int("right_window_size", -1));
    let right = if causal { 0 } else { right };
    // How many keys count, for each batch.
    let kept = match kept {
        None => None,
        Some(list) => {
            if list.rank() != 1 {
                return invalid(format!("`nonpad_kv_seqlen` (input 6) of type `{}` is not a list", list.ty()));
            }
            c.require_same((&list, 0), (&q, 0))?;
            let list = c.settle(&list);
            let column = [list.shape[0].clone(), Dim::fixed(1), Dim::fixed(1), Dim::fixed(1)];
            Some(c.reshape(&list, &column)?)
        }
    };
    if mask.is_some() || kept.is_some() || left >= 0 || right >= 0 {
        let (past, queries) = (Scalar::index(c.index(&past)), Scalar::index(c.index(&q.shape[2])));
        let mut inputs = vec![capped.clone()];
        let masked = mask.is_some();
        inputs.extend(mask);
        inputs.extend(kept.clone());
        biased = c.elementwise_to(&shape, &inputs, elem, |b, v| {
            let low = b.like(&v[0], f64::NEG_INFINITY);
            let mut value = v[0].clone();
            let (row, column) = (b.position(2), b.position(3));
            let mut own = b.add(&row, &past);
            if kept.is_some() {
                let count = b.to_index(&v[v.len() - 1]);
                // The queries are the last ones of what counts.
                let first = b.sub(&count, &queries);
                own = b.add(&row, &first);
                let counts = b.compare(Order::Lt, &column, &count);
                value = b.select(&counts, &value, &low);
            }
            if let Some(mask) = v.get(1).filter(|_| masked) {
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
                let reach = b.index_constant(reach);
                let end = if order == Order::Le { b.add(&own, &reach) } else { b.sub(&own, &reach) };
                let seen = b.compare(order, &column, &end);
                value = b.select(&seen, &value, &low);
            }
            value
        })?;
    }
    let weights = match n.int("softmax_precision", 0) {
        0 => softmax_with_sink(c, &biased, &[3], true, sink)?,
        code => {
            let wide = Elem::from_onnx(code as i32).or_else(|t| unsupported(format!("`softmax_precision` is {t}")))?;
            let x = narrowed(c, &biased, wide)?;
            let sink = sink.map(|sink| narrowed(c, sink, wide)).transpose()?;
            let y = softmax_with_sink(c, &x, &[3], true, sink.as_ref())?;
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
    let Some(last) = mask.rank().checked_sub(1) else { return Ok(mask.clone()) };
    let own = c.settle_dim(&mask.shape[last]);
    let length = c.settle_dim(length);
    if own == length {
        return Ok(mask.clone());
    }
    let text = format!("{} is {{0}}, more than the {{1}} keys", dimension(mask, last));
    c.require(Rule::AtLeast(length.clone(), own.clone()), &text, &[&own, &length])?;
    let (mask, own, length) = (c.settle(mask), c.settle_dim(&own), c.settle_dim(&length));
    let (low, mut high) = (vec![Dim::fixed(0); mask.rank()], vec![Dim::fixed(0); mask.rank()]);
    high[last] = length.minus(&own);
    let with = if mask.elem == Elem::Bool { Num::I(0) } else { Num::F(f64::NEG_INFINITY) };
    Ok(Value { label: mask.label.clone(), ..c.pad(&mask, &low, &high, with) })
}
