//! SPIR-V as a data structure of rspirv, from bytes and to bytes.
use halyard_diag::{Error, Result};
use rspirv::{
    binary::{Assemble, Disassemble},
    dr::{self, Instruction, Module, Operand},
    spirv::{Decoration, Op, StorageClass, Word},
};
use std::collections::HashSet;

/// Reads a binary. Errors: it is none.
pub(super) fn read(bytes: &[u8]) -> Result<Module> {
    dr::load_bytes(bytes).map_err(|e| Error::input(format!("the SPIR-V that was made cannot be read: {e}")))
}

/// Writes a binary, little-endian.
pub(super) fn write(module: &Module) -> Vec<u8> {
    module.assemble().into_iter().flat_map(Word::to_le_bytes).collect()
}

/// A binary as text. Errors: it is none.
pub(crate) fn disassemble(bytes: &[u8]) -> Result<String> {
    Ok(format!("{}\n", read(bytes)?.disassemble().trim_end()))
}

/// The id that an operand refers to.
pub(super) fn id(operand: &Operand) -> Option<Word> {
    operand.id_ref_any()
}

/// An entry point: its function and its name.
pub(super) fn entry(instruction: &Instruction) -> Option<(Word, &str)> {
    match (&instruction.operands.get(1), &instruction.operands.get(2)) {
        (Some(function), Some(Operand::LiteralString(name))) => Some((id(function)?, name)),
        _ => None,
    }
}

/// A variable of a module: its id and storage class.
pub(super) fn variable(instruction: &Instruction) -> Option<(Word, StorageClass)> {
    match (instruction.class.opcode, instruction.operands.first()) {
        (Op::Variable, Some(Operand::StorageClass(class))) => Some((instruction.result_id?, *class)),
        _ => None,
    }
}

/// The number that stands beside a decoration of an id.
pub(super) fn decoration(module: &Module, of: Word, which: Decoration) -> Option<u32> {
    let is_it = |i: &&Instruction| {
        i.class.opcode == Op::Decorate
            && id(&i.operands[0]) == Some(of)
            && i.operands.get(1) == Some(&Operand::Decoration(which))
    };
    match module.annotations.iter().find(is_it)?.operands.get(2) {
        Some(Operand::LiteralBit32(number)) => Some(*number),
        _ => None,
    }
}

/// The instructions of a function and of those that it calls.
pub(super) fn body(module: &Module, function: Word) -> Vec<&Instruction> {
    let mut seen = HashSet::new();
    let mut work = vec![function];
    let mut all = Vec::new();
    while let Some(function) = work.pop().filter(|&f| seen.insert(f)) {
        let found = module.functions.iter().find(|f| f.def_id() == Some(function));
        for instruction in found.iter().flat_map(|f| f.all_inst_iter()) {
            if instruction.class.opcode == Op::FunctionCall {
                work.extend(instruction.operands.first().and_then(id));
            }
            all.push(instruction);
        }
    }
    all
}

/// Whether an instruction gives a pointer into what its first operand points to.
pub(super) fn is_chain(instruction: &Instruction) -> bool {
    matches!(
        instruction.class.opcode,
        Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain | Op::CopyObject
    )
}
