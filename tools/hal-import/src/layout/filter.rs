//! Filters of Winograd's minimal filtering: `F(m×m, 3×3)` computes tiles of m×m outputs from tiles of (m+2)×(m+2) inputs.
//! The matrices are those of A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks" (2015).
use crate::weights::Weight;
use prost::bytes::Bytes;

/// The outputs of a block of filters stand side by side, this many.
pub(super) const BLOCK: usize = 32;

/// One of the algorithms.
pub(super) struct Filtering {
    /// Outputs of a tile along one dimension.
    pub(super) m: usize,
    /// Of inputs: (m+2)×(m+2), row-major.
    pub(super) input: &'static [f32],
    /// Of filters: (m+2)×3.
    filter: &'static [f64],
    /// Of outputs: m×(m+2).
    pub(super) output: &'static [f32],
}

/// Two outputs from four inputs: 4 multiplications instead of 6, as exact as the plain sum.
pub(super) const TWO: Filtering = Filtering {
    m: 2,
    #[rustfmt::skip]
    input: &[
        1.0, 0.0, -1.0, 0.0,
        0.0, 1.0, 1.0, 0.0,
        0.0, -1.0, 1.0, 0.0,
        0.0, 1.0, 0.0, -1.0,
    ],
    filter: &[1.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, -0.5, 0.5, 0.0, 0.0, 1.0],
    output: &[1.0, 1.0, 1.0, 0.0, 0.0, 1.0, -1.0, -1.0],
};

/// Four outputs from six inputs: 36 multiplications instead of 144 for a tile, with about ten times the rounding errors.
pub(super) const FOUR: Filtering = Filtering {
    m: 4,
    #[rustfmt::skip]
    input: &[
        4.0, 0.0, -5.0, 0.0, 1.0, 0.0,
        0.0, -4.0, -4.0, 1.0, 1.0, 0.0,
        0.0, 4.0, -4.0, -1.0, 1.0, 0.0,
        0.0, -2.0, -1.0, 2.0, 1.0, 0.0,
        0.0, 2.0, -1.0, -2.0, 1.0, 0.0,
        0.0, 4.0, 0.0, -5.0, 0.0, 1.0,
    ],
    #[rustfmt::skip]
    filter: &[
        1.0 / 4.0, 0.0, 0.0,
        -1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0,
        -1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0,
        1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0,
        1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0,
        0.0, 0.0, 1.0,
    ],
    #[rustfmt::skip]
    output: &[
        1.0, 1.0, 1.0, 1.0, 1.0, 0.0,
        0.0, 1.0, -1.0, 2.0, -2.0, 0.0,
        0.0, 1.0, 1.0, 4.0, 4.0, 0.0,
        0.0, 1.0, -1.0, 8.0, -8.0, 1.0,
    ],
};

impl Filtering {
    /// Inputs of a tile along one dimension.
    pub(super) fn tile(&self) -> usize {
        self.m + 2
    }

    /// Filters `[K, C, 3, 3]` of f32 as `[tile, tile, K/BLOCK, C, BLOCK]`; what is missing to whole blocks is zero.
    pub(super) fn transform(&self, weight: &Weight) -> Weight {
        let (filters, depth) = (weight.shape[0], weight.shape[1]);
        let (tile, blocks) = (self.tile(), filters.div_ceil(BLOCK));
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
                        std::array::from_fn(|s| (0..3).map(|r| self.filter[p * 3 + r] * taps[r * 3 + s]).sum());
                    for q in 0..tile {
                        let value: f64 = (0..3).map(|s| row[s] * self.filter[q * 3 + s]).sum();
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
}
