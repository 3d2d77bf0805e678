//! Checks types, constants and global variables.
use super::{Checked, Type, Values, instructions, require};
use crate::spirv::layout::{id, number};
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::{Op, StorageClass},
};
use std::collections::HashSet;

/// Types nest no deeper than implementations must allow for structures ("Universal Limits").
const DEPTH: u32 = 255;

pub(super) fn check(module: &Module, values: &Values<'_>) -> Checked {
    let mut seen: HashSet<u32> = module.ext_inst_imports.iter().filter_map(|i| i.result_id).collect();
    let mut scalars = Vec::new();
    for instruction in &module.types_global_values {
        let place = |why: String| match instruction.result_id {
            Some(result) => format!("Op{} %{result}: {why}", instruction.class.opname),
            None => format!("Op{}: {why}", instruction.class.opname),
        };
        let before = instruction.operands.iter().filter_map(|o| id(Some(o))).chain(instruction.result_type);
        for operand in before {
            if !seen.contains(&operand) {
                return Err(place(format!("%{operand} is used before it is defined")));
            }
        }
        one(instruction, values).map_err(place)?;
        if !AGGREGATES.contains(&instruction.class.opcode) && instruction.class.opname.starts_with("Type") {
            let ty = (instruction.class.opcode, &instruction.operands);
            if scalars.contains(&ty) {
                return Err(place("it is declared twice".into()));
            }
            scalars.push(ty);
        }
        seen.extend(instruction.result_id);
    }
    Ok(())
}

/// Types that may be declared several times, with different decorations.
const AGGREGATES: [Op; 4] = [Op::TypeArray, Op::TypeRuntimeArray, Op::TypeStruct, Op::TypePointer];

