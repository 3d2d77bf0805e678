//! What kernels run on: what a device has and lacks, every number of cost and size by which kernels are chosen, and how each
//! kind of device writes what they do not share. A folder or file per kind of device; nothing else names one.
//!
//! Each number says its unit and where it comes from: a document, a measurement, or "by hand", with the day of the change
//! that brought it. Those were set with the benchmarks of `tests/benchmark` on machines like those of its `runs`; the samples
//! behind one number are not kept.

pub(crate) mod block_products;
pub(crate) mod code;
pub(crate) mod convolutions;
pub(crate) mod costs;
mod cpu;
mod cuda;
pub(crate) mod depthwise;
pub(crate) mod dot_products;
pub(crate) mod gpu;
mod hip;
pub(crate) mod lookups;
pub(crate) mod loops;
pub(crate) mod memory;
mod numbers;
mod opencl;
pub(crate) mod panel_products;
pub(crate) mod products;
pub(crate) mod short_products;
pub(crate) mod tensor_cores;
mod vulkan;
pub(crate) mod workgroups;

use code::DeviceCode;
use dot_products::DotProducts;
use gpu::GpuModel;
use lookups::ByteLookups;

/// What kernels are made for.
#[derive(Clone, Debug)]
pub struct MachineModel {
    /// The width of a vector register of a CPU, in bits: 128, 256 or 512.
    pub vector_bits: u32,
    /// The number of vector registers of a CPU.
    pub registers: u32,
    /// The first-level data cache of a CPU, in bytes.
    pub l1: u64,
    /// The second-level cache of a CPU, in bytes.
    pub l2: u64,
    /// Whether there is a fused multiply-add.
    pub fma: bool,
    /// Instructions of a CPU that add several products of short numbers at once.
    pub dots: DotProducts,
    /// How a CPU looks bytes up in a table.
    pub lookups: ByteLookups,
    /// Numbers of cost and size for CPUs. Kernels for GPUs take those of loops, of which a thread has some, too.
    pub cpu: CpuNumbers,
    /// What a GPU has; `None` for a CPU.
    pub gpu: Option<GpuModel>,
}

/// The numbers of cost and size by which kernels for CPUs are chosen. They are the same for all chips today.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CpuNumbers {
    /// What operations cost.
    pub costs: costs::OperationCosts,
    /// How far loops are unrolled, and what is taken for granted of sizes that are not known.
    pub loops: loops::LoopNumbers,
    /// Caches, prefetchers and the bus.
    pub memory: memory::MemoryNumbers,
    /// Convolutions and pooling.
    pub convolutions: convolutions::ConvolutionNumbers,
    /// Depthwise convolutions with lanes along the channels.
    pub depthwise: depthwise::DepthwiseNumbers,
    /// Products with matrices that are quantised in blocks.
    pub block_products: block_products::BlockProductNumbers,
    /// Products with matrices of floats in panels.
    pub panel_products: panel_products::PanelProductNumbers,
    /// Sums of products of bytes, words and bf16.
    pub short_products: short_products::ShortProductNumbers,
    /// How many workgroups there are.
    pub workgroups: workgroups::WorkgroupNumbers,
}

impl MachineModel {
    /// A GPU.
    pub fn gpu(gpu: GpuModel) -> Self {
        Self { fma: true, gpu: Some(gpu), ..Self::default() }
    }

    /// Whether it stores under a mask at about the cost of a plain store, as AVX-512 and GPUs do. AVX's masked stores take twelve cycles on
    /// AMD's CPUs; SSE and NEON have none, and LLVM writes a branch for each lane.
    pub(crate) fn has_masked_stores(&self) -> bool {
        self.gpu.is_some() || self.registers >= 32 && self.vector_bits > 128
    }

    /// The bits of the narrowest elements that it loads under a mask: AVX has masks for 32 bits, SSE and NEON have none.
    pub(crate) fn masked_load_bits(&self) -> u32 {
        match self.vector_bits {
            _ if self.has_masked_stores() => 8,
            256.. => 32,
            _ => u32::MAX,
        }
    }

    /// Whether kernels pack the columns of convolutions of bytes line by line where they can ([`Self::loads_taps`]): channels are few, and do not
    /// fill the groups that one instruction multiplies.
    pub fn packs_taps(&self, channels: i64, taps: i64, step: i64) -> bool {
        channels < 8 && channels % 4 != 0 && self.loads_taps(taps, step)
    }

    /// Whether one load and a shuffle give the lanes of a register their taps of a line, `step` bytes apart: registers load any number of bytes,
    /// and lines are long enough. Not with a step of one: for Intel's CPUs LLVM 22 moves an addition to bytes before such a shuffle and back,
    /// without end.
    pub(crate) fn loads_taps(&self, taps: i64, step: i64) -> bool {
        self.dots.bytes.is_some() && self.masked_load_bits() <= 8 && taps >= 3 && step > 1
    }

    /// Whether matrix tiles multiply the bytes of a convolution of so many channels with a window of so many rows and columns.
    pub fn has_tiles_for(&self, channels: i64, window: [i64; 2]) -> bool {
        let (groups, numbers) = ((channels + 3) / 4, &self.cpu.convolutions);
        let enough = match window {
            [1, 1] => groups >= numbers.groups_for_tiles,
            [_, wide] => groups * wide >= numbers.groups_of_row_for_tiles,
        };
        self.dots.tiles && enough
    }

    /// How its code is written.
    pub(crate) fn code(&self) -> &'static dyn DeviceCode {
        match &self.gpu {
            Some(gpu) => gpu.code,
            None => &cpu::CpuCode,
        }
    }
}

impl Default for MachineModel {
    /// What every x86-64 has.
    fn default() -> Self {
        Self {
            vector_bits: 128,
            registers: 16,
            l1: 32 << 10,
            l2: 256 << 10,
            fma: false,
            dots: DotProducts::default(),
            lookups: ByteLookups::None,
            cpu: CpuNumbers::default(),
            gpu: None,
        }
    }
}
