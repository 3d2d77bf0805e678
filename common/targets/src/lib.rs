//! Targets of code generation: `--target`, and the properties of CPUs, Vulkan devices, NVIDIA and AMD GPUs,
//! OpenCL devices.
//!
//! Each kind of device has a folder; [`device`] defines its interface.

mod chips;
mod cpu;
mod cuda;
mod device;
mod dtypes;
mod files;
mod gpu_code;
mod hip;
mod list;
mod messages;
mod opencl;
mod parse;
mod target;
mod vulkan;

pub use cpu::{CpuTarget, initialize, normalize};
pub use cuda::CudaTarget;
pub use device::LaunchSetting;
pub use dtypes::Use;
pub use files::{
    assembled, compile_command, devices_of, devices_of_source, disassembled, files_with_setting, fit_gpu, gpu_of,
    has_setting, hide_kernels, rename_kernels, target_of_gpu_file,
};
pub use gpu_code::{GpuCode, GpuFile, GpuKernel};
pub use hip::HipTarget;
pub use list::{TargetLine, list_target, list_targets};
pub use messages::{collect_messages, take_messages};
pub use opencl::OpenclTarget;
pub use parse::parse_targets;
pub use target::{Target, gpus_of_dialect, target_attributes};
pub use vulkan::VulkanTarget;
