//! Tensors made by rule: random numbers, counting.
use crate::{
    TensorType,
    number::{Number, encode},
};
use halyard_diag::{Error, Result};
use halyard_runtime::{DType, Tensor};
use rand_pcg::{Pcg32, rand_core::Rng};

/// The half-open range of random values: what the user gave, or the default of the type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
    low: f64,
    high: f64,
}

impl Range {
    /// Floating-point numbers lie in [-1, 1), integers in [0, 10), `i1` is 0 or 1.
    pub(crate) fn default_of(dtype: DType) -> Self {
        match dtype {
            DType::I1 => Self { low: 0.0, high: 2.0 },
            d if d.is_float() => Self { low: -1.0, high: 1.0 },
            _ => Self { low: 0.0, high: 10.0 },
        }
    }

    /// Errors: an empty range, bounds that are not finite.
    pub(crate) fn new(low: f64, high: f64) -> Result<Self> {
        if low < high && (high - low).is_finite() {
            return Ok(Self { low, high });
        }
        Err(Error::usage(format!("the range of random numbers from {low} to {high} is empty or not finite")))
    }
}

/// Uniformly distributed numbers of a seed, the same on every machine: the default of `random:SEED`.
///
/// The generator is PCG-XSH-RR 64/32 (O'Neill 2014) with the seed as its state and stream
/// 0xa02bdbf7bb3c0a7 (the reference implementation's). Each element takes two outputs, first the high half of 64 bits;
/// the upper 53 of those are a fraction u in [0, 1), and the element is `low + u * (high - low)` in `f64`, rounded to
/// the element type (floats) or down (integers). Floats that round up to `high` keep it.
pub fn random(ty: &TensorType, seed: u64) -> Result<Tensor> {
    random_in(ty, seed, Range::default_of(ty.dtype))
}

pub(crate) fn random_in(ty: &TensorType, seed: u64, range: Range) -> Result<Tensor> {
    let mut generator = Pcg32::new(seed, 0xa02_bdbf_7bb3_c0a7);
    fill(ty, |_| {
        let bits = u64::from(generator.next_u32()) << 32 | u64::from(generator.next_u32());
        let fraction = (bits >> 11) as f64 / (1u64 << 53) as f64;
        let value = range.low + fraction * (range.high - range.low);
        if ty.dtype.is_float() { Number::Float(value) } else { Number::Int(value.floor() as i128) }
    })
}

/// 0, 1, 2, … in memory order.
pub(crate) fn iota(ty: &TensorType) -> Result<Tensor> {
    fill(ty, |i| if ty.dtype.is_float() { Number::Float(i as f64) } else { Number::Int(i as i128) })
}

fn fill(ty: &TensorType, mut value: impl FnMut(usize) -> Number) -> Result<Tensor> {
    let count = ty.count()?;
    let mut tensor = Tensor::zeros(ty.dtype, &ty.shape);
    let size = ty.dtype.size();
    for (i, element) in tensor.bytes_mut().chunks_exact_mut(size).take(count).enumerate() {
        let number = value(i);
        let Some(bytes) = encode(number, ty.dtype) else {
            return Err(Error::usage(format!("{} does not fit into `{}`", number.to_f64(), ty.dtype)));
        };
        element.copy_from_slice(&bytes[..size]);
    }
    Ok(tensor)
}

#[cfg(test)]
mod tests;
