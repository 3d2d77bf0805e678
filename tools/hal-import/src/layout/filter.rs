//! Filters of Winograd's minimal filtering, transformed and packed.
use crate::weights::Weight;
use halyard_ir::Filtering;
use prost::bytes::Bytes;

/// The outputs of a block of filters stand side by side, this many.
pub(super) const BLOCK: usize = 32;

/// Filters `[K, C, 3, 3]` of f32 as `[tile, tile, K/BLOCK, C, BLOCK]`; what is missing to whole blocks is zero.
pub(super) fn transform(filtering: &Filtering, weight: &Weight) -> Weight {
    let (filters, depth) = (weight.shape[0], weight.shape[1]);
    let (tile, blocks) = (filtering.tile(), filters.div_ceil(BLOCK));
    let plane = blocks * depth * BLOCK;
    let mut out = vec![0u8; tile * tile * plane * 4];
    for (f, of_filter) in weight.bytes.chunks_exact(depth * 36).enumerate() {
        for (c, nine) in of_filter.chunks_exact(36).enumerate() {
            let mut taps = [0f64; 9];
            for (tap, bytes) in taps.iter_mut().zip(nine.chunks_exact(4)) {
                *tap = f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes")));
            }
            let at = ((f / BLOCK) * depth + c) * BLOCK + f % BLOCK;
            for p in 0..tile {
                let row: [f64; 3] =
                    std::array::from_fn(|s| (0..3).map(|r| filtering.filter[p * 3 + r] * taps[r * 3 + s]).sum());
                for q in 0..tile {
                    let value: f64 = (0..3).map(|s| row[s] * filtering.filter[q * 3 + s]).sum();
                    let to = ((p * tile + q) * plane + at) * 4;
                    out[to..to + 4].copy_from_slice(&(value as f32).to_le_bytes());
                }
            }
        }
    }
    Weight {
        key: String::new(),
        dtype: weight.dtype,
        shape: vec![tile, tile, blocks, depth, BLOCK],
        bytes: Bytes::from(out),
    }
}
