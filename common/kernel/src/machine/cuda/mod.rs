//! NVIDIA GPUs, through LLVM's NVPTX: scalars, pointers, warps of 32 threads.
mod code;
mod tensor_cores;

use super::{
    MachineModel,
    gpu::{AttentionNumbers, GpuModel, RowNumbers, ThreadNumbers},
    products::{Multiprocessor, ProductNumbers},
};
use code::{NvvmCode, shuffled};
use tensor_cores::Fragments;

impl MachineModel {
    /// A chip of this compute capability: 80 for 8.0.
    pub fn cuda(capability: u32) -> Self {
        Self::gpu(gpu(capability))
    }

    /// The same with products of `f32` by tensor cores as `tf32`, if `allowed`.
    pub fn with_tf32(mut self, allowed: bool) -> Self {
        self.gpu = self.gpu.map(|gpu| GpuModel { tf32: allowed, ..gpu });
        self
    }
}

/// What every kernel for such a chip can rely on.
pub(super) fn gpu(capability: u32) -> GpuModel {
    GpuModel {
        name: "CUDA",
        code: &NvvmCode,
        tensor_cores: (capability >= 80).then_some(&Fragments),
        tf32: false,
        shuffle: Some(shuffled),
        exact_edges: true,
        exact_fma: true,
        reorders: false,
        math_library: true,
        max_constant: None,
        wide_indices: true,
        load_run: 4,
        shared_run: 4,
        launch_memory: true,
        shared_bytes: 16 << 10,
        // Without asking for more. CUDA programming guide.
        attention_bytes: 48 << 10,
        // Blocks get 99 KiB or more from sm_80 on, if they ask for it. PTX for sm_80 and sm_90 also runs on chips with no
        // more, sm_86 and sm_120. CUDA programming guide.
        panel_bytes: 96 << 10,
        // What a block of such a chip can have. CUDA programming guide, "compute capabilities".
        panel_bytes_by_schedule: match capability {
            80 => 163 << 10,
            90 | 100 | 103 => 227 << 10,
            _ => 99 << 10,
        },
        thread_sums: 64,
        blocks_by_schedule: &[16, 32, 64, 128],
        products: ProductNumbers {
            // The A100 and the H100. NVIDIA's white papers.
            units: if capability >= 90 { 132.0 } else { 108.0 },
            multiprocessor: Some(Multiprocessor {
                cycles_per_fma: if capability == 80 { 2.0 } else { 1.0 },
                ..Multiprocessor::default()
            }),
            ..ProductNumbers::default()
        },
        // Measured on an H200, 2026-11-27: `tanh` of 2^26 elements is 1.2 times as fast.
        threads: ThreadNumbers { usual: 256, long_run: 32, ..ThreadNumbers::default() },
        rows: RowNumbers { most_threads: 1024, ..RowNumbers::default() },
        attention: AttentionNumbers::default(),
    }
}
