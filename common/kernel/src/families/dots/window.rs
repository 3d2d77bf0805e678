//! How the windows of a convolution lie in its input.

/// A loop of the result and one of the taps that move along one dimension: `out * step + tap * dilation`.
#[derive(Clone, Copy)]
pub(super) struct Slide {
    pub(super) out: usize,
    pub(super) tap: usize,
    pub(super) step: i64,
    pub(super) dilation: i64,
}

/// How the columns of a convolution lie in its input.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) channels: usize,
    pub(super) rows: Slide,
    pub(super) columns: Slide,
}
