//! Implements the interpreter's device interface for Vulkan.

mod bind;
mod constants;

use super::{
    super::{Device, DeviceKernel, DeviceRange, HostUse, KernelCall},
    commands::{Command, Commands, SMALL},
    error::failed,
    kernels::Pipeline,
    memory::{Memory, Slots, Use},
    queue::Context,
    record::{Recording, timed},
};
use crate::AlignedBytes;
use ash::vk;
use halyard_diag::{Error, Result};
use std::{sync::Arc, time::Duration};

/// The number of recordings that are kept.
const KEEP: usize = 16;
/// The most commands that are collected.
const MOST: usize = 4096;
/// The most bytes that are sent to the device at once.
const STAGE: u64 = 16 << 20;
/// The number of runs of a kernel in one submission when it is measured.
const RUNS: usize = 1024;

/// A device with the kernels and buffers of an instance.
#[derive(Debug)]
pub(super) struct Vulkan {
    recordings: Vec<Recording>,
    kernels: Vec<Option<Pipeline>>,
    commands: Commands,
    imports: Slots,
    uploads: Slots,
    scratch: Slots,
    downloads: Slots,
    outputs: Vec<Output>,
    host: Vec<HostCopy>,
    /// The buffer that is bound for an empty binding.
    empty: DeviceRange,
    fence: vk::Fence,
    memory: Memory,
    context: Arc<Context>,
}

/// Memory of the host that gets what the device wrote.
#[derive(Debug)]
struct Output {
    on_device: DeviceRange,
    /// The destination; it is alive until the call ends (see the trait).
    to: HostPointer,
    /// The device wrote it since it was last copied.
    written: bool,
}

/// Host memory for a host function.
#[derive(Debug)]
struct HostCopy {
    on_device: DeviceRange,
    memory: AlignedBytes,
    /// Whether it must be filled when the device has finished.
    wanted: bool,
}

#[derive(Debug, Clone, Copy)]
struct HostPointer(*mut u8);
// SAFETY: only used during the call that gave it.
unsafe impl Send for HostPointer {}

impl Vulkan {
    /// Compiles the kernels. Errors: the driver's.
    pub(super) fn new(context: Arc<Context>, kernels: &[Option<DeviceKernel<'_>>]) -> Result<Self> {
        let mut memory = Memory::new(Arc::clone(&context))?;
        let compile =
            |kernel: &Option<DeviceKernel<'_>>| kernel.as_ref().map(|k| Pipeline::new(&context, k)).transpose();
        let kernels = kernels.iter().map(compile).collect::<Result<Vec<_>>>()?;
        let empty = memory.allocate(bind::VECTOR, Use::Device)?;
        // SAFETY: the device is live.
        let fence = unsafe { context.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(|e| failed(&context.title, "be used", e))?;
        Ok(Self {
            recordings: Vec::new(),
            kernels,
            commands: Commands::default(),
            imports: Slots::new(Use::Device),
            uploads: Slots::new(Use::Upload),
            scratch: Slots::new(Use::Device),
            downloads: Slots::new(Use::Download),
            outputs: Vec::new(),
            host: Vec::new(),
            empty,
            fence,
            memory,
            context,
        })
    }

    /// Submits what is collected, and waits.
    fn flush(&mut self) -> Result<()> {
        if self.commands.is_empty() {
            return Ok(());
        }
        let known = self.recordings.iter().position(|r| r.commands.alike(&self.commands));
        let recording = match known {
            Some(i) => self.recordings.remove(i),
            None => Recording::new(&self.context, self.commands.clone(), &mut self.memory, &self.kernels)?,
        };
        recording.set_data(&self.commands.data, &self.memory);
        self.commands.clear();
        let ran = self.context.run(recording.buffer, self.fence);
        self.scratch.reset();
        // The latest is the last.
        self.recordings.push(recording);
        if self.recordings.len() > KEEP {
            self.recordings.remove(0).give_back(&mut self.memory);
        }
        ran
    }

    fn push(&mut self, command: Command) -> Result<()> {
        self.commands.list.push(command);
        if self.commands.list.len() >= MOST { self.flush() } else { Ok(()) }
    }

    /// Notes that the device writes a range.
    fn wrote(&mut self, span: DeviceRange) {
        self.outputs.iter_mut().filter(|o| o.on_device.overlaps(span)).for_each(|o| o.written = true);
    }

    /// Copies bytes to the device immediately.
    fn upload(&mut self, target: DeviceRange, bytes: &[u8]) -> Result<()> {
        self.flush()?;
        if let Some(to) = self.memory.writable(target) {
            // SAFETY: the range is mapped and of this size, and the device does nothing.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.as_ptr(), bytes.len()) };
            return Ok(());
        }
        for (i, piece) in bytes.chunks(STAGE as usize).enumerate() {
            let stage = self.uploads.take(piece.len() as u64, &mut self.memory)?;
            let to = self.host_side(stage)?;
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), to, piece.len()) };
            let target = DeviceRange { address: target.address + i as u64 * STAGE, bytes: piece.len() as u64 };
            self.commands.list.push(Command::Copy { source: stage, target });
            self.flush()?;
            self.uploads.back();
        }
        Ok(())
    }

    /// Returns the host address of a staging buffer.
    fn host_side(&self, span: DeviceRange) -> Result<*mut u8> {
        let mapped = self.memory.writable(span).map(std::ptr::NonNull::as_ptr);
        mapped.ok_or_else(|| {
            Error::environment(format!("{} has no memory that the host sees", self.context.title)).code("device-failed")
        })
    }
}

