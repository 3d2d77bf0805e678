//! The types of operands and results.
use super::{Checked, Type, Values, library, memory};
use crate::spirv::layout::{id, number};
use rspirv::{
    dr::{Instruction, Operand},
    spirv::Op,
};

fn fail(holds: bool, why: &str) -> Checked {
    if holds { Ok(()) } else { Err(why.to_owned()) }
}

/// An instruction with what its checks ask for.
struct Look<'a> {
    instruction: &'a Instruction,
    values: &'a Values<'a>,
}

/// A number or truth value, and how many.
type Lanes = (Type, u32);

impl Look<'_> {
    fn operand(&self, i: usize) -> Result<u32, String> {
        id(self.instruction.operands.get(i)).ok_or_else(|| "an operand is missing".to_owned())
    }

    /// The type of an operand.
    fn type_of(&self, i: usize) -> Result<u32, String> {
        self.values.type_of(self.operand(i)?)
    }

    fn lanes(&self, i: usize) -> Result<Lanes, String> {
        self.values.lanes(self.type_of(i)?)
    }

    fn result(&self) -> Result<u32, String> {
        self.instruction.result_type.ok_or_else(|| "it has no type".to_owned())
    }

    fn result_lanes(&self) -> Result<Lanes, String> {
        self.values.lanes(self.result()?)
    }

    fn count(&self, count: usize) -> Checked {
        fail(self.instruction.operands.len() == count, "it has another number of operands")
    }

    /// `count` operands of the type of the result.
    fn same(&self, count: usize, kind: fn(&Type) -> bool) -> Checked {
        self.count(count)?;
        let result = self.result()?;
        // Matrices of a device are computed with like numbers.
        if *self.values.ty(result)? != Type::Other {
            fail(kind(&self.values.lanes(result)?.0), "it does not compute with such values")?;
        }
        (0..count).try_for_each(|i| fail(self.type_of(i)? == result, "an operand has another type than the result"))
    }

    /// `count` operands of integers like the result; signs do not matter.
    fn integers(&self, count: usize) -> Checked {
        self.count(count)?;
        if *self.values.ty(self.result()?)? == Type::Other {
            return self.same(count, |_| true);
        }
        let result = self.result_lanes()?;
        fail(int(&result.0), "it computes with integers")?;
        (0..count).try_for_each(|i| fail(self.lanes(i)? == result, "an operand has another type than the result"))
    }

    /// Its result has no sign.
    fn unsigned(&self) -> Checked {
        let result = self.result()?;
        let scalar = match self.values.ty(result)? {
            Type::Vector(component, _) => *component,
            _ => result,
        };
        fail(!self.values.is_signed(scalar), "its result is of a type with a sign")
    }

    /// A truth value for each pair of numbers.
    fn compares(&self, count: usize, kind: fn(&Type) -> bool) -> Checked {
        self.count(count)?;
        let (first, result) = (self.lanes(0)?, self.result_lanes()?);
        fail(result == (Type::Bool, first.1), "its result is no truth value for each operand")?;
        fail(kind(&first.0), "it does not compare such values")?;
        (0..count).try_for_each(|i| fail(self.lanes(i)? == first, "its operands have different types"))
    }

    /// Numbers to as many numbers of another kind.
    fn converts(&self, from: fn(&Type) -> bool, to: fn(&Type) -> bool) -> Checked {
        self.count(1)?;
        if *self.values.ty(self.result()?)? == Type::Other {
            return fail(*self.values.ty(self.type_of(0)?)? == Type::Other, "it does not convert such values");
        }
        let (of, result) = (self.lanes(0)?, self.result_lanes()?);
        fail(of.1 == result.1 && from(&of.0) && to(&result.0), "it does not convert such values")
    }
}

fn int(ty: &Type) -> bool {
    matches!(ty, Type::Int(_))
}

fn float(ty: &Type) -> bool {
    matches!(ty, Type::Float(_))
}

fn boolean(ty: &Type) -> bool {
    *ty == Type::Bool
}

fn bits(ty: &Type) -> u32 {
    match ty {
        Type::Int(bits) | Type::Float(bits) => *bits,
        _ => 0,
    }
}

