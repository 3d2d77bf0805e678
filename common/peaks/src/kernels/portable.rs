//! Loops over arrays, for processors without specific kernels.
use super::ArithmeticKernel;
use crate::ArithmeticKind;
use std::hint::black_box;

/// Sums that do not wait for each other.
const F32S: usize = 64;
const F64S: usize = 32;
const I32S: usize = 64;

pub(super) fn arithmetic(kind: ArithmeticKind) -> (&'static str, ArithmeticKernel) {
    match kind {
        ArithmeticKind::F32 => ("loops", f32s),
        ArithmeticKind::F64 => ("loops", f64s),
        ArithmeticKind::I8 => ("loops", i8s),
    }
}

fn f32s(rounds: u64) -> f64 {
    let (a, b) = (black_box(0.999_f32), black_box(1e-3_f32));
    let mut sums = [1.0_f32; F32S];
    for _ in 0..rounds {
        sums.iter_mut().for_each(|s| *s = multiply_add_f32(*s, a, b));
    }
    black_box(sums);
    2.0 * F32S as f64 * rounds as f64
}

fn f64s(rounds: u64) -> f64 {
    let (a, b) = (black_box(0.999_f64), black_box(1e-3_f64));
    let mut sums = [1.0_f64; F64S];
    for _ in 0..rounds {
        sums.iter_mut().for_each(|s| *s = multiply_add_f64(*s, a, b));
    }
    black_box(sums);
    2.0 * F64S as f64 * rounds as f64
}

fn i8s(rounds: u64) -> f64 {
    let (a, b) = (black_box([3_i8; I32S]), black_box([5_i8; I32S]));
    let mut sums = [0_i32; I32S];
    for round in 0..rounds {
        // Without what changes by the round the product would be computed once.
        let changing = round as i8;
        for i in 0..I32S {
            sums[i] = sums[i].wrapping_add(i32::from(a[i].wrapping_add(changing)) * i32::from(b[i]));
        }
    }
    black_box(sums);
    2.0 * I32S as f64 * rounds as f64
}

/// Computes `s + a * b`: one instruction if the target surely has it, otherwise two.
#[inline(always)]
fn multiply_add_f32(s: f32, a: f32, b: f32) -> f32 {
    if cfg!(any(target_arch = "aarch64", target_feature = "fma")) { s.mul_add(a, b) } else { s * a + b }
}

#[inline(always)]
fn multiply_add_f64(s: f64, a: f64, b: f64) -> f64 {
    if cfg!(any(target_arch = "aarch64", target_feature = "fma")) { s.mul_add(a, b) } else { s * a + b }
}

/// Reads all of it, in lines of a cache.
#[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "this architecture has kernels of its own"))]
pub(super) fn read(data: &[u64]) {
    let mut sums = [0_u64; 32];
    for line in data.chunks_exact(32) {
        for i in 0..32 {
            sums[i] = sums[i].wrapping_add(line[i]);
        }
    }
    black_box(sums);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_counted() {
        assert_eq!([f32s(10), f64s(10), i8s(10)], [1280.0, 640.0, 1280.0]);
        read(&[1; 64]);
    }
}
