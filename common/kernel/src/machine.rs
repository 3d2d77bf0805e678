//! What kernels run on, as far as their form depends on it.

/// What a kernel runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Machine {
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

impl Machine {
    /// Whether threads of a workgroup share the work.
    pub fn is_gpu(self) -> bool {
        self != Machine::Cpu
    }

    /// Whether a sum and its terms may be moved around by the driver's compiler, so that adding a large number and taking it
    /// off again does not round.
    pub(crate) fn reorders(self) -> bool {
        self == Machine::Vulkan
    }
}
