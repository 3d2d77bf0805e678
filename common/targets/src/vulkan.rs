//! A Vulkan device to generate code for: SPIR-V 1.3 in Vulkan's profile, and the options that the code may use.
use halyard_ir::{Attr, Session};
use std::fmt;

/// A capability of SPIR-V that code for Vulkan may need beyond `Shader`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capability {
    /// SPIR-V's name of it.
    pub name: &'static str,
    /// The extension that a module of SPIR-V 1.3 needs for it, if any.
    pub extension: Option<&'static str>,
    /// Whether code may use it when nobody says anything: what core Vulkan has as an option.
    pub usual: bool,
}

const fn usual(name: &'static str, extension: Option<&'static str>) -> Capability {
    Capability { name, extension, usual: true }
}

const fn asked(name: &'static str, extension: Option<&'static str>) -> Capability {
    Capability { name, extension, usual: false }
}

/// All that a target can allow or forbid, in the order in which attributes and messages list them.
/// Sources: "SPIR-V Capabilities" of the Vulkan specification, "Capability" of the SPIR-V specification.
pub const CAPABILITIES: &[Capability] = &[
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
fn in_mlir(name: &str) -> &str {
    if name == "UniformAndStorageBuffer16BitAccess" { "StorageUniform16" } else { name }
}

/// A Vulkan device, as far as code depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VulkanTarget {
    /// For each of [`CAPABILITIES`]: whether code may use it.
    allowed: Vec<bool>,
}

impl Default for VulkanTarget {
    fn default() -> Self {
        Self { allowed: CAPABILITIES.iter().map(|c| c.usual).collect() }
    }
}

impl VulkanTarget {
    /// Allows or forbids a capability; false if there is none of this name.
    pub(crate) fn set(&mut self, name: &str, allow: bool) -> bool {
        let found = CAPABILITIES.iter().position(|c| c.name == name);
        if let Some(i) = found {
            self.allowed[i] = allow;
        }
        found.is_some()
    }

    /// Whether code may use a capability, by SPIR-V's name. `Shader` and what it implies are always there.
    pub fn allows(&self, name: &str) -> bool {
        matches!(name, "Shader" | "Matrix") || self.capabilities().any(|c| c.name == name)
    }

    /// The capabilities that code may use beyond `Shader`, in the order of [`CAPABILITIES`].
    pub fn capabilities(&self) -> impl Iterator<Item = &'static Capability> {
        CAPABILITIES.iter().zip(&self.allowed).filter_map(|(c, allowed)| allowed.then_some(c))
    }

    /// The target attribute of variants, `#spirv.target_env<…>`, which upstream MLIR defines.
    pub fn attr(&self, session: &Session) -> Attr {
        let capabilities: Vec<&str> =
            std::iter::once("Shader").chain(self.capabilities().map(|c| in_mlir(c.name))).collect();
        let mut extensions = vec!["SPV_KHR_storage_buffer_storage_class"];
        for extension in self.capabilities().filter_map(|c| c.extension) {
            if !extensions.contains(&extension) {
                extensions.push(extension);
            }
        }
        let text = format!(
            "#spirv.target_env<#spirv.vce<v1.3, [{}], [{}]>, api=Vulkan, #spirv.resource_limits<>>",
            capabilities.join(", "),
            extensions.join(", ")
        );
        Attr::parse(session.raw(), &text).expect("MLIR knows these capabilities and extensions")
    }

    /// Reads the target attribute of a variant; `None` if it is not that of a Vulkan device.
    pub fn of_attr(attr: Attr) -> Option<Self> {
        Self::parse(&attr.to_string())
    }

    fn parse(text: &str) -> Option<Self> {
        let inside = text.strip_prefix("#spirv.target_env<")?;
        let api = inside.split_once("api=").map(|(_, rest)| rest.split([',', '>']).next().unwrap_or_default().trim());
        let list = inside.split_once('[')?.1.split_once(']')?.0;
        let names: Vec<&str> = list.split(',').map(str::trim).collect();
        if !matches!(api, None | Some("Vulkan" | "Unknown")) || !names.contains(&"Shader") {
            return None;
        }
        Some(Self { allowed: CAPABILITIES.iter().map(|c| names.contains(&in_mlir(c.name))).collect() })
    }

    /// What differs from the usual, with signs, in the order of [`CAPABILITIES`].
    fn departures(&self) -> impl Iterator<Item = (char, &'static str)> {
        let differ = CAPABILITIES.iter().zip(&self.allowed).filter(|(c, allowed)| c.usual != **allowed);
        differ.map(|(c, allowed)| (if *allowed { '+' } else { '-' }, c.name))
    }

    /// The name of a variant for it: `vulkan`, and what differs from the usual.
    pub fn variant_name(&self) -> String {
        let words =
            self.departures().map(|(sign, name)| if sign == '+' { format!("_{name}") } else { format!("_no_{name}") });
        std::iter::once("vulkan".to_owned()).chain(words).collect()
    }
}

impl fmt::Display for VulkanTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vulkan")?;
        self.departures().try_for_each(|(sign, name)| write!(f, ",{sign}{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attribute_holds_what_is_allowed() {
        let session = Session::new();
        let mut target = VulkanTarget::default();
        assert!(target.set("Float16", false) && target.set("CooperativeMatrixKHR", true) && !target.set("Fp16", true));
        let attr = target.attr(&session);
        assert_eq!(VulkanTarget::of_attr(attr), Some(target.clone()));
        assert!(
            !attr.to_string().contains("Float16") && attr.to_string().contains("SPV_KHR_cooperative_matrix"),
            "{attr}"
        );
        assert_eq!(target.to_string(), "vulkan,-Float16,+CooperativeMatrixKHR");
        assert_eq!(target.variant_name(), "vulkan_no_Float16_CooperativeMatrixKHR");
        assert!(target.allows("Shader") && target.allows("Int64") && !target.allows("Float16"));
    }

    #[test]
    fn all_capabilities_are_known_to_mlir() {
        let session = Session::new();
        let mut target = VulkanTarget::default();
        assert!(CAPABILITIES.iter().all(|c| target.set(c.name, true)));
        assert_eq!(VulkanTarget::of_attr(target.attr(&session)), Some(target));
    }

    #[test]
    fn other_attributes_are_not_of_vulkan() {
        assert_eq!(VulkanTarget::parse("#nvvm.target"), None);
        let opencl = "#spirv.target_env<#spirv.vce<v1.0, [Kernel], []>, api=OpenCL, #spirv.resource_limits<>>";
        assert_eq!(VulkanTarget::parse(opencl), None);
        let least = "#spirv.target_env<#spirv.vce<v1.0, [Shader, Matrix], []>, #spirv.resource_limits<>>";
        assert_eq!(VulkanTarget::parse(least).map(|t| t.capabilities().count()), Some(0));
    }
}
