//! Translates exports to SPIR-V for Vulkan.
//!
//! The lowering is the pipeline `vulkan`, a list of passes and steps; [`lowering`] implements the steps. A kernel is a
//! `gpu.func` in a `gpu.module`, on flat buffers and one block of push constants; exports on tensors get there through
//! [`crate::kernel`], or as plain loops ([`frame`], [`distribute`], [`outline`], [`flatten`], [`temporary`]).
//! Upstream's passes convert it to a `spirv.module`; [`environment`], [`legalize`], [`functions`], [`loops_of_spirv`]
//! and [`storage`] add what they lack. [`route`] runs the pipeline on an export, [`assemble`] makes one binary of the
//! exports of an executable, and [`check`] checks it.

mod assemble;
mod bits;
mod check;
mod comparisons;
mod distribute;
mod division;
mod environment;
mod flatten;
mod frame;
mod functions;
mod indices;
mod iterations;
mod legalize;
mod loops_of_spirv;
mod lowering;
mod merge;
mod outline;
mod push;
mod route;
mod scalars;
mod storage;
mod temporary;
mod translate;

pub(crate) use route::holds_kernel;
pub(super) use translate::{FORMATS, PIPELINE};
