//! Arithmetic on scalars, operation by operation.
use super::{
    Scope,
    helper::{Helper, missing},
    index::{affine, atom},
    language::Language,
    text::Text,
};
use halyard_ir::{Attr, Op, Type};

/// A value of a scalar operation: a name or a literal. Errors: what the language cannot say.
pub(crate) fn scalar(scope: &mut impl Scope, op: Op) -> Result<(), String> {
    let result = op.result(0);
    let (text, is_name) = expression(scope, op, result.ty())?;
    let value = if is_name || !result.has_uses() { text } else { scope.define("v", result.ty(), &text)? };
    scope.bind(result, value);
    Ok(())
}

/// The expression, and whether it may stand anywhere as it is.
fn expression(scope: &mut impl Scope, op: Op, ty: Type) -> Result<(String, bool), String> {
    let name = op.name();
    let l = scope.text().language;
    let args: Vec<String> =
        op.operands().into_iter().filter(|v| !v.ty().is_tensor()).map(|v| scope.value(v)).collect::<Result<_, _>>()?;
    let from = op.operands().first().map(|v| v.ty());
    let (a, b) = (args.first().cloned().unwrap_or_default(), args.get(1).cloned().unwrap_or_default());
    let text = match &*name {
        "arith.constant" => {
            let value = op.attr("value").ok_or("a constant has no value")?;
            return Ok((literal(l, value, ty)?, true));
        }
        "linalg.index" => {
            let dim = op.attr("dim").and_then(Attr::as_int).ok_or("linalg.index has no dimension")?;
            let variable = scope.loop_variable(dim as usize).ok_or("linalg.index stands outside of a loop nest")?;
            return Ok((atom(&variable), true));
        }
        "tensor.dim" => {
            let dim = args.first().and_then(|d| d.parse::<usize>().ok());
            let size = dim.and_then(|d| scope.shape(op.operand(0)).ok()?.get(d).cloned());
            let size = size.ok_or("tensor.dim of a dimension that is not constant")?;
            return Ok((atom(&size), true));
        }
        "tensor.extract" => scope.extract(op.operand(0), &args)?,
        "affine.apply" => {
            let map = op.attr("map").and_then(Attr::as_affine_map).ok_or("affine.apply has no map")?;
            let (dims, symbols) = args.split_at(map.dims());
            affine(scope.text(), &map.results()[0], dims, symbols)
        }
        "arith.addf" => rounded(scope.text(), format!("{a} + {b}"), ty),
        "arith.subf" => rounded(scope.text(), format!("{a} - {b}"), ty),
        "arith.mulf" => rounded(scope.text(), format!("{a} * {b}"), ty),
        "arith.divf" => rounded(scope.text(), format!("{a} / {b}"), ty),
        "arith.negf" => format!("-{a}"),
        "arith.maximumf" | "arith.minimumf" => {
            let word = if name.contains("max") { "maximum" } else { "minimum" };
            scope.text().helpers.insert(match (word, suffix(ty)) {
                ("maximum", "") => Helper::Maximum,
                ("maximum", _) => Helper::MaximumOfFloats,
                (_, "") => Helper::Minimum,
                _ => Helper::MinimumOfFloats,
            });
            from_float(l, format!("{word}{}({}, {})", suffix(ty), to_float(l, &a, ty), to_float(l, &b, ty)), ty)
        }
        "arith.cmpf" => return Ok((l.truth(&compare_floats(l, op, &a, &b)?), false)),
        "arith.cmpi" => l.truth(&compare_integers(l, op, &a, &b)?),
        "arith.select" => {
            let other = args.get(2).ok_or("a select has three operands")?;
            format!("{} ? {b} : {other}", l.condition(&a))
        }
        "arith.extf" if ty.bits() == 64 => l.cast("double", &l.cast("float", &a)),
        "arith.extf" => l.cast(l.computed(ty)?, &a),
        "arith.truncf" if ty.to_string() == "f16" && from.is_some_and(|f| f.bits() == 64) => {
            let text = scope.text();
            text.helpers.insert(Helper::DoubleToHalf);
            let half = format!("double_to_half({a})");
            match note_narrow(text, ty) {
                Some((read, _)) => format!("{read}({half})"),
                None => half,
            }
        }
        "arith.truncf" => rounded(scope.text(), l.cast(l.computed(ty)?, &a), ty),
        "arith.sitofp" | "arith.uitofp" => {
            let from = from.ok_or("a conversion has an operand")?;
            let source = if name == "arith.uitofp" {
                l.cast(l.unsigned(from), &a)
            } else if from.bits() == 1 {
                format!("-{}", l.cast("int", &a))
            } else {
                a
            };
            rounded(scope.text(), l.cast(l.computed(ty)?, &source), ty)
        }
        "arith.fptoui" => l.cast(l.computed(ty)?, &l.cast(l.unsigned(ty), &a)),
        "arith.fptosi" => l.cast(l.computed(ty)?, &a),
        "arith.bitcast" => return bitcast(scope.text(), &a, from.ok_or("a bitcast has an operand")?, ty),
        "arith.index_cast" | "arith.extsi" | "arith.trunci" | "arith.index_castui" | "arith.extui" => {
            let from = from.ok_or("a conversion has an operand")?;
            let source = match &*name {
                "arith.extui" | "arith.index_castui" => l.cast(l.unsigned(from), &a),
                "arith.trunci" if ty.bits() == 1 => format!("({a} & 1)"),
                _ if from.is_integer() && from.bits() == 1 => format!("-{}", l.cast("int", &a)),
                _ => a,
            };
            l.cast(l.computed(ty)?, &source)
        }
        _ => match integer_operation(l, &name, &a, &b, ty) {
            Some(text) => text?,
            None => library(scope.text(), op, &name, &args, ty)?,
        },
    };
    Ok((text, false))
}

