//! Writes floating-point conversions, roundings and comparisons as expressions.
use super::super::{helper::Helper, language::Language, text::Text};
use super::integers::predicate;
use halyard_ir::{Op, Type};

/// A value as `float`, where functions take nothing narrower.
pub(super) fn to_float(l: Language, value: &str, ty: Type) -> String {
    if l.computed(ty) == Ok("float16_t") { format!("float({value})") } else { value.to_owned() }
}

/// Converts the result of a function on `float` to the type of arithmetic.
pub(super) fn from_float(l: Language, value: String, ty: Type) -> String {
    match l.computed(ty) {
        Ok(half @ ("float16_t" | "_Float16")) => l.cast(half, &value),
        _ => value,
    }
}

/// The functions that read and round a narrow float, which the text then has.
pub(crate) fn note_narrow(text: &mut Text, ty: Type) -> Option<(&'static str, &'static str)> {
    let narrow = text.language.narrow(ty)?;
    text.helpers.extend(match narrow {
        super::super::language::Narrow::Bf16 => [Helper::Bf16ToFloat, Helper::FloatToBf16],
        super::super::language::Narrow::Half => [Helper::HalfToFloat, Helper::FloatToHalf],
    });
    Some(narrow.functions())
}

/// The result of an operation, rounded as its type is.
pub(super) fn rounded(text: &mut Text, value: String, ty: Type) -> String {
    match note_narrow(text, ty) {
        Some((read, round)) => format!("{read}({round}({value}))"),
        None => value,
    }
}

/// Converts an element of a buffer to the type of arithmetic.
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

/// Converts a value to the type of a buffer's elements.
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

pub(super) fn bitcast(text: &mut Text, value: &str, from: Type, to: Type) -> Result<(String, bool), String> {
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

pub(super) fn compare_floats(l: Language, op: Op, a: &str, b: &str) -> Result<String, String> {
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
