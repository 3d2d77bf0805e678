//! numpy's `.npy`: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.
//!
//! numpy has no bf16. It is written as `|V2`, two opaque bytes, which is what numpy makes of `ml_dtypes.bfloat16`;
//! both `|V2` and `uint16` are read where a program wants bf16 (see [`crate::bind()`]). `|V1` are bytes. Complex numbers are read as
//! pairs of floats, along a last dimension of 2, which is how they lie in memory. Strings are read from `<U` and `|S` and written as `<U`.
use crate::Named;
use halyard_diag::{Error, Result};
use halyard_runtime::{DType, Tensor};
use npyz::{DType as NpyType, NpyHeader, Order, TypeChar, TypeStr, WriterBuilder, write_options::WriteOptions};
use std::io::Read;

/// The start of a file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads an array. Errors: a damaged or truncated file, an element type that programs do not have.
pub(crate) fn read(bytes: &[u8], name: &str) -> Result<Named> {
    let bad = |what: String| Error::input(format!("not a valid .npy file: {what}")).in_file(name).code("bad-npy");
    if !fits(bytes) {
        return Err(bad("its shape is too large".into()));
    }
    if is_nested_deeply(bytes) {
        return Err(bad("its header is nested too deeply".into()));
    }
    let mut rest = bytes;
    let header = NpyHeader::from_reader(&mut rest).map_err(|e| bad(e.to_string()))?;
    let described = header.dtype().descr();
    if let NpyType::Plain(ty) = header.dtype()
        && let Some(kind) = Letters::of(&ty)
    {
        return strings(rest, &header, kind, &bad);
    }
    let Some((dtype, swap, parts)) = element_type(&header.dtype()) else {
        return Err(Error::input(format!("elements of type {described} are not supported"))
            .in_file(name)
            .code("unsupported-dtype")
            .hint(match described.contains('O') {
                true => "it holds Python objects; strings are read from `array.astype(str)`".to_owned(),
                false => format!("convert with `array.astype(…)` to one of {}", known_types()),
            }));
    };
    let shape = header.shape().iter().map(|&d| usize::try_from(d).ok()).collect::<Option<Vec<_>>>();
    let outer = shape.ok_or_else(|| bad("its shape is too large".into()))?;
    let shape = if parts == 1 { outer.clone() } else { [&outer[..], &[parts]].concat() };
    if Tensor::byte_count(dtype, &shape).is_none() {
        return Err(bad("its shape is too large".into()));
    }
    let need = Tensor::byte_count(dtype, &shape).expect("checked above");
    let mut data = Vec::new();
    rest.take(need as u64).read_to_end(&mut data).map_err(|e| bad(e.to_string()))?;
    if data.len() < need {
        return Err(bad(format!("it is cut off after {} of {need} bytes of data", data.len())));
    }
    if swap {
        data.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse);
    }
    if dtype == DType::I1 {
        data.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    }
    if header.order() == Order::Fortran {
        data = row_major(&data, &outer, dtype.size() * parts);
    }
    Ok(Named { name: None, tensor: Tensor::from_bytes(dtype, &shape, &data)?, bytes: None })
}

/// The representation of strings in an array.
#[derive(Clone, Copy)]
enum Letters {
    /// Four bytes per character (UCS-4).
    Characters { swap: bool, width: usize },
    /// UTF-8.
    Bytes { width: usize },
}

impl Letters {
    fn of(ty: &TypeStr) -> Option<Self> {
        let width = usize::try_from(ty.size_field()).ok()?;
        match ty.type_char() {
            TypeChar::UnicodeStr => Some(Self::Characters { swap: ty.endianness() == npyz::Endianness::Big, width }),
            TypeChar::ByteStr => Some(Self::Bytes { width }),
            _ => None,
        }
    }

    /// Returns the bytes of an element.
    fn size(self) -> usize {
        match self {
            Self::Characters { width, .. } => 4 * width,
            Self::Bytes { width } => width,
        }
    }

    /// The text of an element, which ends before the zeros at its end.
    fn text(self, element: &[u8]) -> Option<String> {
        match self {
            Self::Bytes { .. } => {
                let end = element.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
                std::str::from_utf8(&element[..end]).ok().map(str::to_owned)
            }
            Self::Characters { swap, .. } => {
                let point =
                    |b: &[u8; 4]| char::from_u32(if swap { u32::from_be_bytes(*b) } else { u32::from_le_bytes(*b) });
                let text: String = element.as_chunks::<4>().0.iter().map(point).collect::<Option<_>>()?;
                Some(text.trim_end_matches('\0').to_owned())
            }
        }
    }
}

/// Reads the strings after a header.
fn strings(data: &[u8], header: &NpyHeader, kind: Letters, bad: &dyn Fn(String) -> Error) -> Result<Named> {
    let shape = header.shape().iter().map(|&d| usize::try_from(d).ok()).collect::<Option<Vec<_>>>();
    let shape = shape.ok_or_else(|| bad("its shape is too large".into()))?;
    let (size, count) = (kind.size(), shape.iter().product::<usize>());
    let need = count.checked_mul(size).ok_or_else(|| bad("its shape is too large".into()))?;
    let Some(data) = data.get(..need) else {
        return Err(bad(format!("it is cut off after {} of {need} bytes of data", data.len())));
    };
    let texts: Vec<String> = if size == 0 {
        vec![String::new(); count]
    } else {
        let rows = if header.order() == Order::Fortran { row_major(data, &shape, size) } else { data.to_vec() };
        let text = |e: &[u8]| kind.text(e).ok_or_else(|| bad("it holds a string that is no text".into()));
        rows.chunks_exact(size).map(text).collect::<Result<_>>()?
    };
    let (tensor, bytes) = crate::strings::tensors(&shape, &texts)?;
    Ok(Named { name: None, tensor, bytes: Some(bytes) })
}

