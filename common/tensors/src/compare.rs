//! Compares outputs with expected values.
use crate::{Number, number};
use halyard_runtime::{DType, Tensor, bf16, f16};
use std::fmt::Write;

/// The largest accepted difference: `|got - expected| <= atol + rtol * |expected|`, as in `numpy.isclose`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// The tolerance relative to the expected value.
    pub rtol: f64,
    /// The absolute tolerance.
    pub atol: f64,
}

impl Tolerance {
    /// Returns the default tolerance: the precision that remains after a few thousand additions. rtol is 1e-5 for f32,
    /// 1e-7 for f64, 1e-3 for f16, 1.6e-2 for bf16; atol is 1e-5 (f64: 1e-7). These are the values of
    /// `torch.testing.assert_close` except rtol for f32, which is 1.3e-6 there. Integers must be equal.
    pub fn default_of(dtype: DType) -> Self {
        let (rtol, atol) = match dtype {
            DType::F32 => (1e-5, 1e-5),
            DType::F64 => (1e-7, 1e-7),
            DType::F16 => (1e-3, 1e-5),
            DType::Bf16 => (1.6e-2, 1e-5),
            _ => (0.0, 0.0),
        };
        Self { rtol, atol }
    }
}

/// The difference between two tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Elements that differ by more than the tolerance.
    pub count: usize,
    /// The number of elements.
    pub total: usize,
    /// The index of the first one, in each dimension.
    pub first: Vec<usize>,
    /// The element type.
    pub dtype: DType,
    /// The actual and the expected value.
    pub values: (Number, Number),
    /// The largest absolute difference of finite numbers, and where it is.
    pub largest: (f64, Vec<usize>),
    /// The largest relative difference of finite numbers whose expected one is not 0, and where it is.
    pub relative: (f64, Vec<usize>),
    /// The smallest relative tolerance that accepts all elements with the same absolute one; `None` if there is none.
    pub accepted_by: Option<f64>,
    /// The least size of expected numbers, see [`compare_by_scale`].
    pub scale: Option<f64>,
}

/// Compares tensors of the same type and shape; `None` if all elements are close. NaN equals NaN, an infinity only
/// itself. Panics if type or shape differ.
pub fn compare(got: &Tensor, expected: &Tensor, tolerance: Tolerance) -> Option<Difference> {
    compare_from(got, expected, tolerance, 0.0)
}

/// Compares like [`compare`], for results of sums: an expected float that is smaller than the root mean square of all
/// elements is replaced by that in the tolerance, since rounding errors remain where terms cancel.
pub fn compare_by_scale(got: &Tensor, expected: &Tensor, tolerance: Tolerance) -> Option<Difference> {
    let scale = if expected.dtype().is_float() { root_mean_square(expected) } else { 0.0 };
    let found = compare_from(got, expected, tolerance, scale)?;
    Some(Difference { scale: (scale > 0.0).then_some(scale), ..found })
}

fn root_mean_square(tensor: &Tensor) -> f64 {
    let numbers = (0..tensor.element_count()).map(|i| number(tensor, i).to_f64()).filter(|v| v.is_finite());
    let (sum, count) = numbers.fold((0.0, 0u64), |(sum, count), v| (sum + v * v, count + 1));
    let mean = (sum / count.max(1) as f64).sqrt();
    if mean.is_finite() { mean } else { 0.0 }
}

fn compare_from(got: &Tensor, expected: &Tensor, tolerance: Tolerance, least: f64) -> Option<Difference> {
    assert!(got.dtype() == expected.dtype() && got.shape() == expected.shape(), "comparable tensors");
    let (mut count, mut first) = (0, None);
    let (mut largest, mut relative, mut accepted) = ((0.0, 0), (0.0, 0), Some(0.0f64));
    for i in 0..got.element_count() {
        let (a, b) = (number(got, i), number(expected, i));
        let (difference, size) = distance(a, b);
        if difference.is_finite() {
            if difference > largest.0 {
                largest = (difference, i);
            }
            if size > 0.0 && difference / size > relative.0 {
                relative = (difference / size, i);
            }
        }
        let size = size.max(least);
        let excess = difference - tolerance.atol;
        // A difference of NaN is not close.
        let close = excess <= tolerance.rtol * size;
        if !close {
            count += 1;
            first.get_or_insert((i, a, b));
            accepted = accepted.filter(|_| excess.is_finite() && size > 0.0).map(|r| r.max(excess / size));
        }
    }
    let at = |i| unravel(i, got.shape());
    first.map(|(i, a, b)| Difference {
        count,
        total: got.element_count(),
        first: at(i),
        dtype: got.dtype(),
        values: (a, b),
        largest: (largest.0, at(largest.1)),
        relative: (relative.0, at(relative.1)),
        accepted_by: accepted,
        scale: None,
    })
}

