//! Lists devices and selects the one that a program runs on. Each kind of device has its own folder; only this file
//! knows their functions that list and open devices.
#[cfg(feature = "cuda")]
use super::cuda;
#[cfg(feature = "vulkan")]
use super::vulkan;
use super::{
    Adapter,
    info::{DeviceInfo, DeviceOptions},
    name::{DeviceKind, DeviceName},
};
#[cfg(not(all(feature = "vulkan", feature = "cuda")))]
use halyard_diag::Error;
use halyard_diag::Result;
use std::sync::Arc;

/// Lists the devices of a kind. Errors: why there can be none (no driver).
pub fn devices(kind: DeviceKind) -> Result<Vec<DeviceInfo>> {
    match kind {
        DeviceKind::Cpu => Ok(vec![cpu()]),
        #[cfg(feature = "vulkan")]
        DeviceKind::Vulkan => vulkan::devices(),
        #[cfg(feature = "cuda")]
        DeviceKind::Cuda => cuda::devices(),
        #[cfg(not(all(feature = "vulkan", feature = "cuda")))]
        other => Err(left_out(other)),
    }
}

/// Finds the device; `None` is the CPU. Errors: no driver, no such device, one that lacks what every program needs.
pub(crate) fn open(options: &DeviceOptions) -> Result<Option<Arc<dyn Adapter>>> {
    match options.device.kind {
        DeviceKind::Cpu => Ok(None),
        #[cfg(feature = "vulkan")]
        DeviceKind::Vulkan => vulkan::open(options).map(Some),
        #[cfg(feature = "cuda")]
        DeviceKind::Cuda => cuda::open(options.device.index).map(Some),
        #[cfg(not(all(feature = "vulkan", feature = "cuda")))]
        other => Err(left_out(other)),
    }
}

/// The error for a kind of device that this build cannot use.
#[cfg(not(all(feature = "vulkan", feature = "cuda")))]
fn left_out(kind: DeviceKind) -> Error {
    let kind = kind.name();
    Error::environment(format!("this build of the runtime has no `{kind}` devices"))
        .code("no-device")
        .hint(format!("build it with the feature `{kind}` of `halyard-runtime`, or run on the CPU"))
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
