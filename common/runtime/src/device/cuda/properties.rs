//! Implements [`Adapter`](crate::device::Adapter) for CUDA devices: their properties, missing features, and opening
//! them.
use super::{adapter::CudaAdapter, device::Cuda};
use crate::{
    commands::{DeviceCode, Kernel},
    device::{Adapter, Device, DeviceKernel, limits::DeviceLimits},
};
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use halyard_diag::Result;
use std::sync::Arc;

impl Adapter for CudaAdapter {
    fn title(&self) -> String {
        format!("device `cuda:{}` ({})", self.index, self.description())
    }

    fn lacks(&self, _: &Kernel, code: &DeviceCode, _: &[u8], features: &[String]) -> Vec<String> {
        features.iter().filter(|f| !self.runs(f, code.format)).map(|f| format!("`{f}`")).collect()
    }

    fn property(&self, name: &str) -> Option<i64> {
        let attribute = |a| i64::from(self.attribute(a));
        let processors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        Some(match name {
            "device.threads" => processors * attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
            "device.cores" => processors,
            // The bytes that a thread loads at once.
            "device.vector_bytes" => 16,
            "device.cache_line_bytes" => 128,
            "device.l1_bytes" => attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
            "device.l2_bytes" => attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
            "device.l3_bytes" | "device.page_bytes" => 0,
            "device.workgroup_threads" => attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
            "device.subgroup_threads" => attribute(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
            "device.shared_bytes" => attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
            "device.memory_bytes" => i64::try_from(self.memory()).unwrap_or(i64::MAX),
            _ => return None,
        })
    }

    fn limits(&self) -> DeviceLimits {
        let attribute = |a| self.attribute(a).unsigned_abs();
        DeviceLimits {
            workgroup_threads: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
            workgroup_size: [
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
            ],
            workgroup_count: [
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
            ],
            subgroup_threads: attribute(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
            shared_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
            // The driver does not say these two.
            constant_bytes: 0,
            bindings: 0,
            binding_bytes: self.memory(),
            features: vec![self.architecture()],
            has_timestamps: true,
        }
    }

    fn open(self: Arc<Self>, kernels: &[Option<DeviceKernel<'_>>]) -> Result<Box<dyn Device>> {
        Ok(Box::new(Cuda::new(self, kernels)?))
    }
}
