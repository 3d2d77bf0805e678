//! One scalar operation on bits.
use halyard_runtime::commands::{Binary, Operand, ScalarInst, ScalarType, Unary, evaluate};
use halyard_scalars::ScalarOp;

/// The result of an operation in the type `ty`; `from` is the type of its first operand, and `operand` gives the operands' bits. `None`:
/// a division by zero.
pub(crate) fn apply(op: ScalarOp, ty: ScalarType, from: ScalarType, operand: impl Fn(usize) -> u64) -> Option<u64> {
    let float = |i: usize| from.to_f64(operand(i));
    match op {
        ScalarOp::Constant(bits) => Some(bits),
        ScalarOp::Unary(unary) => match function(unary) {
            Some(f) => Some(ty.from_f64(f(float(0)))),
            None => {
                run(ScalarInst::Unary { op: unary, ty, target: 3, value: Operand::Register(0) }, [operand(0), 0, 0])
            }
        },
        ScalarOp::Binary(Binary::PowF) => Some(ty.from_f64(libm::pow(float(0), float(1)))),
        ScalarOp::Binary(Binary::Atan2) => Some(ty.from_f64(libm::atan2(float(0), float(1)))),
        ScalarOp::Binary(op) => {
            let (left, right) = (Operand::Register(0), Operand::Register(1));
            run(ScalarInst::Binary { op, ty, target: 3, left, right }, [operand(0), operand(1), 0])
        }
        ScalarOp::Compare(op) => {
            let (left, right) = (Operand::Register(0), Operand::Register(1));
            run(ScalarInst::Compare { op, ty: from, target: 3, left, right }, [operand(0), operand(1), 0])
        }
        ScalarOp::Select => Some(if operand(0) & 1 != 0 { operand(1) } else { operand(2) }),
        ScalarOp::Convert { signed } => {
            let value = Operand::Register(0);
            run(ScalarInst::Convert { from, to: ty, signed, target: 3, value }, [operand(0), 0, 0])
        }
        // The product of two numbers of fewer bits is exact in f64.
        ScalarOp::Fma if ty != ScalarType::F64 => Some(ty.from_f64(float(0) * float(1) + float(2))),
        ScalarOp::Fma => Some(libm::fma(float(0), float(1), float(2)).to_bits()),
        ScalarOp::PowI => None,
    }
}

fn run(inst: ScalarInst, operands: [u64; 3]) -> Option<u64> {
    let [a, b, c] = operands;
    let mut registers = [a, b, c, 0];
    evaluate(&inst, &mut registers).ok()?;
    Some(registers[3])
}

/// The functions that are not exact in machine arithmetic.
pub(crate) fn function(op: Unary) -> Option<fn(f64) -> f64> {
    Some(match op {
        Unary::Exp => libm::exp,
        Unary::Exp2 => libm::exp2,
        Unary::ExpM1 => libm::expm1,
        Unary::Log => libm::log,
        Unary::Log2 => libm::log2,
        Unary::Log10 => libm::log10,
        Unary::Log1p => libm::log1p,
        Unary::Rsqrt => |x| 1.0 / x.sqrt(),
        Unary::Cbrt => libm::cbrt,
        Unary::Sin => libm::sin,
        Unary::Cos => libm::cos,
        Unary::Tan => libm::tan,
        Unary::Asin => libm::asin,
        Unary::Acos => libm::acos,
        Unary::Atan => libm::atan,
        Unary::Sinh => libm::sinh,
        Unary::Cosh => libm::cosh,
        Unary::Tanh => libm::tanh,
        Unary::Erf => libm::erf,
        _ => return None,
    })
}
