//! The block formats of ggml, and their decoding.
//!
//! The formulas are those of `dequantize_row_*` in
//! <https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-quants.c>: each product and sum is rounded to
//! `f32`, so that the results are the same to the last bit.
use half::f16;

/// A block format: a number of consecutive elements share scales.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q4K,
    Q5K,
    Q6K,
}

impl Block {
    /// Returns the format for the number that files have.
    pub(super) fn of_ggml(kind: u32) -> Option<Self> {
        Some(match kind {
            2 => Self::Q4_0,
            3 => Self::Q4_1,
            6 => Self::Q5_0,
            7 => Self::Q5_1,
            8 => Self::Q8_0,
            12 => Self::Q4K,
            13 => Self::Q5K,
            14 => Self::Q6K,
            _ => return None,
        })
    }

    /// Returns the name in llama.cpp.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Q4_0 => "Q4_0",
            Self::Q4_1 => "Q4_1",
            Self::Q5_0 => "Q5_0",
            Self::Q5_1 => "Q5_1",
            Self::Q8_0 => "Q8_0",
            Self::Q4K => "Q4_K",
            Self::Q5K => "Q5_K",
            Self::Q6K => "Q6_K",
        }
    }

    /// Returns the number of elements of a block.
    pub(super) fn elements(self) -> usize {
        match self {
            Self::Q4K | Self::Q5K | Self::Q6K => 256,
            _ => 32,
        }
    }

    /// Returns the bytes of a block.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Q4_0 => 2 + 16,
            Self::Q4_1 => 4 + 16,
            Self::Q5_0 => 2 + 4 + 16,
            Self::Q5_1 => 4 + 4 + 16,
            Self::Q8_0 => 2 + 32,
            Self::Q4K => 4 + 12 + 128,
            Self::Q5K => 4 + 12 + 32 + 128,
            Self::Q6K => 128 + 64 + 16 + 2,
        }
    }

    /// Decodes the elements of a block.
    pub(super) fn decode(self, b: &[u8], out: &mut [f32]) {
        match self {
            Self::Q4_0 => nibbles(out, &b[2..], |q, _| (q as f32 - 8.0) * float(b)),
            Self::Q4_1 => nibbles(out, &b[4..], |q, _| q as f32 * float(b) + float(&b[2..])),
            Self::Q5_0 => nibbles(out, &b[6..], |q, i| (fifth(q, &b[2..6], i) as f32 - 16.0) * float(b)),
            Self::Q5_1 => nibbles(out, &b[8..], |q, i| fifth(q, &b[4..8], i) as f32 * float(b) + float(&b[2..])),
            Self::Q8_0 => out.iter_mut().zip(&b[2..]).for_each(|(o, q)| *o = f32::from(*q as i8) * float(b)),
            Self::Q4K => parts(out, b, |_, _| 0, 16),
            Self::Q5K => parts(out, b, |part, l| (b[16 + l] >> part & 1) << 4, 48),
            Self::Q6K => sixes(out, b),
        }
    }
}

/// Reads a half-precision number at the start of some bytes.
fn float(b: &[u8]) -> f32 {
    f16::from_le_bytes([b[0], b[1]]).to_f32()
}

/// Decodes 32 numbers of 4 bits: the low halves of all bytes, then the high ones. `number` receives each with its
/// position.
fn nibbles(out: &mut [f32], q: &[u8], number: impl Fn(u8, usize) -> f32) {
    for i in 0..16 {
        out[i] = number(q[i] & 15, i);
        out[i + 16] = number(q[i] >> 4, i + 16);
    }
}

/// A number with its fifth bit, which lies apart.
fn fifth(q: u8, high: &[u8], i: usize) -> u8 {
    q | (high[i / 8] >> (i % 8) & 1) << 4
}

/// Eight parts of 32 numbers, each with a scale and a minimum of 6 bits. `high` gives bits beyond the fourth for a number of a
/// part; the other bits lie from byte `first` on, two parts in 32 bytes.
fn parts(out: &mut [f32], b: &[u8], high: impl Fn(usize, usize) -> u8, first: usize) {
    let (d, least, scales) = (float(b), float(&b[2..]), &b[4..16]);
    for part in 0..8 {
        let (scale, minimum) = match part {
            0..4 => (scales[part] & 63, scales[part + 4] & 63),
            _ => {
                let low = scales[part + 4];
                (low & 15 | scales[part - 4] >> 6 << 4, low >> 4 | scales[part] >> 6 << 4)
            }
        };
        let (scale, minimum) = (d * f32::from(scale), least * f32::from(minimum));
        for l in 0..32 {
            let q = b[first + part / 2 * 32 + l] >> (part % 2 * 4) & 15;
            out[part * 32 + l] = scale * f32::from(q | high(part, l)) - minimum;
        }
    }
}

/// Two halves of four times 32 numbers of 6 bits: four low, two high; 16 scales of 8 bits.
fn sixes(out: &mut [f32], b: &[u8]) {
    let d = float(&b[208..]);
    for half in 0..2 {
        let (low, high, scales) = (&b[64 * half..], &b[128 + 32 * half..], &b[192 + 8 * half..]);
        for part in 0..4 {
            for l in 0..32 {
                let q = low[l + 32 * (part % 2)] >> (part / 2 * 4) & 15 | (high[l] >> (2 * part) & 3) << 4;
                let scale = d * f32::from(scales[l / 16 + 2 * part] as i8);
                out[128 * half + 32 * part + l] = scale * f32::from(q as i8 - 32);
            }
        }
    }
}
