//! Element types.
use super::narrow::Format;
use safetensors::Dtype;

/// An element type. MLIR integers are signless, so the sign lives here.
///
/// The *narrow* ones, floats of at most eight bits and integers of less, are stored one to a byte, in its low bits; the others of an
/// integer are its sign. Nothing computes with them: they are moved, and converted by [`super::Body::convert`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elem {
    F32,
    F64,
    F16,
    Bf16,
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F8E4M3Fn,
    F8E4M3Fnuz,
    F8E5M2,
    F8E5M2Fnuz,
    F8E8M0,
    F6E2M3,
    F6E3M2,
    F4E2M1,
    U4,
    I4,
    U2,
    I2,
}

/// The narrow types: their numbers in `TensorProto.DataType`, their widths in bits, their names in `hal.element`
/// (`ui4`, since the name includes the sign).
const NARROW: &[(Elem, i32, u32, &str)] = &[
    (Elem::F8E4M3Fn, 17, 8, "f8E4M3FN"),
    (Elem::F8E4M3Fnuz, 18, 8, "f8E4M3FNUZ"),
    (Elem::F8E5M2, 19, 8, "f8E5M2"),
    (Elem::F8E5M2Fnuz, 20, 8, "f8E5M2FNUZ"),
    (Elem::U4, 21, 4, "ui4"),
    (Elem::I4, 22, 4, "si4"),
    (Elem::F4E2M1, 23, 4, "f4E2M1FN"),
    (Elem::F8E8M0, 24, 8, "f8E8M0FNU"),
    (Elem::U2, 25, 2, "ui2"),
    (Elem::I2, 26, 2, "si2"),
    (Elem::F6E2M3, 27, 6, "f6E2M3FN"),
    (Elem::F6E3M2, 28, 6, "f6E3M2FN"),
];

impl Elem {
    /// Converts from `TensorProto.DataType`; the error is the name of a type that is not supported.
    pub(crate) fn from_onnx(code: i32) -> Result<Self, String> {
        Ok(match code {
            1 => Self::F32,
            2 => Self::U8,
            3 => Self::I8,
            4 => Self::U16,
            5 => Self::I16,
            6 => Self::I32,
            7 => Self::I64,
            9 => Self::Bool,
            10 => Self::F16,
            11 => Self::F64,
            12 => Self::U32,
            13 => Self::U64,
            16 => Self::Bf16,
            other => {
                if let Some(narrow) = NARROW.iter().find(|n| n.1 == other) {
                    return Ok(narrow.0);
                }
                let names = [(0, "undefined"), (8, "string"), (14, "complex64"), (15, "complex128")];
                let name = names
                    .iter()
                    .find(|(c, _)| *c == other)
                    .map_or_else(|| format!("number {other}"), |(_, n)| (*n).to_owned());
                return Err(name);
            }
        })
    }

    /// Returns the type in MLIR.
    pub(crate) fn mlir(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::Bool => "i1",
            Self::I8 | Self::U8 => "i8",
            Self::I16 | Self::U16 => "i16",
            Self::I32 | Self::U32 => "i32",
            Self::I64 | Self::U64 => "i64",
            _ => "i8",
        }
    }

    fn narrow(self) -> Option<&'static (Self, i32, u32, &'static str)> {
        NARROW.iter().find(|n| n.0 == self)
    }

    /// Whether it is stored in a byte whose MLIR type does not determine its meaning.
    pub(crate) fn is_narrow(self) -> bool {
        self.narrow().is_some()
    }

    /// Returns the name of a narrow type in `hal.element`.
    pub(crate) fn narrow_name(self) -> Option<&'static str> {
        self.narrow().map(|n| n.3)
    }

    /// Returns the bit layout of a narrow float.
    pub(crate) fn format(self) -> Option<Format> {
        Some(match self {
            Self::F8E4M3Fn => Format::F8E4M3FN,
            Self::F8E4M3Fnuz => Format::F8E4M3FNUZ,
            Self::F8E5M2 => Format::F8E5M2,
            Self::F8E5M2Fnuz => Format::F8E5M2FNUZ,
            Self::F8E8M0 => Format::F8E8M0,
            Self::F6E2M3 => Format::F6E2M3,
            Self::F6E3M2 => Format::F6E3M2,
            Self::F4E2M1 => Format::F4E2M1,
            _ => return None,
        })
    }

    /// Returns the name for messages.
    pub(crate) fn shown(self) -> String {
        self.narrow_name().map_or_else(|| format!("{self:?}").to_lowercase(), str::to_owned)
    }

    /// Returns the size in memory, in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::F16 | Self::Bf16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
            _ => 1,
        }
    }

    /// Returns the width of the value in bits.
    pub(crate) fn bits(self) -> u32 {
        match self.narrow() {
            Some(narrow) => narrow.2,
            None if self == Self::Bool => 1,
            None => self.size() as u32 * 8,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::F16 | Self::Bf16) || self.format().is_some()
    }

    /// Whether it is extended with zeros (this includes bool).
    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self, Self::Bool | Self::U8 | Self::U16 | Self::U32 | Self::U64 | Self::U4 | Self::U2)
    }

    /// Returns the type in which sums are accumulated: f32 for narrow floats.
    pub(crate) fn accumulator(self) -> Self {
        if self.is_float() && self.size() < 4 { Self::F32 } else { self }
    }

    /// Returns the type in weight archives.
    pub(crate) fn dtype(self) -> Dtype {
        match self {
            Self::F32 => Dtype::F32,
            Self::F64 => Dtype::F64,
            Self::F16 => Dtype::F16,
            Self::Bf16 => Dtype::BF16,
            Self::Bool => Dtype::BOOL,
            Self::I8 => Dtype::I8,
            Self::I16 => Dtype::I16,
            Self::I32 => Dtype::I32,
            Self::I64 => Dtype::I64,
            Self::U8 => Dtype::U8,
            Self::U16 => Dtype::U16,
            Self::U32 => Dtype::U32,
            Self::U64 => Dtype::U64,
            _ => Dtype::I8,
        }
    }
}
