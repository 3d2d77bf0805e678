//! Kernels as pipelines.
use super::{super::DeviceKernel, error::failed, queue::Context};
use crate::commands::{ConstantWidth, DeviceArgument, DeviceCode};
use ash::vk;
use halyard_diag::{Error, Result};
use std::{ffi::CString, sync::Arc};

/// A kernel, ready to run.
#[derive(Debug)]
pub(super) struct Pipeline {
    context: Arc<Context>,
    /// The export's name.
    pub(super) name: String,
    pub(super) raw: vk::Pipeline,
    pub(super) layout: vk::PipelineLayout,
    pub(super) set_layout: vk::DescriptorSetLayout,
    /// For each binding, whether the kernel writes it.
    pub(super) written: Vec<bool>,
    /// For each binding, its number in the shader; `None` if the shader does not have it.
    pub(super) numbers: Vec<Option<u32>>,
    /// The properties of the code.
    code: DeviceCode,
}

impl Pipeline {
    /// Compiles a kernel. Load-time constants become specialisation constants of their numbers. Errors: the driver's; a
    /// load-time constant that 32 bits cannot hold.
    pub(super) fn new(context: &Arc<Context>, kernel: &DeviceKernel<'_>) -> Result<Self> {
        let raw = &context.raw;
        let failed = |e| failed(&context.title, &format!("take kernel `{}`", kernel.name), e);
        let mut this = Self {
            context: Arc::clone(context),
            name: kernel.name.to_owned(),
            raw: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            written: kernel.written.to_vec(),
            numbers: (0..kernel.written.len()).map(|binding| number(kernel.code, binding)).collect(),
            code: kernel.code.clone(),
        };
        let binding = |number: &u32| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(*number)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings: Vec<_> = this.numbers.iter().flatten().map(binding).collect();
        // SAFETY: the device is live, and what is passed lives during the calls, here and below.
        this.set_layout = unsafe {
            raw.create_descriptor_set_layout(&vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings), None)
        }
        .map_err(failed)?;
        let size = ConstantWidth::packed_bytes(&kernel.code.constants);
        let push = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(size)];
        let layouts = [this.set_layout];
        let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        let layout = if size > 0 { layout.push_constant_ranges(&push) } else { layout };
        // SAFETY: everything that `layout` points to lives until the end of the call.
        this.layout = unsafe { raw.create_pipeline_layout(&layout, None) }.map_err(failed)?;
        let words: Vec<u32> =
            kernel.module.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().expect("four bytes"))).collect();
        let words = context.floats.complete(words);
        // SAFETY: the words were checked to be a module of SPIR-V when the program was loaded, and what was added is valid on the device.
        let module = unsafe { raw.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None) }
            .map_err(failed)?;
        let made = this.compile(kernel, module);
        // SAFETY: a pipeline keeps no reference to the module that it was made of.
        unsafe { raw.destroy_shader_module(module, None) };
        this.raw = made?;
        Ok(this)
    }

    fn compile(&self, kernel: &DeviceKernel<'_>, module: vk::ShaderModule) -> Result<vk::Pipeline> {
        let title = &self.context.title;
        let mut data = Vec::new();
        let mut entries = Vec::new();
        for (id, &value) in kernel.load_constants.iter().enumerate() {
            let value = i32::try_from(value).map_err(|_| {
                Error::input(format!("load-time constant {id} of kernel `{}` is {value}, which the 32 bits that {title} gives it cannot hold", kernel.name))
                    .code("too-large")
            })?;
            entries
                .push(vk::SpecializationMapEntry::default().constant_id(id as u32).offset(data.len() as u32).size(4));
            data.extend(value.to_le_bytes());
        }
        let special = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let entry = CString::new(kernel.code.entry.as_str())
            .map_err(|_| Error::input("the name of an entry point has a zero"))?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&entry)
            .specialization_info(&special);
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
        // SAFETY: the module and the layout are live; the module was checked when it was linked, and is unchanged (checksum).
        let made = unsafe { self.context.raw.create_compute_pipelines(self.context.cache, &info, None) };
        match made {
            Ok(list) => Ok(list[0]),
            Err((_, e)) => Err(failed(title, &format!("compile kernel `{}`", kernel.name), e)),
        }
    }

    /// Packs the constants of a dispatch. Errors: an index that 32 bits cannot hold.
    pub(super) fn pack(&self, constants: &[i64], to: &mut Vec<u8>) -> Result<()> {
        let start = to.len();
        let mut numbers = Vec::new();
        self.code.numbers(&self.name, constants, &mut numbers)?;
        for (width, &value) in self.code.constants.iter().zip(&numbers) {
            to.resize(start + (to.len() - start).next_multiple_of(width.bytes() as usize), 0);
            match width {
                ConstantWidth::Index if i32::try_from(value).is_err() => {
                    let title = &self.context.title;
                    return Err(Error::input(format!(
                        "kernel `{}` gets the number {value}; on {title} indices have 32 bits",
                        self.name
                    ))
                    .code("too-large")
                    .hint("use smaller tensors, or run it on another device"));
                }
                ConstantWidth::Index | ConstantWidth::Word => to.extend((value as u32).to_le_bytes()),
                ConstantWidth::Long => to.extend(value.to_le_bytes()),
            }
        }
        Ok(())
    }

    /// The bytes of the constants of a dispatch.
    pub(super) fn constant_bytes(&self) -> usize {
        ConstantWidth::packed_bytes(&self.code.constants) as usize
    }
}

/// The number that a shader has for a binding, if it gets it.
fn number(code: &DeviceCode, binding: usize) -> Option<u32> {
    let Some(arguments) = &code.arguments else { return u32::try_from(binding).ok() };
    arguments.iter().find_map(|a| match a {
        DeviceArgument::Buffer { binding: is, number } if *is as usize == binding => Some(*number),
        _ => None,
    })
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // SAFETY: nothing that was submitted uses them any more; null is allowed.
        unsafe {
            self.context.raw.destroy_pipeline(self.raw, None);
            self.context.raw.destroy_pipeline_layout(self.layout, None);
            self.context.raw.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}
