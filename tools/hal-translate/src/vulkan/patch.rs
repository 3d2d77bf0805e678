//! What upstream's lowering to SPIR-V leaves undone: push constants without a place in a descriptor set, specialisation
//! constants, which buffers are only read.
use super::{
    push::Push,
    words::{body, entry, id, is_chain, read, variable, write},
};
use halyard_diag::{Error, Result};
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::{Decoration, Op, StorageClass, Word},
};
use std::collections::HashSet;

/// `Fma` of GLSL.std.450 ("SPIR-V Extended Instructions for GLSL", number 50).
const FMA: u32 = 50;

/// Brings a binary in order. For each export its name and the layout of its constants. Errors: a binary that is none, a
/// load-time constant that is not read by its number.
pub(super) fn patch(bytes: &[u8], exports: &[(&str, &Push)]) -> Result<Vec<u8>> {
    let mut module = read(bytes)?;
    let blocks = variables(&module, |class| class == StorageClass::PushConstant);
    module.annotations.retain(|i| !(places(i) && i.operands.first().and_then(id).is_some_and(|v| blocks.contains(&v))));
    for (name, push) in exports.iter().filter(|(_, push)| push.all > push.pushed) {
        specialise(&mut module, name, push)?;
    }
    // A block whose words are all load-time constants, or that nothing reads, is none.
    let read: HashSet<Word> = module.functions.iter().flat_map(|f| f.all_inst_iter()).flat_map(uses).collect();
    for block in blocks.into_iter().filter(|b| !read.contains(b)) {
        module.types_global_values.retain(|i| i.result_id != Some(block));
        forget(&mut module, block);
    }
    decorate(&mut module);
    keep_as_written(&mut module);
    Ok(write(&module))
}

/// The binary with its entry points renamed: each old name, its new one.
pub(crate) fn renamed(bytes: &[u8], names: &[(String, String)]) -> Result<Vec<u8>> {
    let mut module = read(bytes)?;
    let new = |old: &str| names.iter().find(|(name, _)| name == old).map(|(_, new)| new.clone());
    let mut functions = Vec::new();
    for point in &mut module.entry_points {
        let Some((function, name)) = entry(point).and_then(|(f, old)| Some((f, new(old)?))) else { continue };
        functions.push((function, name.clone()));
        point.operands[2] = Operand::LiteralString(name);
    }
    for debug in module.debug_names.iter_mut().filter(|i| i.class.opcode == Op::Name) {
        let named = debug.operands.first().and_then(id);
        let text = functions.iter().find(|(function, _)| Some(*function) == named);
        if let (Some((_, name)), Some(operand)) = (text, debug.operands.get_mut(1)) {
            *operand = Operand::LiteralString(name.clone());
        }
    }
    // Names of arguments begin with that of their kernel.
    for debug in module.debug_names.iter_mut().filter(|i| i.class.opcode == Op::Name) {
        let Some(Operand::LiteralString(text)) = debug.operands.get_mut(1) else { continue };
        let renamed = names.iter().find_map(|(old, new)| {
            let rest = text.strip_prefix(old.as_str()).filter(|rest| rest.starts_with("_arg_"))?;
            Some(format!("{new}{rest}"))
        });
        if let Some(renamed) = renamed {
            *text = renamed;
        }
    }
    Ok(write(&module))
}

fn variables(module: &Module, of: impl Fn(StorageClass) -> bool) -> Vec<Word> {
    let all = module.types_global_values.iter().filter_map(variable);
    all.filter(|(_, class)| of(*class)).map(|(id, _)| id).collect()
}

fn uses(instruction: &Instruction) -> impl Iterator<Item = Word> {
    instruction.operands.iter().filter_map(id)
}

fn places(instruction: &Instruction) -> bool {
    instruction.class.opcode == Op::Decorate
        && matches!(
            instruction.operands.get(1),
            Some(Operand::Decoration(Decoration::DescriptorSet | Decoration::Binding))
        )
}

