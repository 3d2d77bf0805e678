//! Products of matrices on GPUs: tiles, and the costs by which they are chosen.
use super::numbers::numbers;

/// A tile of a product: the rows and columns of a workgroup, those of a thread, and the steps of the sum that are in shared
/// memory at a time.
pub(crate) type ProductTile = ([i64; 2], [i64; 2], i64);

/// The depths of panels for tensor cores, in bytes: two or four steps. A limit of the code, not a tuned number.
pub(crate) const MATRIX_DEPTHS: [i64; 2] = [64, 128];

numbers! {
/// Tiles of products, and the device that they are chosen for.
pub struct ProductNumbers {
    /// Fewer rows or columns than this are no product of matrices. By hand, 2026-11-22.
    narrowest: i64 = 8,
    /// Units of a device that each run a workgroup or several at a time. By hand, 2026-11-22.
    units: f64 = 96.0,
    /// What is known of a unit; `None`: tiles are compared by the multiply-adds per load from shared memory.
    multiprocessor: Option<Multiprocessor> = None,
    /// The tile for products of unknown size. By hand, 2026-11-22.
    middle_tile: ProductTile = ([64, 64], [4, 4], 16),
    /// The same where that one does not fit into shared memory. By hand, 2026-11-22.
    small_tile: ProductTile = ([32, 32], [2, 4], 16),
    /// Every thread loads as many elements as every other. By hand, 2026-11-22.
    tiles: Vec<ProductTile> = vec![
        ([128, 128], [8, 8], 8),
        ([128, 64], [8, 4], 16),
        ([64, 128], [4, 8], 16),
        ([64, 64], [4, 4], 16),
        ([32, 64], [4, 4], 16),
        ([64, 32], [4, 4], 16),
        ([32, 32], [2, 4], 16),
        ([16, 64], [2, 4], 16),
        ([64, 16], [4, 2], 16),
        ([16, 16], [2, 2], 16),
    ],
    /// More of them, which only pay if several slices share the sum. By hand, 2026-11-22.
    sliced_tiles: Vec<ProductTile> = vec![([64, 64], [8, 8], 8), ([32, 32], [4, 4], 16)],
    /// More of them where there is shared memory for deeper panels. Measured on an H200, 2026-11-27.
    deep_tiles: Vec<ProductTile> = vec![([128, 128], [8, 8], 16), ([64, 128], [8, 8], 16), ([128, 64], [8, 8], 16)],
    /// Block and thread for tensor cores: a warp has 8 times the rows and 4 times the columns of a thread. By hand,
    /// 2026-11-22.
    matrix_tiles: Vec<([i64; 2], [i64; 2])> = vec![
        ([128, 256], [8, 16]),
        ([256, 128], [8, 16]),
        ([128, 128], [8, 16]),
        ([128, 128], [8, 8]),
        ([128, 64], [8, 8]),
        ([64, 128], [8, 8]),
        ([64, 64], [4, 8]),
        ([32, 64], [2, 8]),
        ([32, 32], [2, 4]),
        ([32, 32], [4, 4]),
        ([32, 32], [4, 8]),
    ],
    /// Panels of an operand for tensor cores, at most. By hand, 2026-11-22.
    panel_stages: i64 = 4,
}
}

numbers! {
/// A unit of a device that runs workgroups: its resources, and what it does in a cycle.
pub struct Multiprocessor {
    /// Registers. CUDA programming guide.
    registers: i64 = 65536,
    /// Shared memory, in bytes. CUDA programming guide: 164 KiB on sm_80, 228 KiB on sm_90.
    shared_bytes: i64 = 160 << 10,
    /// Threads that it can have at a time. CUDA programming guide.
    threads: i64 = 2048,
    /// Bytes of the second-level cache that it gets per cycle, if all want some. NVIDIA's white papers on the A100 and H100.
    cache_bytes_per_cycle: f64 = 48.0,
    /// Cycles until what is loaded from memory is there. By hand, 2026-11-22.
    memory_latency: f64 = 700.0,
    /// Instructions to bring an element that does not lie in memory as it is copied. By hand, 2026-11-22.
    materialized_element: f64 = 12.0,
    /// Cycles that a panel costs beside its products, without tensor cores. Measured on an H200, 2026-11-27: products of 4096 in panels of 8 and
    /// of 16.
    panel: f64 = 130.0,
    /// Cycles of a scheduler for a multiply-add of `f32` of a warp. CUDA programming guide: 128 lanes for four schedulers,
    /// 64 on sm_80.
    cycles_per_fma: f64 = 1.0,
}
}
