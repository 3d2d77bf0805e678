//! `TfIdfVectorizer`: counts sequences of integers.
use super::Entry;
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Tensor, Value,
    generic::map,
    problem::{invalid, unsupported},
};
use std::collections::BTreeMap;

pub(super) const OPS: &[Entry] = &[("TfIdfVectorizer", tf_idf)];

/// More columns of a result are not supported: a table has an entry for each.
const COLUMNS: i64 = 1 << 24;

/// How counts become results.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weighting {
    Count,
    Presence,
    Both,
}

fn tf_idf(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let weighting = match n.string("mode", "").as_str() {
        "TF" => Weighting::Count,
        "IDF" => Weighting::Presence,
        "TFIDF" => Weighting::Both,
        other => return invalid(format!("`mode` is `{other}`")),
    };
    let words = n.strings("pool_strings").filter(|p| !p.is_empty());
    let numbers = n.ints("pool_int64s").filter(|p| !p.is_empty());
    let (pool, x) = match (numbers, words) {
        (Some(_), None) if x.words.is_some() => {
            return invalid("the input holds strings, the sequences to be counted are of numbers");
        }
        (Some(pool), None) => (pool, x),
        (None, Some(_)) if x.words.is_none() => {
            return invalid("the input holds numbers, the sequences to be counted are of strings");
        }
        (None, Some(words)) => {
            // Each string becomes its last position in the pool.
            let last = |word: &String| words.iter().rposition(|w| w == word).unwrap_or(0) as i64;
            (words.iter().map(last).collect(), c.find_strings(&x, &words)?)
        }
        _ => return invalid("one of `pool_int64s` and `pool_strings` says what is counted, the other one is left out"),
    };
    if !matches!(x.elem, Elem::I32 | Elem::I64) || x.rank() > 2 {
        return invalid(format!("`{}` is no list of integers, or batch of such lists", x.ty()));
    }
    let (shortest, longest, skips) =
        (n.int("min_gram_length", 1), n.int("max_gram_length", 1), n.int("max_skip_count", 0));
    let (starts, indexes) = (n.ints("ngram_counts").unwrap_or_default(), n.ints("ngram_indexes").unwrap_or_default());
    let weights = n.floats("weights");
    if shortest < 1 || longest < shortest || skips < 0 || indexes.iter().any(|&i| i < 0) {
        return invalid(format!("lengths {shortest} to {longest}, {skips} skips, or a negative index"));
    }
    let Some(size) = indexes.iter().max().map(|i| i.saturating_add(1)) else {
        return invalid("`ngram_indexes` is empty");
    };
    if size > COLUMNS {
        return unsupported(format!(
            "the largest of `ngram_indexes` is {}; it may be {} at most",
            size - 1,
            COLUMNS - 1
        ));
    }
    let grams = grams(&pool, &starts, &indexes)?;
    let batched = x.rank() == 2;
    let rows = if batched {
        x.clone()
    } else {
        let count = c.product(&x.shape);
        c.reshape(&x, &[Dim::fixed(1), count])?
    };
    // The counts of each length's sequences, then which result they belong to.
    let (mut counts, mut places) = (Vec::new(), Vec::new());
    for (length, list) in &grams {
        if (shortest..=longest).contains(length) {
            counts.push(occurrences(c, n, &rows, *length, skips, list.keys())?);
            places.extend(list.values().copied());
        }
    }
    let shape = [rows.shape[0].clone(), Dim::fixed(size)];
    let sums = if counts.is_empty() {
        c.filled(Elem::F32, &shape, Num::I(0))
    } else {
        let all = c.concat(&counts, 1)?;
        collected(c, n, &all, &places, &shape)?
    };
    let mut inputs = vec![sums];
    if let Some(weights) = weights.filter(|w| weighting != Weighting::Count && !w.is_empty()) {
        // A weight for each place of the result, as other implementations read them.
        if (weights.len() as i64) < size {
            return invalid(format!("there are {} weights for {size} results", weights.len()));
        }
        let list = weights[..size as usize].iter().map(|&w| Num::F(w.into()));
        let tensor = Tensor::from_numbers(Elem::F32, vec![size as usize], list);
        inputs.push(Value::constant(tensor.named(Some(format!("{}_weights", n.name)))));
    }
    let result = c.elementwise_to(&shape, &inputs, Elem::F32, |b, v| {
        let mut value = v[0].clone();
        if weighting == Weighting::Presence {
            let one = b.float(Elem::F32, 1.0);
            value = b.min(&value, &one);
        }
        match v.get(1) {
            Some(weight) => b.mul(&value, weight),
            None => value,
        }
    })?;
    Ok(vec![if batched { result } else { c.reshape(&result, &[Dim::fixed(size)])? }])
}

