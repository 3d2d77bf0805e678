//! What is known of a device before it is opened, and how to open it.
use super::name::DeviceName;
use std::{fmt, sync::Arc};

/// What a program shall run on.
#[derive(Debug, Clone, Default)]
pub struct DeviceOptions {
    /// The device.
    pub device: DeviceName,
    /// Kernels without a variant for the device run on the CPU, with copies around.
    pub fallback: bool,
    /// Where messages of the checks go that drivers can make of how they are used (the validation layers of Vulkan).
    /// Without it there are no checks.
    pub debug: Option<DeviceLog>,
}

/// Hears what a driver has to say.
#[derive(Clone)]
pub struct DeviceLog(pub Arc<dyn Fn(&str) + Send + Sync>);

impl fmt::Debug for DeviceLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceLog")
    }
}

/// A device that there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its name, with its number.
    pub name: DeviceName,
    /// What its maker calls it, and what it is: `NVIDIA H100, sm_90`.
    pub title: String,
    /// The bytes of its memory, 0 if unknown.
    pub memory: u64,
    /// Why programs cannot run on it, if so.
    pub problem: Option<String>,
}
