//! `LinearAttention`: a recurrence over tokens, with a matrix per head as its state.
use super::Entry;
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Outcome, Value, context::require::Rule, generic::map, problem::invalid,
};

pub(super) const OPS: &[Entry] = &[("LinearAttention", linear_attention)];

/// The recurrence is computed in this type, as the specification does.
const WIDE: Elem = Elem::F32;

/// The contributions of all tokens: each `[batch, tokens, heads, …]`.
struct Tokens {
    /// `[…, queries of a head, keys]`.
    query: Value,
    /// `[…, keys]`.
    key: Value,
    /// `[…, values]`.
    value: Value,
    /// The decay of the state: `[…, keys or 1]`.
    decay: Option<Value>,
    /// The strength of the correction of the state: `[…, 1]`.
    beta: Option<Value>,
    scale: Option<f64>,
}

fn linear_attention(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (heads, own) = (n.int("q_num_heads", 0), n.int("kv_num_heads", 0));
    if heads < 1 || own < 1 || heads % own != 0 {
        return invalid(format!("{heads} heads of queries do not share {own} heads of keys"));
    }
    let rule = n.string("update_rule", "gated_delta");
    let (gated, delta) = match rule.as_str() {
        "linear" => (false, false),
        "gated" => (true, false),
        "delta" => (false, true),
        "gated_delta" => (true, true),
        other => return invalid(format!("`update_rule` is `{other}`")),
    };
    for (input, name, wanted) in [(4, "decay", gated), (5, "beta", delta)] {
        if n.optional(input).is_some() != wanted {
            let verb = if wanted { "needs" } else { "has no use for" };
            return invalid(format!("`update_rule` `{rule}` {verb} `{name}` (input {input})"));
        }
    }
    // A tuning hint for other implementations.
    n.int("chunk_size", 64);
    let (q, k, v) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let lists = [Some(&q), Some(&k), Some(&v), n.optional(4), n.optional(5)];
    for v in lists.into_iter().flatten() {
        if v.rank() != 3 {
            return invalid(format!("input of type `{}` is not of rank 3", v.ty()));
        }
        c.require_same((v, 0), (&q, 0))?;
        c.require_same((v, 1), (&q, 1))?;
    }
    let (keys, values) = (c.divided((&q, 2), heads, "heads")?, c.divided((&v, 2), own, "heads")?);
    c.require_size((&k, 2), &keys.times(own), "as many as the queries have, for each head of keys")?;
    let (batch, count) = (c.settle_dim(&q.shape[0]), c.settle_dim(&q.shape[1]));
    let (own_count, own) = (own, Dim::fixed(own));
    let outer = [batch.clone(), count.clone(), own.clone()];
    let with = |rest: &[Dim]| [&outer[..], rest].concat();
    let group = Dim::fixed(heads / own_count);
    let reshaped = |c: &mut Context<'_>, v: &Value, rest: &[Dim]| {
        let v = c.settle(v);
        c.reshape(&v, &with(rest))
    };
    let query = reshaped(c, &q, &[group.clone(), keys.clone()])?;
    let (key, value) = (reshaped(c, &k, std::slice::from_ref(&keys))?, reshaped(c, &v, std::slice::from_ref(&values))?);
    let decay = match n.optional(4) {
        None => None,
        Some(decay) => {
            let per_head = c.divided((decay, 2), own_count, "heads")?;
            // One for a head, or one for each key.
            let text = "the decays of a head are {0}, neither 1 nor its {1} keys";
            c.require(Rule::Fits(per_head.clone(), keys.clone()), text, &[&per_head, &keys])?;
            let split = reshaped(c, decay, std::slice::from_ref(&per_head))?;
            Some(c.elementwise(&[split], WIDE, |b, v| {
                let wide = b.cast(&v[0], WIDE);
                b.math("exp", &wide)
            })?)
        }
    };
    let beta = match n.optional(5) {
        None => None,
        Some(beta) => {
            let beta = c.settle(beta);
            let beta = c.broadcast(&beta, &outer)?;
            Some(reshaped(c, &beta, &[Dim::fixed(1)])?)
        }
    };
    let shape = [batch.clone(), own.clone(), keys.clone(), values.clone()];
    let state = match n.optional(3) {
        None => c.filled(WIDE, &shape, Num::I(0)),
        Some(past) => {
            if past.rank() != 4 {
                return invalid(format!("`{}` is not of rank 4", past.ty()));
            }
            for (i, size) in shape.iter().enumerate() {
                c.require_size((past, i), size, "by batch, heads, keys and values")?;
            }
            let past = c.settle(past);
            super::matmul::narrowed(c, &past, WIDE)?
        }
    };
    let scale = Some(n.float("scale", 0.0)).filter(|s| *s != 0.0).or(keys.get().map(|k| 1.0 / (k as f64).sqrt()));
    let tokens = Tokens { query, key, value, decay, beta, scale };
    let out_shape = [count.clone(), batch.clone(), own.clone(), group, values.clone()];
    let out = c.empty(WIDE, &out_shape);
    let done = c.repeat(&count, &[out, state], |c, at, state| {
        let (out, state) = tokens.step(c, at, state)?;
        Ok(vec![out, state])
    })?;
    let turned = c.transpose(&done[0], &[1, 0, 2, 3, 4]);
    let width = values.times(heads);
    let flat = c.reshape(&turned, &[batch, count, width])?;
    let output = super::matmul::narrowed(c, &flat, q.elem)?;
    let present = super::matmul::narrowed(c, &done[1], n.optional(3).map_or(q.elem, |p| p.elem))?;
    Ok(vec![output, present])
}

