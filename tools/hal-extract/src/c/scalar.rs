//! Arithmetic on scalars, operation by operation.
use super::{
    body::{Body, Place},
    index::{affine, position},
    text::Helper,
    types::{computed, float, integer, is_bf16, is_half, unsigned},
};
use halyard_ir::{Attr, Op, Type};

impl Body<'_> {
    /// A value of a scalar operation: a name or a literal. Errors: what cannot be written in C.
    pub(super) fn scalar(&mut self, op: Op) -> Result<(), String> {
        let result = op.result(0);
        let ty = result.ty();
        let (text, is_name) = self.expression(op, ty)?;
        let value = if is_name || !result.has_uses() {
            text
        } else {
            let name = self.text.fresh("v");
            self.text.line(format!("const {} {name} = {text};", computed(ty)?));
            name
        };
        self.scalars.insert(result, value);
        Ok(())
    }

    /// The expression, and whether it may stand anywhere as it is.
    fn expression(&mut self, op: Op, ty: Type) -> Result<(String, bool), String> {
        let name = op.name();
        let args: Vec<String> = op
            .operands()
            .into_iter()
            .filter(|v| !v.ty().is_tensor())
            .map(|v| self.value(v))
            .collect::<Result<_, _>>()?;
        let from = op.operands().first().map(|v| v.ty());
        let (a, b) = (args.first().cloned().unwrap_or_default(), args.get(1).cloned().unwrap_or_default());
        let text = match &*name {
            "arith.constant" => {
                let value = op.attr("value").ok_or("a constant has no value")?;
                return Ok((literal(value, ty)?, true));
            }
            "linalg.index" => {
                let dim = op.attr("dim").and_then(Attr::as_int).ok_or("linalg.index has no dimension")?;
                let variable = self.loops.get(dim as usize).ok_or("linalg.index stands outside of a loop nest")?;
                return Ok((variable.clone(), true));
            }
            "tensor.dim" => {
                let dim = args.first().and_then(|d| d.parse::<usize>().ok());
                let size = dim.and_then(|d| self.shape(op.operand(0)).ok()?.get(d).cloned());
                let size = size.ok_or("tensor.dim of a dimension that is not constant")?;
                return Ok((super::index::atom(&size), true));
            }
            "tensor.extract" => {
                let place = self.place(op.operand(0))?;
                self.load(&place, &args, ty)?
            }
            "affine.apply" => {
                let map = op.attr("map").and_then(Attr::as_affine_map).ok_or("affine.apply has no map")?;
                let (dims, symbols) = args.split_at(map.dims());
                affine(&mut self.text, &map.results()[0], dims, symbols)
            }
            "arith.addf" => self.rounded(format!("{a} + {b}"), ty),
            "arith.subf" => self.rounded(format!("{a} - {b}"), ty),
            "arith.mulf" => self.rounded(format!("{a} * {b}"), ty),
            "arith.divf" => self.rounded(format!("{a} / {b}"), ty),
            "arith.negf" => format!("-{a}"),
            "arith.maximumf" | "arith.minimumf" => {
                let word = if name.contains("max") { "maximum" } else { "minimum" };
                self.text.helpers.insert(match (word, suffix(ty)) {
                    ("maximum", "") => Helper::Maximum,
                    ("maximum", _) => Helper::MaximumOfFloats,
                    (_, "") => Helper::Minimum,
                    _ => Helper::MinimumOfFloats,
                });
                format!("{word}{}({a}, {b})", suffix(ty))
            }
            "arith.cmpf" => return Ok((compare_floats(op, &a, &b)?, false)),
            "arith.cmpi" => compare_integers(op, &a, &b)?,
            "arith.select" => format!("{a} ? {b} : {}", args.get(2).ok_or("a select has three operands")?),
            "arith.extf" if ty.bits() == 64 => format!("(double)(float){a}"),
            "arith.extf" => format!("({}){a}", computed(ty)?),
            "arith.truncf" if is_half(ty) && from.is_some_and(|f| f.bits() == 64) => {
                self.text.helpers.insert(Helper::DoubleToHalf);
                format!("double_to_half({a})")
            }
            "arith.truncf" => {
                let wide = if is_bf16(ty) { format!("(float){a}") } else { format!("({}){a}", computed(ty)?) };
                self.rounded(wide, ty)
            }
            "arith.sitofp" | "arith.uitofp" => {
                let from = from.ok_or("a conversion has an operand")?;
                let source = if name == "arith.uitofp" {
                    format!("({}){a}", unsigned(from))
                } else if from.bits() == 1 {
                    format!("-(int){a}")
                } else {
                    a
                };
                let wide = format!("({}){}", computed(ty)?, super::index::atom(&source));
                self.rounded(wide, ty)
            }
            "arith.fptoui" => format!("({})({}){a}", computed(ty)?, unsigned(ty)),
            "arith.fptosi" => format!("({}){a}", computed(ty)?),
            "arith.bitcast" => return self.bitcast(&a, from.ok_or("a bitcast has an operand")?, ty),
            "arith.index_cast" | "arith.extsi" | "arith.trunci" | "arith.index_castui" | "arith.extui" => {
                let from = from.ok_or("a conversion has an operand")?;
                let source = match &*name {
                    "arith.extui" | "arith.index_castui" => format!("({}){a}", unsigned(from)),
                    "arith.trunci" if ty.bits() == 1 => format!("({a} & 1)"),
                    _ if from.is_integer() && from.bits() == 1 => format!("-(int){a}"),
                    _ => a,
                };
                format!("({}){}", computed(ty)?, super::index::atom(&source))
            }
            _ => match integer_operation(&name, &a, &b, ty) {
                Some(text) => text?,
                None => self.library(op, &name, &args, ty)?,
            },
        };
        Ok((text, false))
    }

    /// Functions of the C library, and what is made of them.
    fn library(&mut self, op: Op, name: &str, args: &[String], ty: Type) -> Result<String, String> {
        let unknown = || format!("`{}` is not written in C", op.name());
        let word = match name {
            "arith.maxnumf" => "fmax",
            "arith.minnumf" => "fmin",
            "arith.remf" => "fmod",
            "math.absf" => "fabs",
            "math.powf" => "pow",
            "math.roundeven" => "rint",
            "math.isnan" => return Ok(format!("{0} != {0}", args[0])),
            "math.isinf" => return Ok(format!("isinf({}) != 0", args[0])),
            "math.isfinite" => return Ok(format!("isfinite({}) != 0", args[0])),
            "math.absi" => return Ok(format!("{0} < 0 ? -{0} : {0}", args[0])),
            "math.rsqrt" => {
                let one = float(1.0, ty);
                return Ok(self.rounded(format!("{one} / sqrt{}({})", suffix(ty), args[0]), ty));
            }
            _ => name.strip_prefix("math.").filter(|w| LIBRARY.contains(w)).ok_or_else(unknown)?,
        };
        if !ty.is_float() || ty.bits() == 8 {
            return Err(unknown());
        }
        let call = format!("{word}{}({})", suffix(ty), args.join(", "));
        let call = if is_half(ty) { format!("(_Float16){call}") } else { call };
        Ok(self.rounded(call, ty))
    }

    /// The result of an operation on bf16, rounded as bf16 is.
    pub(super) fn rounded(&mut self, text: String, ty: Type) -> String {
        if !is_bf16(ty) {
            return text;
        }
        self.text.helpers.extend([Helper::Bf16ToFloat, Helper::FloatToBf16]);
        format!("bf16_to_float(float_to_bf16({text}))")
    }

    /// An element of a buffer, as it is computed with.
    pub(super) fn load(&mut self, place: &Place, index: &[String], ty: Type) -> Result<String, String> {
        match place {
            Place::Splat { value, .. } => Ok(value.clone()),
            Place::Empty { .. } => Err("elements are read that nothing has written".into()),
            Place::Buffer { name, shape, .. } => {
                let element = format!("{name}[{}]", position(shape, index));
                if is_bf16(ty) {
                    self.text.helpers.insert(Helper::Bf16ToFloat);
                    return Ok(format!("bf16_to_float({element})"));
                }
                Ok(element)
            }
        }
    }

    /// A value as it is stored.
    pub(super) fn as_stored(&mut self, value: &str, ty: Type) -> String {
        if is_bf16(ty) {
            self.text.helpers.insert(Helper::FloatToBf16);
            return format!("float_to_bf16({value})");
        }
        value.to_owned()
    }

    fn bitcast(&mut self, value: &str, from: Type, to: Type) -> Result<(String, bool), String> {
        if is_bf16(from) || is_bf16(to) {
            return Err("a bitcast of bf16 is not written in C".into());
        }
        let (source, target) = (self.text.fresh("bits"), self.text.fresh("v"));
        self.text.line(format!("const {} {source} = {value};", computed(from)?));
        self.text.line(format!("{} {target};", computed(to)?));
        self.text.line(format!("memcpy(&{target}, &{source}, sizeof {target});"));
        Ok((target, true))
    }
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
pub(super) fn literal(value: Attr, ty: Type) -> Result<String, String> {
    let text = match (value.as_int(), value.as_float()) {
        (Some(v), _) => integer(v, ty),
        (_, Some(v)) => float(v, ty),
        _ => return Err(format!("a constant of type `{ty}` is not written in C")),
    };
    // A minus sign must not meet another one.
    Ok(if text.starts_with('-') { format!("({text})") } else { text })
}

