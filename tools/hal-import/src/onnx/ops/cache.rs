//! Caches of fixed size: updates are written where they belong, and nothing else is touched. A program that keeps the cache as state
//! updates it in place.
use crate::onnx::{
    Context, Dim, Outcome, Value,
    context::require::{Rule, dimension, shown},
};

/// Pieces that are written one by one, at most.
const PIECES: i64 = 8;
/// The least elements of a cache whose updates are written one by one: a smaller one is written as a whole, and together with what reads it.
const LEAST: i64 = 1 << 13;

/// Whether to write so many pieces of an update into a cache, rather than the whole cache.
pub(super) fn in_pieces(cache: &Value, update: &Value, pieces: Option<i64>) -> bool {
    let size = cache.count().filter(|size| *size >= LEAST);
    pieces.is_some_and(|n| (1..=PIECES).contains(&n))
        && size.is_some_and(|size| update.count().is_none_or(|new| new <= size / 2))
        && update.elem == cache.elem
        && cache.words.is_none()
}

/// `cache` with `part`, of the same rank, from some offsets on. They are in range.
pub(super) fn written(c: &mut Context<'_>, part: &Value, cache: &Value, offsets: &[Dim]) -> Value {
    let mut list = |dims: &[Dim]| -> String {
        let texts: Vec<_> = dims.iter().map(|d| d.get().map_or_else(|| c.index(d), |d| d.to_string())).collect();
        texts.join(", ")
    };
    let (at, sizes) = (list(offsets), list(&part.shape));
    let ones = vec!["1"; cache.rank()].join(", ");
    let (part_ssa, cache_ssa) = (c.ssa(part), c.ssa(cache));
    let text = format!(
        "tensor.insert_slice {part_ssa} into {cache_ssa}[{at}] [{sizes}] [{ones}] : {} into {}",
        part.ty(),
        cache.ty()
    );
    c.value(text, cache.elem, cache.shape.clone())
}

/// `cache` with the rows of `update` along `axis`, from an offset on that each element of the first dimension has in `starts`.
pub(super) fn along(
    c: &mut Context<'_>,
    (cache, update): (&Value, &Value),
    axis: usize,
    starts: &Value,
) -> Outcome<Value> {
    let rank = cache.rank();
    let (own, wanted) = (cache.shape[axis].clone(), update.shape[axis].clone());
    let mut cache = cache.clone();
    for (batch, start) in c.read_dims(starts)?.into_iter().enumerate() {
        c.require_count(&start, &format!("element {batch} of {}", shown(starts)))?;
        let end = start.plus(&wanted);
        let text = format!(
            "element {batch} of {} is {{0}}, but {} leaves room up to {{1}}",
            shown(starts),
            dimension(&cache, axis)
        );
        let last = own.minus(&wanted);
        c.require(Rule::AtLeast(own.clone(), end), &text, &[&start, &last])?;
        let mut at = vec![Dim::fixed(0); rank];
        at[0] = Dim::fixed(batch as i64);
        let mut size = update.shape.clone();
        size[0] = Dim::fixed(1);
        let part = c.slice(update, &at, &size, &vec![1; rank]);
        at[axis] = c.settle_dim(&start);
        cache = Value { label: cache.label.clone(), ..written(c, &part, &cache, &at) };
    }
    Ok(cache)
}

/// `cache` with slices of `updates`, whose first dimensions each row of `indices` says: negative ones count from the end.
pub(super) fn at_rows(c: &mut Context<'_>, cache: &Value, indices: &Value, updates: &Value) -> Outcome<Value> {
    let (rank, outer) = (cache.rank(), indices.rank() - 1);
    let (Some(depth), Some(count)) = (indices.shape[outer].get(), indices.count()) else {
        unreachable!("the pieces are counted");
    };
    let (depth, rows) = (depth as usize, count / depth);
    let flat = c.reshape(indices, &[Dim::fixed(count)])?;
    let numbers = c.read_dims(&flat)?;
    let inner = &cache.shape[depth..];
    let updates = c.reshape(updates, &[&[Dim::fixed(rows)], inner].concat())?;
    let mut cache = cache.clone();
    for (row, places) in numbers.chunks(depth).enumerate() {
        let mut at = Vec::new();
        for (d, place) in places.iter().enumerate() {
            let size = cache.shape[d].clone();
            let from_start = c.from_end(place, &size);
            let text = format!("{} has {{0}}, which is no index of {}", shown(indices), dimension(&cache, d));
            c.require(Rule::AtLeast(from_start.clone(), Dim::fixed(0)), &text, &[place])?;
            c.require(Rule::AtLeast(size.offset(-1), from_start.clone()), &text, &[place])?;
            at.push(c.settle_dim(&from_start));
        }
        at.resize(rank, Dim::fixed(0));
        let mut from = vec![Dim::fixed(0); updates.rank()];
        from[0] = Dim::fixed(row as i64);
        let mut size = updates.shape.clone();
        size[0] = Dim::fixed(1);
        let part = c.slice(&updates, &from, &size, &vec![1; updates.rank()]);
        let part = c.reshape(&part, &[&vec![Dim::fixed(1); depth], inner].concat())?;
        cache = Value { label: cache.label.clone(), ..written(c, &part, &cache, &at) };
    }
    Ok(cache)
}
