//! Evaluates scalar instructions.
use super::{Binary, Compare, ScalarInst, ScalarType, Unary};
use half::{bf16, f16};

/// Runs an instruction. Errors: a division by zero, sizes that are negative or too large.
pub fn evaluate(inst: &ScalarInst, registers: &mut [u64]) -> Result<(), &'static str> {
    let value = match *inst {
        ScalarInst::Unary { op: Unary::Move, value, .. } => value.get(registers),
        ScalarInst::Unary { op, ty, value, .. } => unary(op, ty, value.get(registers)),
        ScalarInst::Binary { op, ty, left, right, .. } => binary(op, ty, left.get(registers), right.get(registers))?,
        ScalarInst::Compare { op, ty, left, right, .. } => {
            u64::from(compare(op, ty, left.get(registers), right.get(registers)))
        }
        ScalarInst::Select { condition, then, otherwise, .. } => {
            if condition.get(registers) & 1 != 0 {
                then.get(registers)
            } else {
                otherwise.get(registers)
            }
        }
        ScalarInst::Convert { from, to, signed, value, .. } => convert(from, to, signed, value.get(registers)),
    };
    registers[inst.target() as usize] = value;
    Ok(())
}

/// Sign-extends a value.
fn signed(ty: ScalarType, bits: u64) -> i64 {
    match ty {
        ScalarType::Int(width) if width < 64 => {
            let shift = 64 - u32::from(width);
            ((bits << shift) as i64) >> shift
        }
        _ => bits as i64,
    }
}

fn to_f64(ty: ScalarType, bits: u64) -> f64 {
    match ty {
        ScalarType::F16 => f64::from(f16::from_bits(bits as u16)),
        ScalarType::Bf16 => f64::from(bf16::from_bits(bits as u16)),
        ScalarType::F32 => f64::from(f32::from_bits(bits as u32)),
        ScalarType::F64 => f64::from_bits(bits),
        ScalarType::Int(_) => signed(ty, bits) as f64,
    }
}

impl ScalarType {
    /// The number that bits of the type are; integers have a sign.
    pub fn to_f64(self, bits: u64) -> f64 {
        to_f64(self, bits)
    }

    /// The bits of a number, rounded to the type.
    pub fn from_f64(self, value: f64) -> u64 {
        from_f64(self, value)
    }

    /// Prints a value.
    pub fn text(self, bits: u64, unsigned: bool) -> String {
        match self {
            Self::Int(1) => (bits & 1 != 0).to_string(),
            Self::Int(_) if unsigned => (bits & self.mask()).to_string(),
            Self::Int(_) => signed(self, bits).to_string(),
            Self::F16 => f16::from_bits(bits as u16).to_string(),
            Self::Bf16 => bf16::from_bits(bits as u16).to_string(),
            Self::F32 => f32::from_bits(bits as u32).to_string(),
            Self::F64 => f64::from_bits(bits).to_string(),
        }
    }
}

fn from_f64(ty: ScalarType, value: f64) -> u64 {
    match ty {
        ScalarType::F16 => u64::from(f16::from_f64(value).to_bits()),
        ScalarType::Bf16 => u64::from(bf16::from_f64(value).to_bits()),
        ScalarType::F32 => u64::from((value as f32).to_bits()),
        ScalarType::F64 => value.to_bits(),
        ScalarType::Int(_) => value as i64 as u64 & ty.mask(),
    }
}

/// Applies a function in the precision of the type: `f64` as such; others in `f32`, as code generators do.
fn float1(ty: ScalarType, a: u64, wide: fn(f64) -> f64, narrow: fn(f32) -> f32) -> u64 {
    if ty == ScalarType::F64 {
        wide(f64::from_bits(a)).to_bits()
    } else {
        from_f64(ty, f64::from(narrow(to_f64(ty, a) as f32)))
    }
}

fn float2(ty: ScalarType, a: u64, b: u64, wide: fn(f64, f64) -> f64, narrow: fn(f32, f32) -> f32) -> u64 {
    if ty == ScalarType::F64 {
        wide(f64::from_bits(a), f64::from_bits(b)).to_bits()
    } else {
        from_f64(ty, f64::from(narrow(to_f64(ty, a) as f32, to_f64(ty, b) as f32)))
    }
}

