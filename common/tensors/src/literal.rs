//! Types and values as text: `2x3xf32`, `1,2,3`.
mod nested;

use crate::number::{Number, encode};
use halyard_diag::{Error, Result};
use halyard_runtime::{DType, Tensor, TensorSpec, shape_text};
use std::fmt;

/// An element type and a shape, all of whose dimensions are known: `2x3xf32`; a scalar is `f32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorType {
    /// The element type.
    pub dtype: DType,
    /// The sizes of the dimensions.
    pub shape: Vec<usize>,
}

impl TensorType {
    /// Reads `2x3xf32`; `None` if the text is something else.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts: Vec<&str> = text.split('x').collect();
        let dtype = parts.pop()?.parse().ok()?;
        let digits = |p: &str| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit());
        let shape = parts.into_iter().map(|p| if digits(p) { p.parse().ok() } else { None }).collect::<Option<_>>()?;
        Some(Self { dtype, shape })
    }

    /// The type of a signature's input, if all its dimensions are known.
    pub fn of_spec(spec: &TensorSpec) -> Option<Self> {
        Some(Self { dtype: spec.dtype, shape: spec.shape.iter().copied().collect::<Option<_>>()? })
    }

    /// The number of elements. Errors: more bytes than can be allocated.
    pub(crate) fn count(&self) -> Result<usize> {
        // The elements are made, and then copied to aligned memory.
        let fits = |bytes: &usize| Vec::<u8>::new().try_reserve_exact(bytes.saturating_mul(2)).is_ok();
        match Tensor::byte_count(self.dtype, &self.shape).filter(fits) {
            Some(bytes) => Ok(bytes / self.dtype.size()),
            None => Err(Error::usage(format!("a tensor `{self}` does not fit into memory"))),
        }
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&shape_text(&self.shape, self.dtype))
    }
}

/// A tensor of numbers separated by commas or blanks: one for all elements, or one each, perhaps in brackets as numpy prints them. Errors: a word
/// that is no number of the type, the wrong count, brackets that do not fit the shape.
pub(crate) fn parse(ty: &TensorType, text: &str) -> Result<Tensor> {
    let count = ty.count()?;
    let words: Vec<&str> = match text.contains(['[', ']']) {
        true => nested::words(ty, text)?,
        false => text.split(|c: char| c == ',' || c.is_whitespace()).filter(|w| !w.is_empty()).collect(),
    };
    if words.len() != 1 && words.len() != count {
        let found = words.len();
        return Err(Error::usage(format!("`{ty}` takes 1 or {count} numbers, there are {found}"))
            .hint("one number fills the whole tensor"));
    }
    let mut bytes = Vec::with_capacity(count * ty.dtype.size());
    for word in &words {
        bytes.extend(&element(ty.dtype, word)?[..ty.dtype.size()]);
    }
    let all = if words.len() == count { bytes } else { bytes.repeat(count) };
    Tensor::from_bytes(ty.dtype, &ty.shape, &all)
}

fn element(dtype: DType, word: &str) -> Result<[u8; 8]> {
    let number = match word {
        "true" => Some(Number::Bool(true)),
        "false" => Some(Number::Bool(false)),
        _ if dtype.is_float() => float(dtype, word),
        _ => integer(word).map(Number::Int),
    };
    let Some(number) = number else {
        let kind = if dtype.is_float() { "a number" } else { "an integer" };
        return Err(Error::usage(format!("`{word}` is not {kind}")));
    };
    encode(number, dtype).ok_or_else(|| Error::usage(format!("{word} does not fit into `{dtype}`")))
}

/// Parses a decimal number, `inf` or `nan`, or a hexadecimal integer. `f32` is rounded from the text directly, not
/// through `f64`, which could round twice.
fn float(dtype: DType, word: &str) -> Option<Number> {
    if let Some(v) = word.strip_prefix("0x").and_then(|h| u64::from_str_radix(h, 16).ok()) {
        return Some(Number::Int(v.into()));
    }
    if dtype == DType::F32 {
        return word.parse::<f32>().ok().map(|v| Number::Float(v.into()));
    }
    word.parse().ok().map(Number::Float)
}

fn integer(word: &str) -> Option<i128> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |rest| (true, rest));
    let digits_start = digits.starts_with(|c: char| c.is_ascii_digit());
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => digits.parse::<i128>().ok().filter(|_| digits_start),
    }?;
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests;
