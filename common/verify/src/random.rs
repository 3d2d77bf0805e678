//! Random numbers of a seed, the same on every machine.
use rand_pcg::{Pcg64Mcg, rand_core::Rng};

/// A source of random numbers.
#[derive(Debug)]
pub(crate) struct Random(Pcg64Mcg);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::new(u128::from(seed) << 64 | 0xcafe_f00d_d15e_a5e5))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// From 0 to `end`, which is left out; 0 if `end` is.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u64
    }

    /// From 0 to 1, which is left out.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}
