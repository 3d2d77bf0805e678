//! What kernels run on, as far as their form depends on it, and every number of cost and size by which they are chosen.
//!
//! Each number says its unit and where it comes from: a document, a measurement, or "by hand", with the day of the change
//! that brought it. Those were set with the benchmarks of `tests/benchmark` on machines like those of its `runs`; the samples
//! behind one number are not kept. What depends on the chip (registers, caches, vectors) is in [`crate::MachineModel`].

pub(crate) mod convolutions;
pub(crate) mod costs;
pub(crate) mod gpu;
pub(crate) mod loops;
pub(crate) mod memory;
pub(crate) mod short_products;
pub(crate) mod workgroups;

/// What a kernel runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// A CPU: vectors, pointers, workgroups that are told their number by the caller.
    #[default]
    Cpu,
    /// A GPU through LLVM's NVPTX: scalars, pointers, workgroups of threads.
    Cuda {
        /// The compute capability, 80 for 8.0.
        capability: u32,
    },
    /// A GPU through SPIR-V: scalars, buffers, 32-bit indices, workgroups of threads.
    Vulkan,
}

impl Backend {
    /// Whether threads of a workgroup share the work.
    pub fn is_gpu(self) -> bool {
        self != Backend::Cpu
    }

    /// Whether a sum and its terms may be moved around by the driver's compiler, so that adding a large number and taking it
    /// off again does not round.
    pub(crate) fn reorders(self) -> bool {
        self == Backend::Vulkan
    }
}
