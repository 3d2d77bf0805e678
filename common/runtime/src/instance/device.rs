//! The device of an instance, with the kernels of its program.
use super::InstanceOptions;
use crate::{
    commands::{Kernel, KernelCode},
    crash::label,
    device::{Cpu, CpuKernel, Device, DeviceKernel, Fallback},
    program::Loaded,
};
use halyard_diag::Result;
use std::sync::Arc;

/// Makes the device ready for a program. Gives the load-time constants of each kernel, too.
pub(super) fn open(loaded: &Loaded, options: InstanceOptions) -> Result<(Box<dyn Device>, Vec<Vec<i64>>)> {
    let kernels = || loaded.host_program.kernels.iter().zip(&loaded.chosen).map(|(k, &v)| (k, &k.variants[v]));
    let on_cpu = kernels().zip(&loaded.addresses).map(|((kernel, _), address)| CpuKernel {
        address: address.unwrap_or(0),
        // Most executables have the name of their kernel, or the reverse.
        label: label(&described(kernel)),
        written: kernel.bindings.clone(),
        flops: kernel.work.fixed_operations(),
    });
    let cpu = |threads| Cpu::new(on_cpu.collect(), threads);
    let Some(adapter) = &loaded.adapter else {
        let cpu = cpu(options.threads)?;
        let load_constants = loaded.load_constants(cpu.threads());
        return Ok((Box::new(cpu), load_constants));
    };
    let falls_back: Vec<bool> = loaded.addresses.iter().map(Option::is_some).collect();
    // Without kernels for it, the CPU needs no threads.
    let cpu = if falls_back.contains(&true) { Some(cpu(options.threads)?) } else { None };
    let load_constants = loaded.load_constants(cpu.as_ref().map_or(1, Cpu::threads));
    let on_device: Vec<_> = kernels()
        .zip(&load_constants)
        .map(|((kernel, variant), load_constants)| match &variant.code {
            KernelCode::Host { .. } => None,
            KernelCode::Device(code) => Some(DeviceKernel {
                name: &kernel.export,
                module: loaded.modules.get(code),
                code,
                written: &kernel.bindings,
                load_constants: load_constants.clone(),
            }),
        })
        .collect();
    let device = Arc::clone(adapter).open(&on_device)?;
    Ok(match cpu {
        Some(cpu) => (Box::new(Fallback::new(device, cpu, falls_back)), load_constants),
        None => (device, load_constants),
    })
}

/// Returns the kernel's name for messages, with the nodes of the model that it comes from.
fn described(kernel: &Kernel) -> String {
    let mut text = format!("kernel `{}`", kernel.export);
    // Most executables have the name of their kernel, or the reverse.
    if !kernel.executable.starts_with(&kernel.export) && !kernel.export.starts_with(&kernel.executable) {
        text += &format!(" of executable `{}`", kernel.executable);
    }
    match kernel.identity.short_origin() {
        Some(origin) => format!("{text} from {origin}"),
        None => text,
    }
}
