//! Products with matrices that are quantised in blocks, on CPUs.
use super::numbers::numbers;

/// Rows of a tile of registers, at most, where a schedule says how many. A limit of schedules, not a tuned number.
pub(crate) const TALLEST_TILE: i64 = 16;

numbers! {
/// Products with matrices that are quantised in blocks, on CPUs.
pub struct BlockProductNumbers {
    /// Rows of activations that are prepared together: those of three digits of 4096 steps are 3.5 MiB. By hand, 2026-11-23.
    rows_together: i64 = 256,
    /// Panels of a workgroup, at least, where it prepares rows that others prepare, too: which costs what one panel costs. By hand, 2026-11-23.
    panels_a_workgroup: i64 = 16,
    /// Workgroups that there are all the same. By hand, 2026-11-23.
    fewest_workgroups: i64 = 8,
    /// Vectors of rows of the matrix side by side, where activations are digits and where they are floats: the more rows share what is
    /// unpacked. By hand, 2026-11-23.
    vectors: [i64; 2] = [2, 1],
    /// Registers for sums, of 16 and of 32, where activations are digits: a sum for each digit, and one of floats. By hand, 2026-11-23.
    digit_registers: [i64; 2] = [8, 16],
    /// Registers for sums, of 16 and of 32, where activations are floats. By hand, 2026-11-23.
    float_registers: [i64; 2] = [8, 16],
}
}
