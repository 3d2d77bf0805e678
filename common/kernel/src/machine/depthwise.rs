//! Depthwise convolutions with lanes along the channels, on CPUs.
use super::numbers::numbers;

numbers! {
/// Depthwise convolutions with lanes along the channels, on CPUs.
pub struct DepthwiseNumbers {
    /// The elements of a window, at most: they are written out. By hand, 2026-11-26.
    largest_window: i64 = 128,
    /// Units of work that there should be: eight for each of two threads. By hand, 2026-11-26.
    wanted_units: i64 = 16,
    /// What a vector of results costs with lanes along the channels, in tenths of a cycle: transposing it and what is read for it, an element
    /// of the window, and each further vector of input where windows have a step. Measured, 2026-11-26.
    turned: [i64; 3] = [80, 6, 40],
    /// The same with lanes along a row: a vector and an element of the window, where windows have no step, and where they have one.
    /// Measured, 2026-11-26.
    along_rows: [[i64; 2]; 2] = [[25, 7], [60, 25]],
    /// The numbers of [`Self::turned`] and [`Self::along_rows`] for bytes, whose sums are quantised. Measured, 2026-11-26.
    turned_bytes: [i64; 3] = [140, 11, 40],
    /// See [`Self::turned_bytes`]; with 16 registers and with 32. Measured, 2026-11-26.
    bytes_along_rows: [[[i64; 2]; 2]; 2] = [[[152, 17], [300, 95]], [[78, 16], [100, 43]]],
    /// An element of a window of more than [`Self::long_window`] there, without a step, with 16 registers and with 32. Measured, 2026-11-26.
    long_element: [i64; 2] = [7, 12],
    /// See [`Self::long_element`]. Measured, 2026-11-26.
    long_window: i64 = 25,
    /// What is added for rows of a single vector, in hundredths. Measured, 2026-11-26.
    single_vector: i64 = 50,
    /// What is saved and what is lost, for a vector in tenths of a cycle, where results are stored with channels side by side.
    /// Measured, 2026-11-26.
    channels_inside: [i64; 2] = [25, 60],
    /// What bytes that are multiplied four at once along the rows cost, in the same unit: a channel, an element of its filter, a vector
    /// of results, and a group of elements of the window for that. Measured on Zen 5, 2026-11-30.
    row_dots: [i64; 4] = [1190, 7, 60, 13],
    /// Rows of results that are computed together there, at most: what follows a convolution may be a long chain of operations.
    /// Measured on Zen 5, 2026-11-30.
    rows_together: i64 = 8,
    /// Pixels of a row side by side, with 16 registers and with 32: what is read for them is kept in registers, too. By hand, 2026-11-26.
    pixels: [i64; 2] = [4, 8],
}
}
