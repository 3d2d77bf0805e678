//! What operations cost on a CPU. Of vector operations in plain vector loads; of estimates for workgroups in nanoseconds; of
//! register tiles in cycles.
use super::numbers::numbers;

numbers! {
/// What operations cost on a CPU. Of vector operations in plain vector loads; of estimates for workgroups in nanoseconds; of
/// register tiles in cycles.
pub struct OperationCosts {
    /// Plain vector loads: a broadcast of one element. By hand, 2026-11-20.
    broadcast: f64 = 0.5,
    /// Elements: strides up to this one are loaded as whole vectors and shuffled. By hand, 2026-11-20.
    shuffled_stride: i64 = 4,
    /// Plain vector loads, for each element of such a stride. By hand, 2026-11-20.
    shuffled: f64 = 2.0,
    /// Plain vector loads, for each lane of a gather. By hand, 2026-11-20.
    gathered_lane: f64 = 1.2,
    /// Plain vector loads: a block of vectors that is transposed in registers, for each vector. By hand, 2026-11-20.
    block_transposed: f64 = 5.0,
    /// Plain vector loads: a panel that is transposed as it is copied, for each vector. By hand, 2026-11-21.
    panel_transposed: f64 = 10.0,
    /// Plain vector loads: a store, which a core has half as many of. By hand, 2026-11-20.
    store: f64 = 1.5,
    /// Plain vector loads: adding up the lanes of an accumulator. By hand, 2026-11-20.
    lanes_added: f64 = 6.0,
    /// Nanoseconds: one point of a nest, whatever it computes. By hand, 2026-11-20.
    point: f64 = 0.3,
    /// Nanoseconds: a body with a function of `math` or a division. By hand, 2026-11-20.
    function: f64 = 1.0,
    /// Nanoseconds: any other body. By hand, 2026-11-20.
    arithmetic: f64 = 0.05,
    /// Nanoseconds: an element that is loaded for one point. By hand, 2026-11-20.
    load: f64 = 0.2,
    /// Nanoseconds: an element that a reduction reads, which tiles of registers load for several points at once. By hand,
    /// 2026-11-20.
    reused_load: f64 = 0.012,
    /// Nanoseconds: a byte that a reduction reads, and that no other point reads. Sums of 0.2 to 3 MB in models of images on AVX-512, 2026-11-28.
    streamed_byte: f64 = 0.025,
    /// Nanoseconds: an element that each workgroup computes anew. By hand, 2026-11-20.
    repeated_element: f64 = 0.15,
    /// Multiply-adds of vectors in a cycle. uops.info: from Haswell and Zen 2 on; server cores of Arm have two or four.
    fmas_a_cycle: f64 = 2.0,
    /// Loads of vectors in a cycle. uops.info: the same cores.
    loads_a_cycle: f64 = 2.0,
    /// Cycles until the next multiply-add can use the result of one. uops.info: 4 from Skylake and Zen 3 on.
    fma_latency: f64 = 4.0,
    /// Cycles of a step of a loop beside what it computes. By hand, 2026-11-20.
    loop_step: f64 = 0.25,
}
}
