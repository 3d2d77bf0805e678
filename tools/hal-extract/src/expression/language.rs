//! Types, literals and syntax of the languages in which references are written.
use halyard_ir::Type;

/// A language of references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cuda,
    Glsl,
}

/// A type of floats that a language has no arithmetic for: held as bits, computed as `float` and rounded after each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Narrow {
    Bf16,
    Half,
}

impl Language {
    /// Returns the name for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Cuda => "CUDA",
            Self::Glsl => "GLSL",
        }
    }

    /// The type of loop variables and of positions; that of `index`.
    pub(crate) fn index(self) -> &'static str {
        match self {
            Self::C => "int64_t",
            Self::Cuda => "long long",
            Self::Glsl => "int",
        }
    }

    /// Returns the type of elements in a buffer; `None` for types that kernels do not support.
    pub(crate) fn stored(self, ty: Type) -> Option<&'static str> {
        let text = ty.to_string();
        // In C, CUDA, GLSL.
        let words = match (text.as_str(), ty.bits()) {
            ("index", _) => ["int64_t", "long long", "int64_t"],
            ("f64", _) => ["double"; 3],
            ("f32", _) => ["float"; 3],
            ("f16", _) => ["_Float16", "unsigned short", "float16_t"],
            ("bf16", _) => ["uint16_t", "unsigned short", "uint16_t"],
            (_, 8) if ty.is_float() => ["uint8_t", "unsigned char", "uint8_t"],
            (_, 1) if ty.is_integer() => ["uint8_t", "unsigned char", "uint8_t"],
            (_, 8) if ty.is_integer() => ["int8_t", "signed char", "int8_t"],
            (_, 16) if ty.is_integer() => ["int16_t", "short", "int16_t"],
            (_, 32) if ty.is_integer() => ["int32_t", "int", "int"],
            (_, 64) if ty.is_integer() => ["int64_t", "long long", "int64_t"],
            _ => return None,
        };
        Some(words[self as usize])
    }

    /// Returns the type in which a type's arithmetic is done. Fails if there is none.
    pub(crate) fn computed(self, ty: Type) -> Result<&'static str, String> {
        let name = self.name();
        match (self.narrow(ty), self) {
            (Some(_), _) => Ok("float"),
            _ if ty.is_float() && ty.bits() == 8 => Err(format!("there is no arithmetic in {name} for `{ty}`")),
            (_, Self::Glsl) if ty.is_index() => Ok("int"),
            (_, Self::Glsl) if ty.is_integer() && ty.bits() == 1 => Ok("uint"),
            _ => self.stored(ty).ok_or_else(|| format!("there is no type in {name} for `{ty}`")),
        }
    }

    /// The unsigned type of the width of an integer.
    pub(crate) fn unsigned(self, ty: Type) -> &'static str {
        let words = match ty.bits() {
            1 => ["uint8_t", "unsigned char", "uint"],
            8 => ["uint8_t", "unsigned char", "uint8_t"],
            16 => ["uint16_t", "unsigned short", "uint16_t"],
            32 => ["uint32_t", "unsigned", "uint"],
            _ if ty.is_index() => ["uint64_t", "unsigned long long", "uint"],
            _ => ["uint64_t", "unsigned long long", "uint64_t"],
        };
        words[self as usize]
    }

    /// Returns the narrow type if its values are computed as `float`s that are rounded to it.
    pub(crate) fn narrow(self, ty: Type) -> Option<Narrow> {
        match (ty.to_string().as_str(), self) {
            ("bf16", _) => Some(Narrow::Bf16),
            ("f16", Self::Cuda) => Some(Narrow::Half),
            _ => None,
        }
    }

    /// Writes a conversion.
    pub(crate) fn cast(self, to: &str, value: &str) -> String {
        match self {
            Self::Glsl => format!("{to}({value})"),
            _ => format!("({to}){}", super::index::atom(value)),
        }
    }

    /// Converts a condition to an `i1`.
    pub(crate) fn truth(self, condition: &str) -> String {
        if self == Self::Glsl { format!("uint({condition})") } else { condition.to_owned() }
    }

    /// Converts an `i1` to a condition.
    pub(crate) fn condition(self, value: &str) -> String {
        if self == Self::Glsl { format!("{} != 0", super::index::atom(value)) } else { value.to_owned() }
    }

    /// Tests whether a float is NaN. Drivers may assume that `x != x` is never true.
    pub(crate) fn is_nan(self, value: &str) -> String {
        if self == Self::Glsl { format!("isnan({value})") } else { format!("{value} != {value}") }
    }

    /// Returns the declaration of a variable for a computed value: GLSL compilers may change the rounding unless it is
    /// `precise`.
    pub(crate) fn variable(self, ty: Type, constant: bool) -> Result<String, String> {
        let word = self.computed(ty)?;
        let exactly = if self == Self::Glsl && ty.is_float() { "precise " } else { "" };
        Ok(format!("{}{exactly}{word}", if constant { "const " } else { "" }))
    }

    /// A table of constants as elements of buffers.
    pub(crate) fn table(self, name: &str, element: &str, rows: &[String]) -> Vec<String> {
        let (start, end) = match self {
            Self::C => (format!("static const {element} {name}[] = {{"), "};"),
            Self::Cuda => (format!("const {element} {name}[] = {{"), "};"),
            Self::Glsl => (format!("const {element} {name}[] = {element}[]("), ");"),
        };
        let mut lines = vec![start];
        for (i, row) in rows.iter().enumerate() {
            // GLSL takes no comma at the end.
            let comma = if i + 1 == rows.len() && self == Self::Glsl { "" } else { "," };
            lines.push(format!("  {row}{comma}"));
        }
        lines.push(end.to_owned());
        lines
    }

    /// Writes an integer of a type, in the type of its arithmetic.
    pub(crate) fn integer(self, value: i64, ty: Type) -> String {
        if ty.is_integer() && ty.bits() == 1 {
            return if value == 0 { "0".into() } else { "1".into() };
        }
        let long = value.unsigned_abs() > i32::MAX as u64;
        match (self, value) {
            (Self::C, i64::MIN) => "INT64_MIN".into(),
            (Self::C, v) if v == i64::from(i32::MIN) => "INT32_MIN".into(),
            (Self::C, v) if long => format!("INT64_C({v})"),
            (Self::Glsl, v) if ty.is_index() || ty.bits() == 32 => match v {
                v if v == i64::from(i32::MIN) => "(-2147483647 - 1)".into(),
                v => v.to_string(),
            },
            (Self::Glsl, i64::MIN) => "(-9223372036854775807l - 1l)".into(),
            (Self::Glsl, v) if ty.bits() == 64 => format!("int64_t({v}l)"),
            (Self::Glsl, v) => format!("int{}_t({v})", ty.bits()),
            (_, v) if v == i64::from(i32::MIN) => "(-2147483647 - 1)".into(),
            (_, i64::MIN) => "(-9223372036854775807LL - 1)".into(),
            (_, v) if long => format!("{v}LL"),
            (_, v) => v.to_string(),
        }
    }

    /// A float of a type, in the digits that it takes to read the same number back.
    pub(crate) fn float(self, value: f64, ty: Type) -> String {
        let double = ty.bits() == 64;
        let special = if value.is_nan() {
            Some("NAN")
        } else if value.is_infinite() {
            Some(if value > 0.0 { "INFINITY" } else { "-INFINITY" })
        } else {
            None
        };
        match (self, special) {
            (Self::Glsl, Some(word)) => format!("{}({word})", self.computed(ty).unwrap_or("float")),
            (_, Some(word)) => word.into(),
            (Self::Glsl, None) if double => format!("{value:?}lf"),
            (_, None) if double => format!("{value:?}"),
            (_, None) => match self.computed(ty) {
                Ok("float") | Err(_) => format!("{:?}f", value as f32),
                Ok(word) => self.cast(word, &format!("{:?}f", value as f32)),
            },
        }
    }

    /// Returns an expression for the same bits as another type, if the language has one.
    pub(crate) fn bitcast(self, value: &str, from: Type, to: Type) -> Result<Option<String>, String> {
        if self.narrow(from).is_some() || self.narrow(to).is_some() {
            return Err(format!("a bitcast of `{from}` to `{to}` is not written in {}", self.name()));
        }
        if self == Self::Cuda {
            return Ok(Some(format!("__builtin_bit_cast({}, {value})", self.computed(to)?)));
        }
        if self == Self::C {
            return Ok(None);
        }
        let word = match (&*from.to_string(), &*to.to_string()) {
            ("f32", "i32") => "floatBitsToInt",
            ("i32", "f32") => "intBitsToFloat",
            ("f16", "i16") => "float16BitsToInt16",
            ("i16", "f16") => "int16BitsToFloat16",
            ("f64", "i64") => "doubleBitsToInt64",
            ("i64", "f64") => "int64BitsToDouble",
            _ if from == to => return Ok(Some(value.to_owned())),
            _ => return Err(format!("a bitcast of `{from}` to `{to}` is not written in GLSL")),
        };
        Ok(Some(format!("{word}({value})")))
    }
}

