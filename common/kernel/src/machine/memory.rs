//! Caches, prefetchers and the bus of a CPU: what it costs to reach memory, and where what is kept goes.
use super::numbers::numbers;

/// The bytes of a cache line. Every x86-64 and every AArch64 core that LLVM knows, but Apple's and A64FX.
pub(crate) const CACHE_LINE: i64 = 64;
/// The most rows of such a block that a schedule may ask for. A limit of schedules, not a tuned number.
pub(crate) const STREAMING_WIDEST: i64 = 512;

/// The most vectors that are interleaved in registers before they are stored: more take more shuffles than a store for each lane takes time. By
/// hand, 2026-11-28.
pub(crate) const MOST_INTERLEAVED: i64 = 8;

numbers! {
/// Caches, prefetchers and the bus of a CPU: what it costs to reach memory, and where what is kept goes.
pub struct MemoryNumbers {
    /// Bytes from one address to the next one whose line competes for the same places of the first-level cache: 64 sets of lines, as x86-64
    /// cores have them. By hand, 2026-11-26.
    cache_way: i64 = 4096,
    /// Such lines that are in the cache together. Zen 4, Neoverse with more sets; 12 from Ice Lake on. By hand, 2026-11-26.
    lines_of_a_set: i64 = 8,
    /// Rows at least this far apart, in bytes, are out of reach of the prefetcher of a core. By hand, 2026-11-21.
    prefetcher_reach: i64 = 1024,
    /// What is asked for ahead of its use, in bytes. By hand, 2026-11-21.
    prefetched_ahead: i64 = 3072,
    /// Results of at least this many second-level caches are stored around the caches: nothing is left of them when they
    /// are read. By hand, 2026-11-21.
    nontemporal_caches: i64 = 16,
    /// Scratch memory up to this size is on the stack, in bytes; larger one is lent by the caller. By
    /// hand, 2026-11-20.
    stack_bytes: i64 = 64 * 1024,
    /// What all workgroups need is computed by each of them up to this size, in bytes, and once for all above it. By hand,
    /// 2026-11-22.
    recomputed_bytes: i64 = 2 * 1024,
    /// Rows of a panel that lie at least this far apart, in bytes, are copied together before they are read. By hand,
    /// 2026-11-21.
    packed_distance: i64 = 1024,
    /// The same where there are 16 registers. By measurement of 1×1 convolutions on AVX2, 2026-11-26.
    packed_distance_of_small_tiles: i64 = 512,
    /// Rows: a panel of fewer is not worth copying. By hand, 2026-11-21.
    packed_rows: i64 = 64,
    /// The tiles that must read a panel before it is worth copying. By hand, 2026-11-20.
    packed_tiles: i64 = 4,
    /// Blocks side by side that are transposed in registers, one after the other, where operands are large. By hand,
    /// 2026-11-22.
    transposed_blocks: i64 = 4,
    /// The stretch of a row that a cache-blocked reduction reads at once, in bytes: two pages at least, so that prefetchers get
    /// going. By hand, 2026-11-22.
    reduction_block_bytes: i64 = 8 << 10,
    /// Rows that a cache-blocked reduction adds at a time: fewer loads and stores of the accumulators, and still few streams.
    /// By hand, 2026-11-22.
    reduction_block_rows: i64 = 4,
    /// Vectors side by side in a block. By hand, 2026-11-22.
    reduction_block_vectors: i64 = 4,
    /// Vectors: blocks that would be narrower are left to tiles of registers. By hand, 2026-11-22.
    reduction_block_narrowest: i64 = 16,
    /// Operands of so many second-level caches are worth blocks that are narrower than [`Self::reduction_block_bytes`]. By hand,
    /// 2026-11-22.
    reduction_block_far_caches: i64 = 8,
    /// The cache lines of a row that a streaming transposition reads at once. By hand, 2026-11-22.
    streaming_lines: i64 = 2,
    /// The rows of a block of a streaming transposition, about: more lines side by side than the result has in a page, and
    /// few enough for the cache. By hand, 2026-11-22.
    streaming_rows: i64 = 128,
    /// A vector load of a strided or scattered pattern is put together from at most this many whole vectors; beyond that it
    /// is a gather. By hand, 2026-11-20.
    window_vectors: i64 = 4,
    /// Vectors side by side in a product of few columns, at most: so many stretches of a row are read at once. By hand,
    /// 2026-11-22.
    column_vectors: i64 = 8,
}
}

impl MemoryNumbers {
    /// The rows, so many bytes apart, whose lines stay in the first-level cache while they are read side by side.
    pub(crate) fn rows_together(&self, distance: i64) -> i64 {
        let (mut common, mut rest) = (self.cache_way, distance.abs());
        while rest > 0 {
            (common, rest) = (rest, common % rest);
        }
        self.lines_of_a_set * (self.cache_way / common).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_compete_for_the_cache_where_their_distance_is_a_power_of_two() {
        let numbers = MemoryNumbers::default();
        let rows = [4096, 8192, 12288, 2048, 6144, 3072, 4032, 4, 0].map(|distance| numbers.rows_together(distance));
        assert_eq!(rows, [8, 8, 8, 16, 16, 32, 512, 8192, 8]);
    }
}
