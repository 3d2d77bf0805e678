//! Which elements of a result are computed where all of them would take too long.
use crate::random::Random;
use halyard_diag::{Error, Result};
use halyard_ir::{Affine, AffineKind, Attr, Op, Structured, Type, Value};
use serde::{Deserialize, Serialize};

/// Iterations of innermost loops that a reference may take as a whole, and those of one tile.
const WHOLE: u64 = 6_000_000;
const TILE: u64 = 100_000;
/// More is not computed at all.
const MOST: u64 = 500_000_000;
/// Tiles of one run.
const TILES: usize = 10;
/// The places that a reference is given.
const PLACES: usize = 8;

/// Tiles of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Samples {
    /// For each loop of the operation that makes the result: the size of a tile; 0 is all of it.
    pub(crate) tile: Vec<i64>,
    /// How many turns each loop with a tile takes in all.
    extents: Vec<i64>,
}

impl Samples {
    /// Where tiles start: the first one, the last one, and others that lie anywhere.
    pub(crate) fn places(&self, random: &mut Random) -> Vec<Vec<i64>> {
        let tiles: Vec<(i64, i64)> =
            self.tile.iter().copied().filter(|&t| t > 0).zip(self.extents.iter().copied()).collect();
        let first = tiles.iter().map(|_| 0).collect();
        let last = tiles.iter().map(|(tile, extent)| extent - tile).collect();
        let mut places = vec![first, last];
        for _ in 2..TILES {
            places.push(
                tiles
                    .iter()
                    .map(|(tile, extent)| random.below((extent - tile + 1).max(1).cast_unsigned()).cast_signed())
                    .collect(),
            );
        }
        places
    }
}

/// Which results of an export are sampled, and how; `None` if all of it can be computed. Errors: a result that takes too long,
/// and cannot be cut.
pub(crate) fn plan(export: Op) -> Result<Option<Vec<Option<Samples>>>> {
    let mut total = 0u64;
    let mut dynamic = false;
    export.walk(&mut |op| match iterations(op) {
        Some(count) => total = total.saturating_add(count),
        None => dynamic = true,
    });
    if total <= WHOLE || dynamic {
        return Ok(None);
    }
    let Some(end) = export.body().and_then(|b| b.terminator()) else { return Ok(None) };
    let list: Vec<Option<Samples>> = end.operands().into_iter().map(|value| of_result(peeled(value), total)).collect();
    if total > MOST && list.iter().any(Option::is_none) {
        return Err(Error::input(format!(
            "its loops take {total} turns, and upstream does not tile what makes the result"
        )));
    }
    Ok(Some(list))
}

/// Iterations of the loops of a structured operation; `None` if they are not known.
fn iterations(op: Op) -> Option<u64> {
    let Some(structured) = Structured::of(op) else { return Some(0) };
    extents(op, &structured).into_iter().try_fold(1u64, |n, e| Some(n.saturating_mul(u64::try_from(e?).ok()?)))
}

/// How many turns each loop of a structured operation takes, as far as operands tell.
pub(crate) fn extents(op: Op, structured: &Structured) -> Vec<Option<i64>> {
    let mut extents = vec![None; structured.loops()];
    for (map, operand) in structured.maps.iter().zip(op.operands()) {
        let shape = if operand.ty().is_ranked_tensor() { operand.ty().shape() } else { Vec::new() };
        for (expression, size) in Affine::results(*map).iter().zip(shape) {
            if let AffineKind::Dim(d) = expression {
                extents[*d] = extents[*d].or(size);
            }
        }
    }
    extents
}

fn of_result(value: Value, total: u64) -> Option<Samples> {
    let op = value.def()?;
    let structured = Structured::of(op)?;
    let extents: Vec<i64> = extents(op, &structured).into_iter().collect::<Option<_>>()?;
    // Only loops along which the result lies can be cut.
    let map = structured.maps.get(structured.inputs + value.index())?;
    let dims: Vec<usize> = map.projected_permutation()?;
    let elements: u64 = dims.iter().map(|&d| extents[d].max(1).cast_unsigned()).product();
    let each = (total / elements.max(1)).max(1);
    let mut tile = vec![0; extents.len()];
    let mut left = (TILE / each).max(1);
    for &d in dims.iter().rev() {
        let size = extents[d].min(i64::try_from(left.min(37)).unwrap_or(1)).max(1);
        left = (left / size.cast_unsigned()).max(1);
        tile[d] = if size == extents[d] { 0 } else { size };
    }
    let cut: Vec<usize> = (0..tile.len()).filter(|&d| tile[d] > 0).collect();
    (!cut.is_empty() && cut.len() <= PLACES)
        .then(|| Samples { extents: cut.iter().map(|&d| extents[d]).collect(), tile })
}

/// The value below reshapes: its elements lie in the same order.
fn peeled(value: Value) -> Value {
    match value.def().filter(|op| matches!(&*op.name(), "tensor.collapse_shape" | "tensor.expand_shape")) {
        Some(reshape) => peeled(reshape.operand(0)),
        None => value,
    }
}

/// Lets a store write the value below reshapes instead, to the same memory.
pub(crate) fn peel(store: Op) {
    let (value, below) = (store.operand(0), peeled(store.operand(0)));
    if value == below {
        return;
    }
    let (context, memory) = (store.context(), store.operand(1));
    let ty = below.ty();
    let at = halyard_ir::Builder::before(store);
    let wanted = Type::memref(&ty.shape(), ty.element());
    let sizes: Vec<i64> = ty.shape().into_iter().map(|d| d.unwrap_or(0)).collect();
    let mut strides = vec![1i64; sizes.len()];
    for i in (0..sizes.len().saturating_sub(1)).rev() {
        strides[i] = strides[i + 1] * sizes[i + 1];
    }
    let attrs = [
        ("static_offsets", Attr::i64s(context, &[0])),
        ("static_sizes", Attr::i64s(context, &sizes)),
        ("static_strides", Attr::i64s(context, &strides)),
        ("operandSegmentSizes", Attr::i32s(context, &[1, 0, 0, 0])),
    ];
    let cast = at.value("memref.reinterpret_cast", &[memory], wanted, &attrs);
    store.set_operand(0, below);
    store.set_operand(1, cast);
}
