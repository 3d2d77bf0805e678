//! The Mersenne twister (MT19937), as numpy seeds and reads it.

const SIZE: usize = 624;
const SHIFT: usize = 397;

/// The state of the generator, and how much of it was read.
pub(super) struct Twister {
    state: [u32; SIZE],
    read: usize,
}

impl Twister {
    pub(super) fn new(seed: u32) -> Self {
        let mut state = [seed; SIZE];
        for i in 1..SIZE {
            let before = state[i - 1];
            state[i] = (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Self { state, read: SIZE }
    }

    fn twist(&mut self) {
        for i in 0..SIZE {
            let joined = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % SIZE] & 0x7FFF_FFFF);
            let odd = if joined & 1 == 0 { 0 } else { 0x9908_B0DF };
            self.state[i] = self.state[(i + SHIFT) % SIZE] ^ (joined >> 1) ^ odd;
        }
        self.read = 0;
    }

    fn next(&mut self) -> u32 {
        if self.read == SIZE {
            self.twist();
        }
        let mut y = self.state[self.read];
        self.read += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9D2C_5680;
        y ^= (y << 15) & 0xEFC6_0000;
        y ^ (y >> 18)
    }

    /// Returns a number in `[0, 1)` with 53 bits.
    pub(super) fn uniform(&mut self) -> f64 {
        let (high, low) = (self.next() >> 5, self.next() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_numpy() {
        // `numpy.random.RandomState(0).uniform(size=3)`.
        let mut twister = Twister::new(0);
        let first = [twister.uniform(), twister.uniform(), twister.uniform()];
        assert_eq!(first, [0.548_813_503_927_324_8, 0.715_189_366_372_419_5, 0.602_763_376_071_643_9]);
    }
}
