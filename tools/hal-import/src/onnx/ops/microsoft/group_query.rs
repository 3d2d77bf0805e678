//! `GroupQueryAttention`: few heads of keys and values, which are kept between calls.
use super::{
    super::{Entry, attention::attention_with_sink, cache, node as standard},
    attention::scale,
    build::{cut, float, int, op, ranked, unset},
    rotary::turn,
    sequences::{Attended, Run},
    sliding_cache,
};
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value,
    context::require::Rule,
    generic::map,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[("GroupQueryAttention", group_query)];

/// `[batch, length, heads · size]` → `[batch, heads, length, size]`.
fn headed(c: &mut Context<'_>, x: &Value, count: i64) -> Outcome<Value> {
    let size = c.divided((x, 2), count, "heads")?;
    let split = c.reshape(x, &[x.shape[0].clone(), x.shape[1].clone(), Dim::fixed(count), size])?;
    Ok(Value { label: x.label.clone(), ..c.transpose(&split, &[0, 2, 1, 3]) })
}

fn group_query(c: &mut Context<'_>, n: &Node) -> Outcome {
    unset(n, &["kv_cache_bit_width", "qk_output"])?;
    for name in ["k_quant_type", "v_quant_type"] {
        if n.string(name, "NONE") != "NONE" {
            return unsupported(format!("`{name}` is set"));
        }
    }
    for (input, name) in [(12, "k_scale"), (13, "v_scale"), (16, "query_seqlens")] {
        if n.optional(input).is_some() {
            return unsupported(format!("`{name}` (input {input}) is given"));
        }
    }
    if n.wants(3) {
        return unsupported("output 3 (`output_qk`) is used");
    }
    let (heads, few) = (n.int("num_heads", 0), n.int("kv_num_heads", 0));
    if heads < 1 || few < 1 || heads % few != 0 {
        return invalid(format!("`num_heads` is {heads}, `kv_num_heads` {few}"));
    }
    let [mut q, mut k, v] = projections(c, n, heads, few)?;
    for (input, x, name) in [(14, &mut q, "q_norm_epsilon"), (15, &mut k, "k_norm_epsilon")] {
        let epsilon = if n.has(name) { n.float(name, 0.0) } else { n.float("qk_norm_epsilon", 1e-6) };
        if let Some(weight) = n.optional(input).cloned() {
            *x = op(c, n, "RMSNormalization", &[x, &weight], &[int("axis", -1), float("epsilon", epsilon)])?;
        }
    }
    let past = match (n.optional(3).cloned(), n.optional(4).cloned()) {
        (Some(k), Some(v)) => Some([k, v]),
        (None, None) => None,
        _ => return invalid("only one of `past_key` and `past_value` (inputs 3 and 4) is given"),
    };
    for old in past.iter().flatten() {
        ranked(old, 4)?;
        c.require_same((old, 0), (&q, 0))?;
    }
    let run = run(c, n, &q, past.as_ref())?;
    let (turned, interleaved) = (n.int("do_rotary", 0) != 0, n.int("rotary_interleaved", 0));
    let [cos, sin, ids] = [7, 8, 9].map(|input| n.optional(input).cloned());
    if turned {
        let (Some(cos), Some(sin)) = (cos, sin) else {
            return invalid("`do_rotary` is set, but `cos_cache` and `sin_cache` (inputs 7 and 8) are not given");
        };
        let ids = match ids {
            Some(ids) => ids,
            None => positions(c, &run)?,
        };
        q = turn(c, n, &q, &ids, (&cos, &sin), heads, 0, interleaved)?;
        k = turn(c, n, &k, &ids, (&cos, &sin), few, 0, interleaved)?;
    }
    let slides = n.int("sliding_window_cache", 0) != 0;
    let attended = if slides {
        sliding_cache::attended(c, n, &run, past, [k, v])?
    } else {
        whole_cache(c, n, &run, past, [k, v])?
    };
    let sink = sink(c, n, heads, q.elem)?;
    let attributes = [float("softcap", n.float("softcap", 0.0))].into_iter().chain(scale(n)).collect();
    // Of one new token, the heads that share keys are the rows of one product: keys and values are not repeated.
    let shape = q.shape.clone();
    let together = run.length.is(1) && n.optional(10).is_none() && sink.is_none();
    if together {
        q = c.reshape(&q, &[shape[0].clone(), few.into(), (heads / few).into(), shape[3].clone()])?;
    }
    let inputs = [q, attended.keys, attended.values, attended.mask].map(Some).to_vec();
    let attention = standard(n, "Attention", inputs, attributes);
    let mut result = attention_with_sink(c, &attention, sink.as_ref())?.swap_remove(0);
    if together {
        result = c.reshape(&result, &[shape[0].clone(), heads.into(), 1.into(), result.shape[3].clone()])?;
    }
    let flat = c.transpose(&result, &[0, 2, 1, 3]);
    let width = c.size_times(&flat.shape[2].clone(), &flat.shape[3].clone());
    let result = c.reshape(&flat, &[flat.shape[0].clone(), flat.shape[1].clone(), width])?;
    let [present_k, present_v] = attended.present;
    Ok(vec![result, present_k, present_v])
}

