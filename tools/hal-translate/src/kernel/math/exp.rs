//! The exponential functions.
use super::hand::Hand;
use halyard_ir::Value;

/// 1.5 * 2^23: adding it rounds a small float to an integer that then stands in the low bits.
const MAGIC: f64 = 12_582_912.0;
/// Cephes `expf`: e^f on [-ln 2 / 2, ln 2 / 2], highest first.
const NEAR_ONE: &[f64] = &[
    1.987_569_15e-4,
    1.398_199_950_7e-3,
    8.333_451_907_3e-3,
    4.166_579_589_4e-2,
    1.666_666_545_9e-1,
    5.000_000_120_1e-1,
    1.0,
    1.0,
];
/// ln 2 in two parts, the first of few bits.
const LN2: (f64, f64) = (0.693_359_375, -2.121_944_4e-4);

impl Hand<'_> {
    /// e^x.
    pub(crate) fn exp(&mut self, x: Value) -> Value {
        // Beyond these is infinity or zero, and so it comes out.
        let x = self.between(x, -105.0, 89.0);
        let scale = self.c(std::f64::consts::LOG2_E);
        let magic = self.c(MAGIC);
        let shifted = self.fma(x, scale, magic);
        let n = self.sub(shifted, magic);
        let (high, low) = (self.c(-LN2.0), self.c(-LN2.1));
        let f = self.fma(n, high, x);
        let f = self.fma(n, low, f);
        let p = self.polynomial(f, NEAR_ONE);
        self.scaled(p, n, shifted)
    }

    /// 2^x.
    pub(crate) fn exp2(&mut self, x: Value) -> Value {
        let x = self.between(x, -151.0, 129.0);
        let magic = self.c(MAGIC);
        let shifted = self.add(x, magic);
        let n = self.sub(shifted, magic);
        let f = self.sub(x, n);
        let ln2 = self.c(std::f64::consts::LN_2);
        let f = self.mul(f, ln2);
        let p = self.polynomial(f, NEAR_ONE);
        self.scaled(p, n, shifted)
    }

    /// `p`, which is about 1, times two to the integer `n` from -152 to 130, which stands in the low bits of `shifted`, too:
    /// rounded once where the result is denormal, infinity where it is too large. A NaN in `p` stays.
    fn scaled(&mut self, p: Value, n: Value, shifted: Value) -> Value {
        if let Some(scaled) = self.scalef(p, n) {
            return scaled;
        }
        // In two steps: each power alone is a normal number.
        let bits = self.bits(shifted);
        let magic = self.i(0x4B40_0000);
        let n = self.op("arith.subi", bits, magic);
        let (one, place) = (self.i(1), self.i(23));
        let half = self.op("arith.shrsi", n, one);
        let rest = self.op("arith.subi", n, half);
        let mut result = p;
        for part in [half, rest] {
            let bias = self.i(127);
            let biased = self.op("arith.addi", part, bias);
            let bits = self.op("arith.shli", biased, place);
            let power = self.from_bits(bits);
            result = self.mul(result, power);
        }
        result
    }
}