impl Tokens {
    /// Processes one token: returns the output with its part, and the next state.
    fn step(&self, c: &mut Context<'_>, at: &Dim, state: &[Value]) -> Outcome<(Value, Value)> {
        let (out, state) = (&state[0], &state[1]);
        let (query, key) = (c.take(&self.query, 1, at)?, c.take(&self.key, 1, at)?);
        let mut value = c.take(&self.value, 1, at)?;
        let decay = self.decay.as_ref().map(|d| c.take(d, 1, at)).transpose()?;
        let shape = state.shape.clone();
        let one = Dim::fixed(1);
        let column =
            |c: &mut Context<'_>, v: &Value| c.reshape(v, &[&v.shape[..], std::slice::from_ref(&one)].concat());
        let mut state = state.clone();
        if let Some(decay) = &decay {
            let decay = column(c, decay)?;
            state = c.elementwise_to(&shape, &[state, decay], WIDE, |b, v| b.mul(&v[0], &v[1]))?;
        }
        if let Some(beta) = &self.beta {
            let beta = c.take(beta, 1, at)?;
            let kept = [shape[0].clone(), shape[1].clone(), shape[3].clone()];
            let start = c.filled(WIDE, &kept, Num::I(0));
            let iters = [Iter::Parallel, Iter::Parallel, Iter::Parallel, Iter::Reduction];
            let ins = [(&state, map(&[0, 1, 3, 2])), (&key, map(&[0, 1, 3]))];
            let found = c.generic(&iters, &ins, &[(&start, map(&[0, 1, 2]))], |b, v| {
                let key = b.cast(&v[1], WIDE);
                let part = b.mul(&v[0], &key);
                vec![b.add(&v[2], &part)]
            });
            value = c.elementwise_to(&kept, &[value, found[0].clone(), beta], WIDE, |b, v| {
                let (value, beta) = (b.cast(&v[0], WIDE), b.cast(&v[2], WIDE));
                let error = b.sub(&value, &v[1]);
                b.mul(&beta, &error)
            })?;
        }
        let key = column(c, &key)?;
        let row =
            c.reshape(&value, &[value.shape[0].clone(), value.shape[1].clone(), one.clone(), value.shape[2].clone()])?;
        let state = c.elementwise_to(&shape, &[state, key, row], WIDE, |b, v| {
            let (key, value) = (b.cast(&v[1], WIDE), b.cast(&v[2], WIDE));
            let part = b.mul(&key, &value);
            b.add(&v[0], &part)
        })?;
        let kept = out.shape[1..].to_vec();
        let start = c.filled(WIDE, &kept, Num::I(0));
        let iters = [vec![Iter::Parallel; 4], vec![Iter::Reduction]].concat();
        let ins = [(&query, map(&[0, 1, 2, 4])), (&state, map(&[0, 1, 4, 3]))];
        let sum = c.generic(&iters, &ins, &[(&start, map(&[0, 1, 2, 3]))], |b, v| {
            let query = b.cast(&v[0], WIDE);
            let part = b.mul(&query, &v[1]);
            vec![b.add(&v[2], &part)]
        });
        let size = crate::onnx::Scalar::index(c.index(&shape[2]));
        let part = c.elementwise(&sum, WIDE, |b, v| {
            let scale = match self.scale {
                Some(scale) => b.like(&v[0], scale),
                None => {
                    let size = b.cast(&size, WIDE);
                    let (root, one) = (b.math("sqrt", &size), b.like(&size, 1.0));
                    b.div(&one, &root)
                }
            };
            b.mul(&scale, &v[0])
        })?;
        Ok((c.with_part(out, &part, at), state))
    }
}
