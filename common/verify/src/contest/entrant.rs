//! A kernel that takes part.
use crate::{
    device_export::DeviceExport,
    jit::Loaded,
    kernel::{cpu_property, device_property},
    trial::Count,
    worker::CodeOfVariant,
};
use halyard_ir::form::PackedWeight;
use halyard_runtime::LoneDevice;

/// A variant that is loaded into this process.
pub(super) struct Entrant {
    /// Its kernels, in the order of the exports of the source.
    pub(super) kernels: Vec<EntrantKernel>,
    /// Keeps the code.
    pub(super) _loaded: (Loaded, CodeOfVariant),
}

/// The kernel of an export.
pub(super) struct EntrantKernel {
    pub(super) code: EntrantCode,
    pub(super) count: Count,
    /// The load-time constants that its kernel takes.
    pub(super) takes: Vec<String>,
    /// The weights that it takes in other layouts.
    pub(super) packed: Vec<PackedWeight>,
}

/// What a kernel consists of.
pub(super) enum EntrantCode {
    /// A function of this process; its size in bytes is 0 if that is not known.
    Cpu { address: usize, size: usize },
    /// A module for a device.
    Device(DeviceExport),
}

impl EntrantKernel {
    /// The values of its load-time constants, on a device or else on this CPU.
    pub(super) fn load_constants(&self, device: Option<&LoneDevice>) -> Vec<i64> {
        let value = |name: &String| device.map_or_else(|| cpu_property(name), |device| device_property(device, name));
        self.takes.iter().map(value).collect()
    }
}
