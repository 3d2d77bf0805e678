//! Records commands in command buffers of the driver.

mod timed;

pub(super) use timed::timed;

use super::{
    super::DeviceRange,
    commands::{Command, Commands, Hazards},
    error::failed,
    kernels::Pipeline,
    memory::{Memory, Use},
    queue::Context,
};
use ash::vk;
use halyard_diag::Result;
use std::sync::Arc;

/// The pipeline stages that access memory.
const STAGES: vk::PipelineStageFlags = vk::PipelineStageFlags::from_raw(
    vk::PipelineStageFlags::COMPUTE_SHADER.as_raw() | vk::PipelineStageFlags::TRANSFER.as_raw(),
);

/// Commands that were recorded, to be submitted as often as one likes.
#[derive(Debug)]
pub(super) struct Recording {
    context: Arc<Context>,
    pub(super) commands: Commands,
    /// The bytes that they write come from here.
    data: Option<DeviceRange>,
    pool: vk::CommandPool,
    pub(super) buffer: vk::CommandBuffer,
    sets: vk::DescriptorPool,
}

impl Recording {
    /// Records commands. Errors: the driver's, no memory.
    pub(super) fn new(
        context: &Arc<Context>,
        commands: Commands,
        memory: &mut Memory,
        kernels: &[Option<Pipeline>],
    ) -> Result<Self> {
        let data = if commands.data.is_empty() {
            None
        } else {
            Some(memory.allocate(commands.data.len() as u64, Use::Upload)?)
        };
        let (pool, sets) = (vk::CommandPool::null(), vk::DescriptorPool::null());
        let mut this =
            Self { context: Arc::clone(context), commands, data, pool, buffer: vk::CommandBuffer::null(), sets };
        let recorded = this.record(memory, kernels);
        if recorded.is_err() {
            this.give_back(memory);
        }
        recorded.map_err(|e| failed(&context.title, "be given the program", e))?;
        Ok(this)
    }

    /// Frees its buffer. It cannot be submitted after that.
    pub(super) fn give_back(&mut self, memory: &mut Memory) {
        if let Some(data) = self.data.take() {
            memory.free(data);
        }
    }

    /// Sets the bytes that write commands copy.
    pub(super) fn set_data(&self, bytes: &[u8], memory: &Memory) {
        let at = self.data.and_then(|span| memory.writable(span));
        if let Some(at) = at.filter(|_| self.data.is_some_and(|d| d.bytes == bytes.len() as u64)) {
            // SAFETY: the buffer is mapped, of this size, and the device is done with it.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at.as_ptr(), bytes.len()) };
        }
    }

    fn record(&mut self, memory: &Memory, kernels: &[Option<Pipeline>]) -> Result<(), vk::Result> {
        let raw = &self.context.raw;
        (self.pool, self.buffer) = command_buffer(&self.context)?;
        let dispatches = self.commands.list.iter().filter(|c| matches!(c, Command::Dispatch { .. })).count();
        self.sets = descriptor_pool(raw, dispatches, self.commands.bindings.len())?;
        // SAFETY: the command buffer was just made; everything that is recorded is live, and stays so while it is submitted.
        unsafe { raw.begin_command_buffer(self.buffer, &vk::CommandBufferBeginInfo::default()) }?;
        let mut hazards = Hazards::default();
        let (mut bindings, mut constants, mut data) = (&*self.commands.bindings, &*self.commands.constants, 0);
        let mut touched = Vec::new();
        for command in &self.commands.list {
            touched.clear();
            match command {
                Command::Dispatch { kernel, workgroups } => {
                    let kernel = kernels[*kernel as usize].as_ref().expect("only kernels of the device are dispatched");
                    let (own, rest) = bindings.split_at(kernel.written.len());
                    let (push, more) = constants.split_at(kernel.constant_bytes());
                    (bindings, constants) = (rest, more);
                    touched.extend(own.iter().copied().zip(kernel.written.iter().copied()));
                    self.wait(hazards.add(&touched));
                    let set = descriptor_set(raw, self.sets, kernel, own, memory)?;
                    self.bind(kernel, set, push);
                    // SAFETY: as above.
                    unsafe { raw.cmd_dispatch(self.buffer, workgroups[0], workgroups[1], workgroups[2]) };
                }
                Command::Copy { source, target } => {
                    self.wait(hazards.add(&[(*source, false), (*target, true)]));
                    self.copy(memory.buffer(*source), *target, target.bytes, memory);
                }
                Command::Fill { target, word } => {
                    self.wait(hazards.add(&[(*target, true)]));
                    let (buffer, offset) = memory.buffer(*target);
                    // SAFETY: as above; the range is of whole words.
                    unsafe { raw.cmd_fill_buffer(self.buffer, buffer, offset, target.bytes, *word) };
                }
                Command::Write { target, unit } => {
                    self.wait(hazards.add(&[(*target, true)]));
                    let (buffer, start) = memory.buffer(self.data.expect("commands that write have data"));
                    self.copy((buffer, start + data), *target, *unit, memory);
                    data += unit;
                }
            }
        }
        // Later commands, on the device or on the host, see all of it.
        let after = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE | vk::AccessFlags::HOST_READ);
        // SAFETY: as above.
        unsafe {
            let next = STAGES | vk::PipelineStageFlags::HOST;
            raw.cmd_pipeline_barrier(self.buffer, STAGES, next, vk::DependencyFlags::empty(), &[after], &[], &[]);
            raw.end_command_buffer(self.buffer)
        }
    }

    /// Adds a barrier, if needed.
    fn wait(&self, needed: bool) {
        if needed {
            barrier(&self.context.raw, self.buffer);
        }
    }

    fn bind(&self, kernel: &Pipeline, set: vk::DescriptorSet, push: &[u8]) {
        bind(&self.context.raw, self.buffer, kernel, set, push);
    }

    /// Copies `unit` bytes again and again until the target is full.
    fn copy(&self, (source, at): (vk::Buffer, u64), target: DeviceRange, unit: u64, memory: &Memory) {
        let (buffer, offset) = memory.buffer(target);
        let regions: Vec<_> = (0..target.bytes.div_ceil(unit))
            .map(|i| vk::BufferCopy {
                src_offset: at,
                dst_offset: offset + i * unit,
                size: unit.min(target.bytes - i * unit),
            })
            .collect();
        // SAFETY: both ranges are live, and of different buffers or not overlapping.
        unsafe { self.context.raw.cmd_copy_buffer(self.buffer, source, buffer, &regions) };
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // SAFETY: submissions are waited for; null is allowed.
        unsafe {
            self.context.raw.destroy_descriptor_pool(self.sets, None);
            self.context.raw.destroy_command_pool(self.pool, None);
        }
    }
}

