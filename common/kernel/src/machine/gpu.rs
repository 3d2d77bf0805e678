//! GPUs: what a kind of device has and what it lacks. A folder or file per kind of device gives the values: [`super::cuda`],
//! [`super::vulkan`], [`super::hip`].
use super::{code::GpuCode, numbers::numbers, products::ProductNumbers, tensor_cores::TensorCores};
use crate::emit::ir_builder::IrBuilder;
use halyard_ir::Value;

/// Workgroups in x; more go on in y. Vulkan: the least `maxComputeWorkGroupCount` that a device may have.
pub(crate) const WORKGROUPS_IN_X: i64 = 65535;
/// The threads of a workgroup that a schedule may ask for. A limit of schedules, not a tuned number.
pub(crate) const THREADS_BY_SCHEDULE: [i64; 4] = [32, 64, 128, 256];
/// The threads of a workgroup of rows, at least, where a schedule says how many. A limit of schedules, not a tuned number.
pub(crate) const LEAST_ROW_THREADS: i64 = 32;
/// Tensors below this many elements have 32-bit indices, with room for the last workgroups to run beyond the end.
/// Arithmetic, not a tuned number.
pub(crate) const LARGE_TENSOR: i64 = (1 << 31) - (1 << 24);

/// Writes what the lane of a warp has whose number differs in one bit, given the lane's own value of 32 bits.
pub(crate) type Shuffle = fn(&mut IrBuilder, Value, i64) -> Value;

/// What kernels for a kind of GPU can rely on, and the numbers by which they are chosen.
#[derive(Clone, Debug)]
pub struct GpuModel {
    /// Its name in messages.
    pub name: &'static str,
    /// How its code is written.
    pub(crate) code: &'static dyn GpuCode,
    /// The instructions of its tensor cores, if it has some.
    pub(crate) tensor_cores: Option<&'static dyn TensorCores>,
    /// Whether tensor cores may multiply `f32` as `tf32`, with 10 bits of mantissa: a choice of the user.
    pub tf32: bool,
    /// How lanes of a warp exchange registers; `None` if they meet in shared memory only.
    pub(crate) shuffle: Option<Shuffle>,
    /// Whether its minimum, maximum and truncation have the edges of `arith` and `math` for NaN and the zeros. The
    /// instructions that Vulkan guarantees may give anything for a NaN: "GLSL.std.450", `FMin`, `FMax`.
    pub exact_edges: bool,
    /// Whether `math.fma` certainly rounds once. "Vulkan Environment for SPIR-V", precision of operations: `Fma` may be a
    /// multiplication and an addition.
    pub exact_fma: bool,
    /// Whether the driver's compiler may move a sum and its terms around, so that adding a large number and taking it off
    /// again does not round.
    pub reorders: bool,
    /// Whether code of the kernel compiler may call a library of functions of `math`; if not, kernels hold them.
    pub math_library: bool,
    /// The elements of the largest constant that a kernel may hold; `None` if constants are memory of the module, of any size.
    pub max_constant: Option<i64>,
    /// Whether indices may have 64 bits; if not, tensors of 2^31 elements or nearly as many are refused.
    pub wide_indices: bool,
    /// Neighbours in memory that a lane of a row loads at once, as 16 bytes of `f32`; 1 where loads are scalar.
    pub load_run: i64,
    /// Neighbours in shared memory that a thread of a product loads at once, as 16 bytes of `f32`; 1 where loads are scalar.
    pub shared_run: i64,
    /// Whether a launch gives workgroups shared memory of a size that the kernel says, which panels and partial sums use in
    /// turn. If not, each has an array of its own, and the sum of a product is not divided.
    pub launch_memory: bool,
    /// The shared memory that every device has without asking, in bytes. Vulkan: the least `maxComputeSharedMemorySize` that
    /// a device may have.
    pub shared_bytes: i64,
    /// Shared memory of fused rows in bytes. Programs are not loaded on a device that has less.
    pub attention_bytes: i64,
    /// Shared memory that panels may have if a schedule asks for it, in bytes.
    pub(crate) panel_bytes_by_schedule: i64,
    /// Shared memory for the panels of a product, in bytes.
    pub panel_bytes: i64,
    /// The sums of a product that a thread may have in registers, at most, without tensor cores.
    pub thread_sums: i64,
    /// The sides of the tile of a workgroup that a schedule may ask for. A limit of schedules, not a tuned number.
    pub blocks_by_schedule: &'static [i64],
    /// Numbers of kernels with a thread per element, and of transpositions.
    pub threads: ThreadNumbers,
    /// Numbers of rows.
    pub rows: RowNumbers,
    /// Numbers of fused rows.
    pub attention: AttentionNumbers,
    /// Numbers of products.
    pub products: ProductNumbers,
}

numbers! {
/// Threads and the elements that they compute.
pub struct ThreadNumbers {
    /// The threads of a workgroup where nothing asks for another number. By hand, 2026-11-22.
    usual: i64 = 128,
    /// The threads of a warp, which run together. CUDA programming guide: on every NVIDIA GPU.
    warp: i64 = 32,
    /// The longest sum of an element that neighbours compute side by side, in steps. By hand, 2026-11-22.
    window_steps: i64 = 16,
    /// Threads that keep a device busy where each has some elements. By hand, 2026-11-22.
    busy: i64 = 32768,
    /// The bytes of a large tensor that a thread stores. By hand, 2026-11-27.
    long_run: i64 = 16,
    /// The threads that a tensor must have then to be a large one. By hand, 2026-11-27.
    long_run_threads: i64 = 1 << 18,
    /// The side of a tile that is transposed, in elements. By hand, 2026-11-22.
    transposed_side: i64 = 32,
    /// Rows of such a tile that are worked on at a time. By hand, 2026-11-22.
    transposed_rows: i64 = 8,
    /// Elements: smaller tensors are in the caches anyway. By hand, 2026-11-22.
    transposed_least: i64 = 4096,
}
}

numbers! {
/// Results in rows: softmax, normalisations, sums.
pub struct RowNumbers {
    /// Elements that a lane has in registers, at most. By hand, 2026-11-22.
    lane_elements: i64 = 16,
    /// The threads of a workgroup with long rows. By hand, 2026-11-22.
    threads: i64 = 256,
    /// The threads of a workgroup, at most, where as many keep a row in registers. CUDA programming guide: 1024.
    most_threads: i64 = 256,
    /// Elements that a lane adds up at once where nothing else is done with them, at most. By hand, 2026-11-27.
    summed_elements: i64 = 64,
    /// Rows with a lane each that keep a device busy. By hand, 2026-11-22.
    busy: i64 = 16384,
    /// The length that a row of unknown size is taken to have. By hand, 2026-11-22.
    typical_size: i64 = 1024,
}
}

numbers! {
/// Rows that are computed through inner sums in shared memory.
pub struct AttentionNumbers {
    /// Rows of a workgroup and its threads where fused rows hold products, the best first. By hand, 2026-11-22.
    tiles: Vec<(i64, i64)> = vec![(32, 128), (16, 128), (8, 64), (4, 64)],
    /// The threads of a workgroup of fused rows without products. By hand, 2026-11-22.
    threads: i64 = 128,
    /// Fewer workgroups of fused rows than this leave most of a device idle. By hand, 2026-11-22.
    busy: i64 = 64,
    /// What is kept lies in rows this many elements apart from the next multiple of the banks, so that rows do not meet in
    /// one. By hand, 2026-11-22.
    bank_padding: i64 = 8,
}
}
