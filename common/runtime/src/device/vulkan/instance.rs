//! The Vulkan loader, and the devices that it lists.
use super::{
    super::name::{DeviceKind, DeviceName},
    error::name,
};
use crate::device::info::{DeviceInfo, DeviceLog};
use ash::{ext, vk};
use halyard_diag::{Error, Result};
use std::{
    borrow::Cow,
    ffi::{CStr, c_void},
    fmt,
};

/// The layer that checks our use of the driver.
const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";
/// The Vulkan version that every device must support.
const LEAST_VERSION: u32 = vk::API_VERSION_1_1;

/// A loaded Vulkan loader.
pub(super) struct Instance {
    pub(super) raw: ash::Instance,
    /// The version that it speaks with devices at most.
    pub(super) version: u32,
    debug: Option<Debug>,
    /// Keeps the library loaded.
    _entry: ash::Entry,
}

struct Debug {
    functions: ext::debug_utils::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    /// The log that the messenger writes to; the messenger holds its address.
    _log: Box<DeviceLog>,
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Instance")
    }
}

/// A device that the loader lists.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) physical: vk::PhysicalDevice,
    pub(super) properties: vk::PhysicalDeviceProperties,
    pub(super) name: String,
    /// The driver with its version.
    driver: String,
    index: u32,
    memory: u64,
    /// The queue family for kernels, if it has one.
    pub(super) family: Option<u32>,
    /// The number of valid bits in its time stamps.
    pub(super) timestamp_bits: u32,
}

impl Instance {
    /// Loads the loader. With a log, validation is on. Errors: no loader, no driver, no validation layer.
    pub(super) fn new(log: Option<&DeviceLog>) -> Result<Self> {
        // SAFETY: the loader is a system library; it is used as the specification says.
        let entry = unsafe { ash::Entry::load() }.map_err(|_| {
            Error::environment("there is no Vulkan here: `libvulkan.so.1` cannot be loaded")
                .code("no-driver")
                .hint("install the Vulkan loader (package `libvulkan1`) and a driver, or use `--device=cpu`")
        })?;
        // SAFETY: plain calls of the loader, here and below; what they point to lives until they return.
        let version = unsafe { entry.try_enumerate_instance_version() }.ok().flatten().unwrap_or(vk::API_VERSION_1_0);
        let version = version.clamp(LEAST_VERSION, vk::API_VERSION_1_3);
        let application =
            vk::ApplicationInfo::default().application_name(c"halyard").engine_name(c"halyard").api_version(version);
        let mut info = vk::InstanceCreateInfo::default().application_info(&application);
        let layers = [VALIDATION.as_ptr()];
        let extensions = [ext::debug_utils::NAME.as_ptr()];
        let synchronization = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut checks = vk::ValidationFeaturesEXT::default().enabled_validation_features(&synchronization);
        if log.is_some() {
            // SAFETY: the loader is live as long as `entry`.
            let known = unsafe { entry.enumerate_instance_layer_properties() }.unwrap_or_default();
            if !known.iter().any(|l| l.layer_name_as_c_str() == Ok(VALIDATION)) {
                return Err(Error::environment(
                    "the checks of `--device-debug` are not installed: there is no `VK_LAYER_KHRONOS_validation`",
                )
                .code("no-driver")
                .hint("install package `vulkan-validationlayers`, or leave out `--device-debug`"));
            }
            info = info.enabled_layer_names(&layers).enabled_extension_names(&extensions).push_next(&mut checks);
        }
        // SAFETY: everything that `info` points to lives until the end of the call.
        let raw = unsafe { entry.create_instance(&info, None) }.map_err(|e| match e {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER => no_driver(),
            other => Error::environment(format!("Vulkan cannot be used: {}", name(other))).code("no-driver"),
        })?;
        let mut this = Self { raw, version, debug: None, _entry: entry };
        if let Some(log) = log {
            this.listen(log.clone())?;
        }
        Ok(this)
    }

