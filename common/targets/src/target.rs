//! What code is generated for: one of the three kinds of device.
use crate::{CpuTarget, CudaTarget, VulkanTarget};
use halyard_ir::{Attr, Session};
use std::fmt;

/// A target of code generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A CPU, as LLVM names it.
    Cpu(CpuTarget),
    /// A Vulkan device: SPIR-V.
    Vulkan(VulkanTarget),
    /// An NVIDIA GPU: PTX.
    Cuda(CudaTarget),
}

impl Target {
    /// The CPU of this machine.
    pub fn host() -> Self {
        Self::Cpu(CpuTarget::host())
    }

    /// The CPU, if it is one.
    pub fn cpu(&self) -> Option<&CpuTarget> {
        match self {
            Self::Cpu(cpu) => Some(cpu),
            Self::Vulkan(_) | Self::Cuda(_) => None,
        }
    }

    /// The kind of device, as `--target` and `--device` have it: `cpu`, `vulkan`, `cuda`.
    pub fn device(&self) -> &'static str {
        match self {
            Self::Cpu(_) => "cpu",
            Self::Vulkan(_) => "vulkan",
            Self::Cuda(_) => "cuda",
        }
    }

    /// Its short name for messages, without a CPU's triple and features.
    pub fn short(&self) -> String {
        match self {
            Self::Cpu(cpu) => format!("cpu:{}", cpu.chip),
            Self::Vulkan(vulkan) => vulkan.to_string(),
            Self::Cuda(cuda) => cuda.to_string(),
        }
    }

    /// The target attribute of variants, which upstream MLIR defines.
    pub fn attr(&self, session: &Session) -> Attr {
        match self {
            Self::Cpu(cpu) => cpu.attr(session),
            Self::Vulkan(vulkan) => vulkan.attr(session),
            Self::Cuda(cuda) => cuda.attr(session),
        }
    }

    /// Reads the target attribute of a variant; `None` if nobody here can generate code for it.
    pub fn of_attr(attr: Attr) -> Option<Self> {
        let vulkan = || VulkanTarget::of_attr(attr).map(Self::Vulkan);
        let cuda = || CudaTarget::of_attr(attr).map(Self::Cuda);
        CpuTarget::of_attr(attr).map(Self::Cpu).or_else(vulkan).or_else(cuda)
    }

    /// The name of a variant for it: `cpu_znver5`, `vulkan`, `cuda_sm_90`.
    pub fn variant_name(&self) -> String {
        match self {
            Self::Cpu(cpu) => cpu.variant_name(),
            Self::Vulkan(vulkan) => vulkan.variant_name(),
            Self::Cuda(cuda) => cuda.variant_name(),
        }
    }

    /// Whether objects for one are of the same family as for the other: of the same architecture of CPUs, or for the same
    /// kind of GPU.
    pub fn is_alike(&self, other: &Target) -> bool {
        match (self, other) {
            (Self::Cpu(a), Self::Cpu(b)) => a.arch() == b.arch(),
            _ => self.device() == other.device(),
        }
    }
}

impl From<CpuTarget> for Target {
    fn from(cpu: CpuTarget) -> Self {
        Self::Cpu(cpu)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu(cpu) => cpu.fmt(f),
            Self::Vulkan(vulkan) => vulkan.fmt(f),
            Self::Cuda(cuda) => cuda.fmt(f),
        }
    }
}