fn forget(module: &mut Module, of: Word) {
    let is_it = |i: &Instruction| i.operands.first().and_then(id) == Some(of);
    module.debug_names.retain(|i| !is_it(i));
    module.annotations.retain(|i| !is_it(i));
}

/// Words beyond the block become specialisation constants 0, 1, … of 32 bits; the block shrinks to what is pushed.
fn specialise(module: &mut Module, name: &str, push: &Push) -> Result<()> {
    let function = module.entry_points.iter().filter_map(entry).find(|(_, n)| *n == name).map(|(f, _)| f);
    let function = function.ok_or_else(|| Error::input(format!("there is no entry point `{name}`")))?;
    let blocks = variables(module, |class| class == StorageClass::PushConstant);
    let numbers: Vec<(Word, u32)> = module
        .types_global_values
        .iter()
        .filter(|i| i.class.opcode == Op::Constant)
        .filter_map(|i| match i.operands.first() {
            Some(Operand::LiteralBit32(n)) => Some((i.result_id?, *n)),
            _ => None,
        })
        .collect();
    let number = |of: Word| numbers.iter().find(|(id, _)| *id == of).map(|(_, n)| *n as usize);
    // Pointers to words of load-time constants, and which.
    let mut pointers: Vec<(Word, usize)> = Vec::new();
    let mut block = None;
    for chain in body(module, function).into_iter().filter(|i| is_chain(i)) {
        let Some(base) = chain.operands.first().and_then(id).filter(|b| blocks.contains(b)) else { continue };
        block = Some(base);
        let word = chain.operands.last().and_then(id).and_then(number).ok_or_else(|| {
            Error::input(format!("kernel `@{name}` reads a constant by a number that is computed"))
                .code("unsupported-op")
        })?;
        if word >= push.pushed {
            pointers.push((chain.result_id.unwrap_or(0), word - push.pushed));
        }
    }
    let Some(block) = block else { return Ok(()) };
    let word_type = word_type(module);
    let mut made: Vec<Option<Word>> = vec![None; push.all - push.pushed];
    for &(_, which) in &pointers {
        if made[which].is_none() {
            let constant = fresh(module);
            let operands = vec![Operand::LiteralBit32(0)];
            let before = position(module, block);
            let spec = Instruction::new(Op::SpecConstant, Some(word_type), Some(constant), operands);
            module.types_global_values.insert(before, spec);
            decorated(module, constant, Decoration::SpecId, Some(which as u32));
            made[which] = Some(constant);
        }
    }
    let of = |pointer: Word| pointers.iter().find(|(p, _)| *p == pointer).and_then(|(_, which)| made[*which]);
    for instruction in module.functions.iter_mut().flat_map(|f| f.all_inst_iter_mut()) {
        let constant = instruction.operands.first().and_then(id).and_then(of);
        if let (Op::Load, Some(constant)) = (instruction.class.opcode, constant) {
            let (ty, result) = (instruction.result_type, instruction.result_id);
            *instruction = Instruction::new(Op::CopyObject, ty, result, vec![Operand::IdRef(constant)]);
        }
    }
    let dead: Vec<Word> = pointers.iter().map(|(p, _)| *p).collect();
    for block in module.functions.iter_mut().flat_map(|f| &mut f.blocks) {
        block.instructions.retain(|i| !i.result_id.is_some_and(|r| dead.contains(&r)));
    }
    if push.pushed > 0 {
        shrink(module, block, push.pushed as u32);
    }
    Ok(())
}

