//! Attention in the forms into which onnxruntime's optimiser fuses it.
use super::{
    super::{Entry, apply, integers::integers_to_floats},
    build::{cut, float, int, op, ranked, unset},
    masks::{Sizes, additive, with_bias},
};
use crate::onnx::{
    Context, Dim, Node, Outcome, Value,
    problem::{invalid, unsupported},
    proto::Attribute,
};

pub(super) const OPS: &[Entry] =
    &[("Attention", attention), ("QAttention", quantized), ("MultiHeadAttention", multi_head)];

/// The standard operator's results: the result, of the rank of the queries, then all keys and values.
fn attend(
    c: &mut Context<'_>,
    n: &Node,
    [q, k, v]: [Value; 3],
    mask: Option<Value>,
    past: Option<[Value; 2]>,
    mut attributes: Vec<Attribute>,
) -> Outcome {
    attributes.extend(scale(n));
    let (past_k, past_v) = past.map_or((None, None), |[k, v]| (Some(k), Some(v)));
    apply(c, n, "Attention", vec![Some(q), Some(k), Some(v), mask, past_k, past_v], attributes)
}

/// The factor of scores, where a node has another one than the default.
pub(super) fn scale(n: &Node) -> Option<Attribute> {
    let scale = n.float("scale", 0.0);
    (scale != 0.0).then(|| float("scale", scale))
}

/// Numbers of heads, and whether queries see later keys.
fn heads(n: &Node, count: i64) -> Vec<Attribute> {
    let causal = n.int("unidirectional", 0);
    vec![int("q_num_heads", count), int("kv_num_heads", count), int("is_causal", causal)]
}

fn count(n: &Node) -> Outcome<i64> {
    match n.int("num_heads", 0) {
        count if count > 0 => Ok(count),
        count => invalid(format!("`num_heads` is {count}")),
    }
}

/// Input times weights plus bias: queries, keys and values side by side.
fn attention(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, weights) = (n.input(0)?.clone(), n.input(1)?.clone());
    ranked(&x, 3)?;
    ranked(&weights, 2)?;
    if n.optional(6).is_some() {
        return unsupported("`past_sequence_length` (input 6) is given");
    }
    let all = op(c, n, "MatMul", &[&x, &weights], &[])?;
    let all = super::activations::with_optional(c, n, &all, 2)?;
    projected(c, n, &all, n.optional(3).cloned(), n.optional(4).cloned(), n.optional(5).cloned())
}

/// Imports a quantised `Attention`, with a product of integers.
fn quantized(c: &mut Context<'_>, n: &Node) -> Outcome {
    let inputs = [0, 1, 3, 4, 6, 7, 2].map(|i| n.optional(i).cloned());
    let all = integers_to_floats(c, n, inputs)?;
    ranked(&all, 3)?;
    projected(c, n, &all, n.optional(5).cloned(), n.optional(8).cloned(), None)
}

fn projected(
    c: &mut Context<'_>,
    n: &Node,
    all: &Value,
    mask: Option<Value>,
    past: Option<Value>,
    bias: Option<Value>,
) -> Outcome {
    unset(n, &["do_rotary", "past_present_share_buffer", "rotary_embedding_dim"])?;
    let filter = n.float("mask_filter_value", -10_000.0);
    let count = count(n)?;
    let sizes: Vec<Dim> = match n.ints("qkv_hidden_sizes").filter(|l| !l.is_empty()) {
        Some(list) if list.len() == 3 => {
            let whole = Dim::fixed(list.iter().sum());
            c.require_size((all, 2), &whole, "as queries, keys and values have together")?;
            list.into_iter().map(Dim::fixed).collect()
        }
        Some(_) => return invalid("`qkv_hidden_sizes` has not three numbers"),
        None => vec![c.divided((all, 2), 3, "parts")?; 3],
    };
    let ends = [Dim::fixed(0), sizes[0].clone(), sizes[0].plus(&sizes[1])];
    let parts = [0, 1, 2].map(|i| cut(c, all, 2, &ends[i], &sizes[i]));
    let past = match past {
        Some(past) => {
            ranked(&past, 5)?;
            Some([c.take(&past, 0, &Dim::fixed(0))?, c.take(&past, 0, &Dim::fixed(1))?])
        }
        None => None,
    };
    let before = past.as_ref().map_or(Dim::fixed(0), |[k, _]| k.shape[2].clone());
    let (batch, queries) = (all.shape[0].clone(), all.shape[1].clone());
    let keys = before.plus(&queries);
    let mask = match mask {
        Some(mask) => Some(additive(c, &mask, &Sizes { batch, queries, keys }, filter, all.elem)?),
        None => None,
    };
    let mask = with_bias(c, n, mask, bias)?;
    let mut results = attend(c, n, parts, mask, past, heads(n, count))?;
    results.truncate(3);
    if n.wants(1) {
        let joined = results[1..].iter().map(|v| {
            let shape = [&[Dim::fixed(1)], &v.shape[..]].concat();
            c.reshape(v, &shape)
        });
        let joined = joined.collect::<Outcome<Vec<_>>>()?;
        results[1] = c.concat(&joined, 0)?;
    }
    results.truncate(2);
    Ok(results)
}

