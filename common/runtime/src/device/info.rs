//! Information about a device before it is opened, and options for opening it.
use super::name::DeviceName;
use std::{fmt, sync::Arc};

/// The device that a program runs on, and how it is used.
#[derive(Debug, Clone, Default)]
pub struct DeviceOptions {
    /// The device.
    pub device: DeviceName,
    /// Kernels without a variant for the device run on the CPU, with copies around.
    pub fallback: bool,
    /// Receives messages of the driver's own checks (the validation layers of Vulkan). `None` disables the checks.
    pub debug: Option<DeviceLog>,
}

/// A callback for messages of drivers.
#[derive(Clone)]
pub struct DeviceLog(pub Arc<dyn Fn(&str) + Send + Sync>);

impl fmt::Debug for DeviceLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceLog")
    }
}

/// A device of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The name with its number, such as `cuda:0`.
    pub name: DeviceName,
    /// The vendor's name and the kind: `NVIDIA H100, sm_90`.
    pub title: String,
    /// Tells it from devices on which other kernels are fast: its name, its driver with the version, and the numbers of vendor and device.
    pub identity: String,
    /// The bytes of its memory, 0 if unknown.
    pub memory: u64,
    /// The reason why programs cannot run on it, if there is one.
    pub problem: Option<String>,
}
