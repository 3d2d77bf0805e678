//! Convolutions with their filters packed: blocks of filters side by side, in the order in which a kernel reads them. The
//! lanes of vectors can then go along the filters, where images are too narrow for them.
use super::{Site, Weights, is_zero, sizes};
use halyard_ir::{Attr, Builder, Op, WeightLayout};

const BLOCK: i64 = WeightLayout::BLOCK as i64;
/// Fewer filters than this do not fill the registers.
const FILTERS: i64 = 32;
/// The lanes of the widest vectors.
const LANES: i64 = 16;

/// Rewrites one convolution, if it is of the kind and it pays.
pub(super) fn rewrite(op: Op, weights: &mut Weights) -> Option<()> {
    let (x, w, init) = (op.operand(0), op.operand(1), op.operand(2));
    let (filter, output) = (sizes(w)?, sizes(init)?);
    let pair = |name: &str| match op.attr(name).map(Attr::as_i64s) {
        None => Some([1, 1]),
        Some(list) => list?.try_into().ok(),
    };
    let (stride, dilation): ([i64; 2], [i64; 2]) = (pair("strides")?, pair("dilations")?);
    let known = sizes(x).is_some();
    let f32s = [x, w, init].iter().all(|v| v.ty().element().to_string() == "f32");
    if !known || !f32s || !is_zero(init) || !pays(&filter, &output, stride, inside(op, stride, dilation)) {
        return None;
    }
    let w = weights.pack(weights.packed(w, WeightLayout::FilterBlocks)?);
    let at = Site(Builder::before(op));
    let times = |d: usize, by: i64| if by == 1 { format!("d{d}") } else { format!("d{d} * {by}") };
    let place = |d: usize, k: usize, i: usize| format!("{} + {}", times(d, stride[i]), times(k, dilation[i]));
    let from = format!("d0, d4, {}, {}", place(2, 5, 0), place(3, 6, 1));
    let filters = format!("d1 floordiv {BLOCK}, d4, d5, d6, d1 mod {BLOCK}");
    let y = at.sum_of_products(&[x, w], &[&from, &filters, "d0, d1, d2, d3"], (4, 3), &output);
    op.result(0).replace_all_uses(y);
    op.erase();
    Some(())
}

/// The share of products that are of the image: with filters packed, what lies in the padding of dilated windows is not multiplied.
fn inside(op: Op, stride: [i64; 2], dilation: [i64; 2]) -> f64 {
    let of = || {
        let pad = op.operand(0).def().filter(|d| d.is("tensor.pad"))?;
        let (low, source) = (pad.attr("static_low")?.as_i64s()?, sizes(pad.operand(0))?);
        let (filter, output) = (sizes(op.operand(1))?, sizes(op.operand(2))?);
        let share = |at: usize| {
            let (low, size) = (*low.get(2 + at)?, source[2 + at]);
            if dilation[at] == 1 || low < dilation[at] {
                return Some(1.0);
            }
            let (places, taps) = (output[2 + at], filter[2 + at]);
            let hits = |place: i64| {
                let read = |tap: i64| place * stride[at] + tap * dilation[at] - low;
                (0..taps).filter(|&tap| (0..size).contains(&read(tap))).count()
            };
            Some((0..places).map(hits).sum::<usize>() as f64 / (places * taps) as f64)
        };
        Some(share(0)? * share(1)?)
    };
    of().unwrap_or(1.0)
}

/// Whether lanes along the filters are worth it: where those along the image would be left empty, or load in steps.
///
/// Both ways are estimated relative to perfect use of the lanes (measured on x86-64-v4). A tile of the result is turned
/// around once, which costs about as much as 21 steps of its sums.
fn pays(filter: &[i64], output: &[i64], stride: [i64; 2], inside: f64) -> bool {
    let waste = |n: i64, to: i64| ((n + to - 1) / to * to) as f64 / n as f64;
    let point = filter[2..] == [1, 1];
    let along = if point && stride == [1, 1] { output[2] * output[3] } else { output[3] };
    let steps = match (stride.into_iter().max().unwrap_or(1), point) {
        (1, _) => 1.0,
        (2, false) => 1.05,
        (2, true) => 1.5,
        _ => 2.0,
    };
    let sums: i64 = filter[1..].iter().product();
    let packed = waste(filter[0], BLOCK) * (1.0 + 21.0 / sums as f64);
    // One pixel is a product of a matrix and a vector.
    let image = output[2] * output[3] > 1;
    image && filter[0] >= FILTERS && packed * 1.02 * inside < waste(along, LANES) * steps
}