fn erf64(x: f64) -> f64 {
    unsafe extern "C" {
        safe fn erf(x: f64) -> f64;
    }
    erf(x)
}

fn erf32(x: f32) -> f32 {
    erf64(f64::from(x)) as f32
}

fn unary(op: Unary, ty: ScalarType, a: u64) -> u64 {
    let bits = match ty {
        ScalarType::Int(width) => u32::from(width),
        _ => ty.size() as u32 * 8,
    };
    let f = |wide, narrow| float1(ty, a, wide, narrow);
    match op {
        Unary::Move => a,
        // Signs are bits: exact for NaN and zeros.
        Unary::NegF => a ^ 1 << (bits - 1),
        Unary::AbsF => a & !(1 << (bits - 1)),
        Unary::AbsI => signed(ty, a).wrapping_abs() as u64 & ty.mask(),
        Unary::Exp => f(f64::exp, f32::exp),
        Unary::Exp2 => f(f64::exp2, f32::exp2),
        Unary::ExpM1 => f(f64::exp_m1, f32::exp_m1),
        Unary::Log => f(f64::ln, f32::ln),
        Unary::Log2 => f(f64::log2, f32::log2),
        Unary::Log10 => f(f64::log10, f32::log10),
        Unary::Log1p => f(f64::ln_1p, f32::ln_1p),
        Unary::Sqrt => f(f64::sqrt, f32::sqrt),
        Unary::Rsqrt => f(|x| 1.0 / x.sqrt(), |x| 1.0 / x.sqrt()),
        Unary::Cbrt => f(f64::cbrt, f32::cbrt),
        Unary::Sin => f(f64::sin, f32::sin),
        Unary::Cos => f(f64::cos, f32::cos),
        Unary::Tan => f(f64::tan, f32::tan),
        Unary::Asin => f(f64::asin, f32::asin),
        Unary::Acos => f(f64::acos, f32::acos),
        Unary::Atan => f(f64::atan, f32::atan),
        Unary::Sinh => f(f64::sinh, f32::sinh),
        Unary::Cosh => f(f64::cosh, f32::cosh),
        Unary::Tanh => f(f64::tanh, f32::tanh),
        Unary::Erf => f(erf64, erf32),
        Unary::Ceil => f(f64::ceil, f32::ceil),
        Unary::Floor => f(f64::floor, f32::floor),
        Unary::Round => f(f64::round, f32::round),
        Unary::RoundEven => f(f64::round_ties_even, f32::round_ties_even),
        Unary::Trunc => f(f64::trunc, f32::trunc),
        Unary::CountLeadingZeros => u64::from(a.leading_zeros()) - u64::from(64 - bits),
        Unary::CountTrailingZeros => u64::from(a.trailing_zeros().min(bits)),
        Unary::CountOnes => u64::from(a.count_ones()),
    }
}

