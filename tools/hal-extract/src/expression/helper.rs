//! Helper functions that a language lacks; the ones that are used are defined at the top of the file.
use super::language::Language;

/// A helper function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Helper {
    Bf16ToFloat,
    FloatToBf16,
    HalfToFloat,
    FloatToHalf,
    DoubleToHalf,
    Maximum,
    MaximumOfFloats,
    Minimum,
    MinimumOfFloats,
    FloorDiv,
    Remainder,
    /// One that GLSL lacks: see [`missing`].
    Function(&'static str),
}

impl Helper {
    /// Returns its definition.
    pub(crate) fn definition(self, language: Language) -> String {
        let glsl = language == Language::Glsl;
        let start = match language {
            Language::C => "static inline ",
            Language::Cuda => "static __device__ inline ",
            Language::Glsl => "",
        };
        let pick = |name: &str, sign: &str, ty: &str| {
            let nan = language.is_nan("a");
            format!(
                "/* NaN if one of them is. */\n{start}{ty} {name}({ty} a, {ty} b) {{ return a {sign} b || {nan} ? a : b; }}\n"
            )
        };
        let index = language.index();
        match self {
            Self::Bf16ToFloat => match language {
                Language::C => "static inline float bf16_to_float(uint16_t v) {
  uint32_t bits = (uint32_t)v << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}
"
                .into(),
                Language::Cuda => format!(
                    "{start}float bf16_to_float(unsigned short v) {{ return __builtin_bit_cast(float, (unsigned)v << 16); }}\n"
                ),
                Language::Glsl => "float bf16_to_float(uint v) { return uintBitsToFloat(v << 16); }\n".into(),
            },
            Self::FloatToBf16 => {
                let (ty, bits) = match language {
                    Language::C => ("uint16_t", "  uint32_t bits;\n  memcpy(&bits, &f, sizeof bits);\n"),
                    Language::Cuda => ("unsigned short", "  const unsigned bits = __builtin_bit_cast(unsigned, f);\n"),
                    Language::Glsl => ("uint16_t", "  const uint bits = floatBitsToUint(f);\n"),
                };
                let nan = language.is_nan("f");
                let quiet = language.cast(ty, "(bits >> 16) | 0x40");
                let rounded = language.cast(ty, "(bits + 0x7fff + ((bits >> 16) & 1)) >> 16");
                format!(
                    "/* Rounds to nearest, ties to even. */\n{start}{ty} float_to_bf16(float f) {{\n{bits}  if ({nan}) return {quiet};\n  return {rounded};\n}}\n"
                )
            }
            Self::HalfToFloat => format!(
                "{start}float half_to_float(unsigned short v) {{\n  float f;\n  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : \"h\"(v));\n  return f;\n}}\n"
            ),
            Self::FloatToHalf => format!(
                "{start}unsigned short float_to_half(float f) {{\n  unsigned short v;\n  asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(v) : \"f\"(f));\n  return v;\n}}\n"
            ),
            Self::DoubleToHalf => match language {
                Language::Glsl => "float16_t double_to_half(double v) { return float16_t(v); }\n".into(),
                Language::Cuda => format!(
                    "{start}unsigned short double_to_half(double v) {{\n  unsigned short h;\n  asm(\"cvt.rn.f16.f64 %0, %1;\" : \"=h\"(h) : \"d\"(v));\n  return h;\n}}\n"
                ),
                Language::C => {
                    "/* Rounds once: by way of the float that is odd where it is not exact. C's own cast would call a library. */
static inline _Float16 double_to_half(double v) {
  float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  if ((double)f != v && !(bits & 1)) bits += fabs(v) > fabs((double)f) ? 1u : -1u;
  memcpy(&f, &bits, sizeof f);
  return (_Float16)f;
}
"
                    .into()
                }
            },
            Self::Maximum => pick("maximum", ">", "double"),
            Self::MaximumOfFloats => pick("maximumf", ">", "float"),
            Self::Minimum => pick("minimum", "<", "double"),
            Self::MinimumOfFloats => pick("minimumf", "<", "float"),
            Self::FloorDiv => format!(
                "{start}{index} floor_div({index} a, {index} b) {{ return a / b * b != a && (a < 0) != (b < 0) ? a / b - 1 : a / b; }}\n"
            ),
            // In GLSL, `%` of a negative number is undefined.
            Self::Remainder if glsl => {
                "/* Never negative. */\nint remainder_of(int a, int b) { const int r = a - a / b * b; return r < 0 ? r + b : r; }\n".into()
            }
            Self::Remainder => format!(
                "/* Never negative. */\n{start}{index} remainder_of({index} a, {index} b) {{ return (a % b + b) % b; }}\n"
            ),
            Self::Function(name) => missing(name).unwrap_or_default().into(),
        }
    }
}

/// A function of C that GLSL lacks, on `float`, under the name that C has for it. Good to some units in the last place
/// where `exp` and `log` are, which Vulkan lets a device compute to a few digits less.
pub(crate) fn missing(name: &str) -> Option<&'static str> {
    Some(match name {
        "round" => "float roundf(float x) { return sign(x) * floor(abs(x) + 0.5f); }\n",
        "copysign" => {
            "float copysignf(float a, float b) {
  return uintBitsToFloat(floatBitsToUint(a) & 0x7fffffffu | floatBitsToUint(b) & 0x80000000u);
}
"
        }
        "fmod" => "float fmodf(float a, float b) { return a - b * trunc(a / b); }\n",
        "log10" => "float log10f(float x) { return log2(x) * 0.30103f; }\n",
        "cbrt" => "float cbrtf(float x) { return x == 0.0f ? x : sign(x) * exp2(log2(abs(x)) / 3.0f); }\n",
        // Kahan's: what is lost in 1 + x is lost in the divisor, too.
        "log1p" => {
            "float log1pf(float x) {
  precise float u = 1.0f + x;
  return u == 1.0f || isinf(u) ? x : log(u) * x / (u - 1.0f);
}
"
        }
        "expm1" => {
            "float expm1f(float x) {
  return abs(x) < 0.25f ? x * (1.0f + x / 2.0f * (1.0f + x / 3.0f * (1.0f + x / 4.0f * (1.0f + x / 5.0f * (1.0f + x / 6.0f)))))
                        : exp(x) - 1.0f;
}
"
        }
        // `pow` of GLSL takes no negative base.
        "pow" => {
            "float powf(float x, float y) {
  const bool whole = y == floor(y), odd = whole && abs(y) < 16777216.0f && mod(y, 2.0f) != 0.0f;
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (isnan(x) || isnan(y) || x < 0.0f && !whole) return uintBitsToFloat(0x7fc00000u);
  const float p = x == 0.0f ? (y > 0.0f ? 0.0f : uintBitsToFloat(0x7f800000u)) : exp2(y * log2(abs(x)));
  return odd && floatBitsToInt(x) < 0 ? -p : p;
}
"
        }
        // Abramowitz and Stegun, 7.1.5 near 0, else 7.1.26 (to 1.5e-7).
        "erf" => {
            "float erff(float x) {
  const float a = abs(x), s = a * a;
  if (a < 0.5f) return x * 1.1283792f * (1.0f - s * (1.0f / 3.0f - s * (0.1f - s * (1.0f / 42.0f - s * (1.0f / 216.0f - s / 1320.0f)))));
  const float t = 1.0f / (1.0f + 0.3275911f * a);
  const float p = t * (0.2548296f + t * (-0.28449672f + t * (1.4214138f + t * (-1.4531521f + t * 1.0614054f))));
  return sign(x) * (1.0f - p * exp(-s));
}
"
        }
        _ => return None,
    })
}
