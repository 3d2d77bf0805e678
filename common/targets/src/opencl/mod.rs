//! An OpenCL target: SPIR-V 1.2 in OpenCL's profile, which LLVM generates. Halyard does not run it yet.
mod dtypes;

use crate::{
    device::{Device, Kind, NameList, refuse_files, usage},
    dtypes::DtypeTable,
    gpu_code::{GpuCode, GpuFile, GpuKernel},
};
use halyard_diag::{Result, nearest};
use halyard_ir::{Attr, Session};
use std::fmt;

/// The kind of OpenCL targets.
pub(crate) const KIND: Kind = Kind {
    name: "opencl",
    forms: &[("opencl", "any OpenCL 2.2 device; its code can be generated, but not run yet")],
    names: list,
    aliases: &["cl", "spir", "spir64", "opencl-c"],
    is_chip: |_| false,
    feature_words: "`Float16` and `Float64` are what an OpenCL device may lack",
    attr: "#spirv.target_env<…, api=OpenCL, …>",
    dialect: None,
    architectures: &["spirv32", "spirv64"],
    files: None,
};

/// The target attribute. Its capabilities are those that every device has; kernels say what else they need.
const ATTR: &str =
    "#spirv.target_env<#spirv.vce<v1.2, [Kernel, Addresses, Int64], []>, api=OpenCL, #spirv.resource_limits<>>";

/// An OpenCL device of any vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenclTarget;

impl OpenclTarget {
    /// Reads the target attribute of a variant; `None` if it is not that of an OpenCL device.
    pub(crate) fn of_attr(attr: Attr) -> Option<Self> {
        let text = attr.to_string();
        let inside = text.strip_prefix("#spirv.target_env<")?;
        let names = inside.split_once('[')?.1.split_once(']')?.0;
        let is_kernel = names.split(',').any(|name| name.trim() == "Kernel");
        (is_kernel && inside.contains("api=OpenCL")).then_some(Self)
    }
}

/// Reads what follows `opencl`. Errors: chips and features, which there are none of.
pub(crate) fn parse(rest: &str, features: &[String]) -> Result<OpenclTarget> {
    if !rest.is_empty() {
        return Err(usage(format!("target `opencl` has no chips, but `{rest}` is given")).hint("write `opencl`"));
    }
    match features.first() {
        None => Ok(OpenclTarget),
        Some(feature) => Err(usage(format!("feature `{feature}` of `opencl`: kernels say what they need of a device"))
            .hint("write `opencl`")),
    }
}

/// Lists what a device may lack. Errors: as of [`parse`].
fn list(rest: &str) -> Result<Vec<NameList>> {
    parse(rest, &[])?;
    let title = "capabilities that kernels may need, as `hal.features` then says".to_owned();
    Ok(vec![NameList { title, names: dtypes::OPTIONAL.map(str::to_owned).to_vec() }])
}

impl Device for OpenclTarget {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn attr(&self, session: &Session) -> Attr {
        Attr::parse(session.raw(), ATTR).expect("MLIR knows these capabilities")
    }

    fn variant_name(&self) -> String {
        KIND.name.to_owned()
    }

    fn dtypes(&self) -> Option<DtypeTable> {
        Some(dtypes::TABLE)
    }

    fn check_feature(&self, name: &str) -> Result<(), Vec<&'static str>> {
        if dtypes::OPTIONAL.contains(&name) { Ok(()) } else { Err(nearest(name, dtypes::OPTIONAL)) }
    }

    fn fit(&self, files: &[GpuFile<'_>], _kernels: &[GpuKernel], _constants: &[(String, i64)]) -> Result<GpuCode> {
        refuse_files(self, files)
    }
}

impl fmt::Display for OpenclTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KIND.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attribute_is_that_of_opencl_alone() {
        let session = Session::new();
        let attr = OpenclTarget.attr(&session);
        assert_eq!(OpenclTarget::of_attr(attr), Some(OpenclTarget));
        assert_eq!(crate::VulkanTarget::of_attr(attr), None);
        let vulkan = crate::VulkanTarget::default().attr(&session);
        assert_eq!(OpenclTarget::of_attr(vulkan), None);
    }

    #[test]
    fn there_are_no_chips_and_no_features() {
        assert!(parse("", &[]).is_ok() && parse("gen9", &[]).is_err() && parse("", &["+Float16".to_owned()]).is_err());
    }
}
