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
use halyard_diag::{Error, Result};
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

/// The device that a name means, as programs would run on it. Errors: there is none.
pub fn device_info(name: DeviceName) -> Result<DeviceInfo> {
    let found = devices(name.kind)?;
    let best = match name.kind {
        #[cfg(feature = "vulkan")]
        DeviceKind::Vulkan if name.index.is_none() => vulkan::best_device()?,
        _ => name.index.unwrap_or(0),
    };
    found.into_iter().nth(best as usize).ok_or_else(|| {
        Error::environment(format!("there is no device `{name}`")).code("no-device").hint("`--list-devices` lists them")
    })
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
    let identity = title.clone();
    let memory = crate::property::property("device.memory_bytes", 1, &Default::default()).unwrap_or(0);
    DeviceInfo { name: DeviceName::default(), title, identity, memory: memory.unsigned_abs(), problem: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_known_by_its_name() {
        let cpu = device_info(DeviceName::default()).unwrap();
        assert_eq!((cpu.name, &cpu.identity), (DeviceName::default(), &cpu.title));
    }

    #[cfg(feature = "vulkan")]
    #[test]
    fn a_gpu_is_known_by_its_driver_and_numbers() {
        // Without a driver there is nothing to look at.
        let Ok(best) = device_info(DeviceName { kind: DeviceKind::Vulkan, index: None }) else { return };
        assert!(best.identity.contains(", driver ") && best.identity.contains(", device "), "{}", best.identity);
        assert_eq!(device_info(best.name).unwrap(), best);
        let absent = DeviceName { kind: DeviceKind::Vulkan, index: Some(99) };
        assert!(device_info(absent).unwrap_err().to_string().contains("`vulkan:99`"));
    }
}
