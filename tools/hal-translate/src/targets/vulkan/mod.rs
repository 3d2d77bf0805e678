//! From an export to SPIR-V for Vulkan.
//!
//! The way is the pipeline `vulkan`, a pipeline file of passes and steps; [`lowering`] does the steps. A kernel stands in a
//! `gpu.module` as a `gpu.func` of its name, on flat buffers and one block of push constants; exports on tensors come
//! there by way of [`crate::kernel`], or as plain loops ([`frame`], [`distribute`], [`outline`], [`flatten`],
//! [`temporary`]). From there upstream's passes lead to a `spirv.module`, with what they lack done in [`environment`],
//! [`legalize`], [`functions`], [`loops_of_spirv`] and [`storage`]. [`route`] takes an export there, [`assemble`] makes
//! one binary of the exports of an executable, and [`check`] looks at it.

mod assemble;
mod bits;
mod check;
mod comparisons;
mod distribute;
mod environment;
mod flatten;
mod frame;
mod functions;
mod iterations;
mod legalize;
mod loops_of_spirv;
mod lowering;
mod merge;
mod outline;
mod push;
mod route;
mod storage;
mod temporary;
mod translate;

pub(crate) use route::holds_kernel;
pub(super) use translate::{FORMATS, PIPELINE};
