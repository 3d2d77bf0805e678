//! How much a kernel computes, told from its source.
use halyard_ir::{Affine, AffineKind, Attr, Op, Structured, Value};

/// The arithmetic operations of one dispatch: for each structured operation the number of points of its iteration space
/// times the arithmetic of its body. `None` if the source is stripped, has dynamic shapes or no structured operation.
pub(crate) fn operations(export: Op) -> Option<u64> {
    let mut total = None;
    let mut known = true;
    export.walk(&mut |op| {
        if !op.name().starts_with("linalg.") || op.regions().is_empty() {
            return;
        }
        let work = arithmetic(op);
        if work == 0 {
            return;
        }
        match points(op) {
            Some(points) => total = Some(total.unwrap_or(0) + points * work),
            None => known = false,
        }
    });
    total.filter(|_| known)
}

/// The arithmetic operations in the body, on numbers that are not indices.
fn arithmetic(op: Op) -> u64 {
    let mut count = 0;
    for block in op.regions().into_iter().flat_map(|r| r.blocks()) {
        for inner in block.ops() {
            let name = inner.name();
            let computes = name.starts_with("math.")
                || [
                    "addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf", "negf", "addi",
                    "subi", "muli", "maxsi", "minsi", "maxui", "minui",
                ]
                .iter()
                .any(|n| name.strip_prefix("arith.") == Some(n));
            count += u64::from(computes && inner.result_count() == 1 && !inner.result(0).ty().is_index());
        }
    }
    count
}

/// The points of the iteration space of a structured operation with static shapes.
fn points(op: Op) -> Option<u64> {
    let maps: Vec<Affine> = match op.attr("indexing_maps").and_then(Attr::as_array) {
        Some(list) => list.into_iter().map(|a| a.as_affine_map()).collect::<Option<_>>()?,
        None => Structured::of(op)?.maps,
    };
    let operands: Vec<Value> = op.operands().into_iter().filter(|v| v.ty().is_tensor() || v.ty().is_memref()).collect();
    let scalars = op.operand_count() - operands.len();
    let mut sizes: Vec<Option<u64>> = Vec::new();
    for (map, value) in maps.iter().skip(scalars).zip(operands) {
        sizes.resize(sizes.len().max(map.dims()), None);
        for (result, dim) in map.results().into_iter().zip(value.ty().shape()) {
            if let (AffineKind::Dim(position), Some(dim)) = (result, dim) {
                sizes[position].get_or_insert(dim as u64);
            }
        }
    }
    sizes.into_iter().try_fold(1u64, |n, d| n.checked_mul(d?))
}