/// Functions of the C library, and what is made of them.
fn library(text: &mut Text, op: Op, name: &str, args: &[String], ty: Type) -> Result<String, String> {
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

/// A value as `float`, where functions take nothing narrower.
fn to_float(l: Language, value: &str, ty: Type) -> String {
    if l.computed(ty) == Ok("float16_t") { format!("float({value})") } else { value.to_owned() }
}

/// What a function on `float` gave, as it is computed with.
fn from_float(l: Language, value: String, ty: Type) -> String {
    match l.computed(ty) {
        Ok(half @ ("float16_t" | "_Float16")) => l.cast(half, &value),
        _ => value,
    }
}

/// The functions that read and round a narrow float, which the text then has.
pub(crate) fn note_narrow(text: &mut Text, ty: Type) -> Option<(&'static str, &'static str)> {
    let narrow = text.language.narrow(ty)?;
    text.helpers.extend(match narrow {
        super::language::Narrow::Bf16 => [Helper::Bf16ToFloat, Helper::FloatToBf16],
        super::language::Narrow::Half => [Helper::HalfToFloat, Helper::FloatToHalf],
    });
    Some(narrow.functions())
}

/// The result of an operation, rounded as its type is.
fn rounded(text: &mut Text, value: String, ty: Type) -> String {
    match note_narrow(text, ty) {
        Some((read, round)) => format!("{read}({round}({value}))"),
        None => value,
    }
}

/// An element of a buffer, as it is computed with.
pub(crate) fn loaded(text: &mut Text, element: String, ty: Type) -> String {
    let l = text.language;
    if let Some((read, _)) = note_narrow(text, ty) {
        return if l == Language::Glsl { format!("{read}(uint({element}))") } else { format!("{read}({element})") };
    }
    match (l, l.computed(ty)) {
        (Language::Glsl, Ok(word)) if l.stored(ty) != Some(word) => l.cast(word, &element),
        _ => element,
    }
}

/// A value as it is stored.
pub(crate) fn as_stored(text: &mut Text, value: &str, ty: Type) -> String {
    let l = text.language;
    if let Some((_, round)) = note_narrow(text, ty) {
        return format!("{round}({value})");
    }
    match (l, l.stored(ty)) {
        (Language::Glsl, Some(word)) if l.computed(ty) != Ok(word) => l.cast(word, value),
        _ => value.to_owned(),
    }
}

fn bitcast(text: &mut Text, value: &str, from: Type, to: Type) -> Result<(String, bool), String> {
    let l = text.language;
    if let Some(expression) = l.bitcast(value, from, to)? {
        return Ok((expression, false));
    }
    let (source, target) = (text.fresh("bits"), text.fresh("v"));
    text.line(format!("const {} {source} = {value};", l.computed(from)?));
    text.line(format!("{} {target};", l.computed(to)?));
    text.line(format!("memcpy(&{target}, &{source}, sizeof {target});"));
    Ok((target, true))
}

/// Of `math`, with the name that C has for it.
const LIBRARY: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf",
    "erfc", "exp", "exp2", "expm1", "floor", "fma", "log", "log10", "log1p", "log2", "round", "sin", "sinh", "sqrt",
    "tan", "tanh", "trunc",
];

/// What the names of C's functions end in: halves are computed as `float`.
fn suffix(ty: Type) -> &'static str {
    if ty.bits() == 64 { "" } else { "f" }
}

/// An element of an attribute.
pub(crate) fn literal(l: Language, value: Attr, ty: Type) -> Result<String, String> {
    let text = match (value.as_int(), value.as_float()) {
        (Some(v), _) => l.integer(v, ty),
        (_, Some(v)) => l.float(v, ty),
        _ => return Err(format!("a constant of type `{ty}` is not written in {}", l.name())),
    };
    // A minus sign must not meet another one.
    Ok(if text.starts_with('-') { format!("({text})") } else { text })
}

