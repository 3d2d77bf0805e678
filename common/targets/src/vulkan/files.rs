//! SPIR-V modules that users provide.
use super::{CAPABILITIES, VulkanTarget};
use crate::gpu_code::{GpuCode, GpuFile, GpuKernel};
use halyard_diag::{Error, Result};
use halyard_ir::form::Launch;
use halyard_objects::{FileFormat, SpirvModule, fit_spirv, inspect_spirv, merge_spirv};

/// The version of SPIR-V that Vulkan 1.1 takes.
const SPIRV: (u8, u8) = (1, 3);

/// Any device with the capabilities of a module.
pub(crate) fn of_file(file: GpuFile<'_>) -> Result<VulkanTarget> {
    let module = inspect_spirv(file.bytes, file.owner)?;
    let mut target = VulkanTarget::default();
    for capability in module.features() {
        if !target.set(&capability, true) {
            return Err(unknown_capability(&module, &capability));
        }
    }
    Ok(target)
}

/// Checks modules, makes one of them, and sets specialisation constants.
pub(super) fn fit(
    files: &[GpuFile<'_>],
    target: &VulkanTarget,
    kernels: &[GpuKernel],
    spec_constants: &[(String, i64)],
) -> Result<GpuCode> {
    let mut modules: Vec<SpirvModule> = files.iter().map(|f| inspect_spirv(f.bytes, f.owner)).collect::<Result<_>>()?;
    for module in &modules {
        check(module, target)?;
    }
    for (key, value) in spec_constants {
        let has = |m: &SpirvModule| m.spec_constants.iter().any(|c| c.is_called(key));
        let found = modules.iter().position(has).unwrap_or(0);
        modules[found].set_spec_constant(key, *value)?;
    }
    let (mut launches, mut remarks) = (Vec::new(), Vec::new());
    for kernel in kernels {
        let named = modules.iter().position(|m| m.entries.iter().any(|e| e.name == kernel.abi.name));
        let fitted = fit_spirv(&mut modules[named.unwrap_or(0)], &kernel.abi, kernel.size)?;
        launches.push(Launch::new(fitted.workgroup_size));
        remarks.extend(fitted.remarks);
    }
    let features = modules.iter().flat_map(SpirvModule::features).collect::<std::collections::BTreeSet<_>>();
    // A file without changes keeps its bytes.
    let merged = merge_spirv(&modules)?;
    Ok(GpuCode {
        objects: vec![("spirv", merged.bytes())],
        launches,
        features: features.into_iter().collect(),
        remarks,
    })
}

/// Renames entry points.
pub(super) fn rename(
    _format: FileFormat,
    bytes: Vec<u8>,
    owner: &str,
    names: &[(String, String)],
) -> Result<Option<Vec<u8>>> {
    let mut module = inspect_spirv(&bytes, owner)?;
    module.rename_entries(names);
    Ok(Some(module.bytes()))
}

fn check(module: &SpirvModule, target: &VulkanTarget) -> Result<()> {
    if module.version > SPIRV {
        let ((major, minor), (most, least)) = (module.version, SPIRV);
        let text = format!("{}: it is SPIR-V {major}.{minor}; Vulkan 1.1 takes up to {most}.{least}", module.owner);
        return Err(Error::input(text)
            .code("wrong-architecture")
            .hint("compile it with `glslc --target-env=vulkan1.1`"));
    }
    for capability in module.features() {
        if target.allows(&capability) {
            continue;
        }
        if !CAPABILITIES.iter().any(|c| c.name == capability) {
            return Err(unknown_capability(module, &capability));
        }
        let text = format!("{}: it needs `{capability}`, which `{target}` does not allow", module.owner);
        return Err(Error::input(text)
            .code("wrong-architecture")
            .hint(format!("ask for it: `--target={target},+{capability}`")));
    }
    Ok(())
}

fn unknown_capability(module: &SpirvModule, capability: &str) -> Error {
    let text = format!("{}: it needs `{capability}`, which kernels cannot have", module.owner);
    Error::input(text).code("wrong-architecture").note("kernels are compute shaders on storage buffers")
}
