//! Measures the time of a kernel on the device.
use super::{
    super::{super::DeviceRange, error::failed, kernels::Pipeline, memory::Memory, queue::Context},
    barrier, bind, command_buffer, descriptor_pool, descriptor_set,
};
use ash::vk;
use halyard_diag::Result;
use std::time::Duration;

/// Runs a kernel some times in a row, with time stamps before and after; waits. Errors: the driver's.
pub(in super::super) fn timed(
    context: &Context,
    fence: vk::Fence,
    memory: &Memory,
    (kernel, bindings, push): (&Pipeline, &[DeviceRange], &[u8]),
    workgroups: [u32; 3],
    times: usize,
) -> Result<Duration> {
    let raw = &context.raw;
    let failed = |e| failed(&context.title, "measure", e);
    let (pool, buffer) = command_buffer(context).map_err(failed)?;
    let guard = Temporary { raw, pool, sets: descriptor_pool(raw, 1, bindings.len()), queries: queries(raw) };
    let (sets, queries) =
        (*guard.sets.as_ref().map_err(|e| failed(*e))?, *guard.queries.as_ref().map_err(|e| failed(*e))?);
    let set = descriptor_set(raw, sets, kernel, bindings, memory).map_err(failed)?;
    // SAFETY: the command buffer was just made, and is submitted once, before `guard` goes.
    unsafe {
        raw.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default()).map_err(failed)?;
        raw.cmd_reset_query_pool(buffer, queries, 0, 2);
        bind(raw, buffer, kernel, set, push);
        raw.cmd_write_timestamp(buffer, vk::PipelineStageFlags::BOTTOM_OF_PIPE, queries, 0);
        for i in 0..times {
            if i > 0 {
                barrier(raw, buffer);
            }
            raw.cmd_dispatch(buffer, workgroups[0], workgroups[1], workgroups[2]);
        }
        raw.cmd_write_timestamp(buffer, vk::PipelineStageFlags::BOTTOM_OF_PIPE, queries, 1);
        barrier(raw, buffer);
        raw.end_command_buffer(buffer).map_err(failed)?;
    }
    let started = std::time::Instant::now();
    context.run(buffer, fence)?;
    let Some(tick) = context.tick else { return Ok(started.elapsed()) };
    let mut stamps = [0u64; 2];
    // SAFETY: both were written.
    unsafe {
        raw.get_query_pool_results(queries, 0, &mut stamps, vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT)
    }
    .map_err(failed)?;
    let ticks = stamps[1].wrapping_sub(stamps[0]) & context.timestamp_mask;
    Ok(Duration::from_nanos((ticks as f64 * tick) as u64))
}

fn queries(raw: &ash::Device) -> Result<vk::QueryPool, vk::Result> {
    // SAFETY: the device is live.
    unsafe {
        raw.create_query_pool(
            &vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2),
            None,
        )
    }
}

/// Temporary objects of a measurement.
struct Temporary<'a> {
    raw: &'a ash::Device,
    pool: vk::CommandPool,
    sets: Result<vk::DescriptorPool, vk::Result>,
    queries: Result<vk::QueryPool, vk::Result>,
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // SAFETY: the submission was waited for.
        unsafe {
            if let Ok(queries) = self.queries {
                self.raw.destroy_query_pool(queries, None);
            }
            if let Ok(sets) = self.sets {
                self.raw.destroy_descriptor_pool(sets, None);
            }
            self.raw.destroy_command_pool(self.pool, None);
        }
    }
}
