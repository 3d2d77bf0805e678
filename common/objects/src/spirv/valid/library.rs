//! Checks calls of `GLSL.std.450` ("SPIR-V Extended Instructions for GLSL").
use super::{Checked, Type, Values};
use crate::spirv::layout::{id, text};
use rspirv::{
    dr::{Instruction, Operand},
    spirv::Op,
};

/// Checks a call of a function of a library.
pub(super) fn check(instruction: &Instruction, values: &Values<'_>) -> Checked {
    let set = id(instruction.operands.first()).and_then(|s| values.defined.get(&s));
    let name = set.filter(|s| s.class.opcode == Op::ExtInstImport).and_then(|s| text(s.operands.first()));
    let name = name.ok_or("its first operand is no library")?;
    if name.starts_with("NonSemantic.") {
        return Ok(());
    }
    if name != "GLSL.std.450" {
        return Err(format!("kernels do not use the library `{name}`"));
    }
    let Some(Operand::LiteralExtInstInteger(number)) = instruction.operands.get(1) else {
        return Err("it names no function".into());
    };
    let result = instruction.result_type.ok_or("it has no type")?;
    let operands: Option<Vec<u32>> = instruction.operands.iter().skip(2).map(|o| id(Some(o))).collect();
    let operands = operands.ok_or("an operand is no value")?;
    let wrong = || Err(format!("function {number} of the library does not fit its operands"));
    let (scalar, lanes) =
        values.lanes(result).or_else(|e| if *number == 52 || *number == 36 { Ok((Type::Other, 0)) } else { Err(e) })?;
    let float = |bits: &[u32]| matches!(scalar, Type::Float(width) if bits.contains(&width));
    let int = matches!(scalar, Type::Int(_));
    let same = || {
        operands
            .iter()
            .map(|&o| values.type_of(o))
            .collect::<Result<Vec<_>, _>>()
            .map(|t| t.iter().all(|&t| t == result))
    };
    // Signed and unsigned numbers go together.
    let alike = || {
        let of = |&o: &u32| values.type_of(o).and_then(|t| values.lanes(t));
        operands.iter().map(of).collect::<Result<Vec<_>, _>>().map(|t| t.iter().all(|t| *t == (scalar.clone(), lanes)))
    };
    let narrow: &[u32] = &[16, 32];
    let all: &[u32] = &[16, 32, 64];
    let holds = match number {
        // Rounding, signs, fractions, roots, normalisation.
        1..=4 | 6 | 8..=10 | 31 | 32 | 69 => operands.len() == 1 && float(all) && same()?,
        11..=24 | 27..=30 => operands.len() == 1 && float(narrow) && same()?,
        5 | 7 | 73..=75 => operands.len() == 1 && int && alike()?,
        25 | 26 => operands.len() == 2 && float(narrow) && same()?,
        37 | 40 | 48 | 79 | 80 => operands.len() == 2 && float(all) && same()?,
        38 | 39 | 41 | 42 => operands.len() == 2 && int && alike()?,
        43 | 46 | 49 | 50 | 81 => operands.len() == 3 && float(all) && same()?,
        44 | 45 => operands.len() == 3 && int && alike()?,
        53 => {
            let [value, power] = operands[..] else { return wrong() };
            let power = values.lanes(values.type_of(power)?)?;
            float(all) && values.type_of(value)? == result && matches!(power.0, Type::Int(_)) && power.1 == lanes
        }
        // Of a number and its exponent, or fraction.
        36 | 52 => {
            let [value] = operands[..] else { return wrong() };
            let value = values.type_of(value)?;
            let Type::Struct(members) = values.ty(result)? else { return wrong() };
            let ((kind, count), [first, second]) = (values.lanes(value)?, &members[..]) else { return wrong() };
            let other = values.lanes(*second)?;
            let second = if *number == 36 { *second == value } else { other == (Type::Int(32), count) };
            matches!(kind, Type::Float(_)) && *first == value && second
        }
        54 | 55 => packs(&operands, (Type::Float(32), 4), (&scalar, lanes), 32, values)?,
        56..=58 => packs(&operands, (Type::Float(32), 2), (&scalar, lanes), 32, values)?,
        59 => {
            operands.len() == 1
                && scalar == Type::Float(64)
                && values.lanes(values.type_of(operands[0])?)? == (Type::Int(32), 2)
        }
        60..=62 => unpacks(&operands, (&scalar, lanes) == (&Type::Float(32), 2), 32, values)?,
        63 | 64 => unpacks(&operands, (&scalar, lanes) == (&Type::Float(32), 4), 32, values)?,
        65 => {
            operands.len() == 1
                && (&scalar, lanes) == (&Type::Int(32), 2)
                && *values.of(operands[0])? == Type::Float(64)
        }
        // Lengths and distances.
        66 | 67 => {
            let count = if *number == 66 { 1 } else { 2 };
            let first = operands.first().map(|&o| values.type_of(o)).transpose()?;
            let same = operands.iter().all(|&o| values.type_of(o).ok() == first);
            let of = first.map(|t| values.lanes(t)).transpose()?;
            operands.len() == count && same && lanes == 1 && float(all) && of.is_some_and(|(kind, _)| kind == scalar)
        }
        68 => operands.len() == 2 && lanes == 3 && float(all) && same()?,
        _ => return Err(format!("kernels have no use for function {number} of the library")),
    };
    if holds { Ok(()) } else { wrong() }
}

fn packs(
    operands: &[u32],
    from: (Type, u32),
    to: (&Type, u32),
    bits: u32,
    values: &Values<'_>,
) -> Result<bool, String> {
    let [value] = operands else { return Ok(false) };
    Ok(to == (&Type::Int(bits), 1) && values.lanes(values.type_of(*value)?)? == from)
}

fn unpacks(operands: &[u32], fits: bool, bits: u32, values: &Values<'_>) -> Result<bool, String> {
    let [value] = operands else { return Ok(false) };
    Ok(fits && *values.of(*value)? == Type::Int(bits))
}
