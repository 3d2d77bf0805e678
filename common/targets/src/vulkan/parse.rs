//! Parses `vulkan` and features.
use super::{CAPABILITIES, VulkanTarget};
use crate::device::usage;
use halyard_diag::{Result, either, nearest};

/// Reads what follows `vulkan`. Errors: an unknown chip or feature (with near names).
pub(crate) fn parse(rest: &str, features: &[String]) -> Result<VulkanTarget> {
    if !rest.is_empty() {
        return Err(usage(format!("target `vulkan` has no chips, but `{rest}` is given"))
            .hint("describe a device by features: `--target=vulkan,-Float16`"));
    }
    let mut target = VulkanTarget::default();
    for feature in features {
        let name = &feature[1..];
        if target.set(name, feature.starts_with('+')) {
            continue;
        }
        let error = usage(format!("unknown feature `{feature}` of `vulkan`"));
        let near = nearest(name, CAPABILITIES.iter().map(|c| c.name));
        return Err(match name {
            "Shader" => error.note("every Vulkan device has it"),
            _ if near.is_empty() => error.note("features are capabilities of SPIR-V, such as `Float16`"),
            _ => error.hint(format!("did you mean {}?", either(&near))),
        });
    }
    Ok(target)
}
