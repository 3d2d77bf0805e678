//! SPIR-V capabilities that targets allow and forbid.

/// A capability of SPIR-V that code for Vulkan may need beyond `Shader`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capability {
    /// The name in SPIR-V.
    pub name: &'static str,
    /// The extension that a module of SPIR-V 1.3 needs for it, if any.
    pub extension: Option<&'static str>,
    /// Whether code may use it by default: optional features of core Vulkan.
    pub usual: bool,
}

const fn usual(name: &'static str, extension: Option<&'static str>) -> Capability {
    Capability { name, extension, usual: true }
}

const fn asked(name: &'static str, extension: Option<&'static str>) -> Capability {
    Capability { name, extension, usual: false }
}

/// All capabilities that a target can allow or forbid, in the order of attributes and messages. Sources: "SPIR-V
/// Capabilities" of the Vulkan specification, "Capability" of the SPIR-V specification.
pub(crate) const CAPABILITIES: &[Capability] = &[
    usual("Int64", None),
    usual("Int16", None),
    usual("Int8", None),
    usual("Float64", None),
    usual("Float16", None),
    usual("StorageBuffer16BitAccess", Some("SPV_KHR_16bit_storage")),
    usual("UniformAndStorageBuffer16BitAccess", Some("SPV_KHR_16bit_storage")),
    usual("StoragePushConstant16", Some("SPV_KHR_16bit_storage")),
    usual("StorageBuffer8BitAccess", Some("SPV_KHR_8bit_storage")),
    usual("UniformAndStorageBuffer8BitAccess", Some("SPV_KHR_8bit_storage")),
    usual("StoragePushConstant8", Some("SPV_KHR_8bit_storage")),
    usual("GroupNonUniform", None),
    usual("GroupNonUniformVote", None),
    usual("GroupNonUniformArithmetic", None),
    usual("GroupNonUniformBallot", None),
    usual("GroupNonUniformShuffle", None),
    usual("GroupNonUniformShuffleRelative", None),
    usual("GroupNonUniformClustered", None),
    usual("GroupNonUniformQuad", None),
    usual("VariablePointersStorageBuffer", Some("SPV_KHR_variable_pointers")),
    usual("VariablePointers", Some("SPV_KHR_variable_pointers")),
    asked("Int64Atomics", None),
    asked("AtomicFloat32AddEXT", Some("SPV_EXT_shader_atomic_float_add")),
    asked("CooperativeMatrixKHR", Some("SPV_KHR_cooperative_matrix")),
    asked("DotProduct", Some("SPV_KHR_integer_dot_product")),
    asked("DotProductInputAll", Some("SPV_KHR_integer_dot_product")),
    asked("DotProductInput4x8Bit", Some("SPV_KHR_integer_dot_product")),
    asked("DotProductInput4x8BitPacked", Some("SPV_KHR_integer_dot_product")),
    asked("PhysicalStorageBufferAddresses", Some("SPV_KHR_physical_storage_buffer")),
    asked("DenormPreserve", Some("SPV_KHR_float_controls")),
    asked("DenormFlushToZero", Some("SPV_KHR_float_controls")),
    asked("SignedZeroInfNanPreserve", Some("SPV_KHR_float_controls")),
    asked("RoundingModeRTE", Some("SPV_KHR_float_controls")),
    asked("RoundingModeRTZ", Some("SPV_KHR_float_controls")),
    asked("VulkanMemoryModel", Some("SPV_KHR_vulkan_memory_model")),
    asked("VulkanMemoryModelDeviceScope", Some("SPV_KHR_vulkan_memory_model")),
];

/// MLIR's name of a capability: it has the older one of two that SPIR-V has.
pub(super) fn in_mlir(name: &str) -> &str {
    if name == "UniformAndStorageBuffer16BitAccess" { "StorageUniform16" } else { name }
}