    fn listen(&mut self, log: DeviceLog) -> Result<()> {
        let functions = ext::debug_utils::Instance::new(&self._entry, &self.raw);
        let log = Box::new(log);
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::ERROR | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
            )
            .message_type(
                vk::DebugUtilsMessageTypeFlagsEXT::GENERAL
                    | vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION
                    | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
            )
            .pfn_user_callback(Some(log_message))
            .user_data((&raw const *log).cast_mut().cast());
        // SAFETY: the log lives as long as the messenger.
        let messenger = unsafe { functions.create_debug_utils_messenger(&info, None) };
        let messenger = messenger.map_err(|e| Error::environment(format!("Vulkan cannot be debugged: {}", name(e))))?;
        self.debug = Some(Debug { functions, messenger, _log: log });
        Ok(())
    }

    /// Returns all devices, in the order of the loader. Fails if there is none.
    pub(super) fn devices(&self) -> Result<Vec<Found>> {
        // SAFETY: the instance lives, here and below.
        let all = unsafe { self.raw.enumerate_physical_devices() };
        let all = all.map_err(|e| match e {
            vk::Result::ERROR_INITIALIZATION_FAILED => no_driver(),
            other => Error::environment(format!("Vulkan cannot be used: {}", name(other))).code("no-driver"),
        })?;
        if all.is_empty() {
            return Err(no_driver());
        }
        Ok(all.into_iter().zip(0..).map(|(physical, index)| self.describe(physical, index)).collect())
    }

    fn describe(&self, physical: vk::PhysicalDevice, index: u32) -> Found {
        // SAFETY: the physical device is of this instance.
        let (properties, memory, families) = unsafe {
            (
                self.raw.get_physical_device_properties(physical),
                self.raw.get_physical_device_memory_properties(physical),
                self.raw.get_physical_device_queue_family_properties(physical),
            )
        };
        let name = properties.device_name_as_c_str().map_or(Cow::Borrowed("?"), CStr::to_string_lossy).into_owned();
        let driver = self.driver(physical, &properties);
        let heaps =
            memory.memory_heaps_as_slice().iter().filter(|h| h.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
        let family = families.iter().position(|f| f.queue_flags.contains(vk::QueueFlags::COMPUTE));
        Found {
            physical,
            properties,
            name,
            driver,
            index,
            memory: heaps.map(|h| h.size).max().unwrap_or(0),
            family: family.map(|f| f as u32),
            timestamp_bits: family.map_or(0, |f| families[f].timestamp_valid_bits),
        }
    }
}

impl Instance {
    /// The driver of a device as it calls itself, and its version.
    fn driver(&self, physical: vk::PhysicalDevice, properties: &vk::PhysicalDeviceProperties) -> String {
        let number = format!("{:#x}", properties.driver_version);
        if self.version.min(properties.api_version) < vk::API_VERSION_1_2 {
            return number;
        }
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
        // SAFETY: the device is of this instance, and knows the structure from Vulkan 1.2 on.
        unsafe { self.raw.get_physical_device_properties2(physical, &mut all) };
        let texts = [driver.driver_name_as_c_str(), driver.driver_info_as_c_str()];
        let texts = texts.into_iter().filter_map(Result::ok).map(CStr::to_string_lossy).filter(|t| !t.is_empty());
        let words: Vec<String> = texts.map(Cow::into_owned).chain([number]).collect();
        words.join(" ")
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: nothing that was made of the instance is left; its owners drop it last.
        unsafe {
            if let Some(debug) = self.debug.take() {
                debug.functions.destroy_debug_utils_messenger(debug.messenger, None);
            }
            self.raw.destroy_instance(None);
        }
    }
}

impl Found {
    /// Returns the reason why programs cannot run on it, if there is one.
    pub(super) fn problem(&self) -> Option<String> {
        let version = self.properties.api_version;
        if version < LEAST_VERSION {
            let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
            return Some(format!("it has Vulkan {major}.{minor}, programs take 1.1 at least"));
        }
        self.family.is_none().then(|| "it has no queue for kernels".into())
    }

    /// Returns the information that users see.
    pub(super) fn info(&self) -> DeviceInfo {
        let version = self.properties.api_version;
        let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
        DeviceInfo {
            name: DeviceName { kind: DeviceKind::Vulkan, index: Some(self.index) },
            title: format!("{}, Vulkan {major}.{minor}", self.name),
            identity: format!(
                "{}, driver {}, device {:04x}:{:04x}",
                self.name, self.driver, self.properties.vendor_id, self.properties.device_id
            ),
            memory: self.memory,
            problem: self.problem(),
        }
    }
}

fn no_driver() -> Error {
    Error::environment("there is no Vulkan device here: the loader finds no driver").code("no-driver").hint(
        "install a driver (on machines without a GPU package `mesa-vulkan-drivers` has one), or use `--device=cpu`",
    )
}

/// A message of a driver or of a layer.
unsafe extern "system" fn log_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    log: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the loader gives a message that lives during the call; the log is ours (see `listen`).
    unsafe {
        let (message, log) = ((*data).p_message, &*log.cast::<DeviceLog>());
        if !message.is_null() {
            (log.0)(&CStr::from_ptr(message).to_string_lossy());
        }
    }
    vk::FALSE
}
