//! Scalar arithmetic of the host program, with the meaning of MLIR's `arith` and `math` operations.
mod evaluate;

use super::{Operand, Register};
pub use evaluate::evaluate;
use serde::{Deserialize, Serialize};

/// The type of a scalar in a register: an integer of width w is its w bits, zero-extended; a float is its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScalarType {
    /// A signless integer of 1 to 64 bits. `index` is of 64.
    Int(u8),
    /// IEEE half precision.
    F16,
    /// bfloat16, the upper half of an `f32`.
    Bf16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl ScalarType {
    /// The type `index`.
    pub const INDEX: Self = Self::Int(64);

    /// Returns the size in memory, in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::Int(bits) => usize::from(bits).div_ceil(8).next_power_of_two(),
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Returns the mask of the bits that belong to the type.
    pub fn mask(self) -> u64 {
        let bits = match self {
            Self::Int(bits) => u32::from(bits),
            other => other.size() as u32 * 8,
        };
        if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
    }
}

/// An operation of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "named after MLIR's operations")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    DivS,
    DivU,
    CeilDivS,
    CeilDivU,
    FloorDivS,
    RemS,
    RemU,
    And,
    Or,
    Xor,
    Shl,
    ShrS,
    ShrU,
    MaxS,
    MaxU,
    MinS,
    MinU,
    AddF,
    SubF,
    MulF,
    DivF,
    RemF,
    MaximumF,
    MinimumF,
    MaxNumF,
    MinNumF,
    PowF,
    Atan2,
    CopySign,
    /// A product of sizes: it fails where a factor is negative, or the product is no `i64`.
    MulSize,
}

/// An operation of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "named after MLIR's operations")]
pub enum Unary {
    Move,
    NegF,
    AbsF,
    AbsI,
    Exp,
    Exp2,
    ExpM1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sqrt,
    Rsqrt,
    Cbrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Erf,
    Ceil,
    Floor,
    Round,
    RoundEven,
    Trunc,
    CountLeadingZeros,
    CountTrailingZeros,
    CountOnes,
}

/// A comparison. Floats: `O…` are false and `U…` are true if an operand is not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "named after MLIR's predicates")]
pub enum Compare {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    FUgt,
    FUge,
    FUlt,
    FUle,
    Une,
    Uno,
    True,
}

/// A scalar instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are named after what they are")]
pub enum ScalarInst {
    Unary {
        op: Unary,
        ty: ScalarType,
        target: Register,
        value: Operand,
    },
    Binary {
        op: Binary,
        ty: ScalarType,
        target: Register,
        left: Operand,
        right: Operand,
    },
    Compare {
        op: Compare,
        ty: ScalarType,
        target: Register,
        left: Operand,
        right: Operand,
    },
    Select {
        target: Register,
        condition: Operand,
        then: Operand,
        otherwise: Operand,
    },
    /// Converts the value; `signed` says how integers are read and written. A float that does not fit an integer
    /// saturates.
    Convert {
        from: ScalarType,
        to: ScalarType,
        signed: bool,
        target: Register,
        value: Operand,
    },
}

impl ScalarInst {
    /// Returns the register that it writes.
    pub fn target(&self) -> Register {
        match *self {
            Self::Unary { target, .. }
            | Self::Binary { target, .. }
            | Self::Compare { target, .. }
            | Self::Select { target, .. }
            | Self::Convert { target, .. } => target,
        }
    }

    /// Returns the operands that it reads.
    pub fn operands(&self) -> impl Iterator<Item = Operand> {
        let list = match *self {
            Self::Unary { value, .. } | Self::Convert { value, .. } => [Some(value), None, None],
            Self::Binary { left, right, .. } | Self::Compare { left, right, .. } => [Some(left), Some(right), None],
            Self::Select { condition, then, otherwise, .. } => [Some(condition), Some(then), Some(otherwise)],
        };
        list.into_iter().flatten()
    }
}

impl Operand {
    /// Returns the value.
    pub fn get(self, registers: &[u64]) -> u64 {
        match self {
            Self::Register(r) => registers[r as usize],
            Self::Immediate(v) => v,
        }
    }
}