fn command_buffer(context: &Context) -> Result<(vk::CommandPool, vk::CommandBuffer), vk::Result> {
    let info = vk::CommandPoolCreateInfo::default().queue_family_index(context.family);
    // SAFETY: the device is live.
    let pool = unsafe { context.raw.create_command_pool(&info, None) }?;
    let info = vk::CommandBufferAllocateInfo::default()
        .command_pool(pool)
        .level(vk::CommandBufferLevel::PRIMARY)
        .command_buffer_count(1);
    // SAFETY: the pool was just made.
    match unsafe { context.raw.allocate_command_buffers(&info) } {
        Ok(buffers) => Ok((pool, buffers[0])),
        Err(e) => {
            // SAFETY: nobody uses it.
            unsafe { context.raw.destroy_command_pool(pool, None) };
            Err(e)
        }
    }
}

fn descriptor_pool(raw: &ash::Device, sets: usize, bindings: usize) -> Result<vk::DescriptorPool, vk::Result> {
    let sizes = [vk::DescriptorPoolSize::default()
        .ty(vk::DescriptorType::STORAGE_BUFFER)
        .descriptor_count(bindings.max(1) as u32)];
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(sets.max(1) as u32).pool_sizes(&sizes);
    // SAFETY: the device is live.
    unsafe { raw.create_descriptor_pool(&info, None) }
}

fn descriptor_set(
    raw: &ash::Device,
    pool: vk::DescriptorPool,
    kernel: &Pipeline,
    bindings: &[DeviceRange],
    memory: &Memory,
) -> Result<vk::DescriptorSet, vk::Result> {
    let layouts = [kernel.set_layout];
    // SAFETY: the pool was made for so many sets and bindings.
    let set = unsafe {
        raw.allocate_descriptor_sets(
            &vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts),
        )
    }?[0];
    let info = |span: &DeviceRange| {
        let (buffer, offset) = memory.buffer(*span);
        [vk::DescriptorBufferInfo { buffer, offset, range: span.bytes }]
    };
    let infos: Vec<_> = bindings.iter().map(info).collect();
    let write = |(number, info): (&Option<u32>, &'_ [vk::DescriptorBufferInfo; 1])| {
        Some(vk::WriteDescriptorSet {
            dst_set: set,
            dst_binding: (*number)?,
            descriptor_count: 1,
            descriptor_type: vk::DescriptorType::STORAGE_BUFFER,
            p_buffer_info: info.as_ptr(),
            ..Default::default()
        })
    };
    let writes: Vec<_> = kernel.numbers.iter().zip(&infos).filter_map(write).collect();
    // SAFETY: the set is not in use yet, the buffers are live.
    unsafe { raw.update_descriptor_sets(&writes, &[]) };
    Ok(set)
}

fn bind(raw: &ash::Device, buffer: vk::CommandBuffer, kernel: &Pipeline, set: vk::DescriptorSet, push: &[u8]) {
    // SAFETY: the command buffer is being recorded; the kernel lives as long as it.
    unsafe {
        raw.cmd_bind_pipeline(buffer, vk::PipelineBindPoint::COMPUTE, kernel.raw);
        raw.cmd_bind_descriptor_sets(buffer, vk::PipelineBindPoint::COMPUTE, kernel.layout, 0, &[set], &[]);
        if !push.is_empty() {
            raw.cmd_push_constants(buffer, kernel.layout, vk::ShaderStageFlags::COMPUTE, 0, push);
        }
    }
}

/// Adds a barrier: later commands wait for earlier ones, and see their writes.
fn barrier(raw: &ash::Device, buffer: vk::CommandBuffer) {
    let both = [vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(
            vk::AccessFlags::SHADER_READ
                | vk::AccessFlags::SHADER_WRITE
                | vk::AccessFlags::TRANSFER_READ
                | vk::AccessFlags::TRANSFER_WRITE,
        )];
    // SAFETY: the command buffer is being recorded.
    unsafe { raw.cmd_pipeline_barrier(buffer, STAGES, STAGES, vk::DependencyFlags::empty(), &both, &[], &[]) };
}