/// Whether an operation depends on its operands alone, as those of constants do.
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
            fail(result == of && int(&of.0) && int(&by.0) && of.1 == by.1, "it does not shift such values")
        }
        Op::BitCount => look.converts(int, int),
        Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => {
            let last = instruction.operands.len();
            let values = if instruction.class.opcode == Op::BitFieldInsert { 2 } else { 1 };
            let result = look.result_lanes()?;
            fail(int(&result.0) && last == values + 2, "it has other operands")?;
            (0..values)
                .try_for_each(|i| fail(look.lanes(i)? == result, "an operand has another type than the result"))?;
            (values..last)
                .try_for_each(|i| fail(int(&look.lanes(i)?.0) && look.lanes(i)?.1 == 1, "a place is no integer"))
        }
        Op::LogicalNot => look.same(1, boolean),
        Op::LogicalAnd | Op::LogicalOr | Op::LogicalEqual | Op::LogicalNotEqual => look.same(2, boolean),
        Op::Any | Op::All => {
            let of = look.lanes(0)?;
            fail(
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
            fail(width > 0 && width == bits(&result.0) * result.1, "the two types have other widths")
        }
        Op::CopyObject => {
            look.count(1)?;
            fail(look.type_of(0)? == look.result()?, "it has another type than its operand")
        }
        Op::Undef => {
            let ty = values.ty(look.result()?)?;
            fail(!matches!(ty, Type::Void | Type::Function(..) | Type::RuntimeArray(_)), "its type has no values")
        }
        Op::CompositeConstruct => construct(instruction, values),
        Op::CompositeExtract => {
            let inside = inside(&look, look.type_of(0)?, 1)?;
            fail(inside == look.result()?, "it has another type than what is taken out")
        }
        Op::CompositeInsert => {
            fail(look.type_of(1)? == look.result()?, "it has another type than what is changed")?;
            fail(
                inside(&look, look.type_of(1)?, 2)? == look.type_of(0)?,
                "what is put in has another type than its place",
            )
        }
        Op::VectorExtractDynamic => {
            look.count(2)?;
            let (vector, index) = (look.lanes(0)?, look.lanes(1)?);
            fail(
                vector.1 > 1 && look.result_lanes()? == (vector.0, 1) && int(&index.0) && index.1 == 1,
                "it has other operands",
            )
        }
        Op::VectorInsertDynamic => {
            look.count(3)?;
            let (vector, number, index) = (look.lanes(0)?, look.lanes(1)?, look.lanes(2)?);
            let fits = look.type_of(0)? == look.result()? && vector.1 > 1 && number == (vector.0, 1);
            fail(fits && int(&index.0) && index.1 == 1, "it has other operands")
        }
        Op::VectorShuffle => {
            let (a, b, result) = (look.lanes(0)?, look.lanes(1)?, look.result_lanes()?);
            let lanes: Option<Vec<u32>> = instruction.operands.iter().skip(2).map(|o| number(Some(o))).collect();
            let lanes = lanes.ok_or("a lane is no number")?;
            let known = lanes.iter().all(|&n| n == u32::MAX || n < a.1 + b.1);
            fail(a.0 == b.0 && a.1 > 1 && b.1 > 1 && result.1 > 1 && a.0 == result.0, "it has other operands")?;
            fail(lanes.len() == result.1 as usize && known, "a lane is taken that there is not")
        }
        Op::VectorTimesScalar => {
            look.count(2)?;
            let (vector, scalar) = (look.lanes(0)?, look.lanes(1)?);
            let fits = look.type_of(0)? == look.result()? && float(&vector.0) && vector.1 > 1;
            fail(fits && scalar == (vector.0, 1), "it has other operands")
        }
        Op::Dot => {
            look.count(2)?;
            let of = look.lanes(0)?;
            fail(
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
            fail(other && *values.ty(look.result()?)? == Type::Other, "kernels have no use for it")
        }
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
            look.count(2)?;
            let Type::Struct(members) = values.ty(look.result()?)? else { return Err("its result is no pair".into()) };
            let of = look.lanes(0)?;
            let pair = members.len() == 2 && members.iter().all(|&m| values.lanes(m).as_ref() == Ok(&of));
            fail(pair && int(&of.0) && look.lanes(1)? == of, "it has other operands")
        }
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
            let (a, b, result) = (look.lanes(0)?, look.lanes(1)?, look.result_lanes()?);
            fail(a == b && int(&a.0) && int(&result.0) && result.1 == 1, "it has other operands")
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
                fail(values.type_of(value)? == result, "a value has another type than the result")
            })
        }
        Op::BranchConditional => fail(*values.ty(look.type_of(0)?)? == Type::Bool, "its condition is no truth value"),
        Op::Switch => fail(int(values.ty(look.type_of(0)?)?), "it does not choose by an integer"),
        Op::Branch | Op::LoopMerge | Op::SelectionMerge | Op::Return | Op::ReturnValue | Op::Unreachable => Ok(()),
        Op::Line | Op::NoLine | Op::Nop | Op::Label => Ok(()),
        _ => Err("kernels have no use for it".into()),
    }
}

