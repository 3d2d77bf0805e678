//! Checks a binary against the interfaces of its exports.
use halyard_diag::{Error, Result};
use halyard_ir::form::Launch;
use halyard_objects::{KernelAbi, SpirvEntry, SpirvModule};
use halyard_targets::VulkanTarget;
use std::collections::BTreeSet;

/// Checks that a binary has exactly an entry point for each export, the buffers of the interface, and only allowed
/// capabilities. Returns the launch parameters of each export, in the order of the interfaces. Fails with the first
/// mismatch.
pub(super) fn check(module: &SpirvModule, exports: &[&KernelAbi], target: &VulkanTarget) -> Result<Vec<Launch>> {
    if let Some(name) = module.capabilities.iter().find(|name| !target.allows(name)) {
        return Err(Error::input(format!("it needs the capability `{name}`, which `{target}` does not allow"))
            .code("unsupported-type")
            .hint(format!("`--target=vulkan,+{name}` allows it, for devices that have it")));
    }
    let entries = &module.entries;
    if let Some(other) = entries.iter().find(|e| !exports.iter().any(|export| export.name == e.name)) {
        return Err(wrong(format!("entry point `{}` is no export", other.name)));
    }
    let launch = |abi: &&KernelAbi| {
        let entry = entries.iter().find(|e| e.name == abi.name);
        let entry = entry.ok_or_else(|| wrong(format!("there is no entry point `{}`", abi.name)))?;
        bindings(entry, abi.bindings.len())?;
        Ok(Launch::new(entry.local_size.map(|size| size.value)))
    };
    exports.iter().map(launch).collect()
}

fn wrong(message: String) -> Error {
    Error::input(message).code("bad-kernel")
}

/// Checks that the buffers of a kernel are in set 0 with the numbers of the interface, each once.
fn bindings(entry: &SpirvEntry, count: usize) -> Result<()> {
    let name = &entry.name;
    let mut seen = BTreeSet::new();
    for found in &entry.bindings {
        if found.set != 0 || found.binding as usize >= count {
            return Err(wrong(format!(
                "kernel `{name}` uses a buffer at set {}, binding {}; its interface has {count}, at set 0 from binding 0 on",
                found.set, found.binding
            )));
        }
        if !seen.insert(found.binding) {
            return Err(wrong(format!("kernel `{name}` has two buffers at binding {}", found.binding)));
        }
    }
    Ok(())
}
