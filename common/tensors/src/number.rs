//! Elements as numbers of any type.
use halyard_runtime::{DType, Tensor, bf16, f16};

/// An element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A floating-point number; `f64` holds every value of the narrower types.
    Float(f64),
    /// An integer; `i128` holds every value of the signed and unsigned types.
    Int(i128),
    /// An `i1`.
    Bool(bool),
}

impl Number {
    /// The value as a floating-point number (integers beyond 2^53 are rounded).
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Float(v) => v,
            Self::Int(v) => v as f64,
            Self::Bool(v) => f64::from(u8::from(v)),
        }
    }
}

/// Element `index`, in memory order. Panics beyond the end.
pub fn number(tensor: &Tensor, index: usize) -> Number {
    let dtype = tensor.dtype();
    let size = dtype.size();
    let bytes = &tensor.bytes()[index * size..][..size];
    /// `T::from_le_bytes` of bytes that are as many as it takes.
    macro_rules! of {
        ($ty:ty) => {
            <$ty>::from_le_bytes(bytes.try_into().expect("as many bytes as the type has"))
        };
    }
    match dtype {
        DType::F32 => Number::Float(of!(f32).into()),
        DType::F64 => Number::Float(of!(f64)),
        DType::F16 => Number::Float(of!(f16).to_f64()),
        DType::Bf16 => Number::Float(of!(bf16).to_f64()),
        DType::I1 => Number::Bool(bytes[0] != 0),
        DType::I8 => Number::Int(of!(i8).into()),
        DType::U8 => Number::Int(of!(u8).into()),
        DType::I16 => Number::Int(of!(i16).into()),
        DType::U16 => Number::Int(of!(u16).into()),
        DType::I32 => Number::Int(of!(i32).into()),
        DType::U32 => Number::Int(of!(u32).into()),
        DType::I64 => Number::Int(of!(i64).into()),
        DType::U64 => Number::Int(of!(u64).into()),
    }
}

/// The bytes of a number as an element of a type, at the start of an array; `None` if an integer type cannot hold it.
/// Floating-point types round to nearest, ties to even.
pub(crate) fn encode(value: Number, dtype: DType) -> Option<[u8; 8]> {
    if dtype.is_float() {
        let v = value.to_f64();
        return Some(match dtype {
            DType::F32 => pad((v as f32).to_le_bytes()),
            DType::F16 => pad(f16::from_f64(v).to_le_bytes()),
            DType::Bf16 => pad(bf16::from_f64(v).to_le_bytes()),
            _ => v.to_le_bytes(),
        });
    }
    let v = match value {
        Number::Int(v) => v,
        Number::Bool(v) => i128::from(v),
        Number::Float(_) => return None,
    };
    Some(match dtype {
        DType::I1 => pad([u8::try_from(v).ok().filter(|&v| v < 2)?]),
        DType::I8 => pad(i8::try_from(v).ok()?.to_le_bytes()),
        DType::U8 => pad(u8::try_from(v).ok()?.to_le_bytes()),
        DType::I16 => pad(i16::try_from(v).ok()?.to_le_bytes()),
        DType::U16 => pad(u16::try_from(v).ok()?.to_le_bytes()),
        DType::I32 => pad(i32::try_from(v).ok()?.to_le_bytes()),
        DType::U32 => pad(u32::try_from(v).ok()?.to_le_bytes()),
        DType::I64 => i64::try_from(v).ok()?.to_le_bytes(),
        _ => u64::try_from(v).ok()?.to_le_bytes(),
    })
}

fn pad<const N: usize>(bytes: [u8; N]) -> [u8; 8] {
    let mut padded = [0; 8];
    padded[..N].copy_from_slice(&bytes);
    padded
}