/// A value made of parts.
pub(super) fn construct(instruction: &Instruction, values: &Values<'_>) -> Checked {
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
    fail(fits, "its parts do not make its type")
}

/// The type at a place in a composite; the indices are operands from `first` on.
fn inside(look: &Look<'_>, from: u32, first: usize) -> Result<u32, String> {
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

fn select(look: &Look<'_>) -> Checked {
    look.count(3)?;
    let result = look.result()?;
    fail(look.type_of(1)? == result && look.type_of(2)? == result, "an operand has another type than the result")?;
    let (condition, lanes) = look.lanes(0)?;
    let wide = look.values.lanes(result).map_or(1, |l| l.1);
    fail(condition == Type::Bool && (lanes == 1 || lanes == wide), "its condition is no truth value for each operand")
}

fn call(look: &Look<'_>) -> Checked {
    let callee = look.values.defined.get(&look.operand(0)?).filter(|f| f.class.opcode == Op::Function);
    let ty = callee.and_then(|f| id(f.operands.get(1))).ok_or("it calls no function")?;
    let Type::Function(result, parameters) = look.values.ty(ty)? else { return Err("it calls no function".into()) };
    fail(
        *result == look.result()? && look.instruction.operands.len() == parameters.len() + 1,
        "the function takes or gives something else",
    )?;
    parameters
        .iter()
        .enumerate()
        .try_for_each(|(i, p)| fail(look.type_of(i + 1)? == *p, "an argument has another type than the parameter"))
}

/// Instructions on all threads of a subgroup.
fn groups(look: &Look<'_>) -> Checked {
    let name = look.instruction.class.opname;
    memory::scope(look.operand(0)?, look.values)?;
    let result = look.result()?;
    // The scope, perhaps what to do, the value.
    let how = usize::from(matches!(look.instruction.operands.get(1), Some(Operand::GroupOperation(_))));
    let reduces = [
        "IAdd",
        "FAdd",
        "IMul",
        "FMul",
        "SMin",
        "UMin",
        "FMin",
        "SMax",
        "UMax",
        "FMax",
        "BitwiseAnd",
        "BitwiseOr",
        "BitwiseXor",
        "LogicalAnd",
        "LogicalOr",
        "LogicalXor",
    ];
    let what = name.trim_start_matches("GroupNonUniform");
    let truth = (Type::Bool, 1);
    let ballot = (Type::Int(32), 4);
    match what {
        "Elect" => fail(look.result_lanes()? == truth, "its result is no truth value"),
        "All" | "Any" => fail(look.result_lanes()? == truth && look.lanes(1)? == truth, "it is about truth values"),
        "AllEqual" => fail(look.result_lanes()? == truth && look.lanes(1).is_ok(), "its result is no truth value"),
        "Ballot" => fail(look.result_lanes()? == ballot && look.lanes(1)? == truth, "it has other operands"),
        "InverseBallot" => fail(look.result_lanes()? == truth && look.lanes(1)? == ballot, "it has other operands"),
        "BallotBitCount" | "BallotFindLSB" | "BallotFindMSB" => {
            fail(int(&look.result_lanes()?.0) && look.lanes(1 + how)? == ballot, "it has other operands")
        }
        "Broadcast" | "Shuffle" | "ShuffleXor" | "ShuffleUp" | "ShuffleDown" | "QuadBroadcast" | "QuadSwap" => {
            look.values.lanes(result)?;
            fail(look.type_of(1)? == result && look.lanes(2)? == (Type::Int(32), 1), "it has other operands")
        }
        "BroadcastFirst" => {
            fail(look.type_of(1)? == result && look.values.lanes(result).is_ok(), "it has other operands")
        }
        _ if reduces.contains(&what) => {
            let kind: fn(&Type) -> bool = match what.as_bytes() {
                [b'F', ..] => float,
                [b'L', ..] => boolean,
                _ => int,
            };
            fail(how == 1 && look.type_of(2)? == result && kind(&look.result_lanes()?.0), "it has other operands")
        }
        _ => Err("kernels have no use for it".into()),
    }
}
