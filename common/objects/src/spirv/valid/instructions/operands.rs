//! An instruction with the types of its operands, and predicates on types.
use super::super::{Checked, Type, Values, require};
use crate::spirv::layout::id;
use rspirv::dr::Instruction;

/// An instruction with what its checks ask for.
pub(super) struct Look<'a> {
    pub(super) instruction: &'a Instruction,
    pub(super) values: &'a Values<'a>,
}

/// A number or truth value, and how many.
pub(super) type Lanes = (Type, u32);

impl Look<'_> {
    pub(super) fn operand(&self, i: usize) -> Result<u32, String> {
        id(self.instruction.operands.get(i)).ok_or_else(|| "an operand is missing".to_owned())
    }

    /// Returns the type of operand `i`.
    pub(super) fn type_of(&self, i: usize) -> Result<u32, String> {
        self.values.type_of(self.operand(i)?)
    }

    pub(super) fn lanes(&self, i: usize) -> Result<Lanes, String> {
        self.values.lanes(self.type_of(i)?)
    }

    pub(super) fn result(&self) -> Result<u32, String> {
        self.instruction.result_type.ok_or_else(|| "it has no type".to_owned())
    }

    pub(super) fn result_lanes(&self) -> Result<Lanes, String> {
        self.values.lanes(self.result()?)
    }

    pub(super) fn count(&self, count: usize) -> Checked {
        require(self.instruction.operands.len() == count, "it has another number of operands")
    }

    /// `count` operands of the type of the result.
    pub(super) fn same(&self, count: usize, kind: fn(&Type) -> bool) -> Checked {
        self.count(count)?;
        let result = self.result()?;
        // Matrices of a device are computed with like numbers.
        if *self.values.ty(result)? != Type::Other {
            require(kind(&self.values.lanes(result)?.0), "it does not compute with such values")?;
        }
        (0..count).try_for_each(|i| require(self.type_of(i)? == result, "an operand has another type than the result"))
    }

    /// `count` operands of integers like the result; signs do not matter.
    pub(super) fn integers(&self, count: usize) -> Checked {
        self.count(count)?;
        if *self.values.ty(self.result()?)? == Type::Other {
            return self.same(count, |_| true);
        }
        let result = self.result_lanes()?;
        require(int(&result.0), "it computes with integers")?;
        (0..count).try_for_each(|i| require(self.lanes(i)? == result, "an operand has another type than the result"))
    }

    /// Checks that the result is an unsigned integer.
    pub(super) fn unsigned(&self) -> Checked {
        let result = self.result()?;
        let scalar = match self.values.ty(result)? {
            Type::Vector(component, _) => *component,
            _ => result,
        };
        require(!self.values.is_signed(scalar), "its result is of a type with a sign")
    }

    /// A truth value for each pair of numbers.
    pub(super) fn compares(&self, count: usize, kind: fn(&Type) -> bool) -> Checked {
        self.count(count)?;
        let (first, result) = (self.lanes(0)?, self.result_lanes()?);
        require(result == (Type::Bool, first.1), "its result is no truth value for each operand")?;
        require(kind(&first.0), "it does not compare such values")?;
        (0..count).try_for_each(|i| require(self.lanes(i)? == first, "its operands have different types"))
    }

    /// Numbers to as many numbers of another kind.
    pub(super) fn converts(&self, from: fn(&Type) -> bool, to: fn(&Type) -> bool) -> Checked {
        self.count(1)?;
        if *self.values.ty(self.result()?)? == Type::Other {
            return require(*self.values.ty(self.type_of(0)?)? == Type::Other, "it does not convert such values");
        }
        let (of, result) = (self.lanes(0)?, self.result_lanes()?);
        require(of.1 == result.1 && from(&of.0) && to(&result.0), "it does not convert such values")
    }
}

pub(super) fn int(ty: &Type) -> bool {
    matches!(ty, Type::Int(_))
}

pub(super) fn float(ty: &Type) -> bool {
    matches!(ty, Type::Float(_))
}

pub(super) fn boolean(ty: &Type) -> bool {
    *ty == Type::Bool
}

pub(super) fn bits(ty: &Type) -> u32 {
    match ty {
        Type::Int(bits) | Type::Float(bits) => *bits,
        _ => 0,
    }
}
