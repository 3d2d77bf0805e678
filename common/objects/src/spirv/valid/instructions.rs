//! Checks the types of operands and results.
mod composites;
mod groups;
mod operands;

use super::{Checked, Type, Values, library, memory, require};
use crate::spirv::layout::{id, number};
pub(super) use composites::construct;
use composites::{inside, select};
use groups::groups;
use operands::{Look, bits, boolean, float, int};
use rspirv::{dr::Instruction, spirv::Op};

/// Whether the result of an operation depends on its operands alone, as for constants.
pub(super) fn is_pure(op: Op) -> bool {
    !matches!(
        op,
        Op::Load | Op::Store | Op::Phi | Op::FunctionCall | Op::Variable | Op::SpecConstantOp | Op::Undef | Op::ExtInst
    ) && !matches!(op, Op::ControlBarrier | Op::MemoryBarrier | Op::CopyMemory | Op::ArrayLength | Op::AccessChain)
}

/// Checks one instruction of a block, but for where it stands.
pub(super) fn check(instruction: &Instruction, values: &Values<'_>) -> Checked {
    let look = Look { instruction, values };
    if let Some(checked) = memory::check(instruction, values) {
        return checked;
    }
    if instruction.class.opname.starts_with("GroupNonUniform") {
        return groups(&look);
    }
    if instruction.class.opname.starts_with("CooperativeMatrix") {
        return Ok(());
    }
    match instruction.class.opcode {
        Op::FNegate => look.same(1, float),
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => look.same(2, float),
        Op::SNegate | Op::Not | Op::BitReverse => look.integers(1),
        Op::IAdd | Op::ISub | Op::IMul | Op::SDiv | Op::SRem | Op::SMod => look.integers(2),
        Op::UDiv | Op::UMod => {
            look.integers(2)?;
            look.unsigned()
        }
        Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => look.integers(2),
        Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
            let (result, of, by) = (look.result_lanes()?, look.lanes(0)?, look.lanes(1)?);
            require(result == of && int(&of.0) && int(&by.0) && of.1 == by.1, "it does not shift such values")
        }
        Op::BitCount => look.converts(int, int),
        Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => {
            let last = instruction.operands.len();
            let values = if instruction.class.opcode == Op::BitFieldInsert { 2 } else { 1 };
            let result = look.result_lanes()?;
            require(int(&result.0) && last == values + 2, "it has other operands")?;
            (0..values)
                .try_for_each(|i| require(look.lanes(i)? == result, "an operand has another type than the result"))?;
            (values..last)
                .try_for_each(|i| require(int(&look.lanes(i)?.0) && look.lanes(i)?.1 == 1, "a place is no integer"))
        }
        Op::LogicalNot => look.same(1, boolean),
        Op::LogicalAnd | Op::LogicalOr | Op::LogicalEqual | Op::LogicalNotEqual => look.same(2, boolean),
        Op::Any | Op::All => {
            let of = look.lanes(0)?;
            require(
                look.result_lanes()? == (Type::Bool, 1) && boolean(&of.0) && of.1 > 1,
                "it is about vectors of truth values",
            )
        }
        Op::Select => select(&look),
        Op::IEqual | Op::INotEqual | Op::UGreaterThan | Op::SGreaterThan | Op::UGreaterThanEqual => {
            look.compares(2, int)
        }
        Op::SGreaterThanEqual | Op::ULessThan | Op::SLessThan | Op::ULessThanEqual | Op::SLessThanEqual => {
            look.compares(2, int)
        }
        Op::FOrdEqual | Op::FUnordEqual | Op::FOrdNotEqual | Op::FUnordNotEqual | Op::FOrdLessThan => {
            look.compares(2, float)
        }
        Op::FUnordLessThan | Op::FOrdGreaterThan | Op::FUnordGreaterThan | Op::FOrdLessThanEqual => {
            look.compares(2, float)
        }
        Op::FUnordLessThanEqual | Op::FOrdGreaterThanEqual | Op::FUnordGreaterThanEqual => look.compares(2, float),
        Op::IsNan | Op::IsInf => look.compares(1, float),
        Op::ConvertFToU => {
            look.converts(float, int)?;
            look.unsigned()
        }
        Op::ConvertFToS => look.converts(float, int),
        Op::ConvertSToF | Op::ConvertUToF => look.converts(int, float),
        Op::UConvert => {
            look.converts(int, int)?;
            look.unsigned()
        }
        Op::SConvert => look.converts(int, int),
        Op::FConvert | Op::QuantizeToF16 => look.converts(float, float),
        Op::Bitcast => {
            let (of, result) = (look.lanes(0)?, look.result_lanes()?);
            let width = bits(&of.0) * of.1;
            require(width > 0 && width == bits(&result.0) * result.1, "the two types have other widths")
        }
        Op::CopyObject => {
            look.count(1)?;
            require(look.type_of(0)? == look.result()?, "it has another type than its operand")
        }
        Op::Undef => {
            let ty = values.ty(look.result()?)?;
            require(!matches!(ty, Type::Void | Type::Function(..) | Type::RuntimeArray(_)), "its type has no values")
        }
        Op::CompositeConstruct => construct(instruction, values),
        Op::CompositeExtract => {
            let inside = inside(&look, look.type_of(0)?, 1)?;
            require(inside == look.result()?, "it has another type than what is taken out")
        }
        Op::CompositeInsert => {
            require(look.type_of(1)? == look.result()?, "it has another type than what is changed")?;
            require(
                inside(&look, look.type_of(1)?, 2)? == look.type_of(0)?,
                "what is put in has another type than its place",
            )
        }
        Op::VectorExtractDynamic => {
            look.count(2)?;
            let (vector, index) = (look.lanes(0)?, look.lanes(1)?);
            require(
                vector.1 > 1 && look.result_lanes()? == (vector.0, 1) && int(&index.0) && index.1 == 1,
                "it has other operands",
            )
        }
        Op::VectorInsertDynamic => {
            look.count(3)?;
            let (vector, number, index) = (look.lanes(0)?, look.lanes(1)?, look.lanes(2)?);
            let fits = look.type_of(0)? == look.result()? && vector.1 > 1 && number == (vector.0, 1);
            require(fits && int(&index.0) && index.1 == 1, "it has other operands")
        }
        Op::VectorShuffle => {
            let (a, b, result) = (look.lanes(0)?, look.lanes(1)?, look.result_lanes()?);
            let lanes: Option<Vec<u32>> = instruction.operands.iter().skip(2).map(|o| number(Some(o))).collect();
            let lanes = lanes.ok_or("a lane is no number")?;
            let known = lanes.iter().all(|&n| n == u32::MAX || n < a.1 + b.1);
            require(a.0 == b.0 && a.1 > 1 && b.1 > 1 && result.1 > 1 && a.0 == result.0, "it has other operands")?;
            require(lanes.len() == result.1 as usize && known, "a lane is taken that there is not")
        }
        Op::VectorTimesScalar => {
            look.count(2)?;
            let (vector, scalar) = (look.lanes(0)?, look.lanes(1)?);
            let fits = look.type_of(0)? == look.result()? && float(&vector.0) && vector.1 > 1;
            require(fits && scalar == (vector.0, 1), "it has other operands")
        }
        Op::Dot => {
            look.count(2)?;
            let of = look.lanes(0)?;
            require(
                look.type_of(0)? == look.type_of(1)? && of.1 > 1 && float(&of.0) && look.result_lanes()? == (of.0, 1),
                "it has other operands",
            )
        }
        Op::MatrixTimesScalar
        | Op::VectorTimesMatrix
        | Op::MatrixTimesVector
        | Op::MatrixTimesMatrix
        | Op::Transpose
        | Op::OuterProduct => {
            let other = (0..instruction.operands.len()).all(|i| {
                look.type_of(i).is_ok_and(|t| {
                    values.ty(t) == Ok(&Type::Other) || values.lanes(t).is_ok_and(|l| float(&l.0) || int(&l.0))
                })
            });
            require(other && *values.ty(look.result()?)? == Type::Other, "kernels have no use for it")
        }
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
            look.count(2)?;
            let Type::Struct(members) = values.ty(look.result()?)? else { return Err("its result is no pair".into()) };
            let of = look.lanes(0)?;
            let pair = members.len() == 2 && members.iter().all(|&m| values.lanes(m).as_ref() == Ok(&of));
            require(pair && int(&of.0) && look.lanes(1)? == of, "it has other operands")
        }
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
            let (a, b, result) = (look.lanes(0)?, look.lanes(1)?, look.result_lanes()?);
            require(a == b && int(&a.0) && int(&result.0) && result.1 == 1, "it has other operands")
        }
        Op::FunctionCall => call(&look),
        Op::ExtInst => library::check(instruction, values),
        Op::ControlBarrier => {
            look.count(3)?;
            (0..2).try_for_each(|i| memory::scope(look.operand(i)?, values))?;
            memory::semantics(look.operand(2)?, values)
        }
        Op::MemoryBarrier => {
            look.count(2)?;
            memory::scope(look.operand(0)?, values)?;
            memory::semantics(look.operand(1)?, values)
        }
        Op::Phi => {
            let pairs = instruction.operands.chunks(2);
            let result = look.result()?;
            pairs.into_iter().try_for_each(|pair| {
                let value = id(pair.first()).ok_or("a value is missing")?;
                require(values.type_of(value)? == result, "a value has another type than the result")
            })
        }
        Op::BranchConditional => {
            require(*values.ty(look.type_of(0)?)? == Type::Bool, "its condition is no truth value")
        }
        Op::Switch => require(int(values.ty(look.type_of(0)?)?), "it does not choose by an integer"),
        Op::Branch | Op::LoopMerge | Op::SelectionMerge | Op::Return | Op::ReturnValue | Op::Unreachable => Ok(()),
        Op::Line | Op::NoLine | Op::Nop | Op::Label => Ok(()),
        _ => Err("kernels have no use for it".into()),
    }
}

fn call(look: &Look<'_>) -> Checked {
    let callee = look.values.defined.get(&look.operand(0)?).filter(|f| f.class.opcode == Op::Function);
    let ty = callee.and_then(|f| id(f.operands.get(1))).ok_or("it calls no function")?;
    let Type::Function(result, parameters) = look.values.ty(ty)? else { return Err("it calls no function".into()) };
    require(
        *result == look.result()? && look.instruction.operands.len() == parameters.len() + 1,
        "the function takes or gives something else",
    )?;
    parameters
        .iter()
        .enumerate()
        .try_for_each(|(i, p)| require(look.type_of(i + 1)? == *p, "an argument has another type than the parameter"))
}
