//! The text of a function body as it grows: lines, names, helper functions.
use std::collections::BTreeSet;

/// Functions that C lacks; those that are used stand at the top of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    Bf16ToFloat,
    FloatToBf16,
    DoubleToHalf,
    Maximum,
    MaximumOfFloats,
    Minimum,
    MinimumOfFloats,
    FloorDiv,
    Remainder,
}

impl Helper {
    /// Its definition.
    pub(super) fn definition(self) -> &'static str {
        match self {
            Self::Bf16ToFloat => {
                "static inline float bf16_to_float(uint16_t v) {
  uint32_t bits = (uint32_t)v << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}
"
            }
            Self::FloatToBf16 => {
                "/* Rounds to nearest, ties to even. */
static inline uint16_t float_to_bf16(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  if (f != f) return (uint16_t)((bits >> 16) | 0x40);
  return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
"
            }
            Self::DoubleToHalf => {
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
            }
            Self::Maximum => {
                "/* NaN if one of them is. */
static inline double maximum(double a, double b) { return a > b || a != a ? a : b; }
"
            }
            Self::MaximumOfFloats => {
                "/* NaN if one of them is. */
static inline float maximumf(float a, float b) { return a > b || a != a ? a : b; }
"
            }
            Self::Minimum => {
                "/* NaN if one of them is. */
static inline double minimum(double a, double b) { return a < b || a != a ? a : b; }
"
            }
            Self::MinimumOfFloats => {
                "/* NaN if one of them is. */
static inline float minimumf(float a, float b) { return a < b || a != a ? a : b; }
"
            }
            Self::FloorDiv => {
                "static inline int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
"
            }
            Self::Remainder => {
                "/* Never negative. */
static inline int64_t remainder_of(int64_t a, int64_t b) { return (a % b + b) % b; }
"
            }
        }
    }
}

/// Lines with their indentation.
#[derive(Debug, Default)]
pub(super) struct Text {
    lines: Vec<String>,
    depth: usize,
    names: usize,
    pub(super) helpers: BTreeSet<Helper>,
}

impl Text {
    /// Starts a body, in the braces of a function.
    pub(super) fn new() -> Self {
        Self { depth: 1, ..Self::default() }
    }

    /// A line.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        self.lines.push(if text.is_empty() { String::new() } else { format!("{}{text}", "  ".repeat(self.depth)) });
    }

    /// A comment of one or more lines; what would end it is taken apart.
    pub(super) fn comment(&mut self, text: &str) {
        let text = text.replace("*/", "* /").replace("/*", "/ *");
        let mut lines = text.lines().peekable();
        let mut first = true;
        while let Some(line) = lines.next() {
            let start = if first { "/* " } else { " * " };
            let end = if lines.peek().is_none() { " */" } else { "" };
            self.line(format!("{start}{line}{end}").trim_end());
            first = false;
        }
    }

    /// A line that opens a block.
    pub(super) fn open(&mut self, text: &str) {
        self.line(format!("{text} {{").trim_start());
        self.depth += 1;
    }

    /// Closes `count` blocks.
    pub(super) fn close(&mut self, count: usize) {
        for _ in 0..count {
            self.depth -= 1;
            self.line("}");
        }
    }

    /// A loop over `0 … bound`.
    pub(super) fn each(&mut self, variable: &str, bound: &str) {
        self.open(&format!("for (int64_t {variable} = 0; {variable} < {bound}; ++{variable})"));
    }

    /// A name that is new in the function.
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names - 1)
    }

    /// All of it.
    pub(super) fn finish(self) -> (String, BTreeSet<Helper>) {
        (self.lines.iter().map(|l| format!("{l}\n")).collect(), self.helpers)
    }
}
