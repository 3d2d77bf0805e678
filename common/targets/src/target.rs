//! Targets of code generation.
use crate::{
    CpuTarget, CudaTarget, HipTarget, OpenclTarget, Use, VulkanTarget, cpu, cuda,
    device::{Device, Kind},
    dtypes::Requirement,
    gpu_code::GpuFile,
    hip, opencl, vulkan,
};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Session};
use halyard_objects::FileFormat;
use std::fmt;

/// All kinds of devices, in the order in which messages list them.
pub(crate) const KINDS: [&Kind; 5] = [&cpu::KIND, &vulkan::KIND, &cuda::KIND, &hip::KIND, &opencl::KIND];

/// A target of code generation: a device of one of the kinds in [`crate::device`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A CPU with LLVM's name.
    Cpu(CpuTarget),
    /// A Vulkan device: SPIR-V.
    Vulkan(VulkanTarget),
    /// An NVIDIA GPU: PTX.
    Cuda(CudaTarget),
    /// An AMD GPU: machine code of LLVM.
    Hip(HipTarget),
    /// An OpenCL device: SPIR-V of LLVM.
    Opencl(OpenclTarget),
}

impl Target {
    /// Returns the CPU of this machine.
    pub fn host() -> Self {
        Self::Cpu(CpuTarget::host())
    }

    /// Reads an item of `--target` of a kind: what follows its name, and features with their signs. `None` if there is no such
    /// kind. Errors: what the kind of device says of it.
    pub(crate) fn parse(kind: &str, rest: &str, features: Vec<String>) -> Option<Result<Self>> {
        Some(match kind {
            "cpu" => cpu::parse(rest, features).map(Self::Cpu),
            "vulkan" => vulkan::parse(rest, &features).map(Self::Vulkan),
            "cuda" => cuda::parse(rest, &features).map(Self::Cuda),
            "hip" => hip::CHIPS.parse(rest, &features).map(|chip| Self::Hip(HipTarget { chip })),
            "opencl" => opencl::parse(rest, &features).map(Self::Opencl),
            _ => return None,
        })
    }

    /// The target that a file of code for a GPU says itself; `None` for other files. Errors: it cannot be read, or is for a chip
    /// that nobody here knows.
    pub(crate) fn of_file(file: GpuFile<'_>) -> Option<Result<Self>> {
        match kind_of_file(FileFormat::of(file.bytes))?.name {
            "vulkan" => Some(vulkan::of_file(file).map(Self::Vulkan)),
            "cuda" => Some(cuda::of_file(file).map(Self::Cuda)),
            _ => None,
        }
    }

    /// Returns the target as a device.
    pub(crate) fn this(&self) -> &dyn Device {
        match self {
            Self::Cpu(cpu) => cpu,
            Self::Vulkan(vulkan) => vulkan,
            Self::Cuda(cuda) => cuda,
            Self::Hip(hip) => hip,
            Self::Opencl(opencl) => opencl,
        }
    }

    /// Returns the CPU, if it is one.
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

    /// Parses the target attribute of a variant; `None` for targets without code generation here.
    pub fn of_attr(attr: Attr) -> Option<Self> {
        let cpu = || CpuTarget::of_attr(attr).map(Self::Cpu);
        let vulkan = || VulkanTarget::of_attr(attr).map(Self::Vulkan);
        let cuda = || CudaTarget::of_attr(attr).map(Self::Cuda);
        let hip = || HipTarget::of_attr(attr).map(Self::Hip);
        let opencl = || OpenclTarget::of_attr(attr).map(Self::Opencl);
        cpu().or_else(vulkan).or_else(cuda).or_else(hip).or_else(opencl)
    }

    /// The name of a variant for it: `cpu_znver5`, `vulkan`, `cuda_sm_90`.
    pub fn variant_name(&self) -> String {
        self.this().variant_name()
    }

    /// Whether objects for one are of the same family as for the other: of the same architecture of CPUs, or for the same
    /// kind of GPU.
    pub fn is_alike(&self, other: &Target) -> bool {
        self.device() == other.device() && self.this().family() == other.this().family()
    }

    /// Whether a launch may add memory to what the code declares, and may choose the workgroup size if the code does
    /// not.
    pub fn launch_is_free(&self) -> bool {
        self.this().launch_is_free()
    }

    /// Errors: no device of this kind can be said to have a feature; features of similar names.
    pub fn check_feature(&self, name: &str) -> Result<(), Vec<&'static str>> {
        self.this().check_feature(name)
    }

    /// Returns how to specify features of such a device, for messages.
    pub fn feature_words(&self) -> &'static str {
        self.this().kind().feature_words
    }

    /// For a GPU, returns the error for a file without code for it, and the tools that make such code; for messages.
    pub fn code_words(&self) -> Option<(&'static str, &'static str)> {
        self.this().kind().files.as_ref().map(|f| (f.otherwise, f.made_by))
    }
}

/// The target attributes that code is generated for, as `#nvvm.target`.
pub fn target_attributes() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.attr).collect()
}

/// The target attributes of GPUs that code in a dialect is for: of the one whose dialect it is, of all for `gpu`. Empty for other
/// dialects.
pub fn gpus_of_dialect(dialect: &str) -> Vec<&'static str> {
    let fits = |kind: &&&Kind| kind.dialect.is_some_and(|own| own == dialect || dialect == "gpu");
    KINDS.iter().filter(fits).map(|kind| kind.attr).collect()
}

/// The kind of GPU that files of a kind are for.
pub(crate) fn kind_of_file(file: FileFormat) -> Option<&'static Kind> {
    KINDS.into_iter().find(|kind| kind.files.as_ref().is_some_and(|f| f.kinds.contains(&file)))
}

impl Target {
    /// Returns the feature that a type requires of a device of this target, by the names of `hal.features`: a
    /// capability of SPIR-V, or a chip; `None` if every device supports it. `dtype` is as MLIR prints it. Fails,
    /// naming the type, if it is unknown on this kind of device, has no arithmetic there, or needs a feature that the
    /// target forbids or lacks.
    pub fn require(&self, dtype: &str, what: Use) -> Result<Option<&'static str>> {
        let Some(table) = self.this().dtypes() else { return Ok(None) };
        let refused = |why: &str| {
            let way = if what == Use::Computed { "arithmetic in " } else { "" };
            Error::input(format!("{way}`{dtype}` is not possible on `{self}`: {why}")).code("unsupported-type")
        };
        match table.requirement(dtype, what) {
            None => Err(refused("it is not among the types of the device's language")),
            Some(Requirement::Nothing) => Ok(None),
            Some(Requirement::Never(why)) => {
                Err(refused(why).hint("convert to `f32` before arithmetic, and back after it"))
            }
            Some(requirement @ Requirement::Property(name)) => match self.this().meets(requirement) {
                Ok(()) => Ok(Some(name)),
                Err((why, hint)) => Err(refused(&why).hint(hint)),
            },
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
        self.this().fmt(f)
    }
}
