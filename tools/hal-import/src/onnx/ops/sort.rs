//! Order: sorts elements along an axis, and selects the largest or smallest.
use super::{
    Entry,
    ranking::{goes_first, key_goes_first, keys},
    tournament::Leaders,
};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value,
    context::require::{Rule, dimension},
    generic::map,
};

pub(super) const OPS: &[Entry] = &[("TopK", top_k)];

/// The largest number of elements that are compared with all others: one dispatch, without steps.
const FEW: i64 = 512;

/// The `k` largest or smallest in order; of equal ones the first is first.
fn top_k(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.axis(n.int("axis", -1), x.rank())?;
    let k = match n.optional(1) {
        Some(v) => c.read_dim(v)?,
        None => Dim::fixed(n.int("k", 1)),
    };
    let largest = n.int("largest", 1) != 0;
    c.require_count(&k, "`k`")?;
    let text = format!("`k` is {{0}}, more than the {{1}} elements of {}", dimension(&x, axis));
    c.require(Rule::AtLeast(x.shape[axis].clone(), k.clone()), &text, &[&k, &x.shape[axis]])?;
    let (x, k) = (c.settle(&x), c.settle_dim(&k));
    let (values, places) = sorted(c, &x, axis, &k, largest)?;
    let rank = n.declared.first().and_then(Option::as_deref);
    Ok(vec![c.as_declared(values, rank)?, c.as_declared(places, rank)?])
}

/// The first `count` elements along an axis in order, and the positions (i64) that they had.
pub(super) fn sorted(
    c: &mut Context<'_>,
    x: &Value,
    axis: usize,
    count: &Dim,
    largest: bool,
) -> Outcome<(Value, Value)> {
    match (x.shape[axis].get(), count.get()) {
        (Some(size), _) if size <= FEW => Ok(by_rank(c, x, axis, count, largest)),
        (size, Some(count)) if count <= size.map_or(FEW, |size| size / 16) => one_by_one(c, x, axis, count, largest),
        _ => by_exchange(c, x, axis, count, largest),
    }
}

/// A few of many elements, one after the other.
fn one_by_one(c: &mut Context<'_>, x: &Value, axis: usize, count: i64, largest: bool) -> Outcome<(Value, Value)> {
    let rank = x.rank();
    let last: Vec<_> = (0..rank).filter(|&d| d != axis).chain([axis]).collect();
    let moved = c.transpose(x, &last);
    let rows = c.product(&moved.shape[..rank - 1]);
    let list = c.reshape(&moved, &[rows.clone(), x.shape[axis].clone()])?;
    let leaders = Leaders::of(c, &list, largest)?;
    let shape = [rows.clone(), Dim::fixed(count)];
    let state = [
        c.filled(x.elem, &shape, Num::I(0)),
        c.filled(Elem::I64, &shape, Num::I(0)),
        leaders.state[0].clone(),
        leaders.state[1].clone(),
    ];
    let (end, steps) = (c.index(&rows), c.index(&Dim::fixed(count)));
    let done = nested(c, &[end, steps], &state, |b, at, now| {
        let row = std::slice::from_ref(&at[0]);
        let left = [now[2].clone(), now[3].clone()];
        let best = leaders.best(b, row, &left);
        let types: Vec<_> = state.iter().map(Value::ty).collect();
        let list = types.join(", ");
        let made = b.w.open_values(4, &format!("scf.if {} -> ({list}) {{", best.some.name));
        let place = format!("[{}, {}]", at[0].name, at[1].name);
        let value = b.w.value(format!("tensor.insert {} into {}{place} : {}", best.value.name, now[0], types[0]));
        let index = b.w.value(format!("tensor.insert {} into {}{place} : {}", best.place.name, now[1], types[1]));
        let [values, places] = leaders.without(b, row, &best, &left);
        b.w.line(format!("scf.yield {value}, {index}, {values}, {places} : {list}"));
        b.w.between("} else {");
        b.w.line(format!("scf.yield {} : {list}", now.join(", ")));
        b.w.close("}");
        made
    });
    let mut wanted: Vec<_> = last[..rank - 1].iter().map(|&d| x.shape[d].clone()).collect();
    wanted.push(Dim::fixed(count));
    let mut back = vec![0; rank];
    for (at, &d) in last.iter().enumerate() {
        back[d] = at;
    }
    let mut results = Vec::new();
    for list in &done[..2] {
        let list = c.reshape(list, &wanted)?;
        results.push(c.transpose(&list, &back));
    }
    let places = results.remove(1);
    Ok((results.remove(0), places))
}

