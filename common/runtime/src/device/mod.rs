//! The interface between the interpreter and devices.

mod batch;
pub(crate) mod choose;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod fallback;
pub(crate) mod info;
pub(crate) mod invoke;
pub(crate) mod limits;
pub(crate) mod name;
mod pool;
mod scratch;
#[cfg(feature = "vulkan")]
mod vulkan;

pub(crate) use cpu::{Cpu, CpuKernel};
pub(crate) use fallback::Fallback;
pub(crate) use scratch::Record;

use crate::{
    TimelineSpan,
    commands::{DeviceCode, Kernel},
};
use halyard_diag::Result;
use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

/// A range of device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct DeviceRange {
    /// The address on the device; on the CPU a pointer.
    pub(crate) address: u64,
    /// The size in bytes.
    pub(crate) bytes: u64,
}

impl DeviceRange {
    /// A part of it; `None` if it does not lie inside.
    pub(crate) fn part(self, offset: u64, bytes: u64) -> Option<DeviceRange> {
        let end = offset.checked_add(bytes)?;
        (end <= self.bytes).then_some(DeviceRange { address: self.address + offset, bytes })
    }

    /// Returns the end address.
    pub(crate) fn end(self) -> u64 {
        self.address + self.bytes
    }

    /// Whether both ranges have a byte in common.
    pub(crate) fn overlaps(self, other: DeviceRange) -> bool {
        self.address < other.end() && other.address < self.end()
    }

    /// Returns the offset of a range in this one; `None` if it is not contained.
    pub(crate) fn offset_of(self, part: DeviceRange) -> Option<u64> {
        (self.address <= part.address && part.end() <= self.end()).then(|| part.address - self.address)
    }
}

/// A device other than the CPU that was found, and that programs may run on.
pub(crate) trait Adapter: fmt::Debug + Send + Sync {
    /// Returns the name and the vendor's name, for messages: ``device `vulkan:0` (llvmpipe)``.
    fn title(&self) -> String;
    /// Returns the features that it lacks to run a kernel, for "it needs …": `` `Float64` ``. Empty if it can run it.
    fn lacks(&self, kernel: &Kernel, code: &DeviceCode, module: &[u8], features: &[String]) -> Vec<String>;
    /// The value of a property `device.…`; `None` if it has no such property, 0 if it is unknown.
    fn property(&self, name: &str) -> Option<i64>;
    /// What kernels may take there.
    fn limits(&self) -> limits::DeviceLimits;
    /// Makes it ready for the kernels of a program, by their numbers; those that it does not run are `None`.
    fn open(self: Arc<Self>, kernels: &[Option<DeviceKernel<'_>>]) -> Result<Box<dyn Device>>;
}

/// A kernel's description for a device.
#[derive(Debug)]
#[cfg_attr(
    not(any(feature = "cuda", feature = "vulkan")),
    allow(dead_code, reason = "only devices other than the CPU read it")
)]
pub(crate) struct DeviceKernel<'a> {
    /// The name of the export, for messages.
    pub(crate) name: &'a str,
    /// The module that the kernel is in, at a multiple of 64 bytes.
    pub(crate) module: &'a [u8],
    /// The properties of its code.
    pub(crate) code: &'a DeviceCode,
    /// For each binding, whether the kernel writes it.
    pub(crate) written: &'a [bool],
    /// The values of its load-time constants; they come after the other constants of each dispatch, too.
    pub(crate) load_constants: Vec<i64>,
}

/// A kernel with what it is called with: the arguments of one dispatch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelCall<'a> {
    /// The number of the kernel.
    pub(crate) kernel: usize,
    /// The memory of each binding.
    pub(crate) bindings: &'a [DeviceRange],
    /// The constants of the kernel ABI, load-time constants at the end.
    pub(crate) constants: &'a [i64],
    /// The workgroup counts.
    pub(crate) workgroups: [u32; 3],
}

