//! AMD GPUs: kernels as those for NVIDIA GPUs, without tensor cores. What NVIDIA's registers and instructions are on AMD GPUs is
//! known to the code generator.
use super::{MachineModel, cuda, gpu::GpuModel};

/// The compute capability of an NVIDIA GPU whose kernels need nothing that AMD GPUs lack: no tensor cores, no asynchronous
/// copies.
const ALIKE: u32 = 60;

impl MachineModel {
    /// Any AMD GPU.
    pub fn hip() -> Self {
        Self::gpu(GpuModel { name: "HIP", ..cuda::gpu(ALIKE) })
    }
}
