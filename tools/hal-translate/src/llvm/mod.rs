//! Generates objects from LLVM IR.

mod bf16_bits;
mod device;
mod emit;
mod fatal;
mod half;
mod packed_weights;
mod passes;
mod rename;
mod single_lane_stores;
mod target;

pub(crate) use device::{missing_functions, provide as provide_functions};
pub(crate) use emit::{Backend, Code, defined, undefined};
pub(crate) use fatal::{MARK as FATAL, contain};
pub(crate) use passes::Shape;
pub(crate) use rename::rename;
pub(crate) use target::{BlockLaunch, BlockThreads, LlvmTarget};
