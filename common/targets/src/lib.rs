//! Targets of code generation: `--target`, and properties of CPUs, Vulkan devices and NVIDIA GPUs.

mod cpu;
mod cuda;
mod dtypes;
mod gpu;
mod messages;
mod parse;
mod subtarget;
mod target;
mod vulkan;

pub use cpu::CpuTarget;
pub use cuda::{CHIPS, CudaTarget, USUAL_CHIP};
pub use dtypes::Use;
pub use gpu::{GpuCode, GpuFile, GpuKernel, fit_gpu, gpu_of, target_of_gpu_file};
pub use messages::{collect_messages, take_messages};
pub use parse::parse_targets;
pub use subtarget::{initialize, normalize};
pub use target::Target;
pub use vulkan::{CAPABILITIES, Capability, VulkanTarget};
