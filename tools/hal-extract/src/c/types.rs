//! Types and literals of C.
use halyard_ir::Type;

/// How a type is stored in a buffer; `None` for what kernels cannot take.
pub(super) fn stored(ty: Type) -> Option<&'static str> {
    let text = ty.to_string();
    Some(match (text.as_str(), ty.bits()) {
        ("index", _) => "int64_t",
        ("f64", _) => "double",
        ("f32", _) => "float",
        ("f16", _) => "_Float16",
        ("bf16", _) => "uint16_t",
        (_, 8) if ty.is_float() => "uint8_t",
        (_, 1) if ty.is_integer() => "uint8_t",
        (_, 8) if ty.is_integer() => "int8_t",
        (_, 16) if ty.is_integer() => "int16_t",
        (_, 32) if ty.is_integer() => "int32_t",
        (_, 64) if ty.is_integer() => "int64_t",
        _ => return None,
    })
}

/// What a type is computed in. A bf16 is a `float` whose low 16 bits are zero. Errors: no arithmetic for it.
pub(super) fn computed(ty: Type) -> Result<&'static str, String> {
    match ty.to_string().as_str() {
        "bf16" => Ok("float"),
        _ if ty.is_float() && ty.bits() == 8 => Err(format!("there is no arithmetic in C for `{ty}`")),
        _ => stored(ty).ok_or_else(|| format!("there is no type in C for `{ty}`")),
    }
}

/// The unsigned type of the width of an integer.
pub(super) fn unsigned(ty: Type) -> &'static str {
    match ty.bits() {
        1 | 8 => "uint8_t",
        16 => "uint16_t",
        32 => "uint32_t",
        _ => "uint64_t",
    }
}

/// Whether values are `float`s rounded to bf16.
pub(super) fn is_bf16(ty: Type) -> bool {
    ty.is_float() && ty.to_string() == "bf16"
}

/// Whether values are `_Float16`.
pub(super) fn is_half(ty: Type) -> bool {
    ty.is_float() && ty.to_string() == "f16"
}

/// An integer of a type.
pub(super) fn integer(value: i64, ty: Type) -> String {
    if ty.is_integer() && ty.bits() == 1 {
        return if value == 0 { "0".into() } else { "1".into() };
    }
    match value {
        i64::MIN => "INT64_MIN".into(),
        v if v == i64::from(i32::MIN) => "INT32_MIN".into(),
        v if v.unsigned_abs() > i32::MAX as u64 => format!("INT64_C({v})"),
        v => v.to_string(),
    }
}

/// A float of a type, in the digits that it takes to read the same number back.
pub(super) fn float(value: f64, ty: Type) -> String {
    if value.is_nan() {
        return "NAN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INFINITY".into() } else { "-INFINITY".into() };
    }
    match ty.to_string().as_str() {
        "f64" => format!("{value:?}"),
        "f16" => format!("(_Float16){:?}f", value as f32),
        _ => format!("{:?}f", value as f32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halyard_ir::Session;

    #[test]
    fn literals() {
        let session = Session::new();
        let (f32, f64, i64) = (Type::f32(session.raw()), Type::f64(session.raw()), Type::integer(session.raw(), 64));
        assert_eq!(float(0.1f32 as f64, f32), "0.1f");
        assert_eq!(float(-3.4028235e38, f32), "-3.4028235e38f");
        assert_eq!(float(1.0, f64), "1.0");
        assert_eq!(float(f64::NEG_INFINITY, f32), "-INFINITY");
        assert_eq!(integer(1 << 40, i64), "INT64_C(1099511627776)");
        assert_eq!(integer(-5, i64), "-5");
    }
}
