//! Lowers scalar operations: `arith`, `math` and `index`.
use super::{
    FunctionLowering,
    values::{Val, imm, scalar_of},
};
use halyard_diag::Result;
use halyard_ir::{Attr, Op};
use halyard_runtime::commands::{Binary, Compare, Operand, ScalarType, Unary};

fn binary_of(name: &str) -> Option<Binary> {
    use Binary as B;
    Some(match name {
        "arith.addi" | "index.add" => B::Add,
        "arith.subi" | "index.sub" => B::Sub,
        "arith.muli" | "index.mul" => B::Mul,
        "arith.divsi" | "index.divs" => B::DivS,
        "arith.divui" | "index.divu" => B::DivU,
        "arith.ceildivsi" | "index.ceildivs" => B::CeilDivS,
        "arith.ceildivui" | "index.ceildivu" => B::CeilDivU,
        "arith.floordivsi" | "index.floordivs" => B::FloorDivS,
        "arith.remsi" | "index.rems" => B::RemS,
        "arith.remui" | "index.remu" => B::RemU,
        "arith.andi" | "index.and" => B::And,
        "arith.ori" | "index.or" => B::Or,
        "arith.xori" | "index.xor" => B::Xor,
        "arith.shli" | "index.shl" => B::Shl,
        "arith.shrsi" | "index.shrs" => B::ShrS,
        "arith.shrui" | "index.shru" => B::ShrU,
        "arith.maxsi" | "index.maxs" => B::MaxS,
        "arith.maxui" | "index.maxu" => B::MaxU,
        "arith.minsi" | "index.mins" => B::MinS,
        "arith.minui" | "index.minu" => B::MinU,
        "arith.addf" => B::AddF,
        "arith.subf" => B::SubF,
        "arith.mulf" => B::MulF,
        "arith.divf" => B::DivF,
        "arith.remf" => B::RemF,
        "arith.maximumf" => B::MaximumF,
        "arith.minimumf" => B::MinimumF,
        "arith.maxnumf" => B::MaxNumF,
        "arith.minnumf" => B::MinNumF,
        "math.powf" => B::PowF,
        "math.atan2" => B::Atan2,
        "math.copysign" => B::CopySign,
        _ => return None,
    })
}

fn unary_of(name: &str) -> Option<Unary> {
    use Unary as U;
    Some(match name {
        "arith.negf" => U::NegF,
        "math.absf" => U::AbsF,
        "math.absi" => U::AbsI,
        "math.exp" => U::Exp,
        "math.exp2" => U::Exp2,
        "math.expm1" => U::ExpM1,
        "math.log" => U::Log,
        "math.log2" => U::Log2,
        "math.log10" => U::Log10,
        "math.log1p" => U::Log1p,
        "math.sqrt" => U::Sqrt,
        "math.rsqrt" => U::Rsqrt,
        "math.cbrt" => U::Cbrt,
        "math.sin" => U::Sin,
        "math.cos" => U::Cos,
        "math.tan" => U::Tan,
        "math.asin" => U::Asin,
        "math.acos" => U::Acos,
        "math.atan" => U::Atan,
        "math.sinh" => U::Sinh,
        "math.cosh" => U::Cosh,
        "math.tanh" => U::Tanh,
        "math.erf" => U::Erf,
        "math.ceil" => U::Ceil,
        "math.floor" => U::Floor,
        "math.round" => U::Round,
        "math.roundeven" => U::RoundEven,
        "math.trunc" => U::Trunc,
        "math.ctlz" => U::CountLeadingZeros,
        "math.cttz" => U::CountTrailingZeros,
        "math.ctpop" => U::CountOnes,
        _ => return None,
    })
}

/// `arith.cmpi`'s predicates in the order of their numbers.
const INTEGERS: [Compare; 10] = [
    Compare::Eq,
    Compare::Ne,
    Compare::Slt,
    Compare::Sle,
    Compare::Sgt,
    Compare::Sge,
    Compare::Ult,
    Compare::Ule,
    Compare::Ugt,
    Compare::Uge,
];
/// `index.cmp`'s predicates by name.
const NAMES: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
/// `arith.cmpf`'s predicates in the order of their numbers.
const FLOATS: [Compare; 16] = [
    Compare::False,
    Compare::Oeq,
    Compare::Ogt,
    Compare::Oge,
    Compare::Olt,
    Compare::Ole,
    Compare::One,
    Compare::Ord,
    Compare::Ueq,
    Compare::FUgt,
    Compare::FUge,
    Compare::FUlt,
    Compare::FUle,
    Compare::Une,
    Compare::Uno,
    Compare::True,
];

