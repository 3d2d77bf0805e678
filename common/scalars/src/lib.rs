//! What operations of MLIR on scalars compute, as instructions of the host program.
use halyard_ir::{Attr, Op, Type};
use halyard_runtime::commands::{Binary, Compare, ScalarType, Unary};

/// What an operation of `arith`, `math` or `index` computes from scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarOp {
    /// The bits of a constant.
    Constant(u64),
    /// A function of the operand, or the operand as it is.
    Unary(Unary),
    /// A function of two operands.
    Binary(Binary),
    /// A comparison of two operands.
    Compare(Compare),
    /// The second or the third operand, as the first one says.
    Select,
    /// The operand in the type of the result; `signed` says how integers are read and written.
    Convert {
        /// Whether integers have a sign.
        signed: bool,
    },
    /// `a · b + c`, rounded once.
    Fma,
    /// The first operand to the power of the second, an integer.
    PowI,
}

impl ScalarOp {
    /// What the operation of this name computes; `None` if it is not one of them.
    pub fn of(op: Op, name: &str) -> Option<Self> {
        if let Some(binary) = binary_of(name) {
            return Some(Self::Binary(binary));
        }
        if let Some(unary) = unary_of(name) {
            return Some(Self::Unary(unary));
        }
        Some(match name {
            "arith.constant" | "index.constant" => Self::Constant(scalar_bits(op.attr("value")?)?),
            "index.bool.constant" => Self::Constant(op.attr("value").and_then(Attr::as_int).unwrap_or(0) as u64 & 1),
            "arith.cmpi" | "arith.cmpf" => {
                let list = if name == "arith.cmpi" { &INTEGERS[..] } else { &FLOATS[..] };
                let predicate = usize::try_from(op.attr("predicate").and_then(Attr::as_int)?).ok()?;
                Self::Compare(*list.get(predicate)?)
            }
            "index.cmp" => {
                let text = op.attr("pred").map(|a| a.to_string()).unwrap_or_default();
                let predicate = text.split(['(', ')', ' ']).find_map(|w| NAMES.iter().position(|n| *n == w))?;
                Self::Compare(INTEGERS[predicate])
            }
            "arith.select" => Self::Select,
            "arith.bitcast" => Self::Unary(Unary::Move),
            "arith.extsi" | "arith.sitofp" | "arith.fptosi" | "arith.index_cast" | "index.casts" => {
                Self::Convert { signed: true }
            }
            "arith.extui" | "arith.uitofp" | "arith.fptoui" | "arith.index_castui" | "index.castu" | "arith.trunci"
            | "arith.extf" | "arith.truncf" => Self::Convert { signed: false },
            "math.fma" => Self::Fma,
            "math.fpowi" => Self::PowI,
            _ => return None,
        })
    }
}

/// The type of a scalar; `None` if it is not supported.
pub fn scalar_of(ty: Type) -> Option<ScalarType> {
    if ty.is_index() {
        return Some(ScalarType::INDEX);
    }
    if ty.is_integer() {
        return (1..=64).contains(&ty.bits()).then_some(ScalarType::Int(ty.bits() as u8));
    }
    match ty.bits() {
        16 if ty.is_f16() => Some(ScalarType::F16),
        16 if ty.is_common_float() => Some(ScalarType::Bf16),
        32 if ty.is_common_float() => Some(ScalarType::F32),
        64 if ty.is_common_float() => Some(ScalarType::F64),
        _ => None,
    }
}

/// Returns the bits of a scalar attribute.
pub fn scalar_bits(attr: Attr) -> Option<u64> {
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