/// The sequences of the pool by length, each with its place in the result; of equal ones the last counts.
fn grams(pool: &[i64], starts: &[i64], indexes: &[i64]) -> Outcome<BTreeMap<i64, BTreeMap<Vec<i64>, i64>>> {
    let mut all: BTreeMap<i64, BTreeMap<Vec<i64>, i64>> = BTreeMap::new();
    let mut number = 0;
    for (i, &start) in starts.iter().enumerate() {
        let end = starts.get(i + 1).copied().unwrap_or(pool.len() as i64);
        let (Ok(from), Ok(to)) = (usize::try_from(start), usize::try_from(end)) else {
            return invalid("a number of `ngram_counts` is negative");
        };
        let Some(own) = pool.get(from..to) else {
            return invalid(format!("`ngram_counts` names numbers {from} to {to} of {}", pool.len()));
        };
        for gram in own.chunks_exact(i + 1) {
            let Some(&place) = indexes.get(number) else {
                return invalid(format!("there are {} `ngram_indexes` for more sequences", indexes.len()));
            };
            all.entry(i as i64 + 1).or_default().insert(gram.to_vec(), place);
            number += 1;
        }
    }
    Ok(all)
}

/// Counts the occurrences of each sequence in each row, with at most a number of skipped elements between its own:
/// `[rows, sequences]`.
fn occurrences<'g>(
    c: &mut Context<'_>,
    n: &Node,
    rows: &Value,
    length: i64,
    skips: i64,
    grams: impl Iterator<Item = &'g Vec<i64>>,
) -> Outcome<Value> {
    let flat: Vec<_> = grams.flatten().map(|&v| Num::I(v.into())).collect();
    let count = flat.len() / length as usize;
    let tensor = Tensor::from_numbers(Elem::I64, vec![count, length as usize], flat);
    let pool = Value::constant(tensor.named(Some(format!("{}_pool_{length}", n.name))));
    let columns: Vec<_> = (0..length).map(|i| c.take(&pool, 1, &Dim::fixed(i))).collect::<Outcome<_>>()?;
    let shape = [rows.shape[0].clone(), Dim::fixed(count as i64)];
    let start = c.filled(Elem::F32, &shape, Num::I(0));
    let (ssa, ty, size) = (c.ssa(rows), rows.ty(), Scalar::index(c.index(&rows.shape[1])));
    let mut ins = vec![(rows, map(&[0, 2]))];
    ins.extend(columns.iter().map(|v| (v, map(&[1]))));
    // A single number is not spread by skips.
    let widest = if length == 1 { 1 } else { skips + 1 };
    let iters = [Iter::Parallel, Iter::Parallel, Iter::Reduction];
    let found = c.generic(&iters, &ins, &[(&start, map(&[0, 1]))], |b, v| {
        let (row, at) = (b.position(0), b.position(2));
        let first = b.cast(&v[0], Elem::I64);
        let first = b.compare(Order::Eq, &first, &v[1]);
        let mut sum = v[v.len() - 1].clone();
        let (one, zero) = (b.float(Elem::F32, 1.0), b.float(Elem::F32, 0.0));
        for distance in 1..=widest {
            let mut hit = first.clone();
            for i in 1..length {
                let offset = b.index_constant(distance * i);
                let place = b.add(&at, &offset);
                let inside = b.compare(Order::Lt, &place, &size);
                let unit = b.index_constant(1);
                let last = b.sub(&size, &unit);
                let place = b.min(&place, &last);
                let number = b.extract(&ssa, &ty, rows.elem, &[row.clone(), place]);
                let number = b.cast(&number, Elem::I64);
                let equal = b.compare(Order::Eq, &number, &v[1 + i as usize]);
                let equal = b.and(&inside, &equal);
                hit = b.and(&hit, &equal);
            }
            let part = b.select(&hit, &one, &zero);
            sum = b.add(&sum, &part);
        }
        vec![sum]
    });
    Ok(found.into_iter().next().expect("one result"))
}

/// Each count at its place; several at one place are added.
fn collected(c: &mut Context<'_>, n: &Node, counts: &Value, places: &[i64], shape: &[Dim; 2]) -> Outcome<Value> {
    let size = shape[1].get().unwrap_or(0);
    let mut sources = vec![Vec::new(); size as usize];
    for (i, &place) in places.iter().enumerate() {
        sources[place as usize].push(i as i64);
    }
    let depth = sources.iter().map(Vec::len).max().unwrap_or(0);
    let table = (0..depth).flat_map(|d| sources.iter().map(move |s| Num::I(s.get(d).copied().unwrap_or(-1).into())));
    let tensor = Tensor::from_numbers(Elem::I64, vec![depth, size as usize], table);
    let table = Value::constant(tensor.named(Some(format!("{}_sources", n.name))));
    let lists: Vec<_> = (0..depth).map(|d| c.take(&table, 0, &Dim::fixed(d as i64))).collect::<Outcome<_>>()?;
    let (ssa, ty) = (c.ssa(counts), counts.ty());
    c.elementwise_to(shape, &lists, Elem::F32, |b, v| {
        let (row, nothing) = (b.position(0), b.float(Elem::F32, 0.0));
        let mut sum = nothing.clone();
        for source in v {
            let (zero, end) = (b.int(Elem::I64, 0), b.index_constant(places.len() as i64 - 1));
            let some = b.compare(Order::Ge, source, &zero);
            let place = b.max(source, &zero);
            let place = b.to_index(&place);
            let place = b.min(&place, &end);
            let count = b.extract(&ssa, &ty, Elem::F32, &[row.clone(), place]);
            let part = b.select(&some, &count, &nothing);
            sum = b.add(&sum, &part);
        }
        sum
    })
}
