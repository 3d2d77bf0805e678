//! Buffers, addressed by virtual addresses that this module assigns.
use super::{
    super::DeviceRange,
    error::{failed, out_of_memory},
    queue::Context,
};
use ash::vk;
use gpu_allocator::{
    AllocationError, AllocationSizes, MemoryLocation,
    vulkan::{Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc},
};
use halyard_diag::{Error, Result};
use std::{collections::BTreeMap, ptr::NonNull, sync::Arc};

/// Buffers start at multiples of this, a multiple of what any device asks of offsets (at most 256).
const PAGE: u64 = 4096;
/// Sizes are rounded up to this: kernels may reach for whole words.
const ROUND: u64 = 16;
/// The size of allocations from the driver in bytes: first and largest on the device, first and largest on the host.
const PIECES: [u64; 4] = [16 << 20, 256 << 20, 4 << 20, 64 << 20];

/// The use of memory, which determines its memory type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Kernels read and write it.
    Device,
    /// The host writes it, the device reads it.
    Upload,
    /// The device writes it, the host reads it.
    Download,
}

/// All buffers of an instance.
#[derive(Debug)]
pub(super) struct Memory {
    context: Arc<Context>,
    allocator: Option<Allocator>,
    buffers: BTreeMap<u64, Buffer>,
    /// The next address. None is used twice, so that what was recorded for one buffer never means another one.
    next: u64,
}

#[derive(Debug)]
struct Buffer {
    raw: vk::Buffer,
    bytes: u64,
    use_: Use,
    allocation: Allocation,
}

