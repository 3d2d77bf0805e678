//! Depthwise convolutions with lanes along the channels, on CPUs.
use super::numbers::numbers;

numbers! {
/// Depthwise convolutions with lanes along the channels, on CPUs.
pub struct DepthwiseNumbers {
    /// The elements of a window, at most: they are written out. By hand, 2026-11-26.
    largest_window: i64 = 64,
    /// Units of work that there should be: eight for each of two threads. By hand, 2026-11-26.
    wanted_units: i64 = 16,
    /// Pixels of a row side by side, with 16 registers and with 32: what is read for them is kept in registers, too. By hand, 2026-11-26.
    pixels: [i64; 2] = [4, 8],
}
}
