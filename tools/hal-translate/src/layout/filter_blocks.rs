//! Convolutions with their filters packed: blocks of filters side by side, in the order in which a kernel reads them. The
//! lanes of vectors can then go along the filters, where images are too narrow for them.
use super::site::{USUAL, sizes_of_images};
use super::{Convolution, Weights};
use halyard_ir::WeightLayout;

const BLOCK: i64 = WeightLayout::BLOCK as i64;
/// Fewer filters than this leave most lanes empty.
const FILTERS: i64 = 9;
/// The numbers of f32 in a cache line.
const LINE: i64 = 16;
/// How much slower lanes along an image of f16 are: with steps or windows, and without (measured on x86-64-v4).
const HALVES: [f64; 2] = [1.4, 1.1];
/// The same where results are stored with channels last, one by one (ConvNeXt's 1×1 convolution of 160 channels on Zen 5: 3.4, 2026-11-30).
const HALVES_ACROSS: f64 = 2.0;
/// Rewrites one convolution, if it is of the kind and it pays with vectors of so many `lanes` of f32.
pub(super) fn rewrite(c: &Convolution, weights: &mut Weights, lanes: i64) -> Option<()> {
    if !pays(c, lanes) {
        return None;
    }
    let w = weights.pack(weights.packed(c.w, WeightLayout::FilterBlocks)?);
    let at = c.site();
    let w = if c.halves { at.at.as_f32(w) } else { w };
    // Loops: image, group, filter, row, column; channel, row and column of the window.
    let [filter, row, column, channel, down, across] = [1, 2, 3, 4, 5, 6].map(|d| d + usize::from(c.grouped));
    let times = |d: usize, by: i64| if by == 1 { format!("d{d}") } else { format!("d{d} * {by}") };
    let place = |d: usize, k: usize, i: usize| format!("{} + {}", times(d, c.stride[i]), times(k, c.dilation[i]));
    let (image, group) = if c.grouped { ("d0, d1", "d1, ") } else { ("d0", "") };
    let from = format!("{image}, d{channel}, {}, {}", place(row, down, 0), place(column, across, 1));
    let filters = format!("{group}d{filter} floordiv {BLOCK}, d{channel}, d{down}, d{across}, d{filter} mod {BLOCK}");
    let to = format!("{image}, d{filter}, d{row}, d{column}");
    let y = at.sum_of_products(&[c.wide_input(), w], &[&from, &filters, &to], (column + 1, 3), (&c.output, &c.open));
    c.becomes(y);
    Some(())
}

/// The share of products that are of the image: with filters packed, what lies in the padding of dilated windows is not multiplied.
fn inside(c: &Convolution) -> f64 {
    let of = || {
        let pad = c.x.def().filter(|d| d.is("tensor.pad"))?;
        let places = c.places()?;
        let (low, source) = (pad.attr("static_low")?.as_i64s()?, sizes_of_images(pad.operand(0))?);
        let before: &[i64; 2] = low.last_chunk()?;
        let image: &[i64; 2] = source.last_chunk()?;
        let share = |at: usize| {
            let (low, size, dilation) = (before[at], image[at], c.dilation[at]);
            if dilation == 1 || low < dilation {
                return 1.0;
            }
            let (places, taps) = (places[at], c.filter[2 + at]);
            let hits = |place: i64| {
                let read = |tap: i64| place * c.stride[at] + tap * dilation - low;
                (0..taps).filter(|&tap| (0..size).contains(&read(tap))).count()
            };
            (0..places).map(hits).sum::<usize>() as f64 / (places * taps) as f64
        };
        Some(share(0) * share(1))
    };
    of().unwrap_or(1.0)
}

/// How many lanes there are for each that is used along all of an image of unknown size, on average (measured on 7 to 56 rows, AVX-512, 2026-11-28).
const USUAL_WASTE: f64 = 1.07;
/// The same where there are at least so many channels or filters: such images are small, mostly (7 × 7: 1.31, 14 × 14: 1.06).
const WASTE_OF_SMALL: f64 = 1.2;
const CHANNELS_OF_SMALL: i64 = 512;

/// Whether lanes along the filters are worth it: where those along the image would be left empty, or load in steps.
///
/// Both ways are estimated relative to perfect use of the lanes. Factors are fits to 74 convolutions of one to 1024 channels, on AVX-512 and AVX2
/// (2026-11-26). Of these 148 choices 14 are the slower way: eight by 5 to 9 %, one by 25 %. Since then, on AVX2, steps over single elements were
/// measured again, in six convolutions of resnet50 and botnet26t: the copied form is 1.2 to 1.8 times as fast but for images of 7 × 7 (0.77). So was
/// what it costs to turn tiles, in 39 convolutions (2026-11-27).
fn pays(c: &Convolution, lanes: i64) -> bool {
    let waste = |n: i64, to: i64| ((n + to - 1) / to * to) as f64 / n as f64;
    let (filter, places) = (&c.filter, c.places().unwrap_or([USUAL; 2]));
    let point = filter[2..] == [1, 1];
    // Nests copy the pixels that such steps lead to side by side, and then tiles of them: whole cache lines.
    let copied = point && c.stride != [1, 1] && lanes < 16;
    let along = if point && c.stride == [1, 1] || copied { places[0] * places[1] } else { places[1] };
    let wide = filter[3] > 3;
    let steps = match (c.stride.into_iter().max().unwrap_or(1), point) {
        (1, _) => 1.0,
        _ if copied => 1.0,
        (2, false) => {
            if wide {
                1.25
            } else {
                1.4
            }
        }
        (2, true) => 1.5,
        (_, false) => {
            if wide {
                1.6
            } else {
                1.9
            }
        }
        _ => 2.0,
    };
    let slower = match (c.halves, point && c.stride == [1, 1]) {
        (false, _) => 1.0,
        (true, _) if c.ends_with_channels_last() => HALVES_ACROSS,
        (true, false) => HALVES[0],
        (true, true) => HALVES[1],
    };
    let sums: i64 = filter[1..].iter().product();
    let packed = waste(filter[0], lanes) * (1.0 + turning(lanes) / sums as f64);
    let along = match c.places() {
        None if point && c.stride == [1, 1] && filter[..2].iter().all(|n| *n < CHANNELS_OF_SMALL) => USUAL_WASTE,
        None if point && c.stride == [1, 1] => WASTE_OF_SMALL,
        _ => waste(along, if copied { LINE } else { lanes }),
    };
    // One pixel is a product of a matrix and a vector.
    let image = places[0] * places[1] > 1;
    image && filter[0] >= FILTERS && packed * 1.02 * inside(c) < along * steps * slower
}

/// What it costs to turn a tile of the result around once, in steps of its sums: with fewer registers tiles are smaller.
fn turning(lanes: i64) -> f64 {
    if lanes >= 16 { 9.0 } else { 14.0 }
}
