//! Lists devices and selects the one that a program runs on. Each kind of device has its own folder; only this file
//! knows their functions that list and open devices.
use super::{
    Adapter, cuda,
    info::{DeviceInfo, DeviceOptions},
    name::{DeviceKind, DeviceName},
    vulkan,
};
use halyard_diag::Result;
use std::sync::Arc;

/// Lists the devices of a kind. Errors: why there can be none (no driver).
pub fn devices(kind: DeviceKind) -> Result<Vec<DeviceInfo>> {
    match kind {
        DeviceKind::Cpu => Ok(vec![cpu()]),
        DeviceKind::Vulkan => vulkan::devices(),
        DeviceKind::Cuda => cuda::devices(),
    }
}

/// Finds the device; `None` is the CPU. Errors: no driver, no such device, one that lacks what every program needs.
pub(crate) fn open(options: &DeviceOptions) -> Result<Option<Arc<dyn Adapter>>> {
    match options.device.kind {
        DeviceKind::Cpu => Ok(None),
        DeviceKind::Vulkan => vulkan::open(options).map(Some),
        DeviceKind::Cuda => cuda::open(options.device.index).map(Some),
    }
}

fn cpu() -> DeviceInfo {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        text.lines().find_map(|l| l.strip_prefix("model name")?.split_once(':')).map(|(_, m)| m.trim().to_owned());
    let plural = if threads == 1 { "" } else { "s" };
    let title = format!("{}, {threads} thread{plural}", model.unwrap_or_else(|| std::env::consts::ARCH.into()));
    let memory = crate::property::property("device.memory_bytes", 1, &Default::default()).unwrap_or(0);
    DeviceInfo { name: DeviceName::default(), title, memory: memory.unsigned_abs(), problem: None }
}