fn integer_operation(name: &str, a: &str, b: &str, ty: Type) -> Option<Result<String, String>> {
    let own = match computed(ty) {
        Ok(own) => own,
        Err(e) => return Some(Err(e)),
    };
    let u = unsigned(ty);
    // Signed overflow wraps in MLIR and is undefined in C; `index` does not overflow.
    let wraps = |sign: &str| match ty {
        _ if ty.is_index() => format!("{a} {sign} {b}"),
        _ if ty.bits() == 1 => format!("({a} {sign} {b}) & 1"),
        _ => format!("({own})(({u}){a} {sign} ({u}){b})"),
    };
    let unsigned_operation = |sign: &str| format!("({own})(({u}){a} {sign} ({u}){b})");
    Some(Ok(match name {
        "arith.addi" => wraps("+"),
        "arith.subi" => wraps("-"),
        "arith.muli" => wraps("*"),
        "arith.andi" => format!("({own})({a} & {b})"),
        "arith.ori" => format!("({own})({a} | {b})"),
        "arith.xori" => format!("({own})({a} ^ {b})"),
        "arith.shli" => format!("({own})(({u}){a} << {b})"),
        "arith.shrui" => unsigned_operation(">>"),
        "arith.shrsi" => format!("({own})({a} >> {b})"),
        "arith.divsi" => format!("({own})({a} / {b})"),
        "arith.remsi" => format!("({own})({a} % {b})"),
        "arith.divui" => unsigned_operation("/"),
        "arith.remui" => unsigned_operation("%"),
        "arith.floordivsi" => format!("({own})({a} / {b} - ({a} % {b} != 0 && ({a} < 0) != ({b} < 0)))"),
        "arith.ceildivsi" => format!("({own})({a} / {b} + ({a} % {b} != 0 && ({a} < 0) == ({b} < 0)))"),
        "arith.ceildivui" => format!("({own})(({u}){a} / ({u}){b} + (({u}){a} % ({u}){b} != 0))"),
        "arith.maxsi" => format!("{a} > {b} ? {a} : {b}"),
        "arith.minsi" => format!("{a} < {b} ? {a} : {b}"),
        "arith.maxui" => format!("({u}){a} > ({u}){b} ? {a} : {b}"),
        "arith.minui" => format!("({u}){a} < ({u}){b} ? {a} : {b}"),
        _ => return None,
    }))
}

fn predicate(op: Op) -> i64 {
    op.attr("predicate").and_then(Attr::as_int).unwrap_or(-1)
}

fn compare_integers(op: Op, a: &str, b: &str) -> Result<String, String> {
    let ty = op.operand(0).ty();
    let u = unsigned(ty);
    // The 1 of a signed `i1` is -1.
    let s = if ty.bits() == 1 && ty.is_integer() { "-(int)" } else { "" };
    let (cast, sign) = match predicate(op) {
        0 => ("", "=="),
        1 => ("", "!="),
        2 => (s, "<"),
        3 => (s, "<="),
        4 => (s, ">"),
        5 => (s, ">="),
        6 => (u, "<"),
        7 => (u, "<="),
        8 => (u, ">"),
        9 => (u, ">="),
        _ => return Err("a comparison is of an unknown kind".into()),
    };
    let cast = if cast == u { format!("({u})") } else { cast.to_owned() };
    Ok(format!("{cast}{a} {sign} {cast}{b}"))
}

fn compare_floats(op: Op, a: &str, b: &str) -> Result<String, String> {
    let nan = format!("({a} != {a} || {b} != {b})");
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
