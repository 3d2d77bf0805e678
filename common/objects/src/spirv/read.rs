//! Reads a module's entry points and parameters from its bytes.
use super::{
    Access, LocalSize, Resource, SpecConstant, SpirvBinding, SpirvEntry, SpirvModule,
    layout::{Ids, id, number, text},
    uses::used,
    valid,
};
use crate::FileFormat;
use halyard_diag::{Error, Result};
use rspirv::{
    dr::{self, Instruction, Module, Operand},
    grammar::{INSTRUCTION_TABLE, OperandKind},
    spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass},
};
use std::collections::BTreeSet;

/// A SPIR-V module as text: shaders, and kernels of OpenCL. Fails if it is something else, or damaged.
pub fn disassemble_spirv(bytes: &[u8], owner: &str) -> Result<String> {
    Ok(as_text(&load(bytes, owner)?))
}

/// A module as text with identifiers as numbers, as `spirv-dis` writes it, but for names.
pub(super) fn as_text(module: &Module) -> String {
    use rspirv::binary::Disassemble;
    format!("{}\n", module.disassemble().trim_end())
}

/// Reads a module. Fails if it is something else, or damaged.
fn load(bytes: &[u8], owner: &str) -> Result<Module> {
    let bad = |why: String| Error::input(format!("{owner}: {why}")).code("bad-object");
    let damaged = |why: String| bad(format!("the SPIR-V module is damaged: {why}"));
    if FileFormat::of(bytes) != FileFormat::SpirV {
        return Err(bad(format!("this is {}, not a SPIR-V module", FileFormat::describe(bytes)))
            .hint("make one with `glslc --target-env=vulkan1.1 -fshader-stage=compute`"));
    }
    if bytes[0] != 0x03 {
        return Err(bad("the SPIR-V module is big-endian".into()).hint("Vulkan takes little-endian modules"));
    }
    if !bytes.len().is_multiple_of(4) {
        return Err(damaged(format!("it has {} bytes, which are no whole words", bytes.len())));
    }
    check_frames(bytes).map_err(damaged)?;
    let module = dr::load_bytes(bytes).map_err(|e| damaged(e.to_string().to_lowercase()))?;
    check_ids(&module).map_err(damaged)?;
    Ok(module)
}

/// Inspects a SPIR-V module. Fails if it is something else, damaged, or has no compute shader.
pub fn inspect_spirv(bytes: &[u8], owner: &str) -> Result<SpirvModule> {
    let damaged =
        |why: String| Error::input(format!("{owner}: the SPIR-V module is damaged: {why}")).code("bad-object");
    let module = load(bytes, owner)?;
    let ids = Ids::new(&module);
    let entries = entries(&module, &ids).map_err(damaged)?;
    if entries.is_empty() {
        return Err(no_shader(&module, owner));
    }
    valid::check(&module).map_err(damaged)?;
    let name = |c: &Instruction| match c.operands.first() {
        Some(Operand::Capability(c)) => Some(format!("{c:?}")),
        _ => None,
    };
    let capabilities: BTreeSet<String> = module.capabilities.iter().filter_map(name).collect();
    let version = module.header.as_ref().map_or((1, 0), |h| h.version());
    let spec_constants = spec_constants(&module, &ids);
    let capabilities = capabilities.into_iter().collect();
    Ok(SpirvModule { owner: owner.to_owned(), version, capabilities, entries, spec_constants, module })
}

/// Instructions fill the file: each begins with its length in words. rspirv reads on without looking.
fn check_frames(bytes: &[u8]) -> Result<(), String> {
    const HEADER: usize = 5;
    let mut words = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).skip(HEADER);
    if bytes.len() < HEADER * 4 {
        return Err("it ends within its header".into());
    }
    // The version has bytes to spare, and the fifth word no meaning yet.
    if bytes[4] != 0 || bytes[7] != 0 || bytes[16..20] != [0; 4] {
        return Err("its header is not that of a module".into());
    }
    let mut at = HEADER;
    while let Some(first) = words.next() {
        let length = (first >> 16) as usize;
        if length == 0 {
            return Err(format!("the instruction at word {at} has no length"));
        }
        if at + length > bytes.len() / 4 {
            return Err(format!("it ends within the instruction at word {at}"));
        }
        // The operation of a specialisation constant is the word after its type and its result.
        let operation = words.clone().nth(2).filter(|_| first & 0xffff == Op::SpecConstantOp as u32 && length > 3);
        if operation.is_some_and(|operation| !is_computation(operation)) {
            return Err(format!("the instruction at word {at} computes a constant by an operation that cannot"));
        }
        at += length;
        if length > 1 {
            words.nth(length - 2);
        }
    }
    Ok(())
}

