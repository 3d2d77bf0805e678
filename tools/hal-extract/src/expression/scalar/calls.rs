//! Writes calls of mathematical functions as expressions.
use super::super::{
    helper::{Helper, missing},
    language::Language,
    text::Text,
};
use super::floats::{from_float, rounded, to_float};
use halyard_ir::{Op, Type};

/// Functions of the C library, and what is made of them.
pub(super) fn library(text: &mut Text, op: Op, name: &str, args: &[String], ty: Type) -> Result<String, String> {
    let l = text.language;
    let unknown = || format!("`{}` is not written in {}", op.name(), l.name());
    let operand = op.operand(0).ty();
    let word = match name {
        "arith.maxnumf" => "fmax",
        "arith.minnumf" => "fmin",
        "arith.remf" => "fmod",
        "math.absf" => "fabs",
        "math.powf" => "pow",
        "math.roundeven" => "rint",
        "math.isnan" => return Ok(l.truth(&l.is_nan(&args[0]))),
        "math.isinf" | "math.isfinite" if l == Language::Glsl => {
            let x = to_float(l, &args[0], operand);
            let finite = format!("!isinf({x}) && !isnan({x})");
            return Ok(l.truth(&if name == "math.isinf" { format!("isinf({x})") } else { finite }));
        }
        "math.isinf" => return Ok(format!("isinf({}) != 0", args[0])),
        "math.isfinite" => return Ok(format!("isfinite({}) != 0", args[0])),
        "math.absi" => return Ok(l.cast(l.computed(ty)?, &format!("{0} < 0 ? -{0} : {0}", args[0]))),
        "math.rsqrt" => {
            let one = l.float(1.0, ty);
            let root = call(text, "sqrt", args, ty).ok_or_else(unknown)?;
            return Ok(rounded(text, format!("{one} / {root}"), ty));
        }
        _ => LIBRARY.iter().copied().find(|w| name.strip_prefix("math.") == Some(w)).ok_or_else(unknown)?,
    };
    if !ty.is_float() || ty.bits() == 8 {
        return Err(unknown());
    }
    let call = call(text, word, args, ty)
        .ok_or_else(|| format!("`{}` of `{ty}` has no function in {}", op.name(), l.name()))?;
    Ok(rounded(text, call, ty))
}

/// A call of a function of the C library. `None` if the language lacks it.
fn call(text: &mut Text, word: &'static str, args: &[String], ty: Type) -> Option<String> {
    let l = text.language;
    if l != Language::Glsl {
        return Some(from_float(l, format!("{word}{}({})", suffix(ty), args.join(", ")), ty));
    }
    let own = match word {
        "fmax" => "max",
        "fmin" => "min",
        "fabs" => "abs",
        "rint" => "roundEven",
        "atan2" => "atan",
        _ => word,
    };
    let args: Vec<String> = args.iter().map(|a| to_float(l, a, ty)).collect();
    let args = args.join(", ");
    if ty.bits() == 64 {
        let known = ["sqrt", "abs", "floor", "ceil", "trunc", "roundEven", "fma", "min", "max"].contains(&own);
        return known.then(|| format!("{own}({args})"));
    }
    if missing(word).is_some() {
        text.helpers.insert(Helper::Function(word));
        return Some(from_float(l, format!("{word}f({args})"), ty));
    }
    (word != "erfc").then(|| from_float(l, format!("{own}({args})"), ty))
}

/// Operations of `math`, with the names of the C functions.
const LIBRARY: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf",
    "erfc", "exp", "exp2", "expm1", "floor", "fma", "log", "log10", "log1p", "log2", "round", "sin", "sinh", "sqrt",
    "tan", "tanh", "trunc",
];

/// Returns the suffix of C's functions for a type: half-precision values are computed as `float`.
pub(super) fn suffix(ty: Type) -> &'static str {
    if ty.bits() == 64 { "" } else { "f" }
}