/// A part of packed heads, as `[batch, length, heads · size]`.
fn unpacked(c: &mut Context<'_>, packed: &Value, at: i64) -> Outcome<Value> {
    let part = c.take(packed, 3, &Dim::fixed(at))?;
    let width = c.size_times(&part.shape[2].clone(), &part.shape[3].clone());
    c.reshape(&part, &[part.shape[0].clone(), part.shape[1].clone(), width])
}

fn multi_head(c: &mut Context<'_>, n: &Node) -> Outcome {
    if n.optional(8).is_some() || n.optional(9).is_some() {
        return unsupported("`past_sequence_length` or `cache_indirection` (inputs 8 and 9) is given");
    }
    if n.wants(3) {
        return unsupported("output 3 (`qk`) is used");
    }
    let filter = n.float("mask_filter_value", -10_000.0);
    let count = count(n)?;
    let query = n.input(0)?.clone();
    let [mut q, mut k, mut v] = match (query.rank(), n.optional(1).cloned(), n.optional(2).cloned()) {
        (5, None, None) => [unpacked(c, &query, 0)?, unpacked(c, &query, 1)?, unpacked(c, &query, 2)?],
        (3, Some(packed), None) if packed.rank() == 5 => [query, unpacked(c, &packed, 0)?, unpacked(c, &packed, 1)?],
        (3, Some(k), Some(v)) if k.rank() == v.rank() && [3, 4].contains(&k.rank()) => [query, k, v],
        _ => return invalid("queries, keys and values are not of ranks that fit together"),
    };
    for part in [&mut k, &mut v].into_iter().filter(|part| part.rank() == 4) {
        c.require_size((part, 1), &Dim::fixed(count), "as there are heads")?;
        *part = c.settle(part);
    }
    if let Some(bias) = n.optional(3).cloned() {
        let (mut from, flat) = (Dim::fixed(0), k.rank() == 3);
        ranked(&bias, 1)?;
        for part in [Some(&mut q), Some(&mut k).filter(|_| flat), Some(&mut v).filter(|_| flat)].into_iter().flatten() {
            let size = part.shape[2].clone();
            let end = from.plus(&size);
            let text = "the bias has {0} elements, of which {1} are needed";
            let rule = crate::onnx::context::require::Rule::AtLeast(bias.shape[0].clone(), end.clone());
            c.require(rule, text, &[&bias.shape[0], &end])?;
            let own = cut(c, &bias, 0, &from, &size);
            *part = op(c, n, "Add", &[part, &own], &[])?;
            from = end;
        }
    }
    let past = match (n.optional(6).cloned(), n.optional(7).cloned()) {
        (Some(k), Some(v)) => Some([k, v]),
        (None, None) => None,
        _ => return invalid("only one of `past_key` and `past_value` (inputs 6 and 7) is given"),
    };
    let before = past.as_ref().map_or(Dim::fixed(0), |[k, _]| k.shape.get(2).cloned().unwrap_or(Dim::fixed(0)));
    let own = if k.rank() == 4 { &k.shape[2] } else { &k.shape[1] };
    let keys = before.plus(own);
    let mask = match n.optional(4).cloned() {
        Some(mask) => {
            let sizes = Sizes { batch: q.shape[0].clone(), queries: q.shape[1].clone(), keys };
            Some(additive(c, &mask, &sizes, filter, q.elem)?)
        }
        None => None,
    };
    let mask = with_bias(c, n, mask, n.optional(5).cloned())?;
    let mut results = attend(c, n, [q, k, v], mask, past, heads(n, count))?;
    results.truncate(3);
    Ok(results)
}
