//! What operations cost on a CPU. Of vector operations in plain vector loads; of estimates for workgroups in nanoseconds; of
//! register tiles in cycles.

/// Plain vector loads: a broadcast of one element. By hand, 2026-11-20.
pub(crate) const BROADCAST: f64 = 0.5;
/// Elements: strides up to this one are loaded as whole vectors and shuffled. By hand, 2026-11-20.
pub(crate) const SHUFFLED_STRIDE: i64 = 4;
/// Plain vector loads, for each element of such a stride. By hand, 2026-11-20.
pub(crate) const SHUFFLED: f64 = 2.0;
/// Plain vector loads, for each lane of a gather. By hand, 2026-11-20.
pub(crate) const GATHERED_LANE: f64 = 1.2;
/// Plain vector loads: a block of vectors that is transposed in registers, for each vector. By hand, 2026-11-20.
pub(crate) const BLOCK_TRANSPOSED: f64 = 5.0;
/// Plain vector loads: a panel that is transposed as it is copied, for each vector. By hand, 2026-11-21.
pub(crate) const PANEL_TRANSPOSED: f64 = 10.0;
/// Plain vector loads: a store, which a core has half as many of. By hand, 2026-11-20.
pub(crate) const STORE: f64 = 1.5;
/// Plain vector loads: adding up the lanes of an accumulator. By hand, 2026-11-20.
pub(crate) const LANES_ADDED: f64 = 6.0;

/// Nanoseconds: one point of a nest, whatever it computes. By hand, 2026-11-20.
pub(crate) const POINT: f64 = 0.3;
/// Nanoseconds: a body with a function of `math` or a division. By hand, 2026-11-20.
pub(crate) const FUNCTION: f64 = 1.0;
/// Nanoseconds: any other body. By hand, 2026-11-20.
pub(crate) const ARITHMETIC: f64 = 0.05;
/// Nanoseconds: an element that is loaded for one point. By hand, 2026-11-20.
pub(crate) const LOAD: f64 = 0.2;
/// Nanoseconds: an element that a reduction reads, which tiles of registers load for several points at once. By hand,
/// 2026-11-20.
pub(crate) const REUSED_LOAD: f64 = 0.012;
/// Nanoseconds: an element that each workgroup computes anew. By hand, 2026-11-20.
pub(crate) const REPEATED_ELEMENT: f64 = 0.15;

/// Multiply-adds of vectors in a cycle. uops.info: from Haswell and Zen 2 on; server cores of Arm have two or four.
pub(crate) const FMAS_A_CYCLE: f64 = 2.0;
/// Loads of vectors in a cycle. uops.info: the same cores.
pub(crate) const LOADS_A_CYCLE: f64 = 2.0;
/// Cycles until the next multiply-add can use the result of one. uops.info: 4 from Skylake and Zen 3 on.
pub(crate) const FMA_LATENCY: f64 = 4.0;
/// Cycles of a step of a loop beside what it computes. By hand, 2026-11-20.
pub(crate) const LOOP_STEP: f64 = 0.25;
