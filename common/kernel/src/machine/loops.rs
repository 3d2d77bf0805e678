//! Loops of CPUs: how far they are unrolled, and what is taken for granted of sizes that are not known.
use super::numbers::numbers;

/// Results (vectors of them) that are computed side by side, at most, where a schedule says how many.
/// A limit of schedules, not a tuned number.
pub(crate) const MOST_VECTORS_BY_SCHEDULE: i64 = 128;

numbers! {
/// Loops of CPUs: how far they are unrolled, and what is taken for granted of sizes that are not known.
pub struct LoopNumbers {
    /// Iterations that a loop of unknown size is taken to have. By hand, 2026-11-20.
    typical_size: i64 = 64,
    /// Copies of the body up to which loops of known size around few accumulators are unrolled. By hand, 2026-11-20.
    unrolled_copies: i64 = 256,
    /// The same with 16 registers, and where more operations follow the sums than [`Self::few_operations`]. LLVM moves the sums of a tile
    /// down between what follows each of them, one dependent chain after the other, and spills what they share; a loop keeps them together.
    /// By measurement of 20 convolutions on AVX2, 2026-11-29.
    unrolled_copies_of_small_tiles: i64 = 128,
    unrolled_copies_before_operations: i64 = 64,
    /// A bias and two bounds. By measurement of the same, 2026-11-29.
    few_operations: usize = 5,
    /// The same for one thread of many, whose loops are overlapped by other threads. By hand, 2026-11-22.
    unrolled_copies_of_thread: i64 = 32,
    /// Independent chains of additions that hide the latency of one: 4 cycles at 2 a cycle. uops.info: `vaddps` and
    /// `vfmadd` from Skylake and Zen on.
    sum_chains: usize = 8,
    /// Outputs that must share a row before it is worth transposing. By hand, 2026-11-20.
    im2col_outputs: i64 = 8,
    /// Filters that must share windows before these are worth gathering. Measured, 2026-11-26.
    im2col_filters: i64 = 12,
    /// Vectors of pixels that are gathered at a time, about: the products of a tile. By hand, 2026-11-26.
    im2col_vectors: i64 = 3,
    /// Rows of the other operand that make it worth transposing one of few columns. By hand, 2026-11-21.
    im2col_rows: i64 = 32,
    /// Trips of reductions beyond which a use weighs no more when lanes are chosen. By hand, 2026-11-20.
    heaviest_use: f64 = 4096.0,
    /// Steps of a sum from which it is not computed again for a result that lies in another order. By hand, 2026-11-25.
    repeated_steps: i64 = 16,
    /// Steps of a sum from which each thread computes it once, and not each workgroup. By hand, 2026-11-25.
    recomputed_steps: i64 = 4096,
    /// Steps of sums up to which results that lie across the lanes are transposed in registers. By hand, 2026-11-25.
    steps_of_blocks: f64 = 1024.0,
    /// Blocks of columns, which are transposed before they are stored, have at least so many lanes: of four they are slower than single
    /// stores (layer norms and softmax of 16 shapes: 1.02 to 4.2 times as fast with 8 and 16 lanes, 0.80 to 1.06 with four; 2026-11-28).
    narrowest_column_blocks: i64 = 8,
    /// Rows of a tile of registers, at most. By hand, 2026-11-20.
    tallest_tile: i64 = 12,
    /// Vectors of a tile of registers, at most. By hand, 2026-11-20.
    widest_tile: i64 = 4,
    /// Vectors of a tile of few rows, at most: whole stretches of each row of the operand are read at once. By hand, 2026-11-21.
    widest_of_few: i64 = 8,
    /// How many rows are few. By hand, 2026-11-21.
    few_rows: i64 = 3,
}
}
