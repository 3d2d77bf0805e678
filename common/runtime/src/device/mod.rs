//! What the interpreter needs of a device.

mod batch;
mod cpu;
mod invoke;
mod pool;

pub(crate) use cpu::{Cpu, CpuKernel};

use halyard_diag::Result;
use std::fmt;

/// A range of device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    /// The address on the device; on the CPU a pointer.
    pub(crate) address: u64,
    /// How many bytes.
    pub(crate) bytes: u64,
}

impl Span {
    /// A part of it; `None` if it does not lie inside.
    pub(crate) fn part(self, offset: u64, bytes: u64) -> Option<Span> {
        let end = offset.checked_add(bytes)?;
        (end <= self.bytes).then_some(Span { address: self.address + offset, bytes })
    }

}

/// Memory and kernels of a device. Operations happen as if in the order of the calls; those that give bytes to the host wait.
///
/// Spans come from [`Device::allocate`], [`Device::import`] and [`Device::import_mut`], and parts of them; the caller
/// keeps them alive until [`Device::finish`]. That is what makes implementations sound.
pub(crate) trait Device: fmt::Debug + Send {
    /// The number of threads that execute workgroups, 1 where that means nothing.
    fn threads(&self) -> usize;
    /// Makes memory, aligned to [`crate::ALIGNMENT`].
    fn allocate(&mut self, bytes: u64) -> Result<Span>;
    /// Gives memory back.
    fn free(&mut self, span: Span);
    /// Makes host memory readable by the device until the call ends.
    fn import(&mut self, bytes: &[u8]) -> Result<Span>;
    /// Makes host memory writable by the device; what it wrote is there after [`Device::finish`].
    fn import_mut(&mut self, bytes: &mut [u8]) -> Result<Span>;
    /// Copies between ranges of the same length that do not overlap.
    fn copy(&mut self, source: Span, target: Span) -> Result<()>;
    /// Repeats an element over a range, whose length is a multiple of it.
    fn fill(&mut self, target: Span, element: &[u8]) -> Result<()>;
    /// Reads bytes.
    fn read(&mut self, source: Span, bytes: &mut [u8]) -> Result<()>;
    /// Writes bytes.
    fn write(&mut self, target: Span, bytes: &[u8]) -> Result<()>;
    /// Runs a kernel over its workgroups.
    fn dispatch(&mut self, kernel: usize, bindings: &[Span], constants: &[i64], workgroups: [u32; 3]) -> Result<()>;
    /// A range as memory of the host, which may be used until the call ends once [`Device::finish`] has returned.
    fn host(&mut self, span: Span) -> Result<Span>;
    /// Waits until everything is done.
    fn finish(&mut self) -> Result<()>;
}
