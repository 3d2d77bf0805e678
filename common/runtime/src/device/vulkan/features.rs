//! The SPIR-V capabilities of a device: each corresponds to a feature that is enabled when the device is created.
use super::{float_modes::FloatModes, instance::Instance};
use ash::{ext, khr, vk};
use std::ffi::CStr;

/// The capabilities that [`Features::has`] knows, beyond `Shader`, each by one name.
const NAMES: [&str; 33] = [
    "Int64",
    "Int16",
    "Float64",
    "Float16",
    "Int8",
    "StorageBuffer16BitAccess",
    "UniformAndStorageBuffer16BitAccess",
    "StoragePushConstant16",
    "StorageBuffer8BitAccess",
    "UniformAndStorageBuffer8BitAccess",
    "StoragePushConstant8",
    "VariablePointersStorageBuffer",
    "VariablePointers",
    "Int64Atomics",
    "AtomicFloat32AddEXT",
    "VulkanMemoryModel",
    "VulkanMemoryModelDeviceScope",
    "DotProduct",
    "DotProductInputAll",
    "DotProductInput4x8Bit",
    "DotProductInput4x8BitPacked",
    "GroupNonUniform",
    "GroupNonUniformVote",
    "GroupNonUniformArithmetic",
    "GroupNonUniformBallot",
    "GroupNonUniformShuffle",
    "GroupNonUniformShuffleRelative",
    "GroupNonUniformClustered",
    "GroupNonUniformQuad",
    "DenormPreserve",
    "SignedZeroInfNanPreserve",
    "RoundingModeRTE",
    "LongLoops",
];

/// The structures by which features are asked for and switched on. Those of extensions that a device lacks stay zero, and
/// are not passed to it.
#[derive(Debug, Default)]
pub(super) struct Features {
    core: vk::PhysicalDeviceFeatures,
    storage16: vk::PhysicalDevice16BitStorageFeatures<'static>,
    pointers: vk::PhysicalDeviceVariablePointersFeatures<'static>,
    storage8: vk::PhysicalDevice8BitStorageFeatures<'static>,
    float16: vk::PhysicalDeviceShaderFloat16Int8Features<'static>,
    atomics64: vk::PhysicalDeviceShaderAtomicInt64Features<'static>,
    memory_model: vk::PhysicalDeviceVulkanMemoryModelFeatures<'static>,
    dot: vk::PhysicalDeviceShaderIntegerDotProductFeatures<'static>,
    atomic_float: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    has: Has,
    /// Operations of subgroups in compute kernels.
    subgroup: vk::SubgroupFeatureFlags,
    float_controls: vk::PhysicalDeviceFloatControlsProperties<'static>,
    /// Whether the loops of a thread may run without a limit.
    long_loops: bool,
}

/// The feature structures that a device supports, beyond those of Vulkan 1.1.
#[derive(Debug, Default, Clone, Copy)]
struct Has {
    storage8: bool,
    float16: bool,
    atomics64: bool,
    memory_model: bool,
    dot: bool,
    atomic_float: bool,
    float_controls: bool,
    driver: bool,
}

