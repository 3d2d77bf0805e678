//! NVIDIA GPUs, through the CUDA driver API, which is loaded on demand.
//!
//! [`driver`] has the calls and their errors, [`adapter`] a device that was found, [`modules`] the code of a program
//! on it. A call of a program collects its dispatches, copies and fills ([`commands`]) and submits them together; a
//! list that recurs becomes a graph, which is one submission. [`memory`] reuses the buffers of inputs and outputs
//! between calls, so that their addresses, and with them the lists, stay the same.

mod adapter;
mod commands;
mod device;
mod driver;
mod memory;
mod modules;
mod properties;

use super::{
    Adapter,
    info::DeviceInfo,
    name::{DeviceKind, DeviceName},
};
use adapter::CudaAdapter;
use halyard_diag::{Error, Result};
use std::sync::Arc;

/// Lists the devices. Errors: no driver, one that does not start, no device.
pub(super) fn devices() -> Result<Vec<DeviceInfo>> {
    (0..driver::start()?)
        .map(|index| {
            let found = CudaAdapter::new(index)?;
            let name = DeviceName { kind: DeviceKind::Cuda, index: Some(index) };
            let title = found.description();
            let identity = format!("{title}, driver for CUDA {}", driver::version());
            Ok(DeviceInfo { name, title, identity, memory: found.memory(), problem: None })
        })
        .collect()
}

/// Finds a device, the first one if it is not said which. Errors: no driver, one that does not start, no such device.
pub(super) fn open(index: Option<u32>) -> Result<Arc<dyn Adapter>> {
    let count = driver::start()?;
    let index = index.unwrap_or(0);
    if index >= count {
        let there = if count == 1 { "there is one".to_owned() } else { format!("there are {count}") };
        return Err(Error::environment(format!("there is no device `cuda:{index}`: {there}, from `cuda:0` on"))
            .code("no-device")
            .hint("`--list-devices` lists them"));
    }
    Ok(Arc::new(CudaAdapter::new(index)?))
}