/// The bytes of a file that holds strings. Zeros at the end of one are lost, as in numpy.
pub(crate) fn write_strings(shape: &[usize], texts: &[String]) -> Vec<u8> {
    let width = texts.iter().map(|t| t.chars().count()).max().unwrap_or(0).max(1);
    let mut bytes = header(&format!("<U{width}"), shape);
    for text in texts {
        let zeros = std::iter::repeat_n('\0', width - text.chars().count());
        bytes.extend(text.chars().chain(zeros).flat_map(|c| (c as u32).to_le_bytes()));
    }
    bytes
}

/// Whether the product of the dimensions in the header fits 64 bits; npyz multiplies them unchecked.
fn fits(bytes: &[u8]) -> bool {
    let header = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
    let Some((_, rest)) = header.split_once("'shape'") else { return true };
    let shape = rest.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(shape, _)| shape);
    let dims = shape.split(',').map(str::trim).filter(|d| !d.is_empty());
    dims.map(str::parse::<u64>).try_fold(1u64, |n, d| n.checked_mul(d.ok()?.max(1))).is_some_and(|n| n < 1 << 60)
}

/// Whether the header, a Python literal, nests brackets deeper than array types do. The parser in npyz takes time that
/// doubles with each level.
fn is_nested_deeply(bytes: &[u8]) -> bool {
    const MOST: usize = 8;
    let length = |at: &[u8]| at.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b));
    let header = match bytes.get(6) {
        Some(1) => bytes.get(8..10).map(|at| (10usize, length(at))),
        _ => bytes.get(8..12).map(|at| (12, length(at))),
    };
    let text = header.map_or(&[][..], |(start, length)| &bytes[start..bytes.len().min(start.saturating_add(length))]);
    let (mut depth, mut quote) = (0usize, None);
    text.iter().any(|&b| {
        match (quote, b) {
            (Some(open), _) => quote = (b != open).then_some(open),
            (None, b'\'' | b'"') => quote = Some(b),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MOST
    })
}

/// Converts elements from column-major to row-major order.
fn row_major(data: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    let mut result = Vec::with_capacity(data.len());
    let mut strides = vec![size; shape.len()];
    for i in 1..shape.len() {
        strides[i] = strides[i - 1] * shape[i - 1];
    }
    let mut index = vec![0; shape.len()];
    for _ in 0..data.len() / size {
        let at: usize = index.iter().zip(&strides).map(|(i, s)| i * s).sum();
        result.extend_from_slice(&data[at..at + size]);
        for d in (0..shape.len()).rev() {
            index[d] += 1;
            if index[d] < shape[d] {
                break;
            }
            index[d] = 0;
        }
    }
    result
}

/// The bytes of a file that holds a tensor (format version 1.0, little-endian, row-major).
pub fn write(tensor: &Tensor) -> Vec<u8> {
    let text = match tensor.dtype() {
        DType::F32 => "<f4",
        DType::F64 => "<f8",
        DType::F16 => "<f2",
        DType::Bf16 => "|V2",
        DType::I1 => "|b1",
        DType::I8 => "|i1",
        DType::U8 => "|u1",
        DType::I16 => "<i2",
        DType::U16 => "<u2",
        DType::I32 => "<i4",
        DType::U32 => "<u4",
        DType::I64 => "<i8",
        DType::U64 => "<u8",
    };
    let mut bytes = header(text, tensor.shape());
    bytes.extend_from_slice(tensor.bytes());
    bytes
}

/// Returns the header of a file.
fn header(ty: &str, shape: &[usize]) -> Vec<u8> {
    let ty: TypeStr = ty.parse().expect("these are type strings");
    let shape: Vec<u64> = shape.iter().map(|&d| d as u64).collect();
    let mut bytes = Vec::new();
    WriteOptions::new_header_only()
        .dtype(NpyType::new_scalar(ty))
        .shape(&shape)
        .writer(&mut bytes)
        .write_header_only()
        .expect("memory takes all bytes");
    bytes
}

/// The element type, whether its bytes must be swapped, and how many parts each element has.
fn element_type(ty: &NpyType) -> Option<(DType, bool, usize)> {
    let NpyType::Plain(ty) = ty else { return None };
    let dtype = match (ty.type_char(), ty.size_field()) {
        (TypeChar::Bool, 1) => DType::I1,
        (TypeChar::Int, 1) => DType::I8,
        (TypeChar::Int, 2) => DType::I16,
        (TypeChar::Int, 4) => DType::I32,
        (TypeChar::Int, 8) => DType::I64,
        (TypeChar::Uint, 1) => DType::U8,
        (TypeChar::Uint, 2) => DType::U16,
        (TypeChar::Uint, 4) => DType::U32,
        (TypeChar::Uint, 8) => DType::U64,
        (TypeChar::Float, 2) => DType::F16,
        (TypeChar::Float, 4) => DType::F32,
        (TypeChar::Float, 8) => DType::F64,
        (TypeChar::RawData, 2) => DType::Bf16,
        (TypeChar::Complex, 8) => DType::F32,
        (TypeChar::Complex, 16) => DType::F64,
        // This is how numpy writes the bytes of ml_dtypes' narrow numbers.
        (TypeChar::RawData, 1) => DType::U8,
        _ => return None,
    };
    let parts = if ty.type_char() == TypeChar::Complex { 2 } else { 1 };
    Some((dtype, ty.endianness() == npyz::Endianness::Big, parts))
}

fn known_types() -> String {
    DType::ALL.map(|d| format!("`{d}`")).join(", ")
}

#[cfg(test)]
mod tests;
