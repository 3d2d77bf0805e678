//! A Vulkan device before a program runs on it.
use super::{
    super::{Adapter, Device, DeviceKernel},
    device::Vulkan,
    error::failed,
    features::Features,
    instance::{Found, Instance},
    queue::{Context, Parts},
    sizes::Sizes,
};
use crate::{
    commands::{ConstantWidth, DeviceCode, Kernel},
    device::limits::DeviceLimits,
};
use ash::vk;
use halyard_diag::Result;
use std::{ffi::CStr, sync::Arc};

/// A device that programs may run on.
#[derive(Debug)]
pub(super) struct VulkanAdapter {
    context: Arc<Context>,
    features: Features,
    sizes: Sizes,
    /// The version that is spoken with it.
    version: u32,
    memory: u64,
}

impl VulkanAdapter {
    /// Makes the logical device, with all that kernels may need switched on. Errors: the driver's.
    pub(super) fn new(instance: Instance, found: &Found, index: u32) -> Result<Self> {
        let title = format!("device `vulkan:{index}` ({})", found.name);
        let version = instance.version.min(found.properties.api_version);
        let features = Features::of(&instance, found.physical, version);
        let sizes = Sizes::of(&instance, found.physical);
        let family = found.family.unwrap_or(0);
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities)];
        let extensions: Vec<_> = features.extensions(version).into_iter().map(CStr::as_ptr).collect();
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
        let raw = features.make(&instance, found.physical, info).map_err(|e| failed(&title, "be used", e))?;
        let context = Context::new(Parts {
            raw,
            physical: found.physical,
            limits: found.properties.limits,
            floats: features.float_modes(),
            family,
            timestamp_bits: found.timestamp_bits,
            title,
            instance,
        })?;
        Ok(Self { context: Arc::new(context), features, sizes, version, memory: found.info().memory })
    }

    /// The newest version of SPIR-V that it takes, as the second word of modules has it ("SPIR-V Environment" of the Vulkan
    /// specification).
    fn newest_spirv(&self) -> u32 {
        match vk::api_version_minor(self.version) {
            0..=1 => 0x1_0300,
            2 => 0x1_0500,
            _ => 0x1_0600,
        }
    }
}

impl Adapter for VulkanAdapter {
    fn title(&self) -> String {
        self.context.title.clone()
    }

    fn lacks(&self, kernel: &Kernel, code: &DeviceCode, module: &[u8], features: &[String]) -> Vec<String> {
        let limits = &self.context.limits;
        let mut lacks: Vec<String> = features.iter().filter(|f| !self.features.has(f)).map(|f| in_words(f)).collect();
        let version = module.get(4..8).map_or(0, |word| u32::from_le_bytes(word.try_into().expect("four bytes")));
        let text = |version: u32| format!("{}.{}", version >> 16, version >> 8 & 0xff);
        if version > self.newest_spirv() {
            lacks.push(format!("SPIR-V {} (the device takes {})", text(version), text(self.newest_spirv())));
        }
        let (size, most) = (code.workgroup_size, limits.max_compute_work_group_size);
        let threads: u64 = size.iter().map(|&n| u64::from(n)).product();
        if threads > u64::from(limits.max_compute_work_group_invocations) {
            lacks.push(format!(
                "workgroups of {threads} threads (the device has {})",
                limits.max_compute_work_group_invocations
            ));
        } else if size.iter().zip(most).any(|(&n, most)| n > most) {
            lacks.push(format!("workgroups of {size:?} threads (the device has {most:?})"));
        }
        let shared = limits.max_compute_shared_memory_size;
        if code.shared_memory > shared {
            lacks.push(format!("{} bytes of shared memory (the device has {shared})", code.shared_memory));
        }
        let push = ConstantWidth::packed_bytes(&code.constants);
        if push > limits.max_push_constants_size {
            lacks.push(format!("{push} bytes of constants (the device has {})", limits.max_push_constants_size));
        }
        let (buffers, most) = (kernel.bindings.len(), limits.max_per_stage_descriptor_storage_buffers);
        let most = most.min(limits.max_descriptor_set_storage_buffers);
        if buffers as u64 > u64::from(most) {
            lacks.push(format!("{buffers} buffers (the device has {most})"));
        }
        lacks
    }

    fn property(&self, name: &str) -> Option<i64> {
        let limits = &self.context.limits;
        Some(match name {
            "device.memory_bytes" => i64::try_from(self.memory).unwrap_or(i64::MAX),
            "device.workgroup_threads" => i64::from(limits.max_compute_work_group_invocations),
            "device.shared_bytes" => i64::from(limits.max_compute_shared_memory_size),
            "device.subgroup_threads" => i64::from(self.sizes.subgroup_threads),
            "device.cores" => i64::from(self.sizes.cores),
            // Vulkan does not tell the others.
            _ => return None,
        })
    }

    fn limits(&self) -> DeviceLimits {
        let limits = &self.context.limits;
        DeviceLimits {
            workgroup_threads: limits.max_compute_work_group_invocations,
            workgroup_size: limits.max_compute_work_group_size,
            workgroup_count: limits.max_compute_work_group_count,
            subgroup_threads: self.sizes.subgroup_threads,
            shared_bytes: limits.max_compute_shared_memory_size,
            constant_bytes: limits.max_push_constants_size,
            bindings: limits.max_per_stage_descriptor_storage_buffers.min(limits.max_descriptor_set_storage_buffers),
            binding_bytes: u64::from(limits.max_storage_buffer_range),
            features: self.features.names().map(str::to_owned).collect(),
            has_timestamps: self.context.tick.is_some(),
        }
    }

    fn open(self: Arc<Self>, kernels: &[Option<DeviceKernel<'_>>]) -> Result<Box<dyn Device>> {
        Ok(Box::new(Vulkan::new(Arc::clone(&self.context), kernels)?))
    }
}

/// A feature that is missing, for "it needs …".
fn in_words(feature: &str) -> String {
    match feature {
        "LongLoops" => "`LongLoops` (this driver ends all loops of a thread after 65535 iterations together)".into(),
        _ => format!("`{feature}`"),
    }
}