/// Returns the bits of a scalar attribute.
pub(crate) fn scalar_bits(attr: Attr) -> Option<u64> {
    if let Some(value) = attr.as_int() {
        return Some(value as u64 & scalar_of(attr.value_type())?.mask());
    }
    let value = attr.as_float()?;
    Some(match scalar_of(attr.value_type())? {
        ScalarType::F64 => value.to_bits(),
        ScalarType::F32 => u64::from((value as f32).to_bits()),
        ScalarType::F16 => u64::from(halyard_runtime::f16::from_f64(value).to_bits()),
        ScalarType::Bf16 => u64::from(halyard_runtime::bf16::from_f64(value).to_bits()),
        ScalarType::Int(_) => return None,
    })
}

impl FunctionLowering<'_, '_> {
    /// Lowers an operation on scalars; `false` if it is none that is known.
    pub(crate) fn lower_scalar(&mut self, op: Op, name: &str) -> Result<bool> {
        if op.result_count() != 1 {
            return Ok(false);
        }
        let result = op.result(0);
        let Some(ty) = scalar_of(result.ty()) else { return Ok(false) };
        let from = op.operands().first().and_then(|v| scalar_of(v.ty()));
        let value = if let Some(binary) = binary_of(name) {
            let (left, right) = (self.operand(op, 0)?, self.operand(op, 1)?);
            self.binary(binary, ty, left, right)
        } else if let Some(unary) = unary_of(name) {
            let value = self.operand(op, 0)?;
            self.unary(unary, ty, value)
        } else {
            match (name, from) {
                ("arith.constant" | "index.constant", _) => {
                    let Some(bits) = op.attr("value").and_then(scalar_bits) else { return Ok(false) };
                    imm(bits)
                }
                ("index.bool.constant", _) => imm(op.attr("value").and_then(Attr::as_int).unwrap_or(0) as u64 & 1),
                ("arith.cmpi" | "arith.cmpf", Some(from)) => {
                    let list = if name == "arith.cmpi" { &INTEGERS[..] } else { &FLOATS[..] };
                    let predicate = op.attr("predicate").and_then(Attr::as_int).and_then(|p| list.get(p as usize));
                    let Some(&predicate) = predicate else { return Ok(false) };
                    let (left, right) = (self.operand(op, 0)?, self.operand(op, 1)?);
                    self.compare(predicate, from, left, right)
                }
                ("index.cmp", _) => {
                    let text = op.attr("pred").map(|a| a.to_string()).unwrap_or_default();
                    let word = text.split(['(', ')', ' ']).find_map(|w| NAMES.iter().position(|n| *n == w));
                    let Some(predicate) = word else { return Ok(false) };
                    let (left, right) = (self.operand(op, 0)?, self.operand(op, 1)?);
                    self.compare(INTEGERS[predicate], ScalarType::INDEX, left, right)
                }
                ("arith.select", _) => {
                    let (condition, then, otherwise) =
                        (self.operand(op, 0)?, self.operand(op, 1)?, self.operand(op, 2)?);
                    self.select(condition, then, otherwise)
                }
                ("arith.bitcast", _) => self.operand(op, 0)?,
                ("arith.extsi" | "arith.sitofp" | "arith.fptosi" | "arith.index_cast" | "index.casts", Some(from)) => {
                    self.converted(op, from, ty, true)?
                }
                (
                    "arith.extui" | "arith.uitofp" | "arith.fptoui" | "arith.index_castui" | "index.castu"
                    | "arith.trunci" | "arith.extf" | "arith.truncf",
                    Some(from),
                ) => self.converted(op, from, ty, false)?,
                ("math.fma", _) => {
                    let (a, b, c) = (self.operand(op, 0)?, self.operand(op, 1)?, self.operand(op, 2)?);
                    self.fused(ty, a, b, c)
                }
                ("math.fpowi", _) => {
                    let (base, exponent) = (self.operand(op, 0)?, self.operand(op, 1)?);
                    let Some(integer) = scalar_of(op.operand(1).ty()) else { return Ok(false) };
                    let exponent = self.convert(integer, ty, true, exponent);
                    self.binary(Binary::PowF, ty, base, exponent)
                }
                _ => return Ok(false),
            }
        };
        self.bind(result, Val::Scalar(value));
        Ok(true)
    }

    fn converted(&mut self, op: Op, from: ScalarType, to: ScalarType, signed: bool) -> Result<Operand> {
        let value = self.operand(op, 0)?;
        Ok(self.convert(from, to, signed, value))
    }

    /// a·b + c, rounded once for types below `f64`: the product of two is exact in `f64`.
    fn fused(&mut self, ty: ScalarType, a: Operand, b: Operand, c: Operand) -> Operand {
        let wide = ScalarType::F64;
        let [a, b, c] = [a, b, c].map(|v| self.convert(ty, wide, true, v));
        let product = self.binary(Binary::MulF, wide, a, b);
        let sum = self.binary(Binary::AddF, wide, product, c);
        self.convert(wide, ty, true, sum)
    }
}
