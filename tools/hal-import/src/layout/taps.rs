//! Convolutions of bytes: the filters with the channels of each tap side by side, as instructions that add several products
//! at once want them.
use super::{Weights, sizes};
use crate::weights::Weight;
use halyard_ir::{Affine, Attr, Builder, Op, Structured, Type};
use prost::bytes::Bytes;

/// How the loops over filters, channels, rows and columns read them then.
const READ: [usize; 4] = [0, 2, 3, 1];

/// Rewrites the filters of one convolution, if they are bytes that are made wider first.
pub(super) fn rewrite(op: Op, weights: &mut Weights, data: &mut Vec<Weight>) -> Option<()> {
    let wider = op.operand(1).def().filter(|d| d.is("linalg.generic") && d.result(0).uses().len() == 1)?;
    let structured = Structured::of(wider)?;
    let plain = structured.loops() == 4 && structured.maps[0].projected_permutation()? == [0, 1, 2, 3];
    let bytes = wider.operand(0);
    let (shape, elem) = (sizes(bytes)?, bytes.ty().element());
    if !plain || !elem.is_integer() || elem.bits() != 8 || shape[2..] == [1, 1] {
        return None;
    }
    let (global, _) = weights.of(bytes)?;
    let order: Vec<Option<i64>> = READ.iter().map(|d| Some(shape[*d])).collect();
    let ty = Type::tensor(&order, elem);
    let taps = weights.add(global, "taps", ty, data, by_tap);
    let symbol = Attr::symbol(op.context(), &taps.name());
    let load = Builder::before(wider).value("ml_program.global_load_const", &[], ty, &[("global", symbol)]);
    let mut maps = structured.maps;
    maps[0] = Affine::of_dims(op.context(), 4, &READ);
    let maps: Vec<Attr> = maps.into_iter().map(Attr::affine_map).collect();
    wider.set_operand(0, load);
    wider.set_attr("indexing_maps", Attr::array(op.context(), &maps));
    Some(())
}

/// Filters `[K, C, H, W]` as `[K, H, W, C]`.
fn by_tap(weight: &Weight) -> Weight {
    let [filters, depth, rows, columns] = weight.shape[..] else { unreachable!("a filter of a 2-D convolution") };
    let taps = rows * columns;
    let mut out = vec![0u8; filters * depth * taps];
    for (from, to) in weight.bytes.chunks_exact(depth * taps).zip(out.chunks_exact_mut(depth * taps)) {
        for (channel, of_channel) in from.chunks_exact(taps).enumerate() {
            for (tap, byte) in of_channel.iter().enumerate() {
                to[tap * depth + channel] = *byte;
            }
        }
    }
    let shape = vec![filters, rows, columns, depth];
    Weight { key: String::new(), dtype: weight.dtype, shape, bytes: Bytes::from(out) }
}
