//! A Vulkan target: SPIR-V 1.3 in Vulkan's profile, and the capabilities that the code may use.
mod assemble;
mod capabilities;
mod dtypes;
mod files;
mod parse;

use crate::{
    device::{Device, Files, Kind, LaunchSetting, NameList, TextForm},
    dtypes::{DtypeTable, Requirement},
    gpu_code::{GpuCode, GpuFile, GpuKernel},
};
pub(crate) use capabilities::CAPABILITIES;
use capabilities::{Capability, in_mlir};
pub(crate) use files::of_file;
use halyard_diag::{Result, nearest};
use halyard_ir::{Attr, Session};
pub(crate) use parse::parse;
use std::fmt;

/// The kind of Vulkan targets.
pub(crate) const KIND: Kind = Kind {
    name: "vulkan",
    forms: &[("vulkan", "any Vulkan device; `vulkan,-Float16` describes it further")],
    names: list,
    aliases: &["spirv", "spir-v", "spv", "gpu", "metal"],
    is_chip: |_| false,
    feature_words: "features are capabilities of SPIR-V, such as `Float16`",
    attr: "#spirv.target_env",
    dialect: Some("spirv"),
    architectures: &["spirv"],
    files: Some(Files {
        kinds: &[halyard_objects::FileFormat::SpirV],
        devices: "Vulkan",
        otherwise: "not a SPIR-V module",
        made_by: "`glslc` and `dxc -spirv` make them",
        sources: &[(halyard_objects::FileFormat::Glsl, "`glslc --target-env=vulkan1.1 -O FILE -o FILE.spv`")],
        names: &["SPIR-V"],
        settings: &[LaunchSetting::WorkgroupSize, LaunchSetting::SpecConstant],
        text: Some(TextForm {
            kind: halyard_objects::FileFormat::SpirVText,
            becomes: halyard_objects::FileFormat::SpirV,
            suffix: "spvasm",
            assemble: assemble::assemble,
            disassemble: halyard_objects::disassemble_spirv,
        }),
        rename: files::rename,
    }),
};

impl Device for VulkanTarget {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn attr(&self, session: &Session) -> Attr {
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

    /// `vulkan`, and what differs from the usual.
    fn variant_name(&self) -> String {
        let words =
            self.departures().map(|(sign, name)| if sign == '+' { format!("_{name}") } else { format!("_no_{name}") });
        std::iter::once("vulkan".to_owned()).chain(words).collect()
    }

    fn dtypes(&self) -> Option<DtypeTable> {
        Some(dtypes::TABLE)
    }

    fn meets(&self, requirement: Requirement) -> Result<(), (String, String)> {
        match requirement {
            Requirement::Property(name) if !self.allows(name) => Err((
                format!("it needs the capability `{name}`, which the target does not allow"),
                format!("leave `-{name}` out of `--target`"),
            )),
            _ => Ok(()),
        }
    }

    fn check_feature(&self, name: &str) -> Result<(), Vec<&'static str>> {
        if CAPABILITIES.iter().any(|c| c.name == name) {
            return Ok(());
        }
        Err(nearest(name, CAPABILITIES.iter().map(|c| c.name)))
    }

    fn fit(
        &self,
        files: &[GpuFile<'_>],
        kernels: &[GpuKernel],
        constants: &[(String, i64)],
    ) -> halyard_diag::Result<GpuCode> {
        files::fit(files, self, kernels, constants)
    }
}

/// A Vulkan device, as far as code depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VulkanTarget {
    /// For each of [`CAPABILITIES`], whether code may use it.
    allowed: Vec<bool>,
}

impl Default for VulkanTarget {
    fn default() -> Self {
        Self { allowed: CAPABILITIES.iter().map(|c| c.usual).collect() }
    }
}

/// Lists the capabilities that may follow `vulkan` with a sign. Errors: chips, which there are none of.
fn list(rest: &str) -> Result<Vec<NameList>> {
    parse(rest, &[])?;
    let sign = |c: &Capability| format!("{}{}", if c.usual { '+' } else { '-' }, c.name);
    let title = "capabilities that code may use (+) or may use if they are named (-)".to_owned();
    Ok(vec![NameList { title, names: CAPABILITIES.iter().map(sign).collect() }])
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

    /// Whether code may use a capability, by its SPIR-V name. `Shader` and what it implies are always allowed.
    pub fn allows(&self, name: &str) -> bool {
        matches!(name, "Shader" | "Matrix") || self.capabilities().any(|c| c.name == name)
    }

    /// The capabilities that code may use beyond `Shader`, in the order of [`CAPABILITIES`].
    pub fn capabilities(&self) -> impl Iterator<Item = &'static Capability> {
        CAPABILITIES.iter().zip(&self.allowed).filter_map(|(c, allowed)| allowed.then_some(c))
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

    /// Returns the capabilities that differ from the default, with signs, in the order of [`CAPABILITIES`].
    fn departures(&self) -> impl Iterator<Item = (char, &'static str)> {
        let differ = CAPABILITIES.iter().zip(&self.allowed).filter(|(c, allowed)| c.usual != **allowed);
        differ.map(|(c, allowed)| (if *allowed { '+' } else { '-' }, c.name))
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
