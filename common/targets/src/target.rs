//! What code is generated for.
use crate::{
    CpuTarget, CudaTarget, HipTarget, VulkanTarget,
    device::{Device, KINDS},
};
use halyard_ir::{Attr, Session};
use std::fmt;

/// A target of code generation: a device of one of the kinds in [`crate::device`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A CPU, as LLVM names it.
    Cpu(CpuTarget),
    /// A Vulkan device: SPIR-V.
    Vulkan(VulkanTarget),
    /// An NVIDIA GPU: PTX.
    Cuda(CudaTarget),
    /// An AMD GPU: machine code of LLVM.
    Hip(HipTarget),
}

impl Target {
    /// The CPU of this machine.
    pub fn host() -> Self {
        Self::Cpu(CpuTarget::host())
    }

    /// The device itself.
    pub(crate) fn this(&self) -> &dyn Device {
        match self {
            Self::Cpu(cpu) => cpu,
            Self::Vulkan(vulkan) => vulkan,
            Self::Cuda(cuda) => cuda,
            Self::Hip(hip) => hip,
        }
    }

    /// The CPU, if it is one.
    pub fn cpu(&self) -> Option<&CpuTarget> {
        match self {
            Self::Cpu(cpu) => Some(cpu),
            _ => None,
        }
    }

    /// The kind of device, as `--target` and `--device` have it: `cpu`, `vulkan`, `cuda`.
    pub fn device(&self) -> &'static str {
        self.this().kind().name
    }

    /// Its short name for messages, without a CPU's triple and features.
    pub fn short(&self) -> String {
        self.this().short()
    }

    /// The target attribute of variants, which upstream MLIR defines.
    pub fn attr(&self, session: &Session) -> Attr {
        self.this().attr(session)
    }

    /// Reads the target attribute of a variant; `None` if nobody here can generate code for it.
    pub fn of_attr(attr: Attr) -> Option<Self> {
        KINDS.iter().find_map(|kind| (kind.of_attr)(attr))
    }

    /// The name of a variant for it: `cpu_znver5`, `vulkan`, `cuda_sm_90`.
    pub fn variant_name(&self) -> String {
        self.this().variant_name()
    }

    /// Whether objects for one are of the same family as for the other: of the same architecture of CPUs, or for the same
    /// kind of GPU.
    pub fn is_alike(&self, other: &Target) -> bool {
        self.device() == other.device() && self.this().is_alike(other)
    }

    /// Whether a launch gives workgroups memory beyond what the code declares, and says how large they are where the code
    /// does not.
    pub fn launch_is_free(&self) -> bool {
        self.this().launch_is_free()
    }

    /// Errors: no device of this kind can be said to have a feature; features of similar names.
    pub fn check_feature(&self, name: &str) -> Result<(), Vec<&'static str>> {
        self.this().check_feature(name)
    }

    /// How features of such a device are said, for messages.
    pub fn feature_words(&self) -> &'static str {
        self.this().kind().feature_words
    }

    /// For a GPU: what a file is that holds no code for it, and the tools that make such code; for messages.
    pub fn code_words(&self) -> Option<(&'static str, &'static str)> {
        self.this().kind().files.as_ref().map(|f| (f.otherwise, f.made_by))
    }
}

impl From<CpuTarget> for Target {
    fn from(cpu: CpuTarget) -> Self {
        Self::Cpu(cpu)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.this().fmt(f)
    }
}