/// A nest of loops over elements, up to `ends`, which carries tensors: `body` is given the positions and their names, and gives
/// the next ones.
pub(super) fn nested(
    c: &mut Context<'_>,
    ends: &[String],
    state: &[Value],
    body: impl FnOnce(&mut Body<'_>, &[Scalar], &[String]) -> Vec<String>,
) -> Vec<Value> {
    let (zero, one) = (c.index(&Dim::fixed(0)), c.index(&Dim::fixed(1)));
    let mut now: Vec<_> = state.iter().map(|v| c.ssa(v)).collect();
    let list = state.iter().map(Value::ty).collect::<Vec<_>>().join(", ");
    let mut b = c.body();
    let (mut at, mut made) = (Vec::new(), Vec::new());
    for end in ends {
        let position = b.w.name();
        let names: Vec<_> = now.iter().map(|_| b.w.name()).collect();
        let args: Vec<_> = names.iter().zip(&now).map(|(name, from)| format!("{name} = {from}")).collect();
        let head =
            format!("scf.for {position} = {zero} to {end} step {one} iter_args({}) -> ({list}) {{", args.join(", "));
        made.push(b.w.open_values(state.len(), &head));
        at.push(Scalar::index(position));
        now = names;
    }
    let mut next = body(&mut b, &at, &now);
    for results in made.into_iter().rev() {
        // The loop within gives what the one around it goes on with.
        b.w.line(format!("scf.yield {} : {list}", next.join(", ")));
        b.w.close("}");
        next = if state.len() == 1 { vec![results[0].clone()] } else { results };
    }
    next.into_iter().zip(state).map(|(name, v)| Value::new(name, v.elem, v.shape.clone())).collect()
}

/// The rank of an element is the number of those before it; an element goes where its rank says.
fn by_rank(c: &mut Context<'_>, x: &Value, axis: usize, count: &Dim, largest: bool) -> (Value, Value) {
    let rank = x.rank();
    let all: Vec<_> = (0..rank).collect();
    let other: Vec<_> = (0..rank).map(|d| if d == axis { rank } else { d }).collect();
    let iters = [vec![Iter::Parallel; rank], vec![Iter::Reduction]].concat();
    let zero = c.filled(Elem::I32, &x.shape, Num::I(0));
    let keys = keys(c, x, largest);
    let of = keys.as_ref().unwrap_or(x);
    let ranks = c
        .generic(&iters, &[(of, map(&all)), (of, map(&other))], &[(&zero, map(&all))], |b, v| {
            let [here, there] = [axis, rank].map(|along| {
                let at = b.position(along);
                b.cast(&at, Elem::I32)
            });
            let before = match keys {
                Some(_) => key_goes_first(b, (&v[1], &there), (&v[0], &here)),
                None => goes_first(b, (&v[1], &there), (&v[0], &here), largest),
            };
            let one = b.int(Elem::I32, 1);
            let more = b.add(&v[2], &one);
            vec![b.select(&before, &more, &v[2])]
        })
        .remove(0);
    let mut shape = x.shape.clone();
    shape[axis] = count.clone();
    let (values, places) = (c.filled(x.elem, &shape, Num::I(0)), c.filled(Elem::I64, &shape, Num::I(0)));
    let mut found = c.generic(
        &iters,
        &[(x, map(&other)), (&ranks, map(&other))],
        &[(&values, map(&all)), (&places, map(&all))],
        |b, v| {
            let (here, there) = (b.position(axis), b.position(rank));
            let (here, there) = (b.cast(&here, Elem::I32), b.cast(&there, Elem::I64));
            let mine = b.compare(Order::Eq, &v[1], &here);
            vec![b.select(&mine, &v[0], &v[2]), b.select(&mine, &there, &v[3])]
        },
    );
    let places = found.remove(1);
    (found.remove(0), places)
}

/// Batcher's bitonic network, padded to a power of two: in each step every element is compared with one other, so that
/// steps are parallel and there are `log² n` of them.
fn by_exchange(c: &mut Context<'_>, x: &Value, axis: usize, count: &Dim, largest: bool) -> Outcome<(Value, Value)> {
    let (rank, size) = (x.rank(), x.shape[axis].clone());
    let (zero, one) = (c.index(&Dim::fixed(0)), c.index(&Dim::fixed(1)));
    let (levels, padded) = match size.get() {
        Some(size) => {
            let padded = (size as u64).next_power_of_two();
            (c.index(&Dim::fixed(i64::from(padded.trailing_zeros()))), Dim::fixed(padded as i64))
        }
        None => {
            let last = c.index(&size.offset(-1));
            let last = c.w.value(format!("arith.maxsi {last}, {zero} : index"));
            let wide = c.w.value(format!("arith.index_cast {last} : index to i64"));
            let zeros = c.w.value(format!("math.ctlz {wide} : i64"));
            let bits = c.scalar(Elem::I64, Num::I(64));
            let levels = c.w.value(format!("arith.subi {bits}, {zeros} : i64"));
            let levels = c.w.value(format!("arith.index_cast {levels} : i64 to index"));
            let padded = c.w.value(format!("arith.shli {one}, {levels} : index"));
            // It is no less, and so everyone can tell.
            let padded = c.w.value(format!("arith.maxsi {padded}, {one} : index"));
            (levels, c.fresh_symbol(padded))
        }
    };
    let (mut zeros, mut high) = (vec![Dim::fixed(0); rank], vec![Dim::fixed(0); rank]);
    high[axis] = padded.minus(&size);
    let values = c.pad(x, &zeros, &high, Num::I(0));
    let mut shape = x.shape.clone();
    shape[axis] = padded.clone();
    let values = c.cast(&values, &shape);
    let places = c.elementwise_to(&shape, &[], Elem::I64, |b, _| {
        let here = b.position(axis);
        b.cast(&here, Elem::I64)
    })?;
    let state = [values, places];
    let types: Vec<_> = state.iter().map(Value::ty).collect();
    let list = types.join(", ");
    // For each level the distances halve from its own down to 1.
    let (level, outer) = (c.w.name(), [c.w.name(), c.w.name()]);
    let initial: Vec<_> = state.iter().map(|v| c.ssa(v)).collect();
    let head = format!(
        "scf.for {level} = {zero} to {levels} step {one} iter_args({} = {}, {} = {}) -> ({list}) {{",
        outer[0], initial[0], outer[1], initial[1]
    );
    let done = c.w.open_values(2, &head);
    let scope = c.enter();
    let steps = c.w.value(format!("arith.addi {level}, {one} : index"));
    let (step, inner) = (c.w.name(), [c.w.name(), c.w.name()]);
    let head = format!(
        "scf.for {step} = {zero} to {steps} step {one} iter_args({} = {}, {} = {}) -> ({list}) {{",
        inner[0], outer[0], inner[1], outer[1]
    );
    let passed = c.w.open_values(2, &head);
    let power = c.w.value(format!("arith.subi {level}, {step} : index"));
    let distance = Scalar::index(c.w.value(format!("arith.shli {one}, {power} : index")));
    let run = Scalar::index(c.w.value(format!("arith.shli {one}, {steps} : index")));
    let carried =
        [Value::new(inner[0].clone(), x.elem, shape.clone()), Value::new(inner[1].clone(), Elem::I64, shape.clone())];
    let next = exchange(c, &carried, axis, &size, (&distance, &run), largest);
    c.w.line(format!("scf.yield {}, {} : {list}", next[0], next[1]));
    c.w.close("}");
    c.w.line(format!("scf.yield {}, {} : {list}", passed[0], passed[1]));
    c.leave(scope);
    c.w.close("}");
    zeros.fill(Dim::fixed(0));
    let mut wanted = x.shape.clone();
    wanted[axis] = count.clone();
    let ones = vec![1; rank];
    let (values, places) =
        (Value::new(done[0].clone(), x.elem, shape.clone()), Value::new(done[1].clone(), Elem::I64, shape));
    Ok((c.slice(&values, &zeros, &wanted, &ones), c.slice(&places, &zeros, &wanted, &ones)))
}

/// One step of the network: each element and the one at a distance are put in order, forward or backward by the run that they
/// are in. What is padding goes behind all others.
fn exchange(
    c: &mut Context<'_>,
    [values, places]: &[Value; 2],
    axis: usize,
    size: &Dim,
    (distance, run): (&Scalar, &Scalar),
    largest: bool,
) -> [String; 2] {
    let rank = values.rank();
    let all: Vec<_> = (0..rank).collect();
    let last = Scalar::index(c.index(&values.shape[axis].offset(-1)));
    let size = Scalar::index(c.index(size));
    let (out, out_places) = (c.empty(values.elem, &values.shape), c.empty(Elem::I64, &values.shape));
    let (ssa, places_ssa) = (c.ssa(values), c.ssa(places));
    let made = c.generic(
        &vec![Iter::Parallel; rank],
        &[(values, map(&all)), (places, map(&all))],
        &[(&out, map(&all)), (&out_places, map(&all))],
        |b, v| {
            let mut at: Vec<_> = all.iter().map(|&d| b.position(d)).collect();
            let (here, zero) = (at[axis].clone(), b.index_constant(0));
            let partner = b.xor(&here, distance);
            let partner = b.max(&partner, &zero);
            at[axis] = b.min(&partner, &last);
            let other = b.extract(&ssa, &values.ty(), values.elem, &at);
            let there = b.extract(&places_ssa, &places.ty(), Elem::I64, &at);
            let first = goes_first(b, (&v[0], &v[1]), (&other, &there), largest);
            let end = b.cast(&size, Elem::I64);
            let (mine, theirs) = (b.compare(Order::Lt, &v[1], &end), b.compare(Order::Lt, &there, &end));
            // Of padding and an element the element, of two of a kind by their order.
            let mixed = b.xor(&mine, &theirs);
            let first = b.select(&mixed, &mine, &first);
            let (side, way) = (b.and(&here, distance), b.and(&here, run));
            let (left, forward) = (b.compare(Order::Eq, &side, &zero), b.compare(Order::Eq, &way, &zero));
            // If the side and the direction agree, the first element is wanted here.
            let wants_last = b.xor(&left, &forward);
            let keeps = b.xor(&first, &wants_last);
            vec![b.select(&keeps, &v[0], &other), b.select(&keeps, &v[1], &there)]
        },
    );
    [c.ssa(&made[0]), c.ssa(&made[1])]
}