fn integer_operation(l: Language, name: &str, a: &str, b: &str, ty: Type) -> Option<Result<String, String>> {
    let own = match l.computed(ty) {
        Ok(own) => own,
        Err(e) => return Some(Err(e)),
    };
    let u = l.unsigned(ty);
    let (ua, ub) = (l.cast(u, a), l.cast(u, b));
    // Signed overflow wraps in MLIR and is undefined in C; `index` does not overflow.
    let wraps = |sign: &str| match ty {
        _ if ty.is_index() => format!("{a} {sign} {b}"),
        _ if ty.bits() == 1 => format!("({a} {sign} {b}) & 1"),
        _ => l.cast(own, &format!("{ua} {sign} {ub}")),
    };
    let signed = |sign: &str| l.cast(own, &format!("{a} {sign} {b}"));
    let unsigned = |sign: &str| l.cast(own, &format!("{ua} {sign} {ub}"));
    Some(Ok(match name {
        "arith.addi" => wraps("+"),
        "arith.subi" => wraps("-"),
        "arith.muli" => wraps("*"),
        "arith.andi" => signed("&"),
        "arith.ori" => signed("|"),
        "arith.xori" => signed("^"),
        "arith.shli" => l.cast(own, &format!("{ua} << {b}")),
        "arith.shrui" => l.cast(own, &format!("{ua} >> {b}")),
        "arith.shrsi" => signed(">>"),
        "arith.divsi" | "arith.remsi" | "arith.floordivsi" | "arith.ceildivsi" => {
            let quotient = signed_division(l, name, a, b, own);
            // The least number by -1 wraps in MLIR. C and GLSL leave it open, and a CPU ends the program.
            if ty.bits() == 1 || b.trim_matches(['(', ')']).parse::<i64>().is_ok_and(|b| b != -1) {
                quotient
            } else {
                let zero = l.cast(u, "0");
                let wrapped = if name == "arith.remsi" { zero } else { format!("{zero} - {ua}") };
                format!("{b} == -1 ? {} : {quotient}", l.cast(own, &wrapped))
            }
        }
        "arith.divui" => unsigned("/"),
        "arith.remui" => unsigned("%"),
        "arith.ceildivui" => {
            let q = format!("{ua} / {ub}");
            l.cast(own, &format!("{ua} % {ub} != 0 ? {q} + 1 : {q}"))
        }
        "arith.maxsi" => format!("{a} > {b} ? {a} : {b}"),
        "arith.minsi" => format!("{a} < {b} ? {a} : {b}"),
        "arith.maxui" => format!("{ua} > {ub} ? {a} : {b}"),
        "arith.minui" => format!("{ua} < {ub} ? {a} : {b}"),
        _ => return None,
    }))
}

/// A signed quotient or remainder.
fn signed_division(l: Language, name: &str, a: &str, b: &str, own: &str) -> String {
    let q = format!("{a} / {b}");
    let text = match name {
        "arith.divsi" => q,
        // What `%` of a negative number is, GLSL leaves open.
        "arith.remsi" if l == Language::Glsl => format!("{a} - {a} / {b} * {b}"),
        "arith.remsi" => format!("{a} % {b}"),
        "arith.floordivsi" => format!("{q} * {b} != {a} && ({a} < 0) != ({b} < 0) ? {q} - 1 : {q}"),
        _ => format!("{q} * {b} != {a} && ({a} < 0) == ({b} < 0) ? {q} + 1 : {q}"),
    };
    l.cast(own, &text)
}

fn predicate(op: Op) -> i64 {
    op.attr("predicate").and_then(Attr::as_int).unwrap_or(-1)
}

fn compare_integers(l: Language, op: Op, a: &str, b: &str) -> Result<String, String> {
    let ty = op.operand(0).ty();
    // The 1 of a signed `i1` is -1.
    let signed = |v: &str| {
        let negative = ty.bits() == 1 && ty.is_integer();
        if negative { format!("-{}", l.cast("int", v)) } else { v.to_owned() }
    };
    let (sa, sb) = (signed(a), signed(b));
    let (ua, ub) = (l.cast(l.unsigned(ty), a), l.cast(l.unsigned(ty), b));
    let predicate = predicate(op);
    let sign = match predicate {
        0 => "==",
        1 => "!=",
        2 | 6 => "<",
        3 | 7 => "<=",
        4 | 8 => ">",
        5 | 9 => ">=",
        _ => return Err("a comparison is of an unknown kind".into()),
    };
    Ok(match predicate {
        0 | 1 => format!("{a} {sign} {b}"),
        2..=5 => format!("{sa} {sign} {sb}"),
        _ => format!("{ua} {sign} {ub}"),
    })
}

fn compare_floats(l: Language, op: Op, a: &str, b: &str) -> Result<String, String> {
    let nan = format!("({} || {})", l.is_nan(a), l.is_nan(b));
    Ok(match predicate(op) {
        0 => "0".into(),
        1 => format!("{a} == {b}"),
        2 => format!("{a} > {b}"),
        3 => format!("{a} >= {b}"),
        4 => format!("{a} < {b}"),
        5 => format!("{a} <= {b}"),
        6 => format!("{a} < {b} || {a} > {b}"),
        7 => format!("!{nan}"),
        8 => format!("!({a} < {b} || {a} > {b})"),
        9 => format!("!({a} <= {b})"),
        10 => format!("!({a} < {b})"),
        11 => format!("!({a} >= {b})"),
        12 => format!("!({a} > {b})"),
        13 => format!("{a} != {b}"),
        14 => nan,
        15 => "1".into(),
        _ => return Err("a comparison is of an unknown kind".into()),
    })
}
