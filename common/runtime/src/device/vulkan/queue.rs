//! A logical device with its queue, shared by all instances of a program.
use super::{error::failed, float_modes::FloatModes, instance::Instance};
use ash::vk;
use halyard_diag::Result;
use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

/// A logical device.
pub(super) struct Context {
    pub(super) raw: ash::Device,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) limits: vk::PhysicalDeviceLimits,
    pub(super) floats: FloatModes,
    pub(super) family: u32,
    /// Nanoseconds of a tick of time stamps; `None` if the queue has none.
    pub(super) tick: Option<f64>,
    /// The bits of a time stamp that count.
    pub(super) timestamp_mask: u64,
    /// Compiled kernels, for all instances.
    pub(super) cache: vk::PipelineCache,
    /// The name in messages: ``device `vulkan:0` (llvmpipe)``.
    pub(super) title: String,
    queue: Mutex<vk::Queue>,
    pub(super) instance: Instance,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}

/// The parts from which a context is made.
pub(super) struct Parts {
    pub(super) raw: ash::Device,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) limits: vk::PhysicalDeviceLimits,
    pub(super) floats: FloatModes,
    pub(super) family: u32,
    pub(super) timestamp_bits: u32,
    pub(super) title: String,
    pub(super) instance: Instance,
}

impl Context {
    /// Makes a context from a device that was created with one queue of the family.
    pub(super) fn new(parts: Parts) -> Result<Self> {
        let Parts { raw, physical, limits, floats, family, timestamp_bits, title, instance } = parts;
        // SAFETY: the device has that queue.
        let queue = unsafe { raw.get_device_queue(family, 0) };
        // SAFETY: the device is live; a null cache is none.
        let cache = unsafe { raw.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None) };
        let tick = (timestamp_bits > 0 && limits.timestamp_period > 0.0).then_some(f64::from(limits.timestamp_period));
        let timestamp_mask = u64::MAX >> (64 - timestamp_bits.clamp(1, 64));
        // Without a cache kernels are compiled again for each instance, that is all.
        let cache = cache.unwrap_or(vk::PipelineCache::null());
        Ok(Self {
            raw,
            physical,
            limits,
            floats,
            family,
            tick,
            timestamp_mask,
            cache,
            title,
            queue: Mutex::new(queue),
            instance,
        })
    }

    /// Submits a command buffer and waits until it is done.
    pub(super) fn run(&self, buffer: vk::CommandBuffer, fence: vk::Fence) -> Result<()> {
        let failed = |e| failed(&self.title, "run the program", e);
        let buffers = [buffer];
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        {
            let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the caller's command buffer was recorded; what it uses is live; the lock guards the queue.
            unsafe { self.raw.queue_submit(*queue, &submit, fence) }.map_err(failed)?;
        }
        // SAFETY: the fence is live, and nobody else waits for it.
        unsafe { self.raw.wait_for_fences(&[fence], true, u64::MAX).and_then(|()| self.raw.reset_fences(&[fence])) }
            .map_err(failed)
    }

    /// Waits until the device has nothing to do: before memory goes that it may use.
    pub(super) fn settle(&self) {
        let _queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the lock guards the queue. A device that was lost uses nothing any more.
        let _ = unsafe { self.raw.device_wait_idle() };
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: everything made of the device holds the context, and is gone.
        unsafe {
            self.raw.destroy_pipeline_cache(self.cache, None);
            self.raw.destroy_device(None);
        }
    }
}
