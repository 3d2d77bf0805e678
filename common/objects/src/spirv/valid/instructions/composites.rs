//! Checks the types of composites, their members, and selections between values.
use super::super::{Checked, Type, Values};
use super::{super::require, operands::Look};
use crate::spirv::layout::{id, number};
use rspirv::dr::Instruction;

/// Checks the construction of a composite.
pub(in crate::spirv::valid) fn construct(instruction: &Instruction, values: &Values<'_>) -> Checked {
    let result = instruction.result_type.ok_or("it has no type")?;
    let parts: Vec<u32> = instruction.operands.iter().filter_map(|o| id(Some(o))).collect();
    let types = parts.iter().map(|&p| values.type_of(p)).collect::<Result<Vec<_>, _>>()?;
    let fits = match values.ty(result)? {
        Type::Vector(component, count) => {
            let scalar = values.ty(*component)?;
            let lanes = types.iter().map(|&t| values.lanes(t)).collect::<Result<Vec<_>, _>>()?;
            // Vectors may be parts, too.
            lanes.iter().all(|l| l.0 == *scalar)
                && lanes.iter().map(|l| u64::from(l.1)).sum::<u64>() == u64::from(*count)
        }
        Type::Matrix(column, count) => types.len() == *count as usize && types.iter().all(|t| t == column),
        Type::Array(element, length) => {
            length.is_none_or(|n| n == types.len() as u64) && types.iter().all(|t| t == element)
        }
        Type::Struct(members) => types == *members,
        Type::Other => types.len() == 1,
        _ => false,
    };
    require(fits, "its parts do not make its type")
}

/// The type at a place in a composite; the indices are operands from `first` on.
pub(super) fn inside(look: &Look<'_>, from: u32, first: usize) -> Result<u32, String> {
    let mut ty = from;
    for index in look.instruction.operands.iter().skip(first) {
        let index = number(Some(index)).ok_or("an index is no number")?;
        let none = || "an index is out of range".to_owned();
        ty = match look.values.ty(ty)? {
            Type::Vector(inner, count) | Type::Matrix(inner, count) => {
                Some(*inner).filter(|_| index < *count).ok_or_else(none)?
            }
            Type::Array(inner, length) => {
                Some(*inner).filter(|_| length.is_none_or(|n| u64::from(index) < n)).ok_or_else(none)?
            }
            Type::Struct(members) => *members.get(index as usize).ok_or_else(none)?,
            Type::Other => return look.result(),
            _ => return Err("it has more indices than what it goes into".into()),
        };
    }
    Ok(ty)
}

pub(super) fn select(look: &Look<'_>) -> Checked {
    look.count(3)?;
    let result = look.result()?;
    require(look.type_of(1)? == result && look.type_of(2)? == result, "an operand has another type than the result")?;
    let (condition, lanes) = look.lanes(0)?;
    let wide = look.values.lanes(result).map_or(1, |l| l.1);
    require(
        condition == Type::Bool && (lanes == 1 || lanes == wide),
        "its condition is no truth value for each operand",
    )
}
