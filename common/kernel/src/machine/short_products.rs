//! Sums of products of bytes, words and bf16 on CPUs.
use super::numbers::numbers;

/// Rows of a tile of registers, at most, where a schedule says how many. A limit of schedules, not a tuned number.
pub(crate) const TALLEST_TILE: i64 = 16;
/// Vectors of a tile of registers, at most, where a schedule says how many. A limit of schedules, not a tuned number.
pub(crate) const WIDEST_TILE: i64 = 8;

numbers! {
/// Sums of products of bytes, words and bf16 on CPUs.
pub struct ShortProductNumbers {
    /// Nanoseconds of work for a workgroup. Quantised models of images on two threads, AVX-512, 2026-11-28.
    worth_handing_out: f64 = 10_000.0,
    /// The part of all work that each thread may spend on packing what another one has packed. The same models.
    packed_again: f64 = 0.25,
    /// Instructions that add products, in a nanosecond: two a cycle at about 2.5 GHz. By hand, 2026-11-22.
    instructions_a_nanosecond: i64 = 5,
    /// Nanoseconds: what is done with one sum, such as to quantise it. Products of attention between bytes, AVX-512, 2026-11-30.
    finishing: f64 = 0.1,
    /// What it costs to pack a number, in nanoseconds: of a row, of a column. By hand, 2026-11-22.
    packing: [f64; 2] = [0.03, 0.08],
    /// The same for a number of an image that is packed for all taps. By measurement on AVX2, 2026-11-28.
    packing_images: f64 = 0.3,
    /// Columns from which on it is worth packing them. By hand, 2026-11-22.
    packed_columns: i64 = 4,
    /// Steps of a sum from which on it is worth packing its factors. By hand, 2026-11-22.
    packed_steps: i64 = 8,
    /// Rows from which on columns that are packed are read often enough. By hand, 2026-11-22.
    packed_rows: i64 = 4,
}
}
