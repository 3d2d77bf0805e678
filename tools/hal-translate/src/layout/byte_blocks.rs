//! Convolutions of bytes with their filters packed: blocks of filters side by side, four channels of each together, as instructions that
//! add four products want them, or two. Lanes go along the filters, so that none is lost whatever the image's size.
use super::bytes::{multiply, widened_bytes};
use super::site::{OPEN, open_sizes};
use super::{Weights, sizes};
use halyard_ir::{Attr, Op, WeightLayout};
use halyard_kernel::MachineModel;

const BLOCK: u64 = WeightLayout::BLOCK;

/// Rewrites one convolution, if its filters are signed bytes that are made wider first, and it pays on a machine. An instruction adds products of
/// `group` bytes.
pub(super) fn rewrite(op: Op, weights: &mut Weights, machine: &MachineModel, group: i64) -> Option<()> {
    let grouped = usize::from(op.is("linalg.conv_2d_ngchw_gfchw"));
    let (wider, bytes) = widened_bytes(op.operand(1), 4 + grouped)?;
    let pair = |name: &str| match op.attr(name).map(Attr::as_i64s) {
        None => Some([1, 1]),
        Some(list) => list?.try_into().ok(),
    };
    let (stride, dilation): ([i64; 2], [i64; 2]) = (pair("strides")?, pair("dilations")?);
    if !pays(op, (stride, dilation), machine, group) {
        return None;
    }
    let by_tap = multiplies_tiles(op, machine).is_some_and(|window| window != [1, 1]);
    let layout = if by_tap { WeightLayout::ByteTapBlocks } else { WeightLayout::byte_blocks(group as u64)? };
    let packed = weights.pack(weights.packed(bytes, layout)?);
    let names = |count: usize| (0..count).map(|d| format!("d{d}")).collect::<Vec<_>>().join(", ");
    // Loops: image, group, filter, row, column; channel, row and column of the window.
    let [filter, row, column, channel, down, across] = [1, 2, 3, 4, 5, 6].map(|d| d + grouped);
    let times = |d: usize, by: i64| if by == 1 { format!("d{d}") } else { format!("d{d} * {by}") };
    let place = |d: usize, k: usize, i: usize| format!("{} + {}", times(d, stride[i]), times(k, dilation[i]));
    let groups = if grouped == 1 { "d1, " } else { "" };
    let from = format!("d0, {groups}d{channel}, {}, {}", place(row, down, 0), place(column, across, 1));
    let (tap, channels) = (format!("d{down}, d{across}"), format!("d{channel} floordiv {group}"));
    let within = if by_tap { format!("{tap}, {channels}") } else { format!("{channels}, {tap}") };
    let filters =
        format!("{groups}d{filter} floordiv {BLOCK}, {within}, d{filter} mod {BLOCK}, d{channel} mod {group}");
    let maps = [from, filters, names(column + 1)];
    multiply(op, (op.operand(0), packed), wider, &maps.each_ref().map(|m| &**m), (column + 1, 3));
    Some(())
}

