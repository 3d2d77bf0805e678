//! Checks pointers, loads and stores.
use super::{Checked, Type, Values, require};
use crate::spirv::layout::{id, number};
use rspirv::{
    dr::{Instruction, Operand},
    spirv::{MemorySemantics, Op, StorageClass},
};

/// The storage class of a pointer and what it points to.
pub(super) fn pointer(value: u32, values: &Values<'_>) -> Result<(StorageClass, u32), String> {
    match values.of(value)? {
        Type::Pointer(class, pointee) => Ok((*class, *pointee)),
        _ => Err(format!("%{value} is no pointer")),
    }
}

/// Checks what has to do with memory; `None` for other instructions.
pub(super) fn check(instruction: &Instruction, values: &Values<'_>) -> Option<Checked> {
    let opcode = instruction.class.opcode;
    let atomic = instruction.class.opname.starts_with("Atomic");
    Some(match opcode {
        Op::Load => load(instruction, values),
        Op::Store => store(instruction, values),
        Op::CopyMemory => copy(instruction, values),
        Op::AccessChain | Op::InBoundsAccessChain => chain(instruction, 1, values),
        Op::PtrAccessChain | Op::InBoundsPtrAccessChain => chain(instruction, 2, values),
        Op::ArrayLength => array_length(instruction, values),
        Op::Variable => local(instruction, values),
        _ if atomic => atomics(instruction, values),
        _ => return None,
    })
}

fn operand(instruction: &Instruction, i: usize) -> Result<u32, String> {
    id(instruction.operands.get(i)).ok_or_else(|| "an operand is missing".to_owned())
}

fn result_type(instruction: &Instruction) -> Result<u32, String> {
    instruction.result_type.ok_or_else(|| "it has no type".to_owned())
}

fn load(instruction: &Instruction, values: &Values<'_>) -> Checked {
    let (_, pointee) = pointer(operand(instruction, 0)?, values)?;
    require(pointee == result_type(instruction)?, "it has another type than what is loaded")?;
    require(!matches!(values.ty(pointee)?, Type::RuntimeArray(_)), "an array without a length is loaded")?;
    access(instruction, 1)
}

fn store(instruction: &Instruction, values: &Values<'_>) -> Checked {
    let (class, pointee) = pointer(operand(instruction, 0)?, values)?;
    let constant = matches!(class, StorageClass::Input | StorageClass::PushConstant | StorageClass::UniformConstant);
    require(!constant, "what is written there is only read")?;
    require(values.type_of(operand(instruction, 1)?)? == pointee, "what is stored has another type than its place")?;
    access(instruction, 2)
}

fn copy(instruction: &Instruction, values: &Values<'_>) -> Checked {
    let (to, from) = (pointer(operand(instruction, 0)?, values)?, pointer(operand(instruction, 1)?, values)?);
    require(to.1 == from.1, "the two places have other types")?;
    access(instruction, 2)
}

/// Checks memory operands: an alignment is a power of two.
fn access(instruction: &Instruction, at: usize) -> Checked {
    let mut rest = instruction.operands.iter().skip(at);
    while let Some(operand) = rest.next() {
        let Operand::MemoryAccess(how) = operand else { return Err("how memory is accessed is not said".into()) };
        if how.contains(rspirv::spirv::MemoryAccess::ALIGNED) {
            let alignment = number(rest.next());
            require(alignment.is_some_and(u32::is_power_of_two), "the alignment is no power of two")?;
        }
        let scopes =
            [rspirv::spirv::MemoryAccess::MAKE_POINTER_AVAILABLE, rspirv::spirv::MemoryAccess::MAKE_POINTER_VISIBLE];
        for _ in scopes.iter().filter(|s| how.contains(**s)) {
            rest.next();
        }
    }
    Ok(())
}

/// A walk from a type inwards by indices.
fn chain(instruction: &Instruction, first: usize, values: &Values<'_>) -> Checked {
    let (class, mut ty) = pointer(operand(instruction, 0)?, values)?;
    for (i, index) in instruction.operands.iter().enumerate().skip(1) {
        let index = id(Some(index)).ok_or("an index is no value")?;
        require(matches!(values.of(index)?, Type::Int(_)), "an index is no integer")?;
        // The first one of `PtrAccessChain` goes from element to element.
        if i < first {
            continue;
        }
        ty = match values.ty(ty)? {
            Type::Vector(inner, count) | Type::Matrix(inner, count) => {
                require(values.constant(index).is_none_or(|n| n < u64::from(*count)), "an index is out of range")?;
                *inner
            }
            Type::Array(inner, length) => {
                let inside = values.constant(index).zip(*length).is_none_or(|(n, length)| n < length);
                require(inside, "an index is out of range")?;
                *inner
            }
            Type::RuntimeArray(inner) => *inner,
            Type::Struct(members) => {
                let member = values.constant(index).and_then(|n| members.get(usize::try_from(n).ok()?));
                *member.ok_or("a member is chosen that there is not")?
            }
            _ => return Err("it has more indices than what it goes into".into()),
        };
    }
    let is = values.ty(result_type(instruction)?)?;
    require(*is == Type::Pointer(class, ty), "its type is not that of what it points to")
}

