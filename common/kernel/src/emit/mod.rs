//! Emits a kernel: a graph whose symbols became values ([`prologue`]), loop by loop as it is planned ([`nest`]). The innermost
//! code computes elements on demand ([`materialize`]): producers are inlined, paddings become masks, reductions become loops
//! with accumulators in registers ([`reduce`]). Everything goes through [`ir_builder`], which numbers values so that shared
//! loads are loaded once; [`memory`] picks the load that fits the lanes.
pub(crate) mod argminmax;
pub(crate) mod arguments;
pub(crate) mod body;
mod byte_function;
pub(crate) mod cache_blocked_reduction;
pub(crate) mod combiner;
pub(crate) mod compute_at;
pub(crate) mod counter;
pub(crate) mod index;
pub(crate) mod index_arithmetic;
pub(crate) mod ir_builder;
mod masked_loads;
pub(crate) mod materialize;
pub(crate) mod memory;
pub(crate) mod movement;
mod neighbours;
pub(crate) mod nest;
pub(crate) mod nontemporal;
pub(crate) mod pack;
pub(crate) mod place;
pub(crate) mod prefetch;
pub(crate) mod prologue;
pub(crate) mod reduce;
pub(crate) mod scratch;
pub(crate) mod store;
pub(crate) mod streaming_transpose;
pub(crate) mod transpose;
pub(crate) mod unrolled_lane;
pub(crate) mod workgroup_partition;
