//! The CPU as a device: kernels are C functions, memory is the process's.
use super::{
    Device, DeviceRange, HostUse, KernelCall,
    batch::{Batch, Dispatch},
    pool::Pool,
};
use crate::{AlignedBytes, TimelineSpan, crash::Label};
use halyard_diag::{Error, Result};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// A kernel of a program.
#[derive(Debug, Clone)]
pub(crate) struct CpuKernel {
    /// Its address. It stays loaded as long as the program, which outlives its instances.
    pub(crate) address: usize,
    /// The name in reports.
    pub(crate) label: Label,
    /// For each binding, whether the kernel writes it.
    pub(crate) written: Vec<bool>,
    /// Operations of a dispatch, if known.
    pub(crate) flops: Option<u64>,
}

/// The rough speed of a thread per nanosecond: operations, and bytes of bindings. Used only to divide work.
const FLOPS: u64 = 64;
const BYTES: u64 = 16;
/// Work shorter than this, in nanoseconds, runs on the calling thread: waking others takes about as long.
const SMALL: u64 = 2000;

/// The CPU as a device.
#[derive(Debug)]
pub(crate) struct Cpu {
    kernels: Vec<CpuKernel>,
    pool: Pool,
    /// Dispatches that may run together, and have not run yet.
    batch: Batch,
    memory: BTreeMap<u64, AlignedBytes>,
    /// The number of dispatches so far.
    dispatches: u32,
}

impl Cpu {
    /// `threads` 0 is one per available core.
    pub(crate) fn new(kernels: Vec<CpuKernel>, threads: usize) -> Result<Self> {
        let threads = if threads == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { threads };
        let pool = Pool::new(threads).map_err(|e| {
            Error::environment(format!("cannot start {threads} threads: {e}")).hint("use fewer `--threads`")
        })?;
        Ok(Self { kernels, pool, batch: Batch::default(), memory: BTreeMap::new(), dispatches: 0 })
    }

    /// Whether a kernel writes a binding.
    pub(super) fn writes(&self, kernel: usize, binding: usize) -> bool {
        self.kernels[kernel].written[binding]
    }

    /// Runs the collected dispatches.
    fn flush(&mut self) {
        if !self.batch.is_empty() {
            // SAFETY: the program was checked: kernels have the interfaces that they are dispatched with, and bindings are
            // live ranges of the sizes that the host commands gave them, until the device has finished (see the trait).
            unsafe { self.batch.run(&mut self.pool) };
        }
    }

    /// Waits for what works with some memory.
    fn settle(&mut self, span: DeviceRange, write: bool) {
        if self.batch.conflicts(span, write) {
            self.flush();
        }
    }
}

impl Device for Cpu {
    fn threads(&self) -> usize {
        self.pool.threads()
    }

    fn own_threads(&self) -> Vec<i32> {
        self.pool.workers()
    }

    fn allocate(&mut self, bytes: u64) -> Result<DeviceRange> {
        let too_large = || no_memory(bytes);
        let size = usize::try_from(bytes).ok().filter(|&n| n < isize::MAX as usize - 64).ok_or_else(too_large)?;
        let memory = AlignedBytes::try_zeroed(size).ok_or_else(too_large)?;
        let address = memory.as_ptr() as u64;
        self.memory.insert(address, memory);
        Ok(DeviceRange { address, bytes })
    }

    fn free(&mut self, span: DeviceRange) {
        self.settle(span, true);
        self.memory.remove(&span.address);
    }

    fn constants(&mut self, list: &[&[u8]]) -> Result<Vec<DeviceRange>> {
        list.iter().map(|bytes| self.import(bytes)).collect()
    }

    fn import(&mut self, bytes: &[u8]) -> Result<DeviceRange> {
        Ok(DeviceRange { address: bytes.as_ptr() as u64, bytes: bytes.len() as u64 })
    }

    fn import_mut(&mut self, bytes: &mut [u8], _keep: bool) -> Result<DeviceRange> {
        Ok(DeviceRange { address: bytes.as_mut_ptr() as u64, bytes: bytes.len() as u64 })
    }

