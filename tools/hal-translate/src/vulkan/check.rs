//! What a binary is, compared with what it has to be.
use super::words::{body, decoration, entry, id, is_chain, read, variable};
use halyard_diag::{Error, Result};
use halyard_ir::form::Launch;
use halyard_objects::KernelAbi;
use halyard_targets::VulkanTarget;
use rspirv::{
    dr::{Module, Operand},
    spirv::{Decoration, ExecutionMode, ExecutionModel, Op, StorageClass, Word},
};
use std::collections::BTreeSet;

/// What was found out.
pub(super) struct Checked {
    /// How each export runs, in the order of the interfaces.
    pub launches: Vec<Launch>,
    /// The capabilities beyond `Shader`.
    pub features: Vec<String>,
}

/// Checks a binary: there is an entry point for each export and no other; its buffers are those of the interface; its
/// capabilities are allowed. Errors: what is not so.
pub(super) fn check(bytes: &[u8], exports: &[&KernelAbi], target: &VulkanTarget) -> Result<Checked> {
    let module = read(bytes)?;
    let features = capabilities(&module, target)?;
    let entries: Vec<(Word, String)> = module
        .entry_points
        .iter()
        .filter(|i| i.operands.first() == Some(&Operand::ExecutionModel(ExecutionModel::GLCompute)))
        .filter_map(entry)
        .map(|(function, name)| (function, name.to_owned()))
        .collect();
    if let Some((_, other)) = entries.iter().find(|(_, name)| !exports.iter().any(|export| export.name == *name)) {
        return Err(wrong(format!("entry point `{other}` is no export")));
    }
    let mut launches = Vec::new();
    for abi in exports {
        let name = &abi.name;
        let Some((function, _)) = entries.iter().find(|(_, entry)| entry == name) else {
            return Err(wrong(format!("there is no entry point `{name}`")));
        };
        let size = local_size(&module, *function)
            .ok_or_else(|| wrong(format!("entry point `{name}` does not say its `LocalSize`")))?;
        bindings(&module, name, *function, abi.bindings.len())?;
        launches.push(Launch::new(size));
    }
    Ok(Checked { launches, features })
}

fn wrong(message: String) -> Error {
    Error::input(message).code("bad-kernel")
}

fn capabilities(module: &Module, target: &VulkanTarget) -> Result<Vec<String>> {
    let mut features = BTreeSet::new();
    for instruction in &module.capabilities {
        let Some(Operand::Capability(capability)) = instruction.operands.first() else { continue };
        let name = format!("{capability:?}");
        if !target.allows(&name) {
            return Err(Error::input(format!("it needs the capability `{name}`, which `{target}` does not allow"))
                .code("unsupported-type")
                .hint(format!("`--target=vulkan,+{name}` allows it, for devices that have it")));
        }
        if !matches!(&*name, "Shader" | "Matrix") {
            features.insert(name);
        }
    }
    Ok(features.into_iter().collect())
}

fn local_size(module: &Module, function: Word) -> Option<[u32; 3]> {
    let is_it = |i: &&rspirv::dr::Instruction| {
        i.operands.first().and_then(id) == Some(function)
            && i.operands.get(1) == Some(&Operand::ExecutionMode(ExecutionMode::LocalSize))
    };
    let mode = module.execution_modes.iter().find(is_it)?;
    let sizes: Vec<u32> = mode.operands[2..]
        .iter()
        .filter_map(|o| match o {
            Operand::LiteralBit32(n) if *n > 0 => Some(*n),
            _ => None,
        })
        .collect();
    sizes.try_into().ok()
}

/// The buffers that a kernel uses stand in set 0 under the numbers of the interface, each once.
fn bindings(module: &Module, name: &str, function: Word, count: usize) -> Result<()> {
    let used: BTreeSet<Word> = body(module, function)
        .into_iter()
        .filter(|i| is_chain(i) || matches!(i.class.opcode, Op::Load | Op::Store))
        .filter_map(|i| i.operands.first().and_then(id))
        .collect();
    let mut seen = BTreeSet::new();
    for (variable, class) in module.types_global_values.iter().filter_map(variable) {
        let buffer =
            matches!(class, StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::UniformConstant);
        if !buffer || !used.contains(&variable) {
            continue;
        }
        let place = (
            decoration(module, variable, Decoration::DescriptorSet),
            decoration(module, variable, Decoration::Binding),
        );
        match place {
            (Some(0), Some(binding)) if (binding as usize) < count => {
                if !seen.insert(binding) {
                    return Err(wrong(format!("kernel `{name}` has two buffers at binding {binding}")));
                }
            }
            (set, binding) => {
                let number = |n: Option<u32>| n.map_or("none".to_owned(), |n| n.to_string());
                return Err(wrong(format!(
                    "kernel `{name}` uses a buffer at set {}, binding {}; its interface has {count}, at set 0 from binding 0 on",
                    number(set),
                    number(binding)
                )));
            }
        }
    }
    Ok(())
}
