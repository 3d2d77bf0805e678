//! GPUs: limits of devices, tiles of products, and the costs by which they are chosen.

/// Workgroups in x; more go on in y. Vulkan: the least `maxComputeWorkGroupCount` that a device may have.
pub(crate) const WORKGROUPS_IN_X: i64 = 65535;
/// The threads of a workgroup where nothing asks for another number. By hand, 2026-11-22.
pub(crate) const USUAL_THREADS: i64 = 128;
/// Fewer rows or columns than this are no product of matrices. By hand, 2026-11-22.
pub(crate) const NARROWEST_PRODUCT: i64 = 8;
/// The threads of a workgroup that a schedule may ask for. A limit of schedules, not a tuned number.
pub(crate) const THREADS_BY_SCHEDULE: [i64; 4] = [32, 64, 128, 256];
/// The threads of a warp on every NVIDIA GPU. CUDA programming guide.
pub(crate) const WARP: i64 = 32;
/// The longest sum of an element that neighbours compute side by side, in steps. By hand, 2026-11-22.
pub(crate) const WINDOW_STEPS: i64 = 16;
/// Threads that keep a device busy where each has some elements. By hand, 2026-11-22.
pub(crate) const ELEMENTS_BUSY: i64 = 32768;
/// Elements that a lane has in registers, at most. By hand, 2026-11-22.
pub(crate) const ROW_ELEMENTS: i64 = 16;
/// The threads of a workgroup with long rows. By hand, 2026-11-22.
pub(crate) const ROW_THREADS: i64 = 256;
/// Rows with a lane each that keep a device busy. By hand, 2026-11-22.
pub(crate) const ROWS_BUSY: i64 = 16384;
/// Elements that are loaded at once. CUDA: 16 bytes are the widest load.
pub(crate) const ROW_RUN: i64 = 4;
/// The length that a row of unknown size is taken to have. By hand, 2026-11-22.
pub(crate) const TYPICAL_SIZE: i64 = 1024;
/// Shared memory of fused rows in bytes: what all kernels for CUDA can have, and what all GPUs of desktops and most
/// others have on Vulkan. Programs are not loaded on a device that has less. CUDA programming guide: 48 KiB
/// without asking for more. Vulkan: by hand, 2026-11-22.
pub(crate) const FUSED_ATTENTION_SHARED: [i64; 2] = [48 << 10, 32 << 10];
/// Rows of a workgroup and its threads where fused rows hold products, the best first. By hand, 2026-11-22.
pub(crate) const FUSED_ATTENTION_TILES: &[(i64, i64)] = &[(32, 128), (16, 128), (8, 64), (4, 64)];
/// The threads of a workgroup of fused rows without products. By hand, 2026-11-22.
pub(crate) const FUSED_ATTENTION_THREADS: i64 = 128;
/// Fewer workgroups of fused rows than this leave most of a device idle. By hand, 2026-11-22.
pub(crate) const FUSED_ATTENTION_BUSY: i64 = 64;
/// What is kept lies in rows this many elements apart from the next multiple of the banks, so that rows do not meet in
/// one. By hand, 2026-11-22.
pub(crate) const BANK_PADDING: i64 = 8;
/// The side of a tile that is transposed, in elements. By hand, 2026-11-22.
pub(crate) const TRANSPOSED_SIDE: i64 = 32;
/// Rows of such a tile that are worked on at a time. By hand, 2026-11-22.
pub(crate) const TRANSPOSED_ROWS: i64 = 8;
/// Elements: smaller tensors are in the caches anyway. By hand, 2026-11-22.
pub(crate) const TRANSPOSED_LEAST: i64 = 4096;
/// The shared memory that every device of Vulkan has, in bytes. Vulkan: the least `maxComputeSharedMemorySize` that a
/// device may have.
pub(crate) const SHARED_BYTES: i64 = 16 << 10;
/// The shared memory for panels of operands of tensor cores, in bytes: blocks get 99 KiB or more from sm_80 on, if they
/// ask for it. PTX for sm_80 and sm_90 also runs on chips with no more, sm_86 and sm_120. CUDA programming guide.
pub(crate) const PANEL_BYTES: i64 = 96 << 10;
/// Panels of an operand for tensor cores, at most. By hand, 2026-11-22.
pub(crate) const PANEL_STAGES: i64 = 4;
/// Units of a device that each run a workgroup or two at a time. By hand, 2026-11-22.
pub(crate) const VULKAN_UNITS: f64 = 96.0;
/// The tile for products of unknown size: block, thread, depth. By hand, 2026-11-22.
pub(crate) const MIDDLE_TILE: ([i64; 2], [i64; 2], i64) = ([64, 64], [4, 4], 16);
/// Tiles of products: block, thread, depth. Every thread loads as many elements as every other. By hand, 2026-11-22.
pub(crate) const TILES: &[([i64; 2], [i64; 2], i64)] = &[
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
];
/// More of them, which only pay if several slices share the sum. By hand, 2026-11-22.
pub(crate) const SLICED_TILES: &[([i64; 2], [i64; 2], i64)] = &[([64, 64], [8, 8], 8), ([32, 32], [4, 4], 16)];
/// Block and thread for tensor cores: a warp has 8 times the rows and 4 times the columns of a thread. By hand,
/// 2026-11-22.
pub(crate) const MATRIX_TILES: &[([i64; 2], [i64; 2])] = &[
    ([128, 256], [8, 16]),
    ([256, 128], [8, 16]),
    ([128, 128], [8, 16]),
    ([128, 128], [8, 8]),
    ([128, 64], [8, 8]),
    ([64, 128], [8, 8]),
    ([64, 64], [4, 8]),
    ([32, 64], [2, 8]),
    ([32, 32], [2, 4]),
];
/// Cycles until what is loaded from memory is there. By hand, 2026-11-22.
pub(crate) const MEMORY_LATENCY: f64 = 700.0;
/// Instructions to bring an element that does not lie in memory as it is copied. By hand, 2026-11-22.
pub(crate) const MATERIALIZED_ELEMENT: f64 = 12.0;
/// Bytes of the second-level cache that a multiprocessor gets per cycle, if all want some. NVIDIA's white papers on the
/// A100 and H100.
pub(crate) const CACHE_BYTES_PER_CYCLE: f64 = 48.0;
/// Registers of a multiprocessor. CUDA programming guide.
pub(crate) const REGISTERS: i64 = 65536;
/// Shared memory of a multiprocessor, in bytes. CUDA programming guide: 164 KiB on sm_80, 228 KiB on sm_90.
pub(crate) const MULTIPROCESSOR_SHARED: i64 = 160 << 10;
/// The threads of a workgroup of rows, at least, where a schedule says how many. A limit of schedules, not a tuned number.
pub(crate) const LEAST_ROW_THREADS: i64 = 32;
/// The elements of the largest constant in code for Vulkan, which has no other place for one. By hand, 2026-11-21.
pub(crate) const CONSTANT_ELEMENTS: i64 = 16384;
/// Tensors below this many elements have 32-bit indices, with room for the last workgroups to run beyond the end.
/// Arithmetic, not a tuned number.
pub(crate) const LARGE_TENSOR: i64 = (1 << 31) - (1 << 24);