fn array_length(instruction: &Instruction, values: &Values<'_>) -> Checked {
    let (_, pointee) = pointer(operand(instruction, 0)?, values)?;
    let Type::Struct(members) = values.ty(pointee)? else { return Err("this is no structure".into()) };
    let member = number(instruction.operands.get(1)).filter(|&m| m as usize + 1 == members.len());
    let last = member.and_then(|m| members.get(m as usize)).ok_or("this is not the last member")?;
    require(matches!(values.ty(*last)?, Type::RuntimeArray(_)), "the array has a length")?;
    require(*values.ty(result_type(instruction)?)? == Type::Int(32), "its type is not 32 bits wide")
}

/// Checks a variable of a function.
fn local(instruction: &Instruction, values: &Values<'_>) -> Checked {
    let Type::Pointer(StorageClass::Function, pointee) = values.ty(result_type(instruction)?)? else {
        return Err("its type is no pointer into a function".into());
    };
    let function = Operand::StorageClass(StorageClass::Function);
    require(instruction.operands.first() == Some(&function), "its storage class is not that of a function")?;
    match id(instruction.operands.get(1)) {
        Some(start) => {
            require(values.is_constant(start) && values.type_of(start)? == *pointee, "its start value does not fit")
        }
        None => Ok(()),
    }
}

fn atomics(instruction: &Instruction, values: &Values<'_>) -> Checked {
    let known = matches!(
        instruction.class.opcode,
        Op::AtomicLoad
            | Op::AtomicStore
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFAddEXT
            | Op::AtomicFMinEXT
            | Op::AtomicFMaxEXT
    );
    require(known, "kernels have no use for it")?;
    let (class, pointee) = pointer(operand(instruction, 0)?, values)?;
    let shared = matches!(class, StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::Workgroup);
    require(shared, "nobody shares this memory")?;
    let number = match values.ty(pointee)? {
        Type::Int(bits) => matches!(bits, 32 | 64) && !instruction.class.opname.starts_with("AtomicF"),
        Type::Float(_) => {
            instruction.class.opname.starts_with("AtomicF")
                || matches!(instruction.class.opcode, Op::AtomicLoad | Op::AtomicStore | Op::AtomicExchange)
        }
        _ => false,
    };
    require(number, "it does not go with numbers of this type")?;
    require(instruction.result_type.is_none_or(|t| t == pointee), "it has another type than its place")?;
    // The pointer, the scope, what else is ordered (twice where it may fail), then numbers.
    let orders = if instruction.class.opcode == Op::AtomicCompareExchange { 2..4 } else { 2..3 };
    let rest = orders.end;
    scope(operand(instruction, 1)?, values)?;
    for i in orders {
        semantics(operand(instruction, i)?, values)?;
    }
    for i in rest..instruction.operands.len() {
        require(values.type_of(operand(instruction, i)?)? == pointee, "a number has another type than its place")?;
    }
    Ok(())
}

/// Checks a scope: the threads that are meant, from a device down to one invocation.
pub(super) fn scope(value: u32, values: &Values<'_>) -> Checked {
    constant(value, values)?;
    require(values.constant(value).is_none_or(|n| (1..=5).contains(&n)), &format!("%{value} is no scope"))
}

/// Checks the memory semantics of a barrier or an atomic operation.
pub(super) fn semantics(value: u32, values: &Values<'_>) -> Checked {
    constant(value, values)?;
    let bits = values.constant(value).unwrap_or(0);
    let orders = MemorySemantics::ACQUIRE
        | MemorySemantics::RELEASE
        | MemorySemantics::ACQUIRE_RELEASE
        | MemorySemantics::SEQUENTIALLY_CONSISTENT;
    require((bits & u64::from(orders.bits())).count_ones() < 2, &format!("%{value} orders memory in two ways"))?;
    let of_vulkan = MemorySemantics::OUTPUT_MEMORY
        | MemorySemantics::MAKE_AVAILABLE
        | MemorySemantics::MAKE_VISIBLE
        | MemorySemantics::VOLATILE;
    let declared = values.vulkan_memory || bits & u64::from(of_vulkan.bits()) == 0;
    require(declared, &format!("%{value} needs the capability `VulkanMemoryModel`, which it does not declare"))
}

/// A word that is a constant, for a scope or what is ordered.
fn constant(value: u32, values: &Values<'_>) -> Checked {
    let small = values.constant(value).is_none_or(|n| n < 1 << 16);
    require(
        values.is_constant(value) && *values.of(value)? == Type::Int(32) && small,
        &format!("%{value} is no scope of memory"),
    )
}
