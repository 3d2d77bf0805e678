//! Caches of `GroupQueryAttention` that hold the window of a sequence (`sliding_window_cache`). With room for `C` tokens and a window of `W`,
//! rows `0..L` are the last `L` of `T` tokens, one after another:
//!
//! ```text
//! G = C - W + 1
//! L = T                           if T <= C
//!     T - G * ceil((T - C) / G)   otherwise
//! ```
//!
//! (documentation of the operator, "Windowed KV Cache").
use super::sequences::{Attended, Run};
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value,
    context::require::Rule,
    generic::map,
    problem::{invalid, unsupported},
};

/// The tokens of each row, `[batch]`, in `i64`.
struct Counts {
    /// Those before the call.
    before: Value,
    /// Those of them that the past holds.
    held: Value,
    /// Those after it.
    after: Value,
    /// Those of them that the present holds.
    kept: Value,
}

/// Queries attend to what the past holds, then to the new tokens.
pub(super) fn attended(
    c: &mut Context<'_>,
    n: &Node,
    run: &Run,
    past: Option<[Value; 2]>,
    new: [Value; 2],
) -> Outcome<Attended> {
    let Some(past) = past else {
        return invalid(
            "`sliding_window_cache` is set, but `past_key` and `past_value` (inputs 3 and 4) are not given",
        );
    };
    if n.optional(10).is_some() {
        return unsupported("`sliding_window_cache` is set, and `attention_bias` (input 10) is given");
    }
    let window = n.int("local_window_size", -1);
    if window < 1 || n.int("causal", 1) == 0 {
        return invalid("`sliding_window_cache` is set without `local_window_size`, or with `causal` of 0");
    }
    let text = "the cache has room for {0} tokens, fewer than the window of {1}";
    c.require(Rule::AtLeast(run.room.clone(), window.into()), text, &[&run.room, &window.into()])?;
    let most = c.settle_dim(&run.total).minus(&run.length);
    c.require_range(&run.start, &Dim::fixed(0), &most)?;
    let counts = counts(c, run, window)?;
    let mut both = Vec::new();
    let mut present = Vec::new();
    for (past, new) in past.into_iter().zip(new) {
        let all = c.concat(&[past, new], 2)?;
        present.push(kept(c, run, &counts, &all));
        both.push(all);
    }
    let mask = mask(c, run, &counts, window)?;
    let ([keys, values], Ok(present)) = ([both.remove(0), both.remove(0)], present.try_into()) else {
        unreachable!("keys and values are two");
    };
    Ok(Attended { keys, values, mask, present })
}

fn counts(c: &mut Context<'_>, run: &Run, window: i64) -> Outcome<Counts> {
    let room = Scalar::index(c.index(&run.room));
    let resident = |c: &mut Context<'_>, tokens: &Value| {
        c.elementwise(std::slice::from_ref(tokens), Elem::I64, |b, v| {
            let room = b.cast(&room, Elem::I64);
            let window = b.int(Elem::I64, window - 1);
            let (step, over) = (b.sub(&room, &window), b.sub(&v[0], &room));
            let one = b.int(Elem::I64, 1);
            let last = b.sub(&step, &one);
            let rounded = b.add(&over, &last);
            let steps = b.div(&rounded, &step);
            let gone = b.mul(&steps, &step);
            let some = b.sub(&v[0], &gone);
            let fits = b.compare(Order::Le, &v[0], &room);
            b.select(&fits, &v[0], &some)
        })
    };
    let before = run.start.clone();
    let held = resident(c, &before)?;
    let after = c.elementwise(std::slice::from_ref(&run.end), Elem::I64, |b, v| {
        let (end, one) = (b.cast(&v[0], Elem::I64), b.int(Elem::I64, 1));
        b.add(&end, &one)
    })?;
    let kept = resident(c, &after)?;
    Ok(Counts { before, held, after, kept })
}

/// The last tokens of past and new ones, and zeros behind them.
fn kept(c: &mut Context<'_>, run: &Run, counts: &Counts, all: &Value) -> Value {
    let elem = all.elem;
    let mut shape = all.shape.clone();
    shape[2] = run.room.clone();
    let (ssa, ty) = (c.ssa(all), all.ty());
    let room = Scalar::index(c.index(&run.room));
    let last = Scalar::index(c.index(&all.shape[2].offset(-1)));
    let out = c.empty(elem, &shape);
    let lists = [&counts.before, &counts.held, &counts.after, &counts.kept].map(|list| (list, map(&[0])));
    c.generic(&[Iter::Parallel; 4], &lists, &[(&out, map(&[0, 1, 2, 3]))], |b, v| {
        let at: Vec<_> = (0..4).map(|d| b.position(d)).collect();
        let [before, held, after, kept] = [0, 1, 2, 3].map(|i| b.to_index(&v[i]));
        let first = b.sub(&after, &kept);
        let position = b.add(&first, &at[2]);
        // Counted from the first token that the past holds, then from the first new one.
        let oldest = b.sub(&before, &held);
        let (past, new) = (b.sub(&position, &oldest), b.sub(&position, &before));
        let new = b.add(&room, &new);
        let old = b.compare(Order::Lt, &position, &before);
        let row = b.select(&old, &past, &new);
        let zero = b.index_constant(0);
        let row = b.max(&row, &zero);
        let row = b.min(&row, &last);
        let value = b.extract(&ssa, &ty, elem, &[at[0].clone(), at[1].clone(), row, at[3].clone()]);
        let (counts, none) = (b.compare(Order::Lt, &at[2], &kept), b.number(elem, Num::F(0.0)));
        vec![b.select(&counts, &value, &none)]
    })
    .remove(0)
}

/// Whether a query sees a key: `[batch, 1, new tokens, room of the past and new tokens]`.
fn mask(c: &mut Context<'_>, run: &Run, counts: &Counts, window: i64) -> Outcome<Value> {
    let batch = run.start.shape[0].clone();
    let column = [batch.clone(), 1.into(), 1.into(), 1.into()];
    let (before, held) = (c.reshape(&counts.before, &column)?, c.reshape(&counts.held, &column)?);
    let room = Scalar::index(c.index(&run.room));
    let shape = [batch, 1.into(), run.length.clone(), run.room.plus(&run.length)];
    c.elementwise_to(&shape, &[before, held], Elem::Bool, |b, v| {
        let (query, key) = (b.position(2), b.position(3));
        let (before, held) = (b.to_index(&v[0]), b.to_index(&v[1]));
        let old = b.compare(Order::Lt, &key, &room);
        let (oldest, new) = (b.sub(&before, &held), b.sub(&key, &room));
        let (past, new) = (b.add(&oldest, &key), b.add(&before, &new));
        let position = b.select(&old, &past, &new);
        let own = b.add(&before, &query);
        let earlier = b.compare(Order::Le, &position, &own);
        let window = b.index_constant(window);
        let first = b.sub(&own, &window);
        let near = b.compare(Order::Gt, &position, &first);
        let seen = b.and(&earlier, &near);
        // Rows of the past behind those that it holds have the positions of new tokens.
        let behind = b.compare(Order::Ge, &key, &held);
        let nothing = b.and(&old, &behind);
        let something = b.not(&nothing);
        b.and(&seen, &something)
    })
}
