//! Completes what MLIR's lowering to SPIR-V leaves open: push constants without a descriptor set, specialisation
//! constants, read-only buffers, and arithmetic that must not be contracted.
use super::{
    Access, SpirvModule,
    layout::{id, number, text},
    read::inspect_spirv,
    uses::{is_chain, reached, used},
};
use halyard_diag::{Error, Result};
use rspirv::{
    binary::Assemble,
    dr::{self, Function, Instruction, Module, Operand},
    spirv::{Decoration, Op, StorageClass, Word},
};
use std::collections::{HashMap, HashSet};

/// `Fma` of GLSL.std.450 ("SPIR-V Extended Instructions for GLSL", number 50).
const FMA: u32 = 50;

/// The constants that a kernel receives as push constants.
#[derive(Debug, Clone, Copy)]
pub struct Pushed<'a> {
    /// The kernel's entry point.
    pub entry: &'a str,
    /// The words of 32 bits, from the start; those after them are load-time constants.
    pub words: u32,
}

/// Completes a SPIR-V binary from MLIR for kernels with load-time constants. Fails if the binary is invalid, or if a
/// load-time constant is not read by its number.
pub fn finish_spirv(bytes: &[u8], owner: &str, kernels: &[Pushed<'_>]) -> Result<SpirvModule> {
    let unread = |e| Error::input(format!("{owner}: the SPIR-V that was made cannot be read: {e}"));
    let mut module = dr::load_bytes(bytes).map_err(unread)?;
    let blocks = variables(&module, StorageClass::PushConstant);
    module.annotations.retain(|i| !(places(i) && id(i.operands.first()).is_some_and(|v| blocks.contains(&v))));
    kernels.iter().try_for_each(|kernel| specialise(&mut module, kernel))?;
    // A block whose words are all load-time constants, or that nothing reads, is none.
    let operands = |i: &Instruction| i.operands.iter().filter_map(|o| id(Some(o))).collect::<Vec<_>>();
    let read: HashSet<Word> = module.functions.iter().flat_map(Function::all_inst_iter).flat_map(operands).collect();
    for block in blocks.into_iter().filter(|b| !read.contains(b)) {
        module.types_global_values.retain(|i| i.result_id != Some(block));
        let is_it = |i: &Instruction| id(i.operands.first()) == Some(block);
        module.debug_names.retain(|i| !is_it(i));
        module.annotations.retain(|i| !is_it(i));
    }
    say_how_buffers_are_used(&mut module);
    keep_as_written(&mut module);
    let bytes: Vec<u8> = module.assemble().into_iter().flat_map(Word::to_le_bytes).collect();
    inspect_spirv(&bytes, owner)
}

/// The variables of a storage class.
fn variables(module: &Module, class: StorageClass) -> Vec<Word> {
    let of_class =
        |i: &&Instruction| i.class.opcode == Op::Variable && i.operands.first() == Some(&Operand::StorageClass(class));
    module.types_global_values.iter().filter(of_class).filter_map(|i| i.result_id).collect()
}

/// Whether an instruction decorates a variable with its descriptor set or binding.
fn places(instruction: &Instruction) -> bool {
    let place = [Decoration::DescriptorSet, Decoration::Binding].map(Operand::Decoration);
    instruction.class.opcode == Op::Decorate && instruction.operands.get(1).is_some_and(|d| place.contains(d))
}

/// Words beyond the block become specialisation constants 0, 1, … of 32 bits; the block shrinks to what is pushed.
fn specialise(module: &mut Module, kernel: &Pushed<'_>) -> Result<()> {
    let Pushed { entry: name, words: pushed } = *kernel;
    let is_it = |e: &&Instruction| text(e.operands.get(2)) == Some(name);
    let function = module.entry_points.iter().find(is_it).and_then(|e| id(e.operands.get(1)));
    let function = function.ok_or_else(|| Error::input(format!("there is no entry point `{name}`")))?;
    let blocks = variables(module, StorageClass::PushConstant);
    let constants = module.types_global_values.iter().filter(|i| i.class.opcode == Op::Constant);
    let numbers: HashMap<Word, u32> =
        constants.filter_map(|i| Some((i.result_id?, number(i.operands.first())?))).collect();
    // Pointers to words of load-time constants, and which.
    let mut pointers: Vec<(Word, u32)> = Vec::new();
    let mut block = None;
    let all = reached(module, function).into_iter().flat_map(Function::all_inst_iter);
    for chain in all.filter(|i| is_chain(i)) {
        let Some(base) = id(chain.operands.first()).filter(|b| blocks.contains(b)) else { continue };
        block = Some(base);
        let word = id(chain.operands.last()).and_then(|n| numbers.get(&n).copied()).ok_or_else(|| {
            Error::input(format!("kernel `@{name}` reads a constant by a number that is computed"))
                .code("unsupported-op")
        })?;
        if word >= pushed {
            pointers.push((chain.result_id.unwrap_or(0), word - pushed));
        }
    }
    let Some(block) = block else { return Ok(()) };
    let word_type = word_type(module);
    let mut made: HashMap<u32, Word> = HashMap::new();
    for &(_, which) in &pointers {
        if let std::collections::hash_map::Entry::Vacant(e) = made.entry(which) {
            let constant = fresh(module);
            let operands = vec![Operand::LiteralBit32(0)];
            let before = position(module, block);
            let spec = Instruction::new(Op::SpecConstant, Some(word_type), Some(constant), operands);
            module.types_global_values.insert(before, spec);
            decorate(module, constant, Decoration::SpecId, Some(which));
            e.insert(constant);
        }
    }
    let of = |pointer: Word| pointers.iter().find(|(p, _)| *p == pointer).map(|(_, which)| made[which]);
    for instruction in module.functions.iter_mut().flat_map(Function::all_inst_iter_mut) {
        let constant = id(instruction.operands.first()).and_then(of);
        if let (Op::Load, Some(constant)) = (instruction.class.opcode, constant) {
            let (ty, result) = (instruction.result_type, instruction.result_id);
            *instruction = Instruction::new(Op::CopyObject, ty, result, vec![Operand::IdRef(constant)]);
        }
    }
    let dead: Vec<Word> = pointers.iter().map(|(p, _)| *p).collect();
    for block in module.functions.iter_mut().flat_map(|f| &mut f.blocks) {
        block.instructions.retain(|i| !i.result_id.is_some_and(|r| dead.contains(&r)));
    }
    if pushed > 0 {
        shrink(module, block, pushed);
    }
    Ok(())
}

/// Changes the length of a block of words.
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
    decorate(module, array, Decoration::ArrayStride, Some(4));
    decorate(module, structure, Decoration::Block, None);
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
    let is_word = |i: &&Instruction| i.class.opcode == Op::TypeInt && number(i.operands.first()) == Some(32);
    module.types_global_values.iter().find(is_word).and_then(|i| i.result_id).expect("who reads words has their type")
}