/// Memory and kernels of a device. Operations happen as if in the order of the calls; those that give bytes to the host wait.
///
/// Spans come from [`Device::allocate`], [`Device::constants`], [`Device::import`] and [`Device::import_mut`], and parts of
/// them; the caller keeps them, and host memory that is imported, alive until [`Device::end_call`]. That is what makes
/// implementations sound.
pub(crate) trait Device: fmt::Debug + Send {
    /// The number of threads that execute workgroups, 1 where that means nothing.
    fn threads(&self) -> usize;
    /// The system's numbers of those threads that are its own, which do not call it.
    fn own_threads(&self) -> Vec<i32> {
        Vec::new()
    }
    /// Makes memory, aligned to [`crate::ALIGNMENT`].
    fn allocate(&mut self, bytes: u64) -> Result<DeviceRange>;
    /// Frees memory.
    fn free(&mut self, span: DeviceRange);
    /// Makes host memory that outlives the device, and does not change, readable by it: once, for all calls.
    fn constants(&mut self, list: &[&[u8]]) -> Result<Vec<DeviceRange>>;
    /// Makes host memory readable by the device until the call ends.
    fn import(&mut self, bytes: &[u8]) -> Result<DeviceRange>;
    /// Makes host memory writable by the device, which sees its contents if `keep`; what it wrote is there after
    /// [`Device::finish`].
    fn import_mut(&mut self, bytes: &mut [u8], keep: bool) -> Result<DeviceRange>;
    /// Copies between ranges of the same length that do not overlap.
    fn copy(&mut self, source: DeviceRange, target: DeviceRange) -> Result<()>;
    /// Repeats an element over a range, whose length is a multiple of it.
    fn fill(&mut self, target: DeviceRange, element: &[u8]) -> Result<()>;
    /// Copies bytes from the device.
    fn read(&mut self, source: DeviceRange, bytes: &mut [u8]) -> Result<()>;
    /// Copies bytes to the device.
    fn write(&mut self, target: DeviceRange, bytes: &[u8]) -> Result<()>;
    /// Runs a kernel over its workgroups.
    fn dispatch(&mut self, call: KernelCall<'_>) -> Result<()>;
    /// Runs a kernel a number of times in a row, and says how long that took in all: it alone, after everything before it.
    fn time(&mut self, call: KernelCall<'_>, times: usize) -> Result<Duration>;
    /// Makes a range accessible to the host until [`Device::host_done`]. To read it, wait for [`Device::finish`]; after
    /// writing it, call [`Device::host_wrote`].
    fn host(&mut self, span: DeviceRange, use_: HostUse) -> Result<DeviceRange>;
    /// Updates the range with what the host wrote to `memory`, which [`Device::host`] returned for the range.
    fn host_wrote(&mut self, span: DeviceRange, memory: DeviceRange) -> Result<()> {
        // SAFETY: it is memory that `host` gave, which lives until `host_done`.
        let bytes = unsafe { std::slice::from_raw_parts(memory.address as *const u8, memory.bytes as usize) };
        self.write(span, bytes)
    }
    /// The host is done with all that [`Device::host`] gave.
    fn host_done(&mut self);
    /// Waits until all commands are done.
    fn finish(&mut self) -> Result<()>;
    /// Begins to note when which thread runs which workgroups, in nanoseconds since a time; `None` stops. `false` if the
    /// device has no threads to note this of: the time of a dispatch is then that of [`Device::time`].
    fn record_spans(&mut self, _since: Option<Instant>) -> bool {
        false
    }
    /// Gives what was noted. Dispatches are counted from the begin.
    fn take_spans(&mut self) -> Vec<TimelineSpan> {
        Vec::new()
    }
    /// Whether the host runs a kernel, because the device has no code for it.
    fn falls_back(&self, _kernel: usize) -> bool {
        false
    }
    /// Forgets what was imported. Everything was finished, or has failed.
    fn end_call(&mut self);
}

/// How the host uses memory of a device, see [`Device::host`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostUse {
    /// The host reads it.
    Read,
    /// The host writes all of it.
    Write,
}
