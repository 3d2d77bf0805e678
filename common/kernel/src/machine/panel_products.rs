//! Products with matrices of floats in panels, on CPUs.
use super::numbers::numbers;

/// Rows of a tile of registers, at most, where a schedule says how many. A limit of schedules, not a tuned number.
pub(crate) const TALLEST_TILE: i64 = 16;

numbers! {
/// Products with matrices of floats in panels, on CPUs.
pub struct PanelProductNumbers {
    /// Rows of activations that are prepared together: those of 4096 steps are 4 MiB. By hand, 2026-11-24.
    rows_together: i64 = 256,
    /// Panels of chunks of rows to share out, at least, as long as chunks have several tiles. By hand, 2026-11-26.
    least_units: i64 = 16,
    /// Rows, at least, of a product of bytes by matrix tiles, if their number is known. By hand, 2026-12-01.
    rows_for_tiles: i64 = 4,
    /// Vectors of columns side by side in a tile of several rows. By hand, 2026-11-24.
    vectors: i64 = 2,
    /// Registers for sums, of 16 and of 32. By hand, 2026-11-24.
    sums: [i64; 2] = [12, 24],
    /// Sums that are added up at the same time, at least: additions take four cycles, and there are two of them in each. By hand, 2026-11-24.
    least_sums: i64 = 8,
}
}