fn fresh(module: &mut Module) -> Word {
    let header = module.header.as_mut().expect("a binary has a header");
    header.bound += 1;
    header.bound - 1
}

fn decorate(module: &mut Module, of: Word, decoration: Decoration, number: Option<u32>) {
    let mut operands = vec![Operand::IdRef(of), Operand::Decoration(decoration)];
    operands.extend(number.map(Operand::LiteralBit32));
    module.annotations.push(Instruction::new(Op::Decorate, None, None, operands));
}

/// Decorates each buffer as `Restrict`, and buffers that nothing writes as read-only. The host program gives each
/// binding separate memory: tensors that share a buffer are tied and have one binding.
fn say_how_buffers_are_used(module: &mut Module) {
    let mut written = HashSet::new();
    for function in module.entry_points.iter().filter_map(|e| id(e.operands.get(1))) {
        written.extend(used(module, function).into_iter().filter(|(_, access)| *access != Access::No).map(|(v, _)| v));
    }
    for buffer in variables(module, StorageClass::StorageBuffer) {
        let has = |which: Decoration| {
            let is_it = |i: &Instruction| {
                id(i.operands.first()) == Some(buffer) && i.operands.get(1) == Some(&Operand::Decoration(which))
            };
            module.annotations.iter().any(is_it)
        };
        let read_only = !written.contains(&buffer) && !has(Decoration::NonWritable);
        let own = !has(Decoration::Restrict) && !has(Decoration::Aliased);
        for decoration in [(read_only, Decoration::NonWritable), (own, Decoration::Restrict)] {
            if decoration.0 {
                decorate(module, buffer, decoration.1, None);
            }
        }
    }
}

/// Decorates floating-point arithmetic as `NoContraction`. Without it, drivers may combine operations: Mesa adds the
/// two parts of a constant that is split to be exact.
fn keep_as_written(module: &mut Module) {
    let arithmetic = |i: &&Instruction| match i.class.opcode {
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FNegate => true,
        Op::ExtInst => matches!(i.operands.get(1), Some(Operand::LiteralExtInstInteger(n)) if *n == FMA),
        _ => false,
    };
    let all = module.functions.iter().flat_map(Function::all_inst_iter);
    let results: Vec<Word> = all.filter(arithmetic).filter_map(|i| i.result_id).collect();
    for result in results {
        decorate(module, result, Decoration::NoContraction, None);
    }
}