    fn copy(&mut self, source: DeviceRange, target: DeviceRange) -> Result<()> {
        debug_assert_eq!(source.bytes, target.bytes);
        self.settle(source, false);
        self.settle(target, true);
        // SAFETY: both ranges are live (see the trait). `copy` allows them to overlap, should they.
        unsafe { std::ptr::copy(source.address as *const u8, target.address as *mut u8, source.bytes as usize) };
        Ok(())
    }

    fn fill(&mut self, target: DeviceRange, element: &[u8]) -> Result<()> {
        self.settle(target, true);
        // SAFETY: the range is live and exclusively ours (see the trait).
        let bytes = unsafe { std::slice::from_raw_parts_mut(target.address as *mut u8, target.bytes as usize) };
        if element.iter().all(|&b| b == element[0]) {
            bytes.fill(element[0]);
        } else {
            bytes.chunks_exact_mut(element.len()).for_each(|e| e.copy_from_slice(element));
        }
        Ok(())
    }

    fn read(&mut self, source: DeviceRange, bytes: &mut [u8]) -> Result<()> {
        debug_assert_eq!(source.bytes, bytes.len() as u64);
        self.settle(source, false);
        // SAFETY: the range is live (see the trait).
        unsafe { std::ptr::copy_nonoverlapping(source.address as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn write(&mut self, target: DeviceRange, bytes: &[u8]) -> Result<()> {
        debug_assert_eq!(target.bytes, bytes.len() as u64);
        self.settle(target, true);
        // SAFETY: the range is live and exclusively ours (see the trait).
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target.address as *mut u8, bytes.len()) };
        Ok(())
    }

    fn dispatch(&mut self, call: KernelCall<'_>) -> Result<()> {
        let KernelCall { kernel, bindings, constants, workgroups } = call;
        let number = self.dispatches;
        self.dispatches = number.wrapping_add(1);
        let total = workgroups.iter().try_fold(1u64, |n, &c| n.checked_mul(u64::from(c)));
        let Some(total) = total else {
            return Err(Error::input(format!("{workgroups:?} workgroups are too many")));
        };
        if total == 0 {
            return Ok(());
        }
        let &CpuKernel { address, label, ref written, flops } = &self.kernels[kernel];
        // What writes nothing need not run: an empty tensor may have any number of empty rows.
        let mut results =
            bindings.iter().zip(written).filter(|(_, written)| **written).map(|(binding, _)| binding).peekable();
        if results.peek().is_some() && results.all(|binding| binding.bytes == 0) {
            return Ok(());
        }
        let bytes: u64 = bindings.iter().map(|b| b.bytes).sum();
        let cost = (flops.unwrap_or(0) / FLOPS).max(bytes / BYTES).max(1);
        let dispatch = Dispatch { number, function: address, label, bindings, written, constants, workgroups, cost };
        if self.batch.must_run_before(&dispatch) {
            // SAFETY: as in `flush`.
            unsafe { self.batch.run(&mut self.pool) };
        }
        if self.pool.threads() == 1 || cost < SMALL {
            // SAFETY: as in `flush`.
            unsafe { self.batch.run_here(&dispatch) };
        } else {
            self.batch.add(&dispatch);
        }
        Ok(())
    }

    fn time(&mut self, call: KernelCall<'_>, times: usize) -> Result<Duration> {
        self.finish()?;
        let start = Instant::now();
        for _ in 0..times {
            self.dispatch(call)?;
        }
        self.finish()?;
        Ok(start.elapsed())
    }

    fn host(&mut self, span: DeviceRange, _use: HostUse) -> Result<DeviceRange> {
        Ok(span)
    }

    fn host_wrote(&mut self, _span: DeviceRange, _memory: DeviceRange) -> Result<()> {
        Ok(())
    }

    fn host_done(&mut self) {}

    fn finish(&mut self) -> Result<()> {
        self.flush();
        Ok(())
    }

    fn record_spans(&mut self, since: Option<Instant>) -> bool {
        self.batch.record(since);
        self.dispatches = 0;
        true
    }

    fn take_spans(&mut self) -> Vec<TimelineSpan> {
        self.batch.take_spans()
    }

    fn end_call(&mut self) {}
}

/// Makes the error for exhausted memory.
pub(super) fn no_memory(bytes: u64) -> Error {
    Error::environment(format!("cannot allocate {bytes} bytes")).code("out-of-memory")
}

#[cfg(test)]
mod tests;
