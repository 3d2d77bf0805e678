//! Loads linked Halyard programs and runs them. Uses neither LLVM nor MLIR.
//!
//! ```no_run
//! # use halyard_runtime::{Instance, InstanceOptions, LoadedProgram, Tensor};
//! let program = LoadedProgram::load("mlp.so".as_ref())?;
//! let mut instance = Instance::new(&program, InstanceOptions::default())?;
//! let outputs = instance.call("main", &[Tensor::from_slice(&[1, 2], &[1.0f32, 2.0])])?;
//! # Ok::<(), halyard_diag::Error>(())
//! ```
//!
//! A program is a shared object ([`container`]) with kernels and host commands ([`commands`]), and weights in separate
//! files. [`LoadedProgram::load`] checks all of it; an [`Instance`] interprets the host commands on a device.

mod buffer_pool;
pub mod commands;
mod constants;
pub mod container;
pub mod crash;
mod device;
mod device_modules;
mod dtype;
mod file;
mod guard;
mod host;
mod identity;
mod info;
mod instance;
mod interpret;
mod lone;
mod lone_cpu;
mod lone_kernels;
mod memory;
mod observe;
mod outputs;
mod plugin;
mod program;
mod property;
mod record;
mod recorder;
mod samples;
mod shared_library;
mod states;
mod tensor;
mod time_sampler;
mod timeline;
mod trace;
mod variant;
mod view;

pub use crate::device::info::{DeviceInfo, DeviceLog, DeviceOptions};
pub use constants::{dtype_name, header_range};
pub use device::invoke::{LEAST_ARGUMENTS, invoke as call_kernel};
pub use device::{
    choose::{device_info, devices},
    limits::DeviceLimits,
    name::{DeviceKind, DeviceName},
};
pub use dtype::DType;
pub use half::{bf16, f16};
pub use halyard_cpu::TESTED_FEATURES;
pub use host::{CCall, CFunction, CHostFunction, CHostTensor, CModule, HostCall, HostTensor, MODULE_ABI, Modules};
pub use identity::KernelIdentity;
pub use info::{FunctionInfo, KernelInfo, TensorSpec, shape_text};
pub use instance::{Instance, InstanceOptions};
pub use lone::{LoneCode, LoneDevice};
pub use lone_cpu::{LoneCall, LoneCpu, LoneCpuKernel};
pub use lone_kernels::{LoneBinding, LoneBuffer, LoneDispatch, LoneKernels};
pub use memory::{ALIGNMENT, AlignedBytes};
pub use outputs::OutputMemory;
pub use program::{LoadOptions, LoadedProgram};
pub use property::{USER_PREFIX, property, property_names};
pub use record::{CapturedDispatch, DispatchRecord};
pub use samples::samples;
pub use tensor::{Tensor, TensorElement};
pub use time_sampler::{CodePlace, TimeSample, TimeSampler};
pub use timeline::{SpanWork, Timeline, TimelineDispatch, TimelineSpan, Track};
pub use trace::{CallTrace, TracedBinding, TracedContents, TracedDispatch};
pub use view::TensorView;

/// `halyard/kernel.h`: what a kernel in C includes.
pub const KERNEL_HEADER: &str = include_str!("../include/halyard/kernel.h");

/// `halyard/device.h` and what it includes, `device.c`: the functions of the C library for GPUs.
pub const DEVICE_FUNCTIONS: [(&str, &str); 2] = [
    ("halyard/device.h", include_str!("../include/halyard/device.h")),
    ("halyard/device.c", include_str!("../include/halyard/device.c")),
];
