//! Merges several modules into one: drivers then read and compile one file instead of hundreds.
use super::{SpirvModule, inspect_spirv};
use halyard_diag::{Error, Result};
use rspirv::{
    binary::Assemble,
    dr::{Instruction, Module, Operand},
    spirv::{BuiltIn, ExecutionMode, Op},
};
use std::collections::{BTreeSet, HashMap};

/// Merges modules: entry points stay as they are, types and constants that are the same become one. The order of the
/// modules decides over nothing but the bytes. Errors: two entry points of one name; modules of different memory models;
/// specialisation constants of the same number in two modules, which could not be set apart.
pub fn merge_spirv(modules: &[SpirvModule]) -> Result<SpirvModule> {
    let Some((first, rest)) = modules.split_first() else {
        return Err(Error::input("there is no SPIR-V module to merge").code("empty-input"));
    };
    if rest.is_empty() {
        return Ok(first.clone());
    }
    check(modules)?;
    let mut merged: Option<Module> = None;
    let mut seen = HashMap::new();
    for module in modules {
        append(&mut merged, with_own_sizes(module), &mut seen);
    }
    let words = merged.expect("there is a module").assemble();
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    inspect_spirv(&bytes, &first.owner)
}

fn check(modules: &[SpirvModule]) -> Result<()> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut numbers: HashMap<u32, &str> = HashMap::new();
    for module in modules {
        for entry in &module.entries {
            if let Some(other) = names.insert(&entry.name, &module.owner) {
                let text = format!("entry point `{}` is defined twice: by {other} and by {}", entry.name, module.owner);
                return Err(Error::input(text).code("duplicate-symbol"));
            }
        }
        for constant in &module.spec_constants {
            if let Some(other) = numbers.insert(constant.id, &module.owner) {
                let text = format!(
                    "{other} and {} cannot be one module: both have a specialisation constant {}",
                    module.owner, constant.id
                );
                return Err(Error::input(text).code("duplicate-symbol").hint("give them different numbers"));
            }
        }
        if let Some(entry) = module.entries.iter().find(|e| e.local_size.iter().any(|s| s.spec_id.is_some())) {
            let text = format!(
                "{} cannot be merged: the size of the workgroups of `{}` is a specialisation constant",
                module.owner, entry.name
            );
            return Err(Error::input(text).code("bad-object").hint("write the size into the shader"));
        }
        let model = |m: &SpirvModule| m.module.memory_model.as_ref().map(|i| i.operands.clone());
        if model(module) != model(&modules[0]) {
            let text = format!("{} and {} have different memory models", modules[0].owner, module.owner);
            return Err(Error::input(text).code("bad-object").hint("compile them alike"));
        }
    }
    Ok(())
}

/// The module with the sizes of its workgroups in execution modes: the built-in constant is one for all entry points of a
/// module.
fn with_own_sizes(module: &SpirvModule) -> Module {
    let mut own = module.module.clone();
    let is_size = |i: &Instruction| i.operands.get(2) == Some(&Operand::BuiltIn(BuiltIn::WorkgroupSize));
    if !own.annotations.iter().any(is_size) {
        return own;
    }
    own.annotations.retain(|i| !is_size(i));
    for entry in &module.entries {
        let of_entry = |i: &Instruction| i.operands.first() == Some(&Operand::IdRef(entry.function));
        let size = entry.local_size.map(|s| Operand::LiteralBit32(s.value));
        let head = [Operand::IdRef(entry.function), Operand::ExecutionMode(ExecutionMode::LocalSize)];
        let modes = [ExecutionMode::LocalSize, ExecutionMode::LocalSizeId].map(Operand::ExecutionMode);
        own.execution_modes.retain(|i| !(of_entry(i) && i.operands.get(1).is_some_and(|m| modes.contains(m))));
        let mode = Instruction::new(Op::ExecutionMode, None, None, head.into_iter().chain(size).collect());
        own.execution_modes.push(mode);
    }
    own
}

/// Adds a module. `seen` are the types and constants so far, by their text.
fn append(merged: &mut Option<Module>, mut module: Module, seen: &mut HashMap<String, u32>) {
    let bound = |m: &Module| m.header.as_ref().map_or(1, |h| h.bound);
    let offset = merged.as_ref().map_or(0, |m| bound(m) - 1);
    module.all_inst_iter_mut().for_each(|i| each_id(i, &mut |id| *id += offset));
    let new_bound = bound(&module) + offset;
    let decorated: BTreeSet<u32> = module.annotations.iter().filter_map(|d| d.operands.first()?.id_ref_any()).collect();
    let mut same: HashMap<u32, u32> = HashMap::new();
    let mut unify = |list: &mut Vec<Instruction>| {
        list.retain_mut(|instruction| {
            let Some(result) = instruction.result_id else { return true };
            each_id(instruction, &mut |id| {
                if *id != result
                    && let Some(known) = same.get(id)
                {
                    *id = *known;
                }
            });
            // Two structures may differ in what decorates them; variables and what can be set are each its own.
            let own = matches!(
                instruction.class.opcode,
                Op::TypeStruct
                    | Op::TypeArray
                    | Op::TypeRuntimeArray
                    | Op::Variable
                    | Op::SpecConstant
                    | Op::SpecConstantTrue
                    | Op::SpecConstantFalse
                    | Op::SpecConstantOp
                    | Op::SpecConstantComposite
            );
            if own || decorated.contains(&result) {
                return true;
            }
            let key =
                format!("{:?}|{:?}|{:?}", instruction.class.opcode, instruction.result_type, instruction.operands);
            match seen.get(&key) {
                Some(known) => {
                    same.insert(result, *known);
                    false
                }
                None => {
                    seen.insert(key, result);
                    true
                }
            }
        });
    };
    unify(&mut module.ext_inst_imports);
    unify(&mut module.types_global_values);
    // Names and decorations of existing identifiers exist already.
    let gone =
        |i: &Instruction| i.operands.first().and_then(Operand::id_ref_any).is_some_and(|id| same.contains_key(&id));
    module.debug_names.retain(|i| !gone(i));
    module.annotations.retain(|i| !gone(i));
    module.all_inst_iter_mut().for_each(|i| {
        each_id(i, &mut |id| {
            if let Some(known) = same.get(id) {
                *id = *known;
            }
        });
    });
    let Some(all) = merged else {
        *merged = Some(module);
        return;
    };
    for (list, more) in [(&mut all.capabilities, module.capabilities), (&mut all.extensions, module.extensions)] {
        for instruction in more {
            if !list.iter().any(|known| known.operands == instruction.operands) {
                list.push(instruction);
            }
        }
    }
    all.ext_inst_imports.extend(module.ext_inst_imports);
    all.entry_points.extend(module.entry_points);
    all.execution_modes.extend(module.execution_modes);
    all.debug_string_source.extend(module.debug_string_source);
    all.debug_names.extend(module.debug_names);
    all.debug_module_processed.extend(module.debug_module_processed);
    all.annotations.extend(module.annotations);
    all.types_global_values.extend(module.types_global_values);
    all.functions.extend(module.functions);
    if let (Some(header), Some(other)) = (all.header.as_mut(), module.header) {
        header.bound = new_bound;
        header.version = header.version.max(other.version);
    }
}

/// Calls `f` with every identifier of an instruction.
fn each_id(instruction: &mut Instruction, f: &mut impl FnMut(&mut u32)) {
    instruction.result_type.iter_mut().for_each(&mut *f);
    instruction.result_id.iter_mut().for_each(&mut *f);
    for operand in &mut instruction.operands {
        if let Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) = operand {
            f(id);
        }
    }
}
