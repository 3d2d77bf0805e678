//! Sums of products of bytes, words and bf16 on CPUs.

/// Nanoseconds of work for a workgroup. By hand, 2026-11-22.
pub(crate) const WORTH_HANDING_OUT: f64 = 40_000.0;
/// What it costs to pack a number, in nanoseconds: of a row, of a column. By hand, 2026-11-22.
pub(crate) const PACKING: [f64; 2] = [0.03, 0.08];
/// Rows of a tile of registers, at most, where a schedule says how many. A limit of schedules, not a tuned number.
pub(crate) const TALLEST_TILE: i64 = 16;
/// Vectors of a tile of registers, at most, where a schedule says how many. A limit of schedules, not a tuned number.
pub(crate) const WIDEST_TILE: i64 = 8;
/// Columns from which on it is worth packing them. By hand, 2026-11-22.
pub(crate) const PACKED_COLUMNS: i64 = 4;
/// Steps of a sum from which on it is worth packing its factors. By hand, 2026-11-22.
pub(crate) const PACKED_STEPS: i64 = 8;
/// Rows from which on columns that are packed are read often enough. By hand, 2026-11-22.
pub(crate) const PACKED_ROWS: i64 = 4;