/// Whether lanes along the filters are worth it; strides and dilations are those of rows and columns.
///
/// Both ways are estimated relative to perfect use of the lanes. Lanes along the image copy it for each element of the window where it has
/// steps, or its channels fill no groups, and are left empty at the ends of rows. Lanes along the filters fill up groups of channels, copy
/// all of the image once, and turn each tile of the result around. Factors are fits to 94 convolutions on AVX-512 (2026-11-26), of which
/// nine take the slower way: eight by 1 to 15 %, one by 26 %. Few channels whose taps are packed line by line: a fit to 144 on Zen 5
/// (2026-11-30), of which 18 take the slower way, two by 25 %, the others by less.
fn pays(op: Op, (stride, dilation): ([i64; 2], [i64; 2]), machine: &MachineModel, group: i64) -> bool {
    let lanes = i64::from(machine.vector_bits / 32);
    let (Some(filter), result) = (sizes(op.operand(1)), open_sizes(op.result(0))) else { return false };
    let (Some(&[filters, channels, high, wide]), Some(&places)) = (filter.last_chunk::<4>(), result.last_chunk::<2>())
    else {
        return false;
    };
    if result[1..result.len() - 2].contains(&OPEN) {
        return false;
    }
    // The other way, lanes along the image, needs its size: without it, kernels are plain nests, several times slower.
    if places.contains(&OPEN) {
        return filters >= LEAST;
    }
    let [rows, columns] = places;
    let (count, window) = (filters as f64, (high * wide) as f64);
    let copies = 1.3 * (stride[0] * stride[1]) as f64 / (count * window);
    let turns = group as f64 / (channels as f64 * window);
    let packed =
        |each: f64, turning: f64| waste(filters, lanes) * (waste(channels, group) * (each + copies) + turning * turns);
    // One pixel is a product of a matrix and a vector.
    if rows * columns == 1 {
        return false;
    }
    if multiplies_tiles(op, machine).is_some() {
        return true;
    }
    if group == 2 {
        // Without a window lanes go along all of the image.
        let (size, wide) = if window == 1.0 { (rows * columns, WIDE * WIDE) } else { (columns, WIDE) };
        return packed(WIDER, 5.0) < along_in_pairs(stride == [1, 1] && size > wide, waste(size, lanes));
    }
    let along = match (stride == [1, 1], window == 1.0, channels % group) {
        _ if dilation[1] == 1 && machine.packs_taps(channels, wide, stride[1]) => {
            // The lanes that one load gives their taps, see the kernel.
            let together = 1 << ((group * (lanes - 1)) / stride[1] + 1).min(lanes).ilog2();
            let packing = (2.8 + 3.8 * (lanes / together) as f64) / count;
            waste(columns, lanes) * (waste(wide, group) * (0.72 + packing) + 6.6 * turns)
        }
        (true, true, _) => waste(rows * columns, lanes) * (1.1 + 13.5 / count),
        (true, false, 0) => waste(columns, lanes) * (1.1 + 1.2 / count),
        (true, false, _) => waste(columns, lanes) * (0.95 + 23.5 / count),
        (false, ..) => waste(columns, lanes).powf(0.3) * (1.1 + 27.0 / count),
    };
    packed(1.0, turning(lanes)) < along
}

/// The window of a convolution on images of known sizes, if matrix tiles of a machine multiply its bytes.
fn multiplies_tiles(op: Op, machine: &MachineModel) -> Option<[i64; 2]> {
    let result = open_sizes(op.result(0));
    let &[channels, high, wide] = sizes(op.operand(1))?.last_chunk::<3>()?;
    let known = !result[1..].contains(&OPEN) && result.last_chunk::<2>()?.iter().product::<i64>() > 1;
    (known && machine.has_tiles_for(channels, [high, wide])).then_some([high, wide])
}

/// The filters, at least, that are worth it on images of unknown size: half of a small vector.
const LEAST: i64 = 4;
/// How much more a product costs where bytes of filters become words first.
const WIDER: f64 = 1.12;
/// The columns of images that lanes are better along, where words are multiplied in pairs.
const WIDE: i64 = 32;

/// What lanes along the image cost where words are multiplied in pairs: a fit to 32 convolutions on AVX2 (2026-11-27), of which six take the slower
/// way, by 4 to 15 %. Narrow images are divided into pieces so small that packing the filters for each costs half as much as the products.
fn along_in_pairs(wide: bool, waste: f64) -> f64 {
    if wide { waste } else { 1.5 * waste.max(1.1) }
}

/// How many lanes there are for each that is used, if `n` are needed at a time.
fn waste(n: i64, lanes: i64) -> f64 {
    ((n + lanes - 1) / lanes * lanes) as f64 / n as f64
}

/// What it costs to turn a tile of the result around once, in steps of its sums: with fewer registers tiles are smaller.
fn turning(lanes: i64) -> f64 {
    if lanes >= 16 { 6.3 } else { 29.0 }
}