/// Whether an operation has only operands that one in a constant may have; rspirv panics at others.
fn is_computation(operation: u32) -> bool {
    INSTRUCTION_TABLE.lookup_opcode(operation).is_none_or(|known| {
        let fits = |kind: OperandKind| {
            !matches!(
                kind,
                OperandKind::LiteralContextDependentNumber
                    | OperandKind::LiteralSpecConstantOpInteger
                    | OperandKind::PairLiteralIntegerIdRef
            )
        };
        known.operands.iter().all(|operand| fits(operand.kind))
    })
}

/// Every identifier is below the bound, defined, and defined once.
fn check_ids(module: &Module) -> Result<(), String> {
    let bound = module.header.as_ref().map_or(0, |h| h.bound);
    let mut defined = BTreeSet::new();
    for result in module.all_inst_iter().filter_map(|i| i.result_id) {
        if result == 0 || result >= bound {
            return Err(format!("identifier %{result} is not below the bound, {bound}"));
        }
        if !defined.insert(result) {
            return Err(format!("identifier %{result} is defined twice"));
        }
    }
    for instruction in module.all_inst_iter() {
        let operands = instruction.operands.iter().filter_map(|o| id(Some(o)));
        // Names and decorations may be left over for what an optimiser took out.
        let left_over = matches!(
            instruction.class.opcode,
            Op::Name | Op::MemberName | Op::Decorate | Op::MemberDecorate | Op::DecorateId
        );
        if let Some(lost) = operands.chain(instruction.result_type).find(|id| !defined.contains(id))
            && (!left_over || lost >= bound)
        {
            return Err(format!("identifier %{lost} is used by Op{} and not defined", instruction.class.opname));
        }
    }
    Ok(())
}

/// The error for a module without a compute shader.
fn no_shader(module: &Module, owner: &str) -> Error {
    let error = Error::input(format!("{owner}: the SPIR-V module has no compute shader")).code("missing-kernel");
    let models: Vec<String> = module
        .entry_points
        .iter()
        .filter_map(|e| match e.operands.first()? {
            Operand::ExecutionModel(model) => {
                Some(format!("`{}` ({model:?})", text(e.operands.get(2)).unwrap_or_default()))
            }
            _ => None,
        })
        .collect();
    if models.is_empty() {
        return error.note("it has no entry point at all");
    }
    let error = error.note(format!("its entry points are {}", models.join(", ")));
    if models.iter().any(|m| m.ends_with("(Kernel)")) {
        return error.hint("it was made for OpenCL; compile the kernel for Vulkan");
    }
    error.hint("compile it as a compute shader: `glslc -fshader-stage=compute`")
}

fn entries(module: &Module, ids: &Ids<'_>) -> Result<Vec<SpirvEntry>, String> {
    let mut entries = Vec::new();
    for entry in &module.entry_points {
        if entry.operands.first() != Some(&Operand::ExecutionModel(ExecutionModel::GLCompute)) {
            continue;
        }
        let (Some(function), Some(name)) = (id(entry.operands.get(1)), text(entry.operands.get(2))) else {
            return Err("an entry point has no function".into());
        };
        if !module.functions.iter().any(|f| f.def.as_ref().and_then(|d| d.result_id) == Some(function)) {
            return Err(format!("entry point `{name}` names no function"));
        }
        let mut found = SpirvEntry {
            name: name.to_owned(),
            local_size: local_size(module, ids, function)
                .ok_or_else(|| format!("entry point `{name}` has no size of its workgroups (`LocalSize`)"))?,
            bindings: Vec::new(),
            push_constants: None,
            shared_memory: 0,
            function,
        };
        for (variable, written) in used(module, function) {
            resource(ids, variable, written, &mut found).map_err(|why| format!("{why} (in entry point `{name}`)"))?;
        }
        found.bindings.sort_by_key(|b| (b.set, b.binding));
        entries.push(found);
    }
    Ok(entries)
}

