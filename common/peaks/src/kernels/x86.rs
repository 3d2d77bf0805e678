//! Kernels for x86-64: AVX-512 and AVX2, with products of bytes (VNNI, AMX) if the processor has them.
//!
//! Twelve accumulators hide the latency of a multiply-add: four or five cycles in two units.
use super::{ArithmeticKernel, ReadKernel};
use crate::ArithmeticKind;
use std::{arch::x86_64::*, hint::black_box};

/// Sums that do not wait for each other.
const SUMS: usize = 12;

/// Returns the arithmetic kernels that this processor supports, the widest first; empty if there is none.
#[expect(
    clippy::undocumented_unsafe_blocks,
    reason = "one comment for all: the processor is asked for the instructions first"
)]
pub(super) fn arithmetic(kind: ArithmeticKind) -> Vec<(&'static str, ArithmeticKernel)> {
    let avx512 = is_x86_feature_detected!("avx512f");
    let fma = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    let mut all: Vec<(&'static str, ArithmeticKernel)> = Vec::new();
    let mut add = |has: bool, name, kernel| {
        if has {
            all.push((name, kernel));
        }
    };
    // SAFETY of all: `add` keeps a kernel only if the processor has its instructions.
    match kind {
        ArithmeticKind::F32 => {
            add(avx512, "avx512f", |n| unsafe { f32_avx512(n) });
            add(fma, "fma", |n| unsafe { f32_avx2(n) });
        }
        ArithmeticKind::F64 => {
            add(avx512, "avx512f", |n| unsafe { f64_avx512(n) });
            add(fma, "fma", |n| unsafe { f64_avx2(n) });
        }
        ArithmeticKind::I8 => {
            let tiles = halyard_cpu::has("amx-int8") == Some(true);
            add(tiles, "amx-int8", |n| unsafe { super::tiles::i8_tiles(n) });
            let vnni = is_x86_feature_detected!("avx512vnni");
            add(avx512 && vnni, "avx512vnni", |n| unsafe { i8_avx512(n) });
            add(is_x86_feature_detected!("avxvnni"), "avxvnni", |n| unsafe { i8_avx_vnni(n) });
            add(is_x86_feature_detected!("avx2"), "avx2", |n| unsafe { i8_avx2(n) });
        }
    }
    all
}

/// Returns the reading kernels that this processor supports, the widest first.
pub(super) fn reads() -> Vec<ReadKernel> {
    let mut all: Vec<ReadKernel> = Vec::new();
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor was asked for the instructions.
        all.push(|data| unsafe { read_avx512(data) });
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the same.
        all.push(|data| unsafe { read_avx2(data) });
    }
    all
}

/// A function that computes `rounds` times all sums: `step` makes the next value of a sum from it and two operands, in `lanes`
/// lanes of `products` products each.
macro_rules! sums {
    ($name:ident, $feature:literal, $zero:expr, $operand:expr, $step:expr, $products:expr) => {
        #[target_feature(enable = $feature)]
        fn $name(rounds: u64) -> f64 {
            let (a, b) = (black_box($operand), black_box($operand));
            let mut sums = [$zero; SUMS];
            for _ in 0..rounds {
                for sum in &mut sums {
                    *sum = $step(*sum, a, b);
                }
            }
            black_box(sums);
            2.0 * $products as f64 * SUMS as f64 * rounds as f64
        }
    };
}

sums!(f32_avx512, "avx512f", _mm512_setzero_ps(), _mm512_set1_ps(0.5), |s, a, b| _mm512_fmadd_ps(s, a, b), 16);
sums!(f64_avx512, "avx512f", _mm512_setzero_pd(), _mm512_set1_pd(0.5), |s, a, b| _mm512_fmadd_pd(s, a, b), 8);
sums!(f32_avx2, "avx2,fma", _mm256_setzero_ps(), _mm256_set1_ps(0.5), |s, a, b| _mm256_fmadd_ps(s, a, b), 8);
sums!(f64_avx2, "avx2,fma", _mm256_setzero_pd(), _mm256_set1_pd(0.5), |s, a, b| _mm256_fmadd_pd(s, a, b), 4);
sums!(
    i8_avx512,
    "avx512f,avx512vnni",
    _mm512_setzero_si512(),
    _mm512_set1_epi8(3),
    |s, a, b| _mm512_dpbusd_epi32(s, a, b),
    64
);
sums!(
    i8_avx_vnni,
    "avx2,avxvnni",
    _mm256_setzero_si256(),
    _mm256_set1_epi8(3),
    |s, a, b| _mm256_dpbusd_avx_epi32(s, a, b),
    32
);
// Pairs of products in 16 bits, pairs of these in 32 bits, and the sum. The sum goes in, or the products would be made once.
sums!(
    i8_avx2,
    "avx2",
    _mm256_setzero_si256(),
    _mm256_set1_epi8(3),
    |s, a, b| _mm256_add_epi32(s, _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_xor_si256(a, s), b), a)),
    32
);

/// The vectors that one iteration reads.
const STEP: usize = 8;

/// A function that reads all whole vectors of its argument.
macro_rules! reads {
    ($name:ident, $feature:literal, $vector:ty, $zero:expr, $add:ident) => {
        #[target_feature(enable = $feature)]
        fn $name(data: &[u64]) {
            // SAFETY: any bits are integers. References to vectors, as pointers would be checked one by one in debug builds.
            let (_, vectors, _) = unsafe { data.align_to::<$vector>() };
            let mut sums = [$zero; STEP];
            for step in vectors.chunks_exact(STEP) {
                for (sum, vector) in sums.iter_mut().zip(step) {
                    *sum = $add(*sum, *vector);
                }
            }
            black_box(sums);
        }
    };
}

reads!(read_avx512, "avx512f", __m512i, _mm512_setzero_si512(), _mm512_add_epi64);
reads!(read_avx2, "avx2", __m256i, _mm256_setzero_si256(), _mm256_add_epi64);
