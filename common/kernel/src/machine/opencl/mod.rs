//! OpenCL devices of any vendor: kernels as those for NVIDIA GPUs without what a vendor adds. What NVIDIA's registers and
//! instructions are in OpenCL is known to the code generator.
use super::{MachineModel, cuda, gpu::GpuModel, products::ProductNumbers};

/// The compute capability of an NVIDIA GPU whose kernels need nothing that OpenCL lacks: no tensor cores, no asynchronous
/// copies.
const ALIKE: u32 = 60;

/// The least `CL_DEVICE_LOCAL_MEM_SIZE` of a device of the full profile. OpenCL specification.
const LOCAL_BYTES: i64 = 32 << 10;

impl MachineModel {
    /// Any OpenCL device.
    pub fn opencl() -> Self {
        Self::gpu(GpuModel {
            name: "OpenCL",
            // The lanes that run together are not as many everywhere.
            shuffle: None,
            // It would be an argument of the kernel.
            launch_memory: false,
            attention_bytes: LOCAL_BYTES,
            panel_bytes: LOCAL_BYTES,
            panel_bytes_by_schedule: LOCAL_BYTES,
            products: ProductNumbers::default(),
            ..cuda::gpu(ALIKE)
        })
    }
}