impl Narrow {
    /// The functions that read and round one.
    pub(crate) fn functions(self) -> (&'static str, &'static str) {
        match self {
            Self::Bf16 => ("bf16_to_float", "float_to_bf16"),
            Self::Half => ("half_to_float", "float_to_half"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{C, Cuda, Glsl};
    use halyard_ir::Session;

    #[test]
    fn literals() {
        let session = Session::new();
        let (f32, f64, i64) = (Type::f32(session.raw()), Type::f64(session.raw()), Type::integer(session.raw(), 64));
        let i8 = Type::integer(session.raw(), 8);
        for language in [C, Cuda, Glsl] {
            assert_eq!(language.float(0.1f32 as f64, f32), "0.1f");
            assert_eq!(language.float(-3.4028235e38, f32), "-3.4028235e38f");
        }
        assert_eq!([C, Cuda, Glsl].map(|l| l.float(1.0, f64)), ["1.0", "1.0", "1.0lf"]);
        let infinity = [C, Cuda, Glsl].map(|l| l.float(f64::NEG_INFINITY, f32));
        assert_eq!(infinity, ["-INFINITY", "-INFINITY", "float(-INFINITY)"]);
        let long = [C, Cuda, Glsl].map(|l| l.integer(1 << 40, i64));
        assert_eq!(long, ["INT64_C(1099511627776)", "1099511627776LL", "int64_t(1099511627776l)"]);
        assert_eq!([C, Cuda, Glsl].map(|l| l.integer(-5, i8)), ["-5", "-5", "int8_t(-5)"]);
    }

    #[test]
    fn conversions() {
        assert_eq!([C, Glsl].map(|l| l.cast("float", "a + b")), ["(float)(a + b)", "float(a + b)"]);
        assert_eq!([C, Glsl].map(|l| l.condition("v1")), ["v1", "v1 != 0"]);
    }
}
