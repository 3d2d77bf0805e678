//! Determines which part of a result the tiles of a `scf.forall` cover together. Tiles never overlap: upstream defines
//! a result that two iterations write as undefined.
use super::{
    forall::{Forall, Init, Slice, Write},
    linear::{Linear, quotient},
};
use halyard_ir::{Bound, Op, Type, Value};

/// The extent of the tiles in a dimension, from zero.
#[derive(Clone, Copy)]
pub(super) enum Reach {
    /// The whole dimension.
    All,
    /// Up to this value, which may be the end or not.
    To(Value),
}

/// Returns the extent of the tiles of a slice in each dimension of a result. Returns `None` if it is unknown, or if
/// there are gaps.
pub(super) fn reach(forall: &Forall, slice: &Slice, result: Type) -> Option<Vec<Reach>> {
    let mut used = Vec::new();
    let shape = result.shape();
    (0..shape.len()).map(|d| dimension(forall, slice, d, shape[d], &mut used)).collect()
}

/// Whether the tiles may leave a part of a filled result. The first workgroup then fills it.
pub(super) fn leaves_rest(forall: &Forall, write: &Write) -> bool {
    let result = forall.op.result(write.output).ty();
    let reach = |insert: &Op| reach(forall, &Slice::of(*insert, 2), result);
    let reaches = forall.inserts(write).first().and_then(reach).unwrap_or_default();
    write.init == Init::Fill && reaches.iter().any(|r| matches!(r, Reach::To(_)))
}

fn dimension(forall: &Forall, slice: &Slice, d: usize, size: Option<i64>, used: &mut Vec<usize>) -> Option<Reach> {
    if slice.strides[d] != Bound::Known(1) {
        return None;
    }
    let offset = linear(slice.offsets[d]);
    if offset.known() == Some(0) {
        return match slice.sizes[d] {
            Bound::Known(n) => (Some(n) == size).then_some(Reach::All),
            Bound::Given(value) => Linear::of(value).value().filter(|v| outside(forall, *v)).map(Reach::To),
        };
    }
    // The offset is `tile * iteration`, for one of the loops that no other dimension has.
    let ivs = forall.ivs();
    let of = (0..ivs.len()).find(|&k| offset.factor(ivs[k]) != 0 && !used.contains(&k))?;
    used.push(of);
    let (iv, bounds) = (ivs[of], forall.loops()[of]);
    if offset.without(iv).known() != Some(0) || bounds.lower.known() != Some(0) {
        return None;
    }
    let step = bounds.step.known().filter(|&s| s > 0)?;
    let tile = offset.factor(iv).checked_mul(step).filter(|&t| t > 0)?;
    let least = match slice.sizes[d] {
        Bound::Known(n) => vec![linear(Bound::Known(n))],
        Bound::Given(value) => Linear::least_of(value)?,
    };
    if !least.iter().any(|form| form.known() == Some(tile)) {
        return None;
    }
    let mut ends = least.iter().filter(|form| form.known() != Some(tile));
    let end = match (ends.next(), ends.next()) {
        (None, _) => None,
        // The tile ends where the tensor does.
        (Some(end), None) if end.factor(iv) == -offset.factor(iv) => Some(end.without(iv)),
        _ => return None,
    };
    match (bounds.trips(), end) {
        (Some(trips), None) => (Some(trips * tile) == size).then_some(Reach::All),
        (Some(trips), Some(end)) if end.known().is_some() => {
            (end.known() == size && end.known().is_some_and(|n| trips * tile >= n)).then_some(Reach::All)
        }
        (None, Some(end)) => {
            let covers = match bounds.upper {
                Bound::Given(upper) if step == tile => Linear::of(upper) == end,
                Bound::Given(upper) => step == 1 && quotient(upper) == Some((end.clone(), tile)),
                Bound::Known(_) => false,
            };
            end.value().filter(|v| covers && outside(forall, *v)).map(Reach::To)
        }
        _ => None,
    }
}

fn linear(part: Bound) -> Linear {
    match part {
        Bound::Known(number) => Linear::number(number),
        Bound::Given(value) => Linear::of(value),
    }
}

/// Whether a value is defined before the loop.
fn outside(forall: &Forall, value: Value) -> bool {
    let owner = value.def().or_else(|| value.argument_block().and_then(|b| b.parent()));
    owner.is_some_and(|op| !op.is_inside(forall.op))
}