/// Queries, keys and values by heads; one input may hold them side by side.
fn projections(c: &mut Context<'_>, n: &Node, heads: i64, few: i64) -> Outcome<[Value; 3]> {
    let query = n.input(0)?.clone();
    ranked(&query, 3)?;
    let (q, k, v) = match (n.optional(1).cloned(), n.optional(2).cloned()) {
        (Some(k), Some(v)) => (query, k, v),
        (None, None) => {
            let size = c.divided((&query, 2), heads + 2 * few, "heads")?;
            let (wide, narrow) = (size.times(heads), size.times(few));
            let second = wide.plus(&narrow);
            let zero = Dim::fixed(0);
            (cut(c, &query, 2, &zero, &wide), cut(c, &query, 2, &wide, &narrow), cut(c, &query, 2, &second, &narrow))
        }
        _ => return invalid("only one of `key` and `value` (inputs 1 and 2) is given"),
    };
    ranked(&k, 3)?;
    ranked(&v, 3)?;
    Ok([headed(c, &q, heads)?, headed(c, &k, few)?, headed(c, &v, few)?])
}

/// The score of each head that no key has, `[1, heads, 1, 1]`.
fn sink(c: &mut Context<'_>, n: &Node, heads: i64, elem: Elem) -> Outcome<Option<Value>> {
    let smooth = n.int("smooth_softmax", 0) > 0;
    match n.optional(11).cloned() {
        Some(sinks) => {
            ranked(&sinks, 1)?;
            c.require_size((&sinks, 0), &heads.into(), "as there are heads")?;
            let sinks = c.settle(&sinks);
            c.reshape(&sinks, &[1.into(), heads.into(), 1.into(), 1.into()]).map(Some)
        }
        None if smooth => Ok(Some(c.filled(elem, &[1.into(), 1.into(), 1.into(), 1.into()], Num::I(0)))),
        None => Ok(None),
    }
}

/// Keys and values of a cache that holds the whole sequence.
fn whole_cache(
    c: &mut Context<'_>,
    n: &Node,
    run: &Run,
    past: Option<[Value; 2]>,
    [k, v]: [Value; 2],
) -> Outcome<Attended> {
    let size = present_size(c, n, run, past.is_some())?;
    let most = c.size_min(&run.room, &size.minus(&run.length));
    c.require_range(&run.start, &Dim::fixed(0), &most)?;
    let [old_k, old_v] = past.map_or([None, None], |[k, v]| [Some(k), Some(v)]);
    let present = [present(c, run, &size, old_k, &k)?, present(c, run, &size, old_v, &v)?];
    let [keys, values] = present.each_ref().map(|v| cut(c, v, 2, &Dim::fixed(0), &run.total));
    let mask = mask(c, n, run, k.elem)?;
    Ok(Attended { keys, values, mask, present })
}

/// The number of tokens for which the present has room: as the past, where the model says so.
fn present_size(c: &mut Context<'_>, n: &Node, run: &Run, has_past: bool) -> Outcome<Dim> {
    let (room, total) = (&run.room, &run.total);
    let fixed = |output: usize| Some(*n.declared.get(output)?.as_ref()?.get(2)?)?;
    if !has_past || room.get().is_none() || fixed(1) != room.get() || fixed(2) != room.get() {
        return Ok(c.size_max(total, room));
    }
    let text = "`total_sequence_length` is {0}, but the cache has room for {1}";
    c.require(Rule::AtLeast(room.clone(), total.clone()), text, &[total, room])?;
    Ok(room.clone())
}

/// Returns the positions of sequences: from the start if all tokens are new, otherwise after those that `seqlens_k`
/// counts.
fn run(c: &mut Context<'_>, n: &Node, q: &Value, past: Option<&[Value; 2]>) -> Outcome<Run> {
    let (ends, total) = (n.input(5)?.clone(), n.input(6)?.clone());
    let total = c.reshape(&total, &[])?;
    let total = c.read_dims(&total)?.remove(0);
    c.require_count(&total, "`total_sequence_length`")?;
    let q = c.settle(q);
    let (batch, length) = (q.shape[0].clone(), q.shape[2].clone());
    let end = Value { label: ends.label.clone(), ..c.reshape(&ends, std::slice::from_ref(&batch))? };
    let room = past.map_or(Dim::fixed(0), |[k, _]| k.shape[2].clone());
    let (all, own) = (Scalar::index(c.index(&total)), Scalar::index(c.index(&length)));
    let start = c.elementwise(std::slice::from_ref(&end), Elem::I64, |b, v| {
        let first = b.compare(Order::Eq, &all, &own);
        let (end, one, zero) = (b.cast(&v[0], Elem::I64), b.int(Elem::I64, 1), b.int(Elem::I64, 0));
        let own = b.cast(&own, Elem::I64);
        let count = b.add(&end, &one);
        let start = b.sub(&count, &own);
        b.select(&first, &zero, &start)
    })?;
    let start = start.called("seqlens_k");
    Ok(Run { start, end, length, room, total })
}

