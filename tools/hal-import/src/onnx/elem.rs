//! Element types.
use safetensors::Dtype;

/// An element type. MLIR integers are signless, so the sign lives here.
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
}

impl Elem {
    /// From `TensorProto.DataType`; the error is the name of a type that is not supported.
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
                let names = [
                    (0, "undefined"),
                    (8, "string"),
                    (14, "complex64"),
                    (15, "complex128"),
                    (17, "float8e4m3fn"),
                    (18, "float8e4m3fnuz"),
                    (19, "float8e5m2"),
                    (20, "float8e5m2fnuz"),
                    (21, "uint4"),
                    (22, "int4"),
                    (23, "float4e2m1"),
                    (24, "float8e8m0"),
                    (25, "uint2"),
                    (26, "int2"),
                ];
                let name = names
                    .iter()
                    .find(|(c, _)| *c == other)
                    .map_or_else(|| format!("number {other}"), |(_, n)| (*n).to_owned());
                return Err(name);
            }
        })
    }

    /// The type in MLIR.
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
        }
    }

    /// Bytes in memory.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::F16 | Self::Bf16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// Bits of the value.
    pub(crate) fn bits(self) -> u32 {
        if self == Self::Bool { 1 } else { self.size() as u32 * 8 }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::F16 | Self::Bf16)
    }

    /// Whether extension is with zeros (bool counts).
    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self, Self::Bool | Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }

    /// Where sums of this type are accumulated: narrow floats in f32.
    pub(crate) fn accumulator(self) -> Self {
        if matches!(self, Self::F16 | Self::Bf16) { Self::F32 } else { self }
    }

    /// The type in weight archives.
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
        }
    }
}