/// Notes what a variable is for an entry point.
fn resource(ids: &Ids<'_>, id: u32, written: Access, entry: &mut SpirvEntry) -> Result<(), String> {
    let Some(variable) = ids.get(id) else { return Ok(()) };
    let Some(Operand::StorageClass(class)) = variable.operands.first() else { return Ok(()) };
    let pointee = ids.pointee(variable).ok_or_else(|| format!("variable %{id} has no type"))?;
    let what = ids.get(pointee).map(|t| t.class.opcode);
    let structure = what == Some(Op::TypeStruct);
    match class {
        StorageClass::PushConstant => {
            let block = ids.block(pointee).map_err(|why| format!("the block of push constants: {why}"))?;
            if entry.push_constants.replace(block).is_some() {
                return Err("it has two blocks of push constants".into());
            }
            return Ok(());
        }
        StorageClass::Workgroup => entry.shared_memory = entry.shared_memory.saturating_add(ids.bytes(pointee, 0)),
        _ => {}
    }
    let (set, binding) = (ids.decoration(id, Decoration::DescriptorSet), ids.decoration(id, Decoration::Binding));
    if set.is_none() && binding.is_none() {
        return match class {
            StorageClass::StorageBuffer | StorageClass::Uniform => {
                Err(format!("buffer %{id} has no set and no binding"))
            }
            _ => Ok(()),
        };
    }
    let resource = match class {
        StorageClass::StorageBuffer if structure => Resource::Buffer(ids.elements(pointee)),
        StorageClass::Uniform if structure && ids.decorated(pointee, Decoration::BufferBlock) => {
            Resource::Buffer(ids.elements(pointee))
        }
        StorageClass::Uniform if structure => Resource::Other("a uniform buffer".into()),
        StorageClass::StorageBuffer | StorageClass::Uniform => Resource::Other("an array of buffers".into()),
        _ => Resource::Other(match what {
            Some(Op::TypeImage) => "an image".into(),
            Some(Op::TypeSampledImage | Op::TypeSampler) => "a sampler".into(),
            _ => format!("a resource of class {class:?}"),
        }),
    };
    let name = ids.name(id).or_else(|| ids.name(pointee)).map(str::to_owned);
    entry.bindings.push(SpirvBinding { set: set.unwrap_or(0), binding: binding.unwrap_or(0), name, resource, written });
    Ok(())
}

/// The size of workgroups. The built-in `WorkgroupSize` counts before execution modes.
fn local_size(module: &Module, ids: &Ids<'_>, function: u32) -> Option<[LocalSize; 3]> {
    let constant =
        |id: u32| Some(LocalSize { value: ids.integer(id)?, spec_id: ids.decoration(id, Decoration::SpecId) });
    let built_in = module.annotations.iter().find(|a| {
        a.class.opcode == Op::Decorate && a.operands.get(2) == Some(&Operand::BuiltIn(BuiltIn::WorkgroupSize))
    });
    if let Some(composite) = built_in.and_then(|a| ids.get(id(a.operands.first())?)) {
        let parts: Vec<_> = composite.operands.iter().filter_map(|o| constant(id(Some(o))?)).collect();
        return parts.try_into().ok();
    }
    let mode = |wanted: ExecutionMode| {
        let is = |m: &&Instruction| {
            id(m.operands.first()) == Some(function) && m.operands.get(1) == Some(&Operand::ExecutionMode(wanted))
        };
        module.execution_modes.iter().find(is)
    };
    if let Some(mode) = mode(ExecutionMode::LocalSizeId) {
        let parts: Vec<_> = mode.operands[2..].iter().filter_map(|o| constant(id(Some(o))?)).collect();
        return parts.try_into().ok();
    }
    let literal = |o: &Operand| Some(LocalSize { value: number(Some(o))?, spec_id: None });
    let parts: Vec<_> = mode(ExecutionMode::LocalSize)?.operands[2..].iter().filter_map(literal).collect();
    parts.try_into().ok()
}

fn spec_constants(module: &Module, ids: &Ids<'_>) -> Vec<SpecConstant> {
    let mut found: Vec<SpecConstant> = module
        .types_global_values
        .iter()
        .filter_map(|i| {
            let result = i.result_id?;
            let default = match (i.class.opcode, i.operands.first()) {
                (Op::SpecConstantTrue, _) => 1,
                (Op::SpecConstantFalse, _) => 0,
                (Op::SpecConstant, Some(Operand::LiteralBit32(n))) => u64::from(*n),
                (Op::SpecConstant, Some(Operand::LiteralBit64(n))) => *n,
                _ => return None,
            };
            let scalar = i.result_type.and_then(|t| ids.scalar(t));
            let name = ids.name(result).map(str::to_owned);
            Some(SpecConstant { id: ids.decoration(result, Decoration::SpecId)?, name, scalar, default })
        })
        .collect();
    found.sort_by_key(|c| c.id);
    found
}
