//! Reshapes that only add dimensions of size 1 disappear into the indexing maps of their readers, so that they do not
//! stand between operations that belong together (the mean of a row and what subtracts it, say).
use super::structure::{Kind, Structure};
use halyard_ir::{AffineKind, Attr, Block, Op, Structured};

/// Lets each `linalg.generic` of a block (and of blocks inside) read through `tensor.expand_shape` of that kind.
pub(super) fn read_through_unit_dims(block: Block) {
    for op in block.ops() {
        if op.is("linalg.generic") {
            // Factors of integer products keep their shape: weights are packed as they lie.
            if !is_widened_to_integers(op) {
                read_through(op);
            }
        } else if !op.is_of("linalg") {
            for inner in op.regions().into_iter().flat_map(|r| r.blocks()) {
                read_through_unit_dims(inner);
            }
        }
    }
}

fn is_widened_to_integers(op: Op) -> bool {
    let integers = op.results().iter().all(|r| r.ty().element().is_integer());
    integers && Structure::of(op).is_some_and(|s| s.kind == Kind::Widen)
}

fn read_through(op: Op) {
    let Some(structured) = Structured::of(op) else { return };
    let mut maps = structured.maps.clone();
    for i in 0..structured.inputs {
        while let Some((reshape, kept)) = op.operand(i).def().and_then(|d| Some((d, kept_dims(d)?))) {
            let map = maps[i].only(&kept);
            // Every loop must still be an index of some operand: that is where its extent comes from.
            let shown = |l: usize| {
                (0..maps.len()).any(|j| {
                    let map = if j == i { map } else { maps[j] };
                    map.results().contains(&AffineKind::Dim(l))
                })
            };
            if !(0..structured.loops()).all(shown) {
                break;
            }
            maps[i] = map;
            op.set_operand(i, reshape.operand(0));
        }
    }
    let attrs: Vec<Attr> = maps.into_iter().map(Attr::affine_map).collect();
    op.set_attr("indexing_maps", Attr::array(op.context(), &attrs));
}

/// For an `expand_shape` that only adds dimensions of size 1: for each dimension of its source, the one of its result
/// that stands for it.
fn kept_dims(op: Op) -> Option<Vec<usize>> {
    if !op.is("tensor.expand_shape") {
        return None;
    }
    let shape = op.result(0).ty().shape();
    let groups = op.attr("reassociation")?.as_array()?;
    groups
        .into_iter()
        .map(|group| {
            let dims: Vec<usize> = group.as_i64s()?.into_iter().map(|d| d as usize).collect();
            let mut long = dims.iter().copied().filter(|d| shape[*d] != Some(1));
            let kept = long.next().or(dims.first().copied())?;
            long.next().is_none().then_some(kept)
        })
        .collect()
}