fn one(instruction: &Instruction, values: &Values<'_>) -> Checked {
    let operand = |i: usize| id(instruction.operands.get(i)).ok_or("an operand is missing");
    let literal = |i: usize| number(instruction.operands.get(i)).ok_or("a number is missing");
    let result_type = || instruction.result_type.ok_or("it has no type");
    // The types of values in memory or registers.
    let is_data = |ty: u32| Ok::<_, String>(!matches!(values.ty(ty)?, Type::Void | Type::Function(..)));
    match instruction.class.opcode {
        Op::TypeVoid | Op::TypeBool | Op::Line | Op::NoLine => Ok(()),
        Op::TypeInt => {
            require(matches!(literal(0)?, 8 | 16 | 32 | 64) && literal(1)? < 2, "there are no such integers")
        }
        Op::TypeFloat => require(matches!(literal(0)?, 8 | 16 | 32 | 64), "there are no such floats"),
        Op::TypeVector => {
            let scalar = matches!(values.ty(operand(0)?)?, Type::Bool | Type::Int(_) | Type::Float(_));
            require(scalar && matches!(literal(1)?, 2..=4 | 8 | 16), "there are no such vectors")
        }
        Op::TypeMatrix => {
            let float = match values.ty(operand(0)?)? {
                Type::Vector(component, _) => matches!(values.ty(*component)?, Type::Float(_)),
                _ => false,
            };
            require(float && matches!(literal(1)?, 2..=4), "there are no such matrices")
        }
        Op::TypeArray => {
            let length = operand(1)?;
            let integer = values.is_constant(length) && matches!(values.of(length)?, Type::Int(_));
            let fixed = !matches!(values.ty(operand(0)?)?, Type::RuntimeArray(_));
            require(integer && fixed && is_data(operand(0)?)?, "there are no such arrays")?;
            require(values.constant(length).is_none_or(|n| n > 0 && n < 1 << 31), "its length is out of range")
        }
        Op::TypeRuntimeArray => require(
            is_data(operand(0)?)? && !matches!(values.ty(operand(0)?)?, Type::RuntimeArray(_)),
            "there are no such arrays",
        ),
        Op::TypeStruct => {
            let Type::Struct(members) = values.ty(instruction.result_id.unwrap_or(0))? else {
                return Err("it has no members".into());
            };
            for (i, &member) in members.iter().enumerate() {
                let last = i + 1 == members.len();
                require(is_data(member)?, "a member is no data")?;
                require(
                    last || !matches!(values.ty(member)?, Type::RuntimeArray(_)),
                    "an array without a length is not its last member",
                )?;
            }
            require(depth(instruction.result_id.unwrap_or(0), values, 0).is_ok(), "it nests too deep")
        }
        Op::TypePointer => {
            let class = match instruction.operands.first() {
                Some(Operand::StorageClass(class)) => *class,
                _ => return Err("it has no storage class".into()),
            };
            require(CLASSES.contains(&class), "kernels have no use for its storage class")?;
            require(is_data(operand(1)?)?, "it points to no data")
        }
        Op::TypeFunction => {
            let Type::Function(result, parameters) = values.ty(instruction.result_id.unwrap_or(0))? else {
                return Err("it has no result".into());
            };
            require(!matches!(values.ty(*result)?, Type::Function(..)), "it returns a function")?;
            parameters.iter().try_for_each(|&p| require(is_data(p)?, "a parameter is no data"))
        }
        Op::TypeCooperativeMatrixKHR => {
            let number = matches!(values.ty(operand(0)?)?, Type::Int(_) | Type::Float(_));
            let constants = (1..5).all(|i| operand(i).is_ok_and(|c| values.is_constant(c)));
            require(number && constants, "there are no such matrices")
        }
        Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
            require(*values.ty(result_type()?)? == Type::Bool, "its type is not `bool`")
        }
        Op::Constant | Op::SpecConstant => {
            let bits = match values.ty(result_type()?)? {
                Type::Int(bits) | Type::Float(bits) => *bits,
                _ => return Err("its type is no type of numbers".into()),
            };
            let long = matches!(instruction.operands.first(), Some(Operand::LiteralBit64(_)));
            require(
                long == (bits == 64) && instruction.operands.len() == 1,
                "its number has another width than its type",
            )?;
            match instruction.operands.first() {
                Some(&Operand::LiteralBit32(word)) => {
                    require(extended(word, bits, values.is_signed(result_type()?)), "its number does not fit its type")
                }
                _ => Ok(()),
            }
        }
        Op::ConstantComposite | Op::SpecConstantComposite => {
            for operand in instruction.operands.iter().filter_map(|o| id(Some(o))) {
                require(values.is_constant(operand), "a part of it is no constant")?;
            }
            instructions::construct(instruction, values)
        }
        Op::ConstantNull | Op::Undef => require(is_data(result_type()?)?, "its type has no values"),
        Op::SpecConstantOp => {
            let Some(Operand::LiteralSpecConstantOpInteger(op)) = instruction.operands.first() else {
                return Err("it has no operation".into());
            };
            for operand in instruction.operands.iter().filter_map(|o| id(Some(o))) {
                require(values.is_constant(operand), "an operand is no constant")?;
            }
            let operands = instruction.operands[1..].to_vec();
            let known = instructions::is_pure(*op);
            require(known, "constants are not made by this operation")?;
            instructions::check(
                &Instruction::new(*op, instruction.result_type, instruction.result_id, operands),
                values,
            )
        }
        Op::Variable => {
            let Some(Operand::StorageClass(class)) = instruction.operands.first() else {
                return Err("it has no storage class".into());
            };
            let Type::Pointer(of, pointee) = values.ty(result_type()?)? else {
                return Err("its type is no pointer".into());
            };
            require(of == class && *class != StorageClass::Function, "its storage class is not that of its type")?;
            match id(instruction.operands.get(1)) {
                Some(start) => require(
                    values.is_constant(start) && values.type_of(start)? == *pointee,
                    "its start value does not fit",
                ),
                None => Ok(()),
            }
        }
        _ => Err("it does not belong among types and constants".into()),
    }
}

/// The storage classes that kernels may use.
const CLASSES: [StorageClass; 8] = [
    StorageClass::Input,
    StorageClass::Uniform,
    StorageClass::UniformConstant,
    StorageClass::Workgroup,
    StorageClass::Private,
    StorageClass::Function,
    StorageClass::PushConstant,
    StorageClass::StorageBuffer,
];

fn depth(ty: u32, values: &Values<'_>, above: u32) -> Checked {
    if above > DEPTH {
        return Err("it nests too deep".into());
    }
    match values.ty(ty)? {
        Type::Struct(members) => members.iter().try_for_each(|&m| depth(m, values, above + 1)),
        Type::Array(element, _) | Type::RuntimeArray(element) => depth(*element, values, above + 1),
        _ => Ok(()),
    }
}

/// Whether a literal of fewer than 32 bits is extended as SPIR-V requires ("Literal" in its section 2.2.1):
/// sign-extended for signed types, zero-extended otherwise.
fn extended(word: u32, bits: u32, signed: bool) -> bool {
    match 32_u32.saturating_sub(bits) {
        0 => true,
        rest if signed => ((word << rest) as i32 >> rest) as u32 == word,
        rest => word << rest >> rest == word,
    }
}