#[cfg(test)]
thread_local! {
    /// Tests of what happens where the host does not see the memory of kernels.
    pub(super) static STAGED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether the host may access kernels' memory directly where it is visible.
fn is_direct() -> bool {
    #[cfg(test)]
    return !STAGED.get();
    #[cfg(not(test))]
    true
}

impl Memory {
    pub(super) fn new(context: Arc<Context>) -> Result<Self> {
        let sizes = AllocationSizes::new(PIECES[0], PIECES[2])
            .with_max_device_memblock_size(PIECES[1])
            .with_max_host_memblock_size(PIECES[3]);
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: context.instance.raw.clone(),
            device: context.raw.clone(),
            physical_device: context.physical,
            debug_settings: Default::default(),
            buffer_device_address: false,
            allocation_sizes: sizes,
        });
        let allocator = allocator.map_err(|e| other(&context, &e))?;
        Ok(Self { context, allocator: Some(allocator), buffers: BTreeMap::new(), next: PAGE })
    }

    /// Makes a buffer. Fails if memory is exhausted.
    pub(super) fn allocate(&mut self, bytes: u64, use_: Use) -> Result<DeviceRange> {
        let context = Arc::clone(&self.context);
        let too_large = || out_of_memory(&context.title, Some(bytes));
        let size = bytes.max(1).checked_next_multiple_of(ROUND).filter(|&n| n < 1 << 48).ok_or_else(too_large)?;
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage).sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the device is live, here and below.
        let raw = unsafe { context.raw.create_buffer(&info, None) }.map_err(|e| match e {
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => too_large(),
            e => failed(&context.title, &format!("make a buffer of {bytes} bytes"), e),
        })?;
        let allocation = self.back(raw, use_).map_err(|e| match e {
            AllocationError::OutOfMemory => too_large(),
            e => other(&context, &e),
        });
        let allocation = match allocation {
            Ok(allocation) => allocation,
            Err(e) => {
                // SAFETY: nobody uses the buffer.
                unsafe { context.raw.destroy_buffer(raw, None) };
                return Err(e);
            }
        };
        let address = self.next;
        self.next += size.next_multiple_of(PAGE) + PAGE;
        self.buffers.insert(address, Buffer { raw, bytes: size, use_, allocation });
        Ok(DeviceRange { address, bytes })
    }

    /// Allocates the memory of a buffer.
    fn back(&mut self, raw: vk::Buffer, use_: Use) -> Result<Allocation, AllocationError> {
        // SAFETY: the buffer was just made.
        let mut requirements = unsafe { self.context.raw.get_buffer_memory_requirements(raw) };
        requirements.alignment = requirements.alignment.max(256);
        let allocator = self.allocator.as_mut().expect("it is there until the end");
        let location = match use_ {
            Use::Device => MemoryLocation::GpuOnly,
            Use::Upload => MemoryLocation::CpuToGpu,
            Use::Download => MemoryLocation::GpuToCpu,
        };
        let scheme = AllocationScheme::GpuAllocatorManaged;
        let allocation = allocator.allocate(&AllocationCreateDesc {
            name: "halyard",
            requirements,
            location,
            linear: true,
            allocation_scheme: scheme,
        })?;
        // SAFETY: the memory is as the buffer requires it.
        match unsafe { self.context.raw.bind_buffer_memory(raw, allocation.memory(), allocation.offset()) } {
            Ok(()) => Ok(allocation),
            Err(_) => {
                let _ = allocator.free(allocation);
                Err(AllocationError::OutOfMemory)
            }
        }
    }

    /// Frees a buffer that nothing uses any more.
    pub(super) fn free(&mut self, span: DeviceRange) {
        if let Some(buffer) = self.buffers.remove(&span.address) {
            self.destroy(buffer);
        }
    }

    fn destroy(&mut self, buffer: Buffer) {
        // SAFETY: nothing uses it: submissions are waited for.
        unsafe { self.context.raw.destroy_buffer(buffer.raw, None) };
        if let Some(allocator) = &mut self.allocator {
            let _ = allocator.free(buffer.allocation);
        }
    }

    fn find(&self, span: DeviceRange) -> (&Buffer, u64) {
        let (start, buffer) = self.buffers.range(..=span.address).next_back().expect("spans are of live buffers");
        debug_assert!(span.end() <= start + buffer.bytes, "spans lie in their buffers");
        (buffer, span.address - start)
    }

    /// The buffer that a range lies in, and where.
    pub(super) fn buffer(&self, span: DeviceRange) -> (vk::Buffer, u64) {
        let (buffer, offset) = self.find(span);
        (buffer.raw, offset)
    }

    /// Returns the address where the host can write a range directly; `None` if it cannot.
    pub(super) fn writable(&self, span: DeviceRange) -> Option<NonNull<u8>> {
        self.mapped(span, vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT)
    }

    /// Returns the address where the host can read a range directly; `None` if it cannot, or only slowly.
    pub(super) fn readable(&self, span: DeviceRange) -> Option<NonNull<u8>> {
        let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        self.mapped(span, flags | vk::MemoryPropertyFlags::HOST_CACHED)
    }

    fn mapped(&self, span: DeviceRange, flags: vk::MemoryPropertyFlags) -> Option<NonNull<u8>> {
        let (buffer, offset) = self.find(span);
        if buffer.use_ == Use::Device && !is_direct() {
            return None;
        }
        let base = buffer.allocation.mapped_ptr().filter(|_| buffer.allocation.memory_properties().contains(flags))?;
        // SAFETY: the range lies in the buffer, which is mapped as a whole.
        Some(unsafe { base.cast::<u8>().add(offset as usize) })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.context.settle();
        for (_, buffer) in std::mem::take(&mut self.buffers) {
            self.destroy(buffer);
        }
        // Before the device, which the context holds.
        self.allocator = None;
    }
}

fn other(context: &Context, error: &AllocationError) -> Error {
    let why = error.to_string().to_lowercase();
    Error::environment(format!("{} cannot give memory: {why}", context.title)).code("device-failed")
}

/// Buffers that are taken in the same order by each call, so that each finds those of the last one.
#[derive(Debug)]
pub(super) struct Slots {
    use_: Use,
    list: Vec<DeviceRange>,
    next: usize,
}

impl Slots {
    pub(super) fn new(use_: Use) -> Self {
        Self { use_, list: Vec::new(), next: 0 }
    }

    /// The next one, of at least that size. What was in it before may be in it still.
    pub(super) fn take(&mut self, bytes: u64, memory: &mut Memory) -> Result<DeviceRange> {
        let fits = |s: &DeviceRange| s.bytes >= bytes && s.bytes / 4 <= bytes.max(1024);
        if self.next == self.list.len() {
            self.list.push(memory.allocate(bytes, self.use_)?);
        } else if !fits(&self.list[self.next]) {
            let span = memory.allocate(bytes, self.use_)?;
            memory.free(std::mem::replace(&mut self.list[self.next], span));
        }
        self.next += 1;
        Ok(DeviceRange { bytes, ..self.list[self.next - 1] })
    }

    /// The last one may be taken again: it was used, and nobody looks at it any more.
    pub(super) fn back(&mut self) {
        self.next -= 1;
    }

    /// Resets the memory at the end of a call.
    pub(super) fn reset(&mut self) {
        self.next = 0;
    }
}
