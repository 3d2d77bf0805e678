//! The device that programs run on: flags, the list of devices, and messages of drivers.
use clap::{Args, ValueEnum};
use halyard_diag::{Diagnostic, Error, either};
use halyard_runtime::{DeviceInfo, DeviceKind, DeviceLog, DeviceName, DeviceOptions, devices};
use std::{
    fmt::Write as _,
    sync::{Arc, Mutex, PoisonError},
};

/// What a program runs on.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Devices")]
pub struct DeviceArgs {
    /// Run on this device: cpu, vulkan[:N], cuda[:N]
    ///
    /// Without a number, use the first discrete GPU, else the first device; --list-devices shows the numbers.
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: DeviceName,
    /// Run kernels without code for the device on the CPU, and copy their buffers
    #[arg(long, value_name = "DEVICE", value_enum)]
    pub fallback: Option<FallbackDevice>,
    /// Enable the driver's own checks and print their messages: Vulkan's validation layers
    #[arg(long)]
    pub device_debug: bool,
    /// Print the devices of this machine, and stop
    #[arg(long)]
    pub list_devices: bool,
}

/// Where kernels may run that have no code for the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FallbackDevice {
    /// The CPU of this machine
    Cpu,
}

/// The messages of drivers so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Messages(Arc<Mutex<Vec<String>>>);

impl Messages {
    /// Returns the messages as warnings, each once, and clears them.
    pub(crate) fn take(&self) -> Vec<Diagnostic> {
        let mut list = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut seen = std::collections::BTreeSet::new();
        list.retain(|text| seen.insert(text.clone()));
        list.into_iter().map(|text| Diagnostic::warning(text).code("device-debug")).collect()
    }
}

impl DeviceArgs {
    /// Errors: a flag that says something about a GPU, and programs run on the CPU.
    pub(crate) fn expect_used(&self) -> halyard_diag::Result<()> {
        let flag = self.fallback.map(|_| "--fallback").or(self.device_debug.then_some("--device-debug"));
        match flag.filter(|_| self.device.kind == DeviceKind::Cpu) {
            Some(flag) => {
                let choices: Vec<String> = DeviceKind::gpus().map(|gpu| format!("--device={}", gpu.name())).collect();
                Err(Error::usage(format!("`{flag}` has no effect: the program runs on the CPU"))
                    .hint(format!("{} runs it on a GPU", either(&choices))))
            }
            None => Ok(()),
        }
    }

    /// Returns the options for the runtime.
    pub(crate) fn options(&self, messages: &Messages) -> DeviceOptions {
        let debug = self.device_debug.then(|| {
            let to = messages.clone();
            DeviceLog(Arc::new(move |text: &str| {
                to.0.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned())
            }))
        });
        DeviceOptions { device: self.device, fallback: self.fallback.is_some(), debug }
    }
}

/// The devices of this machine, one a line; why there are none of a kind.
pub fn list_devices() -> String {
    let mut text = String::new();
    for kind in DeviceKind::ALL {
        match devices(kind) {
            Ok(list) => list.iter().for_each(|d| text += &line(d)),
            Err(error) => {
                let _ = writeln!(text, "{}: none, {error}", kind.name());
            }
        }
    }
    text
}

/// `vulkan:0: llvmpipe (LLVM 15.0.6, 256 bits), Vulkan 1.3, 31.2 GiB`.
fn line(device: &DeviceInfo) -> String {
    let memory = match device.memory {
        0 => String::new(),
        bytes => format!(", {:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    };
    let problem = device.problem.as_ref().map_or(String::new(), |why| format!(" (cannot be used: {why})"));
    format!("{}: {}{memory}{problem}\n", device.name, device.title)
}