impl Device for Vulkan {
    fn threads(&self) -> usize {
        1
    }

    fn allocate(&mut self, bytes: u64) -> Result<DeviceRange> {
        self.memory.allocate(bytes, Use::Device)
    }

    fn free(&mut self, span: DeviceRange) {
        // Collected commands may use it. If they fail, so does everything after them.
        let _ = self.flush();
        self.memory.free(span);
    }

    fn constants(&mut self, list: &[&[u8]]) -> Result<Vec<DeviceRange>> {
        self.place_constants(list)
    }

    fn import(&mut self, bytes: &[u8]) -> Result<DeviceRange> {
        let span = self.imports.take(bytes.len() as u64, &mut self.memory)?;
        let direct = self.memory.writable(span).map(std::ptr::NonNull::as_ptr);
        let (to, stage) = match direct {
            Some(to) => (to, None),
            None => {
                let stage = self.uploads.take(bytes.len() as u64, &mut self.memory)?;
                (self.host_side(stage)?, Some(stage))
            }
        };
        // SAFETY: the range is mapped and of this size, and nothing that was submitted uses it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
        if let Some(source) = stage.filter(|_| !bytes.is_empty()) {
            self.push(Command::Copy { source, target: span })?;
        }
        Ok(span)
    }

    fn import_mut(&mut self, bytes: &mut [u8], keep: bool) -> Result<DeviceRange> {
        let on_device = match keep {
            true => self.import(bytes)?,
            false => self.imports.take(bytes.len() as u64, &mut self.memory)?,
        };
        self.outputs.push(Output { on_device, to: HostPointer(bytes.as_mut_ptr()), written: false });
        Ok(on_device)
    }

    fn copy(&mut self, source: DeviceRange, target: DeviceRange) -> Result<()> {
        debug_assert_eq!(source.bytes, target.bytes);
        if source.bytes == 0 || source == target {
            return Ok(());
        }
        self.wrote(target);
        if source.overlaps(target) {
            let between = self.scratch.take(source.bytes, &mut self.memory)?;
            self.push(Command::Copy { source, target: between })?;
            return self.push(Command::Copy { source: between, target });
        }
        self.push(Command::Copy { source, target })
    }

    fn fill(&mut self, target: DeviceRange, element: &[u8]) -> Result<()> {
        self.wrote(target);
        self.commands.fill(target, element);
        if self.commands.list.len() >= MOST { self.flush() } else { Ok(()) }
    }