/// Gives a block of words another length.
fn shrink(module: &mut Module, block: Word, words: u32) {
    let word_type = word_type(module);
    let [length, array, structure, pointer] = [(); 4].map(|()| fresh(module));
    let new = [
        Instruction::new(Op::Constant, Some(word_type), Some(length), vec![Operand::LiteralBit32(words)]),
        Instruction::new(Op::TypeArray, None, Some(array), vec![Operand::IdRef(word_type), Operand::IdRef(length)]),
        Instruction::new(Op::TypeStruct, None, Some(structure), vec![Operand::IdRef(array)]),
        Instruction::new(
            Op::TypePointer,
            None,
            Some(pointer),
            vec![Operand::StorageClass(StorageClass::PushConstant), Operand::IdRef(structure)],
        ),
    ];
    let at = position(module, block);
    module.types_global_values.splice(at..at, new);
    decorated(module, array, Decoration::ArrayStride, Some(4));
    decorated(module, structure, Decoration::Block, None);
    module.annotations.push(Instruction::new(
        Op::MemberDecorate,
        None,
        None,
        vec![
            Operand::IdRef(structure),
            Operand::LiteralBit32(0),
            Operand::Decoration(Decoration::Offset),
            Operand::LiteralBit32(0),
        ],
    ));
    let at = position(module, block);
    module.types_global_values[at].result_type = Some(pointer);
}

fn position(module: &Module, of: Word) -> usize {
    module.types_global_values.iter().position(|i| i.result_id == Some(of)).unwrap_or(module.types_global_values.len())
}

fn word_type(module: &Module) -> Word {
    let is_word =
        |i: &&Instruction| i.class.opcode == Op::TypeInt && i.operands.first() == Some(&Operand::LiteralBit32(32));
    module.types_global_values.iter().find(is_word).and_then(|i| i.result_id).expect("who reads words has their type")
}

fn fresh(module: &mut Module) -> Word {
    let header = module.header.as_mut().expect("a binary has a header");
    header.bound += 1;
    header.bound - 1
}

fn decorated(module: &mut Module, of: Word, decoration: Decoration, number: Option<u32>) {
    let mut operands = vec![Operand::IdRef(of), Operand::Decoration(decoration)];
    operands.extend(number.map(Operand::LiteralBit32));
    module.annotations.push(Instruction::new(Op::Decorate, None, None, operands));
}

/// Says of each buffer that no other binding is the same memory, and of those that nothing writes that they are read only.
/// The host program gives every binding memory of its own: what shares a buffer is tied and has one binding.
fn decorate(module: &mut Module) {
    for buffer in variables(module, |class| class == StorageClass::StorageBuffer) {
        let mut pointers = HashSet::from([buffer]);
        let mut written = false;
        for instruction in module.functions.iter().flat_map(|f| f.all_inst_iter()) {
            if !uses(instruction).any(|i| pointers.contains(&i)) {
                continue;
            }
            match instruction.class.opcode {
                Op::Load => {}
                _ if is_chain(instruction) => pointers.extend(instruction.result_id),
                _ => written = true,
            }
        }
        let has = |module: &Module, which| {
            module.annotations.iter().any(|i| {
                i.operands.first().and_then(id) == Some(buffer)
                    && i.operands.get(1) == Some(&Operand::Decoration(which))
            })
        };
        if !written && !has(module, Decoration::NonWritable) {
            decorated(module, buffer, Decoration::NonWritable, None);
        }
        if !has(module, Decoration::Restrict) && !has(module, Decoration::Aliased) {
            decorated(module, buffer, Decoration::Restrict, None);
        }
    }
}

/// Says of arithmetic on floats that it is computed as it is written. Without this, drivers may join it with other
/// arithmetic: Mesa adds the two parts of a constant that is split to be exact.
fn keep_as_written(module: &mut Module) {
    let arithmetic = |i: &&Instruction| match i.class.opcode {
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FNegate => true,
        Op::ExtInst => matches!(i.operands.get(1), Some(Operand::LiteralExtInstInteger(n)) if *n == FMA),
        _ => false,
    };
    let all = module.functions.iter().flat_map(|f| f.all_inst_iter());
    let results: Vec<Word> = all.filter(arithmetic).filter_map(|i| i.result_id).collect();
    for result in results {
        decorated(module, result, Decoration::NoContraction, None);
    }
}