fn binary(op: Binary, ty: ScalarType, a: u64, b: u64) -> Result<u64, &'static str> {
    let (sa, sb) = (signed(ty, a), signed(ty, b));
    let f = |wide, narrow| float2(ty, a, b, wide, narrow);
    if matches!(
        op,
        Binary::DivS
            | Binary::DivU
            | Binary::CeilDivS
            | Binary::CeilDivU
            | Binary::FloorDivS
            | Binary::RemS
            | Binary::RemU
    ) && b == 0
    {
        return Err("division by zero");
    }
    let width = match ty {
        ScalarType::Int(width) => u64::from(width),
        _ => 64,
    };
    let value = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::MulSize => match (sa, sb) {
            (0.., 0..) => sa.checked_mul(sb).ok_or("a tensor is larger than any memory")? as u64,
            _ => return Err("a tensor has a negative size"),
        },
        Binary::DivS => sa.wrapping_div(sb) as u64,
        Binary::DivU => a / b,
        Binary::CeilDivS => {
            let (quotient, remainder) = (sa.wrapping_div(sb), sa.wrapping_rem(sb));
            quotient.wrapping_add(i64::from(remainder != 0 && (remainder < 0) == (sb < 0))) as u64
        }
        Binary::CeilDivU => a.div_ceil(b),
        Binary::FloorDivS => {
            let (quotient, remainder) = (sa.wrapping_div(sb), sa.wrapping_rem(sb));
            quotient.wrapping_sub(i64::from(remainder != 0 && (remainder < 0) != (sb < 0))) as u64
        }
        Binary::RemS => sa.wrapping_rem(sb) as u64,
        Binary::RemU => a % b,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        // A shift by the width or more is poison in MLIR; give what an infinite shift would.
        Binary::Shl => {
            if b >= width {
                0
            } else {
                a << b
            }
        }
        Binary::ShrS => (sa >> b.min(63)) as u64,
        Binary::ShrU => {
            if b >= width {
                0
            } else {
                a >> b
            }
        }
        Binary::MaxS => sa.max(sb) as u64,
        Binary::MaxU => a.max(b),
        Binary::MinS => sa.min(sb) as u64,
        Binary::MinU => a.min(b),
        Binary::AddF => f(|a, b| a + b, |a, b| a + b),
        Binary::SubF => f(|a, b| a - b, |a, b| a - b),
        Binary::MulF => f(|a, b| a * b, |a, b| a * b),
        Binary::DivF => f(|a, b| a / b, |a, b| a / b),
        Binary::RemF => f(|a, b| a % b, |a, b| a % b),
        Binary::MaximumF => f(maximum, |a, b| maximum(f64::from(a), f64::from(b)) as f32),
        Binary::MinimumF => f(|a, b| -maximum(-a, -b), |a, b| -maximum(-f64::from(a), -f64::from(b)) as f32),
        Binary::MaxNumF => f(f64::max, f32::max),
        Binary::MinNumF => f(f64::min, f32::min),
        Binary::PowF => f(f64::powf, f32::powf),
        Binary::Atan2 => f(f64::atan2, f32::atan2),
        Binary::CopySign => f(f64::copysign, f32::copysign),
    };
    Ok(value & ty.mask())
}

/// IEEE 754-2019 maximum: NaN if either is, and +0 above -0.
fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == b {
        if a.is_sign_positive() { a } else { b }
    } else {
        a.max(b)
    }
}

fn compare(op: Compare, ty: ScalarType, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(ty, a), signed(ty, b));
    let (fa, fb) = (to_f64(ty, a), to_f64(ty, b));
    let unordered = fa.is_nan() || fb.is_nan();
    match op {
        Compare::Eq => a == b,
        Compare::Ne => a != b,
        Compare::Slt => sa < sb,
        Compare::Sle => sa <= sb,
        Compare::Sgt => sa > sb,
        Compare::Sge => sa >= sb,
        Compare::Ult => a < b,
        Compare::Ule => a <= b,
        Compare::Ugt => a > b,
        Compare::Uge => a >= b,
        Compare::False => false,
        Compare::Oeq => fa == fb,
        Compare::Ogt => fa > fb,
        Compare::Oge => fa >= fb,
        Compare::Olt => fa < fb,
        Compare::Ole => fa <= fb,
        Compare::One => !unordered && fa != fb,
        Compare::Ord => !unordered,
        Compare::Ueq => unordered || fa == fb,
        Compare::FUgt => unordered || fa > fb,
        Compare::FUge => unordered || fa >= fb,
        Compare::FUlt => unordered || fa < fb,
        Compare::FUle => unordered || fa <= fb,
        Compare::Une => unordered || fa != fb,
        Compare::Uno => unordered,
        Compare::True => true,
    }
}

fn convert(from: ScalarType, to: ScalarType, is_signed: bool, bits: u64) -> u64 {
    use ScalarType::Int;
    match (from, to) {
        (Int(_), Int(_)) => (if is_signed { signed(from, bits) as u64 } else { bits }) & to.mask(),
        // Straight from the integer: through `f64` a large one would be rounded twice.
        (Int(_), ScalarType::F32) => {
            u64::from(if is_signed { signed(from, bits) as f32 } else { bits as f32 }.to_bits())
        }
        (Int(_), _) => from_f64(to, if is_signed { signed(from, bits) as f64 } else { bits as f64 }),
        (_, Int(width)) => {
            let value = to_f64(from, bits);
            if is_signed {
                let max = i64::MAX >> (64 - u32::from(width));
                (value as i64).clamp(-max - 1, max) as u64 & to.mask()
            } else {
                (value as u64).min(to.mask())
            }
        }
        _ if from == to => bits,
        _ => from_f64(to, to_f64(from, bits)),
    }
}

#[cfg(test)]
mod tests;
