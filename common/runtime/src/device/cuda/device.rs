//! A device with the kernels of a program.
use super::{
    adapter::CudaAdapter,
    commands::{self, Command, Graphs, List},
    driver::check,
    memory::Memory,
    modules::{self, Kernel, Modules},
};
use crate::{
    AlignedBytes,
    device::{Adapter, Device, DeviceKernel, DeviceRange, HostUse, KernelCall},
};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use halyard_diag::{Error, Result};
use std::{sync::Arc, time::Duration};

/// The heap of kernels that take memory themselves, in bytes, unless the device is small.
const HEAP: u64 = 1 << 30;

/// A CUDA device.
#[derive(Debug)]
pub(super) struct Cuda {
    adapter: Arc<CudaAdapter>,
    context: sys::CUcontext,
    stream: sys::CUstream,
    modules: Modules,
    kernels: Vec<Option<Kernel>>,
    memory: Memory,
    /// Commands that are not submitted yet.
    list: List,
    graphs: Graphs,
    /// Memory that this call imported.
    imports: Vec<DeviceRange>,
    /// Host memory that gets what the device wrote.
    outputs: Vec<Output>,
    /// Buffers that host functions work on.
    lent: Vec<AlignedBytes>,
}

// SAFETY: the handles may be used on any thread, where the context is made current first; one thread at a time has it.
unsafe impl Send for Cuda {}

/// Host memory that gets what the device wrote.
#[derive(Debug)]
struct Output {
    span: DeviceRange,
    host: *mut u8,
    /// Whether the device has written the range since the last copy to the host.
    changed: bool,
}

impl Cuda {
    /// Loads the kernels of a program. Errors: see [`Modules::kernel`].
    pub(super) fn new(adapter: Arc<CudaAdapter>, kernels: &[Option<DeviceKernel<'_>>]) -> Result<Self> {
        let mut context = std::ptr::null_mut();
        let title = adapter.title();
        // SAFETY: the device is there.
        check(unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, adapter.handle()) }, &format!("start {title}"))?;
        // After a failure from here on, `drop` cleans up.
        let mut device = Self {
            adapter,
            context,
            stream: std::ptr::null_mut(),
            modules: Modules::default(),
            kernels: Vec::new(),
            memory: Memory::default(),
            list: List::default(),
            graphs: Graphs::default(),
            imports: Vec::new(),
            outputs: Vec::new(),
            lent: Vec::new(),
        };
        device.enter()?;
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the context is current.
        check(unsafe { sys::cuStreamCreate(&mut device.stream, flags) }, &format!("start {title}"))?;
        if kernels.iter().flatten().any(|k| modules::takes_memory(k.module)) {
            let heap = HEAP.min(device.adapter.memory() / 8) as usize;
            // SAFETY: the context is current. The call fails if kernels have run; then the heap keeps its size.
            unsafe { sys::cuCtxSetLimit(sys::CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE, heap) };
        }
        for kernel in kernels {
            let ready = match kernel {
                Some(kernel) => Some(device.modules.kernel(&device.adapter, kernel)?),
                None => None,
            };
            device.kernels.push(ready);
        }
        Ok(device)
    }

    /// Makes the context that of this thread.
    fn enter(&self) -> Result<()> {
        // SAFETY: the context is retained.
        check(unsafe { sys::cuCtxSetCurrent(self.context) }, "use the device")
    }

    fn wait(&self) -> Result<()> {
        // SAFETY: the stream is live.
        check(unsafe { sys::cuStreamSynchronize(self.stream) }, "wait for the device")
    }

    /// Submits the collected commands.
    fn flush(&mut self) -> Result<()> {
        if self.list.commands.is_empty() {
            return Ok(());
        }
        self.enter()?;
        let result = self.graphs.run(&self.list, &self.kernels, self.stream);
        self.list.clear();
        result
    }

    fn push(&mut self, command: Command) -> Result<()> {
        self.list.commands.push(command);
        if self.list.commands.len() >= commands::MOST { self.flush() } else { Ok(()) }
    }

    /// Remembers that a range was written.
    fn changed(&mut self, span: DeviceRange) {
        self.outputs.iter_mut().filter(|o| o.span.overlaps(span)).for_each(|o| o.changed = true);
    }

    /// Copies bytes from the host to the device; they must live until the stream has read them.
    fn upload(&mut self, target: DeviceRange, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the range has as many bytes; the host's are live (see the callers).
        let code =
            unsafe { sys::cuMemcpyHtoDAsync_v2(target.address, bytes.as_ptr().cast(), bytes.len(), self.stream) };
        check(code, "copy memory to the device")
    }

    /// Asks for bytes, which are there when the stream has finished.
    fn download(&self, source: DeviceRange, host: *mut u8) -> Result<()> {
        if source.bytes == 0 {
            return Ok(());
        }
        // SAFETY: the host's range has as many bytes and is live until the device has finished (see the trait).
        let code =
            unsafe { sys::cuMemcpyDtoHAsync_v2(host.cast(), source.address, source.bytes as usize, self.stream) };
        check(code, "copy memory from the device")
    }

    /// Checks a grid. `None` if there is nothing to do.
    fn grid(&self, kernel: usize, workgroups: [u32; 3]) -> Result<Option<[u32; 3]>> {
        let axes = [
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
        ];
        // These are the limits of all devices; only beyond them is the device asked.
        let usual = [i32::MAX as u32, 65535, 65535];
        for axis in 0..3 {
            let most = if workgroups[axis] > usual[axis] {
                self.adapter.attribute(axes[axis]).unsigned_abs()
            } else {
                continue;
            };
            if workgroups[axis] > most {
                let name = self.kernels[kernel].as_ref().map_or("", |k| &k.name);
                return Err(Error::environment(format!(
                    "kernel `{name}` has {} workgroups in {}, {} has at most {most}",
                    workgroups[axis],
                    ["x", "y", "z"][axis],
                    self.adapter.title()
                ))
                .code("device-limit"));
            }
        }
        Ok(if workgroups.contains(&0) { None } else { Some(workgroups) })
    }
}

