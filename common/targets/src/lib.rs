//! Targets of code generation: `--target`, and what is known of CPUs, Vulkan devices, NVIDIA and AMD GPUs.
//!
//! A kind of device is a folder; [`device`] says what it has to give.

mod cpu;
mod cuda;
mod device;
mod dtypes;
mod files;
mod gpu_code;
mod hip;
mod messages;
mod parse;
mod target;
mod vulkan;

pub use cpu::{CpuTarget, initialize, normalize};
pub use cuda::CudaTarget;
pub use dtypes::Use;
pub use files::{compile_command, devices_of, fit_gpu, gpu_of, target_of_gpu_file};
pub use gpu_code::{GpuCode, GpuFile, GpuKernel};
pub use hip::HipTarget;
pub use messages::{collect_messages, take_messages};
pub use parse::parse_targets;
pub use target::Target;
pub use vulkan::VulkanTarget;
