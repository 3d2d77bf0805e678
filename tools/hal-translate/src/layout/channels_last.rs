//! Convolutions of bytes: the filters with the channels of each tap side by side, as instructions that add several products
//! at once want them.
use super::{Weights, sizes};
use halyard_ir::{Affine, Attr, Op, Structured, WeightLayout};
use halyard_kernel::MachineModel;

/// How the loops over filters, channels, rows and columns read them then.
const READ: [usize; 4] = [0, 2, 3, 1];

/// Rewrites the filters of one convolution, if they are bytes that are made wider first. Where `machine` packs columns tap by tap, channels that
/// fill no groups stay apart.
pub(super) fn rewrite(op: Op, weights: &mut Weights, machine: &MachineModel) -> Option<()> {
    let wider = op.operand(1).def().filter(|d| d.is("linalg.generic") && d.result(0).uses().len() == 1)?;
    let structured = Structured::of(wider)?;
    let plain = structured.loops() == 4 && structured.maps[0].projected_permutation()? == [0, 1, 2, 3];
    let bytes = wider.operand(0);
    let (shape, elem) = (sizes(bytes)?, bytes.ty().element());
    if !plain || !elem.is_integer() || elem.bits() != 8 || shape[2..] == [1, 1] {
        return None;
    }
    let of_columns = |name: &str| op.attr(name).map_or(Some(1), |list| list.as_i64s()?.last().copied());
    let (step, dilation) = (of_columns("strides")?, of_columns("dilations")?);
    if let [_, channels, _, taps] = shape[..]
        && dilation == 1
        && machine.packs_taps(channels, taps, step)
    {
        return None;
    }
    weights.pack(weights.packed(bytes, WeightLayout::ChannelsLast)?);
    let mut maps = structured.maps;
    maps[0] = Affine::of_dims(op.context(), 4, &READ);
    let maps: Vec<Attr> = maps.into_iter().map(Attr::affine_map).collect();
    wider.set_attr("indexing_maps", Attr::array(op.context(), &maps));
    Some(())
}
