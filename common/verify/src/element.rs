//! Elements of buffers: their values, random ones, and how far apart two of them are.
use crate::random::Random;
use half::{bf16, f16};
use halyard_ir::Type;
use serde::{Deserialize, Serialize};

/// The type of an element as it lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    Bf16,
    F32,
    F64,
    /// A float of 8 bits, by its bits.
    F8,
    Bool,
    /// An integer of so many bytes.
    Int(usize),
}

/// What random numbers look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Style {
    /// Of both signs, around 1.
    Signed,
    /// Positive: nothing cancels.
    Positive,
    /// Small whole numbers, whose sums are exact in any order.
    Whole,
    /// Of both signs, with infinities, NaN, zeros of both signs and denormal numbers among them.
    Special,
}

/// Which integers an argument may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Range {
    /// Any.
    All,
    /// From the first to the second, which is left out.
    Between(i64, i64),
}

impl Element {
    /// `None` for types that are no elements of buffers.
    pub(crate) fn of(ty: Type) -> Option<Self> {
        Some(match (&*ty.to_string(), ty.bits()) {
            ("f16", _) => Self::F16,
            ("bf16", _) => Self::Bf16,
            ("f32", _) => Self::F32,
            ("f64", _) => Self::F64,
            ("index", _) => Self::Int(8),
            (_, 1) if ty.is_integer() => Self::Bool,
            (_, bits @ (8 | 16 | 32 | 64)) if ty.is_integer() => Self::Int(bits as usize / 8),
            (_, 8) if ty.is_float() => Self::F8,
            _ => return None,
        })
    }

