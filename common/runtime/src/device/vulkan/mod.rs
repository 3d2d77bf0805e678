//! Vulkan devices, through the driver that is found on demand.
//!
//! Commands of the interpreter are collected (`commands`) and submitted when the host needs a result: one command
//! buffer for a run of a static program (`record`), which is kept and submitted again when the next run has the same
//! commands. Buffers stay on the device (`memory`); their addresses are virtual, and a table translates them to
//! buffers.

mod adapter;
mod commands;
mod device;
mod error;
mod features;
mod float_modes;
mod instance;
mod kernels;
mod memory;
mod queue;
mod record;
mod sizes;

use super::{
    Adapter,
    info::{DeviceInfo, DeviceOptions},
    name::{DeviceKind, DeviceName},
};
use adapter::VulkanAdapter;
use ash::vk;
use halyard_diag::{Error, Result};
use instance::{Found, Instance};
use std::sync::Arc;

/// Lists the devices. Errors: no loader, no driver.
pub(super) fn devices() -> Result<Vec<DeviceInfo>> {
    let instance = Instance::new(None)?;
    let found = instance.devices()?;
    Ok(found.iter().map(Found::info).collect())
}

/// The number of the device that is opened where none is said. Errors: no loader, no driver.
pub(super) fn best_device() -> Result<u32> {
    Ok(best(&Instance::new(None)?.devices()?) as u32)
}

/// Opens a device. Errors: no loader, no driver, no such device, one that programs cannot run on.
pub(super) fn open(options: &DeviceOptions) -> Result<Arc<dyn Adapter>> {
    let instance = Instance::new(options.debug.as_ref())?;
    let found = instance.devices()?;
    let index = match options.device.index {
        Some(index) => index as usize,
        None => best(&found),
    };
    let Some(chosen) = found.get(index) else {
        let (count, list) = (found.len(), found.iter().map(|f| f.info().title));
        let plural = if count == 1 { "device" } else { "devices" };
        let error =
            Error::environment(format!("there is no device `{}`: Vulkan has {count} {plural} here", options.device))
                .code("no-device");
        let error = list.enumerate().fold(error, |e, (i, title)| e.note(format!("`vulkan:{i}` is {title}")));
        return Err(error.hint("`--list-devices` lists them"));
    };
    if let Some(problem) = chosen.problem() {
        let name = DeviceName { kind: DeviceKind::Vulkan, index: Some(index as u32) };
        return Err(Error::environment(format!("device `{name}` ({}) cannot be used: {problem}", chosen.name))
            .code("no-device"));
    }
    Ok(Arc::new(VulkanAdapter::new(instance, chosen, index as u32)?))
}

/// The first discrete one, or else the first of the next best kind.
fn best(found: &[Found]) -> usize {
    let rank = |f: &Found| match f.properties.device_type {
        _ if f.problem().is_some() => 9,
        vk::PhysicalDeviceType::DISCRETE_GPU => 0,
        vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
        vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
        vk::PhysicalDeviceType::CPU => 3,
        _ => 4,
    };
    (0..found.len()).min_by_key(|&i| rank(&found[i])).unwrap_or(0)
}
