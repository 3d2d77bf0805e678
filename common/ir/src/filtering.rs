//! Winograd's convolution: `F(m×m, 3×3)` computes tiles of m×m outputs from tiles of (m+2)×(m+2) inputs, as `Y = Aᵀ
//! [(G g Gᵀ) ⊙ (Bᵀ d B)] A`. The matrices are those of A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural
//! Networks" (2015). `hal-translate` writes convolutions in this form, and the kernel compiler recognises it.

/// The matrices of one `F(m×m, 3×3)`.
#[derive(Debug, PartialEq)]
pub struct Filtering {
    /// Outputs of a tile along one dimension.
    pub m: usize,
    /// Bᵀ, of inputs: (m+2)×(m+2), row-major.
    pub input: &'static [f32],
    /// G, applied to filters: (m+2)×3.
    pub filter: &'static [f64],
    /// Aᵀ, applied to outputs: m×(m+2).
    pub output: &'static [f32],
}

impl Filtering {
    /// Two outputs from four inputs: 4 multiplications instead of 6, as exact as the plain sum.
    pub const TWO: Self = Self {
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
    pub const FOUR: Self = Self {
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

    /// Inputs of a tile along one dimension.
    pub fn tile(&self) -> usize {
        self.m + 2
    }
}