impl Device for Cuda {
    fn threads(&self) -> usize {
        1
    }

    fn allocate(&mut self, bytes: u64) -> Result<DeviceRange> {
        self.enter()?;
        self.memory.allocate(bytes)
    }

    fn free(&mut self, span: DeviceRange) {
        // Work that still uses it must finish first; errors are reported again when the device finishes.
        let _ = self.flush().and_then(|()| self.wait());
        self.memory.free(span);
    }

    fn constants(&mut self, list: &[&[u8]]) -> Result<Vec<DeviceRange>> {
        self.enter()?;
        let sizes = list.iter().map(|bytes| (bytes.len() as u64).next_multiple_of(crate::ALIGNMENT as u64));
        let all = self.memory.allocate(sizes.sum())?;
        let mut at = all.address;
        let mut spans = Vec::with_capacity(list.len());
        for bytes in list {
            let span = DeviceRange { address: at, bytes: bytes.len() as u64 };
            self.upload(span, bytes)?;
            at += span.bytes.next_multiple_of(crate::ALIGNMENT as u64);
            spans.push(span);
        }
        self.wait()?;
        Ok(spans)
    }

    fn import(&mut self, bytes: &[u8]) -> Result<DeviceRange> {
        self.enter()?;
        let span = self.memory.take(bytes.len() as u64)?;
        self.imports.push(span);
        self.upload(span, bytes)?;
        Ok(span)
    }

    fn import_mut(&mut self, bytes: &mut [u8], keep: bool) -> Result<DeviceRange> {
        self.enter()?;
        let span = self.memory.take(bytes.len() as u64)?;
        self.imports.push(span);
        if keep {
            self.upload(span, bytes)?;
        }
        self.outputs.push(Output { span, host: bytes.as_mut_ptr(), changed: false });
        Ok(span)
    }

    fn copy(&mut self, source: DeviceRange, target: DeviceRange) -> Result<()> {
        if source.bytes == 0 || source == target {
            return Ok(());
        }
        self.changed(target);
        self.push(Command::Copy { source: source.address, target: target.address, bytes: source.bytes })
    }

    fn fill(&mut self, target: DeviceRange, element: &[u8]) -> Result<()> {
        if target.bytes == 0 {
            return Ok(());
        }
        self.changed(target);
        let mut value = [0; 8];
        value[..element.len()].copy_from_slice(element);
        self.push(Command::Fill { target, value: u64::from_le_bytes(value), width: element.len() as u8 })
    }

    fn read(&mut self, source: DeviceRange, bytes: &mut [u8]) -> Result<()> {
        debug_assert_eq!(source.bytes, bytes.len() as u64);
        self.flush()?;
        self.enter()?;
        self.download(source, bytes.as_mut_ptr())?;
        self.wait()
    }

    fn write(&mut self, target: DeviceRange, bytes: &[u8]) -> Result<()> {
        debug_assert_eq!(target.bytes, bytes.len() as u64);
        self.flush()?;
        self.enter()?;
        self.changed(target);
        self.upload(target, bytes)?;
        // The bytes may change once this returns.
        self.wait()
    }