    pub(crate) fn size(self) -> usize {
        match self {
            Self::F8 | Self::Bool => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
            Self::Int(bytes) => bytes,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        !matches!(self, Self::Bool | Self::Int(_))
    }

    /// Digits of its significand, with the first one.
    pub(crate) fn digits(self) -> i32 {
        match self {
            Self::F64 => 53,
            Self::F32 => 24,
            Self::F16 => 11,
            Self::Bf16 => 8,
            _ => 3,
        }
    }

    /// Fills a buffer with random numbers.
    pub(crate) fn fill(self, bytes: &mut [u8], style: Style, range: Range, random: &mut Random) {
        let float = |random: &mut Random| match (style, self) {
            // Sums of these are exact in few digits.
            (Style::Whole, Self::F32 | Self::F64) => random.below(7) as f64 - 3.0,
            (Style::Whole, _) => random.below(3) as f64 - 1.0,
            (Style::Positive, _) => 0.25 + 1.25 * random.unit(),
            (Style::Signed, _) => 2.0 * random.unit() - 1.0,
            (Style::Special, _) => match random.below(256) {
                0 => f64::NAN,
                1 => f64::INFINITY,
                2 => f64::NEG_INFINITY,
                3 => -0.0,
                4 => 1e-310,
                _ => 2.0 * random.unit() - 1.0,
            },
        };
        match self {
            Self::F32 if matches!(style, Style::Signed | Style::Positive) => {
                let (from, width) = if style == Style::Positive { (0.25, 1.25) } else { (-1.0, 2.0) };
                let number = |bits: u64| from + width * (((bits as u32) >> 8) as f32 / (1u32 << 24) as f32);
                for pair in bytes.chunks_mut(8) {
                    let bits = random.bits();
                    pair.iter_mut()
                        .zip([number(bits), number(bits >> 32)].iter().flat_map(|x: &f32| x.to_le_bytes()))
                        .for_each(|(b, new)| *b = new);
                }
            }
            Self::F32 => {
                bytes.chunks_exact_mut(4).for_each(|c| c.copy_from_slice(&(float(random) as f32).to_le_bytes()))
            }
            Self::F64 => bytes.chunks_exact_mut(8).for_each(|c| c.copy_from_slice(&float(random).to_le_bytes())),
            Self::F16 => {
                bytes.chunks_exact_mut(2).for_each(|c| c.copy_from_slice(&f16::from_f64(float(random)).to_le_bytes()))
            }
            Self::Bf16 => {
                bytes.chunks_exact_mut(2).for_each(|c| c.copy_from_slice(&bf16::from_f64(float(random)).to_le_bytes()))
            }
            // Around 1 in all of these formats; the highest bit is the sign of most.
            Self::F8 => {
                bytes.iter_mut().for_each(|b| *b = (0x34 + random.below(8) as u8) | ((random.below(2) as u8) << 7))
            }
            Self::Bool => bytes.iter_mut().for_each(|b| *b = random.below(2) as u8),
            Self::Int(size) => {
                for chunk in bytes.chunks_exact_mut(size) {
                    let value = match range {
                        Range::All => random.bits().cast_signed(),
                        Range::Between(from, to) => {
                            from + random.below((to - from).max(1).cast_unsigned()).cast_signed()
                        }
                    };
                    chunk.copy_from_slice(&value.to_le_bytes()[..size]);
                }
            }
        }
    }

    /// The number at an index, as a float.
    pub(crate) fn float(self, bytes: &[u8], i: usize) -> f64 {
        let size = self.size();
        let b = &bytes[i * size..][..size];
        match self {
            Self::F32 => f32::from_le_bytes(b.try_into().expect("4 bytes")).into(),
            Self::F64 => f64::from_le_bytes(b.try_into().expect("8 bytes")),
            Self::F16 => f16::from_le_bytes(b.try_into().expect("2 bytes")).to_f64(),
            Self::Bf16 => bf16::from_le_bytes(b.try_into().expect("2 bytes")).to_f64(),
            _ => self.int(bytes, i) as f64,
        }
    }

    /// The bits at an index as an integer, with its sign.
    pub(crate) fn int(self, bytes: &[u8], i: usize) -> i64 {
        let size = self.size();
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(&bytes[i * size..][..size]);
        let shift = 64 - 8 * size as u32;
        (i64::from_le_bytes(wide) << shift) >> shift
    }

    /// What people see of an element.
    pub(crate) fn show(self, bytes: &[u8], i: usize) -> String {
        match self {
            Self::F64 => format!("{}", self.float(bytes, i)),
            Self::F32 => format!("{}", self.float(bytes, i) as f32),
            Self::F16 | Self::Bf16 => format!("{}", self.float(bytes, i) as f32),
            Self::F8 => format!("0x{:02x}", bytes[i]),
            Self::Bool | Self::Int(_) => self.int(bytes, i).to_string(),
        }
    }
}

/// The distance of neighbours around a number.
pub(crate) fn ulp(scale: f64, element: Element) -> f64 {
    let least = match element {
        Element::F64 => f64::MIN_POSITIVE,
        Element::F32 | Element::Bf16 => f64::from(f32::MIN_POSITIVE),
        Element::F16 => 2f64.powi(-14),
        _ => 2f64.powi(-6),
    };
    let exponent = scale.abs().max(least).log2().floor();
    2f64.powf(exponent - f64::from(element.digits() - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_ulp_apart() {
        for x in [1.0f32, 1.5, 1.999_999_9, 2.0, 3.1, 1e-30, 7e20] {
            let next = f32::from_bits(x.to_bits() + 1);
            assert_eq!((f64::from(next) - f64::from(x)) / ulp(x.into(), Element::F32), 1.0, "{x}");
        }
        let x = f16::from_f32(0.3);
        let next = f16::from_bits(x.to_bits() + 1);
        assert_eq!((next.to_f64() - x.to_f64()) / ulp(x.to_f64(), Element::F16), 1.0);
    }

    #[test]
    fn random_numbers_are_what_they_should_be() {
        let mut random = Random::new(1);
        let mut bytes = vec![0u8; 4000];
        Element::F32.fill(&mut bytes, Style::Positive, Range::All, &mut random);
        assert!((0..1000).all(|i| (0.25..1.5).contains(&Element::F32.float(&bytes, i))));
        Element::Int(4).fill(&mut bytes, Style::Signed, Range::Between(2, 5), &mut random);
        assert!((0..1000).all(|i| (2..5).contains(&Element::Int(4).int(&bytes, i))));
        Element::Bf16.fill(&mut bytes, Style::Whole, Range::All, &mut random);
        assert!((0..2000).all(|i| Element::Bf16.float(&bytes, i).fract() == 0.0));
    }
}