    fn read(&mut self, source: DeviceRange, bytes: &mut [u8]) -> Result<()> {
        debug_assert_eq!(source.bytes, bytes.len() as u64);
        if bytes.is_empty() {
            return Ok(());
        }
        let direct = self.memory.readable(source);
        let from = match direct {
            Some(from) => from.as_ptr(),
            None => {
                let stage = self.downloads.take(source.bytes, &mut self.memory)?;
                self.commands.list.push(Command::Copy { source, target: stage });
                self.downloads.back();
                self.host_side(stage)?
            }
        };
        self.flush()?;
        // SAFETY: the range is mapped and of this size, and the device is done.
        unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn write(&mut self, target: DeviceRange, bytes: &[u8]) -> Result<()> {
        debug_assert_eq!(target.bytes, bytes.len() as u64);
        self.wrote(target);
        if bytes.len() as u64 > SMALL {
            return self.upload(target, bytes);
        }
        self.commands.write(target, bytes);
        if self.commands.list.len() >= MOST { self.flush() } else { Ok(()) }
    }

    fn dispatch(&mut self, call: KernelCall<'_>) -> Result<()> {
        let KernelCall { kernel, bindings, constants, workgroups } = call;
        if workgroups.contains(&0) {
            return Ok(());
        }
        self.check(kernel, workgroups)?;
        let (bound, back) = self.bindings(kernel, bindings)?;
        let pipeline = self.kernels[kernel].as_ref().expect("as in `bindings`");
        pipeline.pack(constants, &mut self.commands.constants)?;
        for (i, &span) in bindings.iter().enumerate().filter(|(i, _)| pipeline.written[*i]) {
            debug_assert!(i < bound.len());
            self.outputs.iter_mut().filter(|o| o.on_device.overlaps(span)).for_each(|o| o.written = true);
        }
        self.commands.bindings.extend(bound);
        self.commands.list.push(Command::Dispatch { kernel: kernel as u32, workgroups });
        for (source, target) in back {
            self.commands.list.push(Command::Copy { source, target });
        }
        if self.commands.list.len() >= MOST { self.flush() } else { Ok(()) }
    }

    fn time(&mut self, call: KernelCall<'_>, times: usize) -> Result<Duration> {
        let KernelCall { kernel, bindings, constants, workgroups } = call;
        self.check(kernel, workgroups)?;
        let (bound, back) = self.bindings(kernel, bindings)?;
        self.flush()?;
        let pipeline = self.kernels[kernel].as_ref().expect("as in `bindings`");
        let mut push = Vec::new();
        pipeline.pack(constants, &mut push)?;
        let mut took = Duration::ZERO;
        if !workgroups.contains(&0) {
            for start in (0..times).step_by(RUNS) {
                let run = (pipeline, &*bound, &*push);
                took += timed(&self.context, self.fence, &self.memory, run, workgroups, RUNS.min(times - start))?;
            }
        }
        let written: Vec<DeviceRange> =
            bindings.iter().zip(&pipeline.written).filter(|(_, w)| **w).map(|(&s, _)| s).collect();
        written.into_iter().for_each(|span| self.wrote(span));
        for (source, target) in back {
            self.push(Command::Copy { source, target })?;
        }
        Ok(took)
    }

    fn host(&mut self, span: DeviceRange, use_: HostUse) -> Result<DeviceRange> {
        let memory = usize::try_from(span.bytes).ok().and_then(AlignedBytes::try_zeroed);
        let memory = memory.ok_or_else(|| super::super::cpu::no_memory(span.bytes))?;
        let place = DeviceRange { address: memory.as_ptr() as u64, bytes: span.bytes };
        self.host.push(HostCopy { on_device: span, memory, wanted: use_ == HostUse::Read });
        Ok(place)
    }

    fn host_done(&mut self) {
        self.host.clear();
    }

    fn finish(&mut self) -> Result<()> {
        // All in one submission: first copies to where the host can read.
        let wanted: Vec<(DeviceRange, HostPointer)> = {
            let outputs =
                self.outputs.iter().filter(|o| o.written && o.on_device.bytes > 0).map(|o| (o.on_device, o.to));
            let host = self.host.iter_mut().filter(|h| h.wanted && h.on_device.bytes > 0);
            outputs.chain(host.map(|h| (h.on_device, HostPointer(h.memory.as_mut_ptr())))).collect()
        };
        let mut ready = Vec::new();
        for (span, to) in wanted {
            let from = match self.memory.readable(span) {
                Some(from) => from.as_ptr(),
                None => {
                    let stage = self.downloads.take(span.bytes, &mut self.memory)?;
                    self.commands.list.push(Command::Copy { source: span, target: stage });
                    self.host_side(stage)?
                }
            };
            ready.push((from, to, span.bytes as usize));
        }
        self.downloads.reset();
        self.flush()?;
        for (from, to, bytes) in ready {
            // SAFETY: both are of this size and alive (see the trait), and the device is done.
            unsafe { std::ptr::copy_nonoverlapping(from, to.0, bytes) };
        }
        self.outputs.iter_mut().for_each(|o| o.written = false);
        self.host.iter_mut().for_each(|h| h.wanted = false);
        Ok(())
    }

    fn end_call(&mut self) {
        self.commands.clear();
        self.outputs.clear();
        self.host.clear();
        for slots in [&mut self.imports, &mut self.uploads, &mut self.scratch, &mut self.downloads] {
            slots.reset();
        }
    }
}

impl Drop for Vulkan {
    fn drop(&mut self) {
        self.context.settle();
        // SAFETY: nothing uses it any more.
        unsafe { self.context.raw.destroy_fence(self.fence, None) };
    }
}

#[cfg(test)]
mod tests;