    fn dispatch(&mut self, call: KernelCall<'_>) -> Result<()> {
        let KernelCall { kernel, bindings, constants, workgroups } = call;
        let Some(grid) = self.grid(kernel, workgroups)? else { return Ok(()) };
        let first = self.list.words.len() as u32;
        let found = self.kernels[kernel].as_ref().expect("dispatches are of kernels of the device");
        found.words(bindings, constants, &mut self.list.words)?;
        let count = self.list.words.len() as u32 - first;
        if !self.outputs.is_empty() {
            let written = self.kernels[kernel].as_ref().map_or(&[][..], |k| &k.written);
            let spans: Vec<DeviceRange> = bindings.iter().zip(written).filter(|(_, w)| **w).map(|(&b, _)| b).collect();
            spans.into_iter().for_each(|span| self.changed(span));
        }
        self.push(Command::Launch { kernel: kernel as u32, first, count, grid })
    }

    fn time(&mut self, call: KernelCall<'_>, times: usize) -> Result<Duration> {
        let KernelCall { kernel, bindings, constants, workgroups } = call;
        self.flush()?;
        self.enter()?;
        self.wait()?;
        bindings.iter().for_each(|&span| self.changed(span));
        let Some(grid) = self.grid(kernel, workgroups)? else { return Ok(Duration::ZERO) };
        let found = self.kernels[kernel].as_ref().expect("dispatches are of kernels of the device");
        let mut words = Vec::new();
        found.words(bindings, constants, &mut words)?;
        let (start, end) = (Event::new()?, Event::new()?);
        start.record(self.stream)?;
        (0..times).try_for_each(|_| commands::launch(found, &words, grid, self.stream))?;
        end.record(self.stream)?;
        self.wait()?;
        let mut milliseconds = 0f32;
        // SAFETY: both events were recorded and have happened.
        check(unsafe { sys::cuEventElapsedTime(&mut milliseconds, start.0, end.0) }, "read the time")?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
    }

    fn host(&mut self, span: DeviceRange, use_: HostUse) -> Result<DeviceRange> {
        self.flush()?;
        self.enter()?;
        let size = usize::try_from(span.bytes).ok().and_then(AlignedBytes::try_zeroed);
        let memory = size
            .ok_or_else(|| Error::environment(format!("cannot allocate {} bytes", span.bytes)).code("out-of-memory"))?;
        let address = memory.as_ptr() as u64;
        if use_ == HostUse::Read {
            self.download(span, address as *mut u8)?;
        }
        self.lent.push(memory);
        Ok(DeviceRange { address, bytes: span.bytes })
    }

    fn host_done(&mut self) {
        self.lent.clear();
    }

    fn finish(&mut self) -> Result<()> {
        self.flush()?;
        self.enter()?;
        for i in 0..self.outputs.len() {
            if std::mem::take(&mut self.outputs[i].changed) {
                self.download(self.outputs[i].span, self.outputs[i].host)?;
            }
        }
        self.wait()
    }

    fn end_call(&mut self) {
        // After a failure something may still be in there, or run.
        if !self.list.commands.is_empty() {
            self.list.clear();
        }
        let _ = self.enter().and_then(|()| self.wait());
        self.outputs.clear();
        self.lent.clear();
        let imports = std::mem::take(&mut self.imports);
        self.memory.end_call(imports.into_iter());
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // Errors cannot be handled here; a device that was lost returns the same one each time.
        let _ = self.enter();
        if !self.stream.is_null() {
            let _ = self.wait();
            self.graphs.clear();
            // SAFETY: it is ours, and nothing runs on it.
            unsafe { sys::cuStreamDestroy_v2(self.stream) };
        }
        self.modules.unload();
        self.memory.free_all();
        // SAFETY: it was retained once.
        unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.adapter.handle()) };
    }
}

/// A CUDA event: a point in time on the device.
struct Event(sys::CUevent);

impl Event {
    fn new() -> Result<Self> {
        let mut event = std::ptr::null_mut();
        // SAFETY: the context is current.
        check(unsafe { sys::cuEventCreate(&mut event, sys::CUevent_flags::CU_EVENT_DEFAULT as u32) }, "make an event")?;
        Ok(Self(event))
    }

    fn record(&self, stream: sys::CUstream) -> Result<()> {
        // SAFETY: event and stream are live.
        check(unsafe { sys::cuEventRecord(self.0, stream) }, "record the time")
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: it was made by `new`.
        unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}
