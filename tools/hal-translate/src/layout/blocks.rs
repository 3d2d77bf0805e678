//! Products with matrices that are quantised in blocks: the rows of numbers, scales and zero points side by side, so that the
//! lanes of vectors go along the rows. Only the maps through which they are read change.
use super::Weights;
use halyard_ir::{AffineKind, Attr, Op, Structured, WeightLayout, is_contraction, names};

const ROWS: u64 = WeightLayout::BLOCK;
/// The bytes of a row that a group of [`WeightLayout::BlockPanels`] has.
const GROUP: i64 = 4;

/// Packs what one operation makes the weights of, if it is of the kind and a product reads it. `short` lets the product round its
/// activations to 8 bits.
pub(super) fn rewrite(op: Op, weights: &mut Weights, short: bool) -> Option<()> {
    let [(user, _)] = op.result(0).uses()[..] else { return None };
    let structured = Structured::of(op)?;
    let (inputs, maps) = (structured.inputs, &structured.maps);
    let plain = structured.loops() == 2 && maps[inputs].projected_permutation()? == [0, 1];
    if !plain || !is_contraction(user) || op.operand_count() != inputs + 1 {
        return None;
    }
    let forms: Vec<_> = (0..inputs).map(|at| form(op, at, &maps[at].results())).collect::<Option<_>>()?;
    if forms.iter().filter(|(layout, _)| *layout == WeightLayout::BlockPanels).count() != 1 {
        return None;
    }
    // All of them or none.
    let packings: Vec<_> =
        forms.iter().enumerate().map(|(at, f)| weights.packed(op.operand(at), f.0)).collect::<Option<_>>()?;
    let distinct = (0..inputs).all(|at| (0..at).all(|other| op.operand(at) != op.operand(other)));
    if !distinct {
        return None;
    }
    packings.into_iter().for_each(|packing| _ = weights.pack(packing));
    let mut maps: Vec<Attr> = maps.iter().map(|m| Attr::affine_map(*m)).collect();
    for (map, (_, indices)) in maps.iter_mut().zip(forms) {
        *map = Attr::parse(op.context(), &format!("affine_map<(d0, d1) -> ({indices})>"))?;
    }
    op.set_attr("indexing_maps", Attr::array(op.context(), &maps));
    if short {
        user.set_attr(names::ACTIVATIONS, Attr::string(op.context(), "i8"));
    }
    Some(())
}

/// The layout for an operand, and how it is read then.
fn form(op: Op, at: usize, indices: &[AffineKind]) -> Option<(WeightLayout, String)> {
    let shape = op.operand(at).ty().shape();
    match indices {
        [AffineKind::Dim(0), block, byte] => {
            let AffineKind::FloorDiv(_, size) = block else { return None };
            let (AffineKind::Constant(size), bytes) = (&**size, shape[2]?) else { return None };
            let bits_known =
                bytes % GROUP == 0 && [1, 2, 4].contains(&(size / bytes.max(1))) && size % bytes.max(1) == 0;
            let (block, byte) = (text(block)?, text(byte)?);
            let indices =
                format!("d0 floordiv {ROWS}, {block}, ({byte}) floordiv {GROUP}, d0 mod {ROWS}, ({byte}) mod {GROUP}");
            bits_known.then_some((WeightLayout::BlockPanels, indices))
        }
        [AffineKind::Dim(0), block @ AffineKind::FloorDiv(..)] => {
            let indices = format!("d0 floordiv {ROWS}, {}, d0 mod {ROWS}", text(block)?);
            Some((WeightLayout::RowPanels, indices))
        }
        _ => None,
    }
}

/// An expression as MLIR reads it; `None` where it has symbols.
fn text(expr: &AffineKind) -> Option<String> {
    let both = |l: &AffineKind, word: &str, r: &AffineKind| Some(format!("({} {word} {})", text(l)?, text(r)?));
    match expr {
        AffineKind::Dim(d) => Some(format!("d{d}")),
        AffineKind::Constant(c) => Some(c.to_string()),
        AffineKind::Symbol(_) => None,
        AffineKind::Add(l, r) => both(l, "+", r),
        AffineKind::Mul(l, r) => both(l, "*", r),
        AffineKind::Mod(l, r) => both(l, "mod", r),
        AffineKind::FloorDiv(l, r) => both(l, "floordiv", r),
        AffineKind::CeilDiv(l, r) => both(l, "ceildiv", r),
    }
}