impl Features {
    /// Queries the features of a device; `version` is the Vulkan version used with it.
    pub(super) fn of(instance: &Instance, physical: vk::PhysicalDevice, version: u32) -> Self {
        // SAFETY: the device is of the instance; all structures live during the calls.
        let extensions = unsafe { instance.raw.enumerate_device_extension_properties(physical) }.unwrap_or_default();
        let has = |name: &CStr, core: u32| {
            version >= core || extensions.iter().any(|e| e.extension_name_as_c_str() == Ok(name))
        };
        let never = u32::MAX;
        let has = Has {
            storage8: has(khr::_8bit_storage::NAME, vk::API_VERSION_1_2),
            float16: has(khr::shader_float16_int8::NAME, vk::API_VERSION_1_2),
            atomics64: has(khr::shader_atomic_int64::NAME, vk::API_VERSION_1_2),
            memory_model: has(khr::vulkan_memory_model::NAME, vk::API_VERSION_1_2),
            dot: has(khr::shader_integer_dot_product::NAME, vk::API_VERSION_1_3),
            atomic_float: has(ext::shader_atomic_float::NAME, never),
            float_controls: has(khr::shader_float_controls::NAME, vk::API_VERSION_1_2),
            driver: has(khr::driver_properties::NAME, vk::API_VERSION_1_2),
        };
        let mut this = Self { has, ..Self::default() };
        let mut all = vk::PhysicalDeviceFeatures2::default();
        {
            let mut chain = all.push_next(&mut this.storage16).push_next(&mut this.pointers);
            if has.storage8 {
                chain = chain.push_next(&mut this.storage8);
            }
            if has.float16 {
                chain = chain.push_next(&mut this.float16);
            }
            if has.atomics64 {
                chain = chain.push_next(&mut this.atomics64);
            }
            if has.memory_model {
                chain = chain.push_next(&mut this.memory_model);
            }
            if has.dot {
                chain = chain.push_next(&mut this.dot);
            }
            if has.atomic_float {
                chain = chain.push_next(&mut this.atomic_float);
            }
            // SAFETY: as above.
            unsafe { instance.raw.get_physical_device_features2(physical, &mut chain) };
            all = vk::PhysicalDeviceFeatures2::default().features(chain.features);
        }
        this.core = all.features;
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup);
        if has.driver {
            properties = properties.push_next(&mut driver);
        }
        if has.float_controls {
            properties = properties.push_next(&mut this.float_controls);
        }
        // SAFETY: as above.
        unsafe { instance.raw.get_physical_device_properties2(physical, &mut properties) };
        if subgroup.supported_stages.contains(vk::ShaderStageFlags::COMPUTE) {
            this.subgroup = subgroup.supported_operations;
        }
        // It ends them without a word after 65535 iterations in all (`LP_MAX_TGSI_LOOP_ITERATIONS` in Mesa's source).
        this.long_loops = driver.driver_id != vk::DriverId::MESA_LLVMPIPE;
        this
    }

    /// How floats can be asked to behave.
    pub(super) fn float_modes(&self) -> FloatModes {
        if self.has.float_controls { FloatModes::of(&self.float_controls) } else { FloatModes::default() }
    }

    /// The extensions that a device must be made with for these features.
    pub(super) fn extensions(&self, version: u32) -> Vec<&'static CStr> {
        let Has { storage8, float16, atomics64, memory_model, dot, atomic_float, float_controls, driver } = self.has;
        let needed = [
            (khr::_8bit_storage::NAME, storage8, vk::API_VERSION_1_2),
            (khr::shader_float16_int8::NAME, float16, vk::API_VERSION_1_2),
            (khr::shader_atomic_int64::NAME, atomics64, vk::API_VERSION_1_2),
            (khr::vulkan_memory_model::NAME, memory_model, vk::API_VERSION_1_2),
            (khr::shader_integer_dot_product::NAME, dot, vk::API_VERSION_1_3),
            (ext::shader_atomic_float::NAME, atomic_float, u32::MAX),
            (khr::shader_float_controls::NAME, float_controls, vk::API_VERSION_1_2),
            (khr::driver_properties::NAME, driver, vk::API_VERSION_1_2),
        ];
        needed.into_iter().filter(|(_, has, core)| *has && version < *core).map(|(name, ..)| name).collect()
    }

    /// Makes a device with the features switched on that kernels can need, of those that it has, and no others.
    pub(super) fn make(
        &self,
        instance: &Instance,
        physical: vk::PhysicalDevice,
        info: vk::DeviceCreateInfo<'_>,
    ) -> Result<ash::Device, vk::Result> {
        let core = vk::PhysicalDeviceFeatures {
            shader_int64: self.core.shader_int64,
            shader_int16: self.core.shader_int16,
            shader_float64: self.core.shader_float64,
            ..Default::default()
        };
        let mut core = vk::PhysicalDeviceFeatures2::default().features(core);
        // All queried features are enabled; the chains are rebuilt.
        let mut storage16 = vk::PhysicalDevice16BitStorageFeatures { p_next: std::ptr::null_mut(), ..self.storage16 };
        let mut pointers = vk::PhysicalDeviceVariablePointersFeatures { p_next: std::ptr::null_mut(), ..self.pointers };
        let mut storage8 = vk::PhysicalDevice8BitStorageFeatures { p_next: std::ptr::null_mut(), ..self.storage8 };
        let mut float16 = vk::PhysicalDeviceShaderFloat16Int8Features { p_next: std::ptr::null_mut(), ..self.float16 };
        let mut atomics64 =
            vk::PhysicalDeviceShaderAtomicInt64Features { p_next: std::ptr::null_mut(), ..self.atomics64 };
        let mut memory_model =
            vk::PhysicalDeviceVulkanMemoryModelFeatures { p_next: std::ptr::null_mut(), ..self.memory_model };
        let mut dot = vk::PhysicalDeviceShaderIntegerDotProductFeatures { p_next: std::ptr::null_mut(), ..self.dot };
        let mut atomic_float =
            vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT { p_next: std::ptr::null_mut(), ..self.atomic_float };
        let mut info = info.push_next(&mut core).push_next(&mut storage16).push_next(&mut pointers);
        if self.has.storage8 {
            info = info.push_next(&mut storage8);
        }
        if self.has.float16 {
            info = info.push_next(&mut float16);
        }
        if self.has.atomics64 {
            info = info.push_next(&mut atomics64);
        }
        if self.has.memory_model {
            info = info.push_next(&mut memory_model);
        }
        if self.has.dot {
            info = info.push_next(&mut dot);
        }
        if self.has.atomic_float {
            info = info.push_next(&mut atomic_float);
        }
        // SAFETY: all structures live during the call.
        unsafe { instance.raw.create_device(physical, &info, None) }
    }

    /// The capabilities that kernels may use beyond `Shader`, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().filter(|name| self.has(name))
    }

    /// Whether kernels may use a capability of SPIR-V ("SPIR-V Capabilities" of the Vulkan specification says what each
    /// needs). One that is not known here, it does not have.
    pub(super) fn has(&self, capability: &str) -> bool {
        use vk::SubgroupFeatureFlags as S;
        let on = |feature: vk::Bool32| feature == vk::TRUE;
        let controls = &self.float_controls;
        let f32 = |flag: vk::Bool32| self.has.float_controls && on(flag);
        match capability {
            "Shader" | "Matrix" => true,
            "Int64" => on(self.core.shader_int64),
            "Int16" => on(self.core.shader_int16),
            "Float64" => on(self.core.shader_float64),
            "Float16" => on(self.float16.shader_float16),
            "Int8" => on(self.float16.shader_int8),
            "StorageBuffer16BitAccess" | "StorageUniformBufferBlock16" => {
                on(self.storage16.storage_buffer16_bit_access)
            }
            "UniformAndStorageBuffer16BitAccess" | "StorageUniform16" => {
                on(self.storage16.uniform_and_storage_buffer16_bit_access)
            }
            "StoragePushConstant16" => on(self.storage16.storage_push_constant16),
            "StorageBuffer8BitAccess" => on(self.storage8.storage_buffer8_bit_access),
            "UniformAndStorageBuffer8BitAccess" => on(self.storage8.uniform_and_storage_buffer8_bit_access),
            "StoragePushConstant8" => on(self.storage8.storage_push_constant8),
            "VariablePointersStorageBuffer" => on(self.pointers.variable_pointers_storage_buffer),
            "VariablePointers" => on(self.pointers.variable_pointers),
            "Int64Atomics" => on(self.atomics64.shader_buffer_int64_atomics),
            "AtomicFloat32AddEXT" => on(self.atomic_float.shader_buffer_float32_atomic_add),
            "VulkanMemoryModel" | "VulkanMemoryModelKHR" => on(self.memory_model.vulkan_memory_model),
            "VulkanMemoryModelDeviceScope" => on(self.memory_model.vulkan_memory_model_device_scope),
            "DotProduct" | "DotProductInputAll" | "DotProductInput4x8Bit" | "DotProductInput4x8BitPacked" => {
                on(self.dot.shader_integer_dot_product)
            }
            "GroupNonUniform" => self.subgroup.contains(S::BASIC),
            "GroupNonUniformVote" => self.subgroup.contains(S::VOTE),
            "GroupNonUniformArithmetic" => self.subgroup.contains(S::ARITHMETIC),
            "GroupNonUniformBallot" => self.subgroup.contains(S::BALLOT),
            "GroupNonUniformShuffle" => self.subgroup.contains(S::SHUFFLE),
            "GroupNonUniformShuffleRelative" => self.subgroup.contains(S::SHUFFLE_RELATIVE),
            "GroupNonUniformClustered" => self.subgroup.contains(S::CLUSTERED),
            "GroupNonUniformQuad" => self.subgroup.contains(S::QUAD),
            "DenormPreserve" => f32(controls.shader_denorm_preserve_float32),
            "DenormFlushToZero" => f32(controls.shader_denorm_flush_to_zero_float32),
            "SignedZeroInfNanPreserve" => f32(controls.shader_signed_zero_inf_nan_preserve_float32),
            "RoundingModeRTE" => f32(controls.shader_rounding_mode_rte_float32),
            "RoundingModeRTZ" => f32(controls.shader_rounding_mode_rtz_float32),
            "LongLoops" => self.long_loops,
            _ => false,
        }
    }
}
