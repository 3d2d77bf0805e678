//! Convolutions and pooling on CPUs: blocks of filters, stripes of points.
use super::numbers::numbers;

/// The filters of a block, side by side in memory: two vectors of AVX-512, as layouts of weights have it. By hand, 2026-11-22.
pub(crate) const FILTER_BLOCK: i64 = halyard_ir::WeightLayout::BLOCK as i64;
/// Vectors of filters that are computed side by side. By hand, 2026-11-21.
pub(crate) const FILTER_VECTORS: i64 = 2;
/// Lanes of vectors of 32-bit sums. Where words are multiplied in pairs, shorter vectors want two vectors of filters for each pixel that is loaded:
/// 7 pixels by one are at 0.72 to 0.9 of the speed of 6 by two. By measurement on Zen 3, 2026-11-29.
pub(crate) const LANES_OF_FAST_BROADCASTS: i64 = 16;
/// Vector operations in a cycle, of a function of `math`, and of a division, in what follows the sums of a convolution. By hand, 2026-11-29.
pub(crate) const OPERATIONS_A_CYCLE: f64 = 2.0;
pub(crate) const OPERATIONS_OF_FUNCTION: f64 = 25.0;
pub(crate) const OPERATIONS_OF_DIVISION: f64 = 5.0;
/// Cycles that it takes to store a vector of sums and load it again, where rows of a result are finished at once. By measurement of
/// convolutions of bytes on Zen 3, 2026-11-29.
pub(crate) const CYCLES_OF_WAITING: f64 = 4.0;
/// Vectors of tiles in a row that are written out one after the other; more are a loop. By hand, 2026-11-21.
pub(crate) const UNROLLED_TRANSFORMS: i64 = 8;
/// Points side by side, at most, where a schedule says how many. A limit of schedules, not a tuned number.
pub(crate) const MOST_POINTS_BY_SCHEDULE: i64 = 32;
/// Bytes of the rows that pooling keeps, at most, where a schedule says how many rows. A limit of schedules, not a tuned number.
pub(crate) const MOST_POOLED_BYTES: i64 = 48 << 10;

numbers! {
/// Convolutions and pooling on CPUs: blocks of filters, stripes of points.
pub struct ConvolutionNumbers {
    /// Units of work that there should be: eight for each of two threads, so that one can help the other. By hand,
    /// 2026-11-22.
    wanted_units: i64 = 16,
    /// The points of a stripe, of tiles or the result, at least: two tiles of registers. By hand, 2026-11-22.
    stripe_points: i64 = 28,
    /// The points of a stripe, at least, where filters do not stay in the second-level cache and are read again for each. By measurement of
    /// convolutions with steps of two on Zen 3, 2026-11-30.
    points_for_all_filters: i64 = 96,
    /// Points side by side, at most: with `FILTER_VECTORS` 28 accumulators of 32 registers. By hand, 2026-11-21.
    tile_points: i64 = 14,
    /// The fewest products of vectors in one iteration of the loop over the elements of a window; small tiles take several elements at once. By
    /// measurement, 2026-11-26.
    products_of_taps: i64 = 16,
    /// The channels, at least, of stripes that are copied with channels last. By measurement on AVX2, 2026-11-27.
    channels_last_channels: i64 = 8,
    /// The products, at least, in which each of their elements takes part: copying it costs about half a cycle. By measurement on AVX2,
    /// 2026-11-27.
    channels_last_products: i64 = 32,
    /// The channels in one iteration of the loop over them. By measurement on AVX2, 2026-11-27.
    channels_last_unrolled: i64 = 2,
    /// The groups of four channels, at least, for which convolutions of points use matrix tiles, and those of a row of a larger window. By
    /// measurement on an Intel CPU with AMX, 2026-12-01.
    groups_for_tiles: i64 = 8,
    groups_of_row_for_tiles: i64 = 3,
    /// How much larger than a dilated convolution's image it is with its padding, at least, where padding is left out although tiles of one row
    /// are small (with 16 registers, and of narrow images): if all channels have so many bytes with padding, or however many they have. By
    /// measurement with AVX-512 and AVX2, 2026-11-28.
    large_padding: f64 = 1.8,
    large_padded_bytes: i64 = 1 << 20,
    largest_padding: f64 = 5.0,
    /// Columns, at most, whose tiles have code of their own. By hand, 2026-11-28.
    constant_columns: i64 = 112,
    /// How much larger than its share of the second-level cache the input of a row is, at least, where rows are divided into tiles. By measurement with
    /// AVX-512 and AVX2, 2026-11-28.
    long_rows: f64 = 1.5,
    /// The points, at most, of a row of a product with a transposed result; longer rows are divided. By hand, 2026-11-28.
    row_points: i64 = 64,
    /// The rows of a tile of an image of which only a run knows rows and columns, at most. By hand, 2026-11-28.
    open_rows: i64 = 56,
    /// Its rows, at most, for each block of filters: where there are few filters, tiles are what is shared out. By hand, 2026-11-30.
    open_rows_of_block: i64 = 14,
    /// Its columns, where its rows are many. By hand, 2026-11-28.
    open_columns: i64 = 56,
    /// The points of a tile of such an image, at least, while which all filters of the next block are fetched; of smaller tiles part of them. By
    /// hand, 2026-11-30.
    fetching_points: i64 = 49,
    /// Combined rows that pooling keeps, in bytes: half of a first-level cache, or less. By hand, 2026-11-22.
    pooled_bytes: i64 = 16 << 10,
    /// Vectors of a row that pooling combines side by side. By hand, 2026-11-22.
    pooled_vectors: i64 = 8,
}
}

impl ConvolutionNumbers {
    /// Fewer units of work than these are too few for two threads.
    pub(crate) fn enough_units(&self) -> i64 {
        self.wanted_units / 2
    }

    /// Whether leaving out the padding of an image pays where tiles of one row are small. Sizes are those of all dimensions with padding, and of
    /// rows and columns without.
    pub(crate) fn is_large_padding(&self, padded: &[i64], [rows, columns]: [i64; 2]) -> bool {
        let all: i64 = padded.iter().skip(1).product();
        let plane: i64 = padded.iter().rev().take(2).product();
        let times = plane as f64 / (rows * columns).max(1) as f64;
        times >= self.largest_padding || times >= self.large_padding && all * 4 >= self.large_padded_bytes
    }
}
