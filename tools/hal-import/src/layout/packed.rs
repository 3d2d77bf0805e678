//! Convolutions with their filters packed: blocks of filters side by side, in the order in which a kernel reads them. The
//! lanes of vectors can then go along the filters, where images are too narrow for them.
use super::{Site, Weights, filter::BLOCK, is_zero, sizes};
use crate::weights::Weight;
use halyard_ir::{Attr, Builder, Op};
use prost::bytes::Bytes;

/// Fewer filters than this do not fill the registers.
const FILTERS: i64 = 32;
/// The lanes of the widest vectors.
const LANES: i64 = 16;

/// Rewrites one convolution, if it is of the kind and it pays.
pub(super) fn rewrite(op: Op, weights: &mut Weights, data: &mut Vec<Weight>) -> Option<()> {
    let (x, w, init) = (op.operand(0), op.operand(1), op.operand(2));
    let (input, filter, output) = (sizes(x)?, sizes(w)?, sizes(init)?);
    let pair = |name: &str| match op.attr(name).map(Attr::as_i64s) {
        None => Some([1, 1]),
        Some(list) => list?.try_into().ok(),
    };
    let (stride, dilation): ([i64; 2], [i64; 2]) = (pair("strides")?, pair("dilations")?);
    let f32s = [x, w, init].iter().all(|v| v.ty().element().to_string() == "f32");
    if !f32s || !is_zero(init) || !pays(&filter, &output, stride) {
        return None;
    }
    let (global, _) = weights.of(w)?;
    let at = Site(Builder::before(op));
    let block = BLOCK as i64;
    let blocks = (filter[0] + block - 1) / block;
    let ty = at.tensor(&[blocks, filter[1], filter[2], filter[3], block]);
    let packed = weights.add(global, "packed", ty, data, pack);
    let symbol = Attr::symbol(op.context(), &packed.name());
    let w = at.0.value("ml_program.global_load_const", &[], ty, &[("global", symbol)]);
    let times = |d: usize, by: i64| if by == 1 { format!("d{d}") } else { format!("d{d} * {by}") };
    let place = |d: usize, k: usize, i: usize| format!("{} + {}", times(d, stride[i]), times(k, dilation[i]));
    let from = format!("d0, d4, {}, {}", place(2, 5, 0), place(3, 6, 1));
    let filters = format!("d1 floordiv {block}, d4, d5, d6, d1 mod {block}");
    let y = at.sum_of_products(&[x, w], &[&from, &filters, "d0, d1, d2, d3"], (4, 3), &output);
    debug_assert_eq!(input.len(), 4);
    op.result(0).replace_all_uses(y);
    op.erase();
    Some(())
}

/// Whether lanes along the filters are worth it: where those along the image would be left empty, or load in steps.
fn pays(filter: &[i64], output: &[i64], stride: [i64; 2]) -> bool {
    let up = |n: i64, to: i64| (n + to - 1) / to * to;
    let little_waste = |n: i64, to: i64| up(n, to) * 10 <= n * 11;
    let flat = filter[2..] == [1, 1] && stride == [1, 1];
    let along = if flat { output[2] * output[3] } else { output[3] };
    filter[0] >= FILTERS && little_waste(filter[0], BLOCK as i64) && (!little_waste(along, LANES) || stride != [1, 1])
}

/// Filters `[K, C, H, W]` as `[K/BLOCK, C, H, W, BLOCK]`; what is missing to whole blocks is zero.
fn pack(weight: &Weight) -> Weight {
    let [filters, depth, rows, columns] = weight.shape[..] else { unreachable!("a filter of a 2-D convolution") };
    let (blocks, taps) = (filters.div_ceil(BLOCK), depth * rows * columns);
    let mut out = vec![0u8; blocks * taps * BLOCK * 4];
    for (f, of_filter) in weight.bytes.chunks_exact(taps * 4).enumerate() {
        for (tap, bytes) in of_filter.chunks_exact(4).enumerate() {
            let at = (((f / BLOCK) * taps + tap) * BLOCK + f % BLOCK) * 4;
            out[at..at + 4].copy_from_slice(bytes);
        }
    }
    let shape = vec![blocks, depth, rows, columns, BLOCK];
    Weight { key: String::new(), dtype: weight.dtype, shape, bytes: Bytes::from(out) }
}