/// Returns the positions of the new tokens.
fn positions(c: &mut Context<'_>, run: &Run) -> Outcome<Value> {
    let batch = run.start.shape[0].clone();
    let start = c.reshape(&run.start, &[batch.clone(), Dim::fixed(1)])?;
    c.elementwise_to(&[batch, run.length.clone()], &[start], Elem::I64, |b, v| {
        let place = b.position(1);
        let place = b.cast(&place, Elem::I64);
        b.add(&v[0], &place)
    })
}

/// The past with the new tokens behind what each row has of it, and zeros behind them, of a number of tokens.
fn present(c: &mut Context<'_>, run: &Run, size: &Dim, past: Option<Value>, new: &Value) -> Outcome<Value> {
    if let Some(past) = past.as_ref().filter(|past| past.shape[2] == *size) {
        // A cache of fixed size keeps what is behind the new tokens: nobody attends to it.
        let batch = past.shape[0].get();
        if cache::in_pieces(past, new, batch) {
            return cache::along(c, (past, new), 2, &run.start);
        }
    }
    let Some(past) = past else {
        if *size == new.shape[2] {
            return Ok(new.clone());
        }
        return moved(c, run, size, new, new);
    };
    let both = c.concat(&[past, new.clone()], 2)?;
    moved(c, run, size, &both, new)
}

fn moved(c: &mut Context<'_>, run: &Run, size: &Dim, both: &Value, new: &Value) -> Outcome<Value> {
    let elem = new.elem;
    let mut shape = new.shape.clone();
    shape[2] = size.clone();
    let (ssa, ty) = (c.ssa(both), both.ty());
    let [room, length] = [&run.room, &run.length].map(|d| Scalar::index(c.index(d)));
    let last = Scalar::index(c.index(&both.shape[2].offset(-1)));
    let out = c.empty(elem, &shape);
    let all = map(&[0, 1, 2, 3]);
    Ok(c.generic(&[Iter::Parallel; 4], &[(&run.start, map(&[0]))], &[(&out, all)], |b, v| {
        let at: Vec<_> = (0..4).map(|d| b.position(d)).collect();
        let start = b.to_index(&v[0]);
        let end = b.add(&start, &length);
        let (old, before) = (b.compare(Order::Lt, &at[2], &start), b.compare(Order::Lt, &at[2], &end));
        let offset = b.sub(&at[2], &start);
        let fresh = b.add(&room, &offset);
        let place = b.select(&before, &fresh, &at[2]);
        let place = b.select(&old, &at[2], &place);
        let zero = b.index_constant(0);
        let place = b.max(&place, &zero);
        let place = b.min(&place, &last);
        let value = b.extract(&ssa, &ty, elem, &[at[0].clone(), at[1].clone(), place, at[3].clone()]);
        let none = b.number(elem, Num::F(0.0));
        vec![b.select(&before, &value, &none)]
    })
    .remove(0))
}

/// Returns the addend of scores: the bias, if there is one, where a token attends to another, and -∞ elsewhere.
fn mask(c: &mut Context<'_>, n: &Node, run: &Run, elem: Elem) -> Outcome<Value> {
    let (causal, window) = (n.int("causal", 1) != 0, n.int("local_window_size", -1));
    let start = c.reshape(&run.start, &[run.start.shape[0].clone(), 1.into(), 1.into(), 1.into()])?;
    let mut shape = vec![run.start.shape[0].clone(), Dim::fixed(1), run.length.clone(), run.total.clone()];
    let mut inputs = vec![start];
    if let Some(bias) = n.optional(10).cloned() {
        ranked(&bias, 4)?;
        shape[1] = bias.shape[1].clone();
        inputs.push(bias);
    }
    let length = Scalar::index(c.index(&run.length));
    let flags = inputs.len() == 1;
    c.elementwise_to(&shape, &inputs, if flags { Elem::Bool } else { elem }, |b, v| {
        let (query, key) = (b.position(2), b.position(3));
        let start = b.to_index(&v[0]);
        let own = b.add(&start, &query);
        let mut seen = if causal {
            b.compare(Order::Le, &key, &own)
        } else {
            let end = b.add(&start, &length);
            b.compare(Order::Lt, &key, &end)
        };
        if window >= 0 {
            let window = b.index_constant(window);
            let first = b.sub(&own, &window);
            let near = b.compare(Order::Gt, &key, &first);
            seen = b.and(&seen, &near);
        }
        if flags {
            return seen;
        }
        let low = b.float(elem, f64::NEG_INFINITY);
        b.select(&seen, &v[1], &low)
    })
}
