//! SPIR-V modules for Vulkan.
pub(super) mod args;
mod merge;

use super::{DeviceObjects, FoundKernel, VariantObjects};
use halyard_diag::{Error, Result};
use halyard_ir::form::Launch;
use halyard_objects::{KernelAbi, SpirvModule, fit_spirv, inspect_spirv};
use halyard_runtime::commands::CodeFormat;

/// SPIR-V modules, as they were and as specialisation constants and names change them.
struct Shaders<'a> {
    objects: VariantObjects<'a>,
    modules: Vec<SpirvModule>,
    before: Vec<Vec<u8>>,
}

/// Reads SPIR-V modules; adds their capabilities to `features`. Errors: a damaged module.
pub(super) fn read<'a>(objects: VariantObjects<'a>, features: &mut Vec<String>) -> Result<Box<dyn DeviceObjects + 'a>> {
    let mut modules = Vec::new();
    for (i, bytes) in objects.contents.iter().enumerate() {
        let module = inspect_spirv(bytes, &objects.named(i))?;
        features.extend(module.features());
        modules.push(module);
    }
    let before = modules.iter().map(SpirvModule::bytes).collect();
    Ok(Box::new(Shaders { objects, modules, before }))
}

impl DeviceObjects for Shaders<'_> {
    fn find(&mut self, abi: &KernelAbi, launch: Launch, _features: &mut Vec<String>) -> Result<FoundKernel> {
        // If none has the name, the first module's message lists the names.
        let has = |module: &SpirvModule| module.entries.iter().any(|e| e.name == abi.name);
        let object = self.modules.iter().position(has).unwrap_or(0);
        let Some(module) = self.modules.get_mut(object) else {
            return Err(Error::input(format!("{}: there is no SPIR-V", self.objects.owner)));
        };
        let fitted = fit_spirv(module, abi, Some(launch.workgroup_size))?;
        let shared_memory = module.entries.iter().find(|e| e.name == abi.name).map_or(0, |e| e.shared_memory);
        Ok(FoundKernel {
            object,
            format: CodeFormat::Spirv,
            entry: abi.name.clone(),
            workgroup_size: fitted.workgroup_size,
            shared_memory,
        })
    }

    fn modules(self: Box<Self>) -> Vec<Vec<u8>> {
        let Self { objects, modules, before } = *self;
        let now = modules.iter().map(SpirvModule::bytes);
        let changed = now.zip(before).map(|(now, before)| (now != before).then_some(now));
        objects.contents.into_iter().zip(changed).map(|(original, changed)| changed.unwrap_or(original)).collect()
    }
}
