//! Vulkan devices, through SPIR-V: scalars, buffers, 32-bit indices. Only what every device has is relied on.
mod arguments;
mod array;
mod code;

use super::{
    MachineModel,
    gpu::{AttentionNumbers, GpuModel, RowNumbers, ThreadNumbers},
    products::ProductNumbers,
};
use code::SpirvCode;

impl MachineModel {
    /// Any Vulkan device.
    pub fn vulkan() -> Self {
        Self::gpu(GpuModel {
            name: "Vulkan",
            code: &SpirvCode,
            tensor_cores: None,
            tf32: false,
            shuffle: None,
            exact_edges: false,
            exact_fma: false,
            reorders: true,
            // There is one for doubles only.
            math_library: false,
            // By hand, 2026-11-21.
            max_constant: Some(16384),
            wide_indices: false,
            load_run: 1,
            shared_run: 1,
            launch_memory: false,
            shared_bytes: 16 << 10,
            // All GPUs of desktops and most others have it. By hand, 2026-11-22.
            attention_bytes: 32 << 10,
            panel_bytes: 16 << 10,
            panel_bytes_by_schedule: 16 << 10,
            thread_sums: 32,
            blocks_by_schedule: &[8, 16, 32, 64, 128],
            threads: ThreadNumbers::default(),
            rows: RowNumbers::default(),
            attention: AttentionNumbers::default(),
            products: ProductNumbers::default(),
        })
    }
}
