//! Architectural sizes of a device, beyond its limits.
use super::instance::Instance;
use ash::{amd, arm, nv, vk};
use std::ffi::CStr;

/// Sizes that kernels can ask for; 0 where the driver does not tell.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    /// The number of threads in a subgroup.
    pub(super) subgroup_threads: u32,
    /// The number of cores that run workgroups: multiprocessors, compute units, shader cores.
    pub(super) cores: u32,
}

impl Sizes {
    /// Queries a device.
    pub(super) fn of(instance: &Instance, physical: vk::PhysicalDevice) -> Self {
        // SAFETY: the device is of the instance; all structures live during the calls.
        let extensions = unsafe { instance.raw.enumerate_device_extension_properties(physical) }.unwrap_or_default();
        let has = |name: &CStr| extensions.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut nvidia = vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
        let mut amd = vk::PhysicalDeviceShaderCorePropertiesAMD::default();
        let mut arm = vk::PhysicalDeviceShaderCoreBuiltinsPropertiesARM::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup);
        if has(nv::shader_sm_builtins::NAME) {
            all = all.push_next(&mut nvidia);
        }
        if has(amd::shader_core_properties::NAME) {
            all = all.push_next(&mut amd);
        }
        if has(arm::shader_core_builtins::NAME) {
            all = all.push_next(&mut arm);
        }
        // SAFETY: as above.
        unsafe { instance.raw.get_physical_device_properties2(physical, &mut all) };
        let units = amd.shader_engine_count * amd.shader_arrays_per_engine_count * amd.compute_units_per_shader_array;
        let cores = nvidia.shader_sm_count.max(units).max(arm.shader_core_count);
        Self { subgroup_threads: subgroup.subgroup_size, cores }
    }
}
