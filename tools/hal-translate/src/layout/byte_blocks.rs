//! Convolutions of bytes with their filters packed: blocks of filters side by side, four channels of each together, as instructions that
//! add four products want them. Lanes go along the filters, so that none is lost whatever the image's size.
use super::bytes::{GROUP, multiply, widened_bytes};
use super::site::sizes_of_images;
use super::{Weights, sizes};
use halyard_ir::{Attr, Op, WeightLayout};

const BLOCK: u64 = WeightLayout::BLOCK;

/// Rewrites one convolution, if its filters are signed bytes that are made wider first, and it pays with vectors of so many `lanes` of i32.
pub(super) fn rewrite(op: Op, weights: &mut Weights, lanes: i64) -> Option<()> {
    let grouped = usize::from(op.is("linalg.conv_2d_ngchw_gfchw"));
    let (wider, bytes) = widened_bytes(op.operand(1), 4 + grouped)?;
    let pair = |name: &str| match op.attr(name).map(Attr::as_i64s) {
        None => Some([1, 1]),
        Some(list) => list?.try_into().ok(),
    };
    let (stride, dilation): ([i64; 2], [i64; 2]) = (pair("strides")?, pair("dilations")?);
    if !pays(op, stride, lanes) {
        return None;
    }
    let packed = weights.pack(weights.packed(bytes, WeightLayout::ByteBlocks)?);
    let names = |count: usize| (0..count).map(|d| format!("d{d}")).collect::<Vec<_>>().join(", ");
    // Loops: image, group, filter, row, column; channel, row and column of the window.
    let [filter, row, column, channel, down, across] = [1, 2, 3, 4, 5, 6].map(|d| d + grouped);
    let times = |d: usize, by: i64| if by == 1 { format!("d{d}") } else { format!("d{d} * {by}") };
    let place = |d: usize, k: usize, i: usize| format!("{} + {}", times(d, stride[i]), times(k, dilation[i]));
    let group = if grouped == 1 { "d1, " } else { "" };
    let from = format!("d0, {group}d{channel}, {}, {}", place(row, down, 0), place(column, across, 1));
    let filters = format!(
        "{group}d{filter} floordiv {BLOCK}, d{channel} floordiv {GROUP}, d{down}, d{across}, d{filter} mod {BLOCK}, d{channel} mod {GROUP}"
    );
    let maps = [from, filters, names(column + 1)];
    multiply(op, (op.operand(0), packed), wider, &maps.each_ref().map(|m| &**m), (column + 1, 3));
    Some(())
}

/// Whether lanes along the filters are worth it; `stride` is that of rows and columns.
///
/// Both ways are estimated relative to perfect use of the lanes. Lanes along the image copy it for each element of the window where it has
/// steps, or its channels fill no groups, and are left empty at the ends of rows. Lanes along the filters fill up groups of channels, copy
/// all of the image once, and turn each tile of the result around. Factors are fits to 94 convolutions on AVX-512 (2026-11-26), of which
/// nine take the slower way: eight by 1 to 15 %, one by 26 %.
fn pays(op: Op, stride: [i64; 2], lanes: i64) -> bool {
    let (Some(filter), Some(result)) = (sizes(op.operand(1)), sizes_of_images(op.result(0))) else { return false };
    let (Some(&[filters, channels, high, wide]), Some(&[rows, columns])) =
        (filter.last_chunk::<4>(), result.last_chunk::<2>())
    else {
        return false;
    };
    let waste = |n: i64, to: i64| ((n + to - 1) / to * to) as f64 / n as f64;
    let (count, window) = (filters as f64, (high * wide) as f64);
    let copies = 1.3 * (stride[0] * stride[1]) as f64 / (count * window);
    let turns = turning(lanes) * GROUP as f64 / (channels as f64 * window);
    let packed = waste(filters, lanes) * (waste(channels, GROUP) * (1.0 + copies) + turns);
    let along = match (stride == [1, 1], window == 1.0, channels % GROUP) {
        (true, true, _) => waste(rows * columns, lanes) * (1.1 + 13.5 / count),
        (true, false, 0) => waste(columns, lanes) * (1.1 + 1.2 / count),
        (true, false, _) => waste(columns, lanes) * (0.95 + 23.5 / count),
        (false, ..) => waste(columns, lanes).powf(0.3) * (1.1 + 27.0 / count),
    };
    // One pixel is a product of a matrix and a vector.
    rows * columns > 1 && packed < along
}

/// What it costs to turn a tile of the result around once, in steps of its sums: with fewer registers tiles are smaller.
fn turning(lanes: i64) -> f64 {
    if lanes >= 16 { 6.3 } else { 29.0 }
}