/// The absolute difference (infinite where only one is NaN or infinite) and the size of the expected number.
fn distance(got: Number, expected: Number) -> (f64, f64) {
    match (got, expected) {
        (Number::Int(a), Number::Int(b)) => ((a - b).unsigned_abs() as f64, b.unsigned_abs() as f64),
        _ => {
            let (a, b) = (got.to_f64(), expected.to_f64());
            if a == b || (a.is_nan() && b.is_nan()) {
                (0.0, if b.is_finite() { b.abs() } else { 0.0 })
            } else if a.is_finite() && b.is_finite() {
                ((a - b).abs(), b.abs())
            } else {
                (f64::INFINITY, 0.0)
            }
        }
    }
}

/// The index in each dimension of an element in row-major order.
fn unravel(mut index: usize, shape: &[usize]) -> Vec<usize> {
    let mut result = vec![0; shape.len()];
    for (r, &d) in result.iter_mut().zip(shape).rev() {
        *r = index % d;
        index /= d;
    }
    result
}

/// Prints an index as `[0, 3]`.
fn index_text(index: &[usize]) -> String {
    format!("{index:?}")
}

impl Difference {
    /// The first element that differs, and what it should be, as people write them.
    pub fn texts(&self) -> (String, String) {
        (text(self.values.0, self.dtype), text(self.values.1, self.dtype))
    }

    /// Returns the distance in representable values: 1 for neighbours. `None` for integers, NaN and infinities.
    pub fn ulp(&self) -> Option<u64> {
        let (Number::Float(got), Number::Float(expected)) = self.values else { return None };
        if !got.is_finite() || !expected.is_finite() {
            return None;
        }
        // The bits of numbers of one sign are in the order of their sizes.
        let place = |v: f64| -> i128 {
            let bits = match self.dtype {
                DType::F64 => i128::from(v.abs().to_bits()),
                DType::F32 => i128::from((v.abs() as f32).to_bits()),
                DType::F16 => i128::from(f16::from_f64(v.abs()).to_bits()),
                _ => i128::from(bf16::from_f64(v.abs()).to_bits()),
            };
            if v.is_sign_negative() { -bits } else { bits }
        };
        u64::try_from((place(got) - place(expected)).unsigned_abs()).ok()
    }

    /// Returns notes for the error message, one fact per line.
    pub fn notes(&self, tolerance: Tolerance) -> Vec<String> {
        let (got, expected) = self.values;
        let mut notes = vec![format!(
            "first at {}: got {}, expected {}",
            index_text(&self.first),
            text(got, self.dtype),
            text(expected, self.dtype)
        )];
        let mut line = String::new();
        let _ = write!(line, "largest absolute difference {:.3e} at {}", self.largest.0, index_text(&self.largest.1));
        if self.relative.0 > 0.0 {
            let _ = write!(line, ", relative {:.3e} at {}", self.relative.0, index_text(&self.relative.1));
        }
        if self.largest.0 > 0.0 {
            notes.push(line);
        }
        notes.push(format!("tolerance: rtol {:e}, atol {:e}", tolerance.rtol, tolerance.atol));
        notes
    }
}

/// A number in as many digits as its type has.
fn text(number: Number, dtype: DType) -> String {
    match number {
        Number::Float(v) if v != 0.0 && v.is_finite() && !(1e-4..1e8).contains(&v.abs()) => match dtype {
            DType::F64 => format!("{v:e}"),
            _ => format!("{:e}", v as f32),
        },
        Number::Float(v) if dtype == DType::F64 => v.to_string(),
        Number::Float(v) => (v as f32).to_string(),
        Number::Int(v) => v.to_string(),
        Number::Bool(v) => v.to_string(),
    }
}

#[cfg(test)]
mod tests;
