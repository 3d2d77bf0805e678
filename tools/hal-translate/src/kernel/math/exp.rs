//! The exponential functions.
use super::hand::Hand;
use halyard_ir::Value;

/// 1.5 * 2^23: adding it rounds a small float to an integer that then stands in the low bits.
const MAGIC: f64 = 12_582_912.0;
/// Cephes `expf`: (e^f - 1 - f) / f^2 on [-ln 2 / 2, ln 2 / 2], highest first.
const TAIL: &[f64] = &[
    1.987_569_15e-4,
    1.398_199_950_7e-3,
    8.333_451_907_3e-3,
    4.166_579_589_4e-2,
    1.666_666_545_9e-1,
    5.000_000_120_1e-1,
];
/// ln 2 in two parts, the first of few bits.
const LN2: (f64, f64) = (0.693_359_375, -2.121_944_4e-4);

impl Hand<'_> {
    /// e^x.
    pub(crate) fn exp(&mut self, x: Value) -> Value {
        let scale = self.c(std::f64::consts::LOG2_E);
        let magic = self.c(MAGIC);
        let shifted = self.fma(x, scale, magic);
        let n = self.sub(shifted, magic);
        let (high, low) = (self.c(-LN2.0), self.c(-LN2.1));
        let f = self.fma(n, high, x);
        let f = self.fma(n, low, f);
        let p = self.near_one(f);
        // Above 88.72284 is infinity; below -103.972 is zero.
        self.scaled(x, shifted, p, 88.722_839, -103.972_08)
    }

    /// 2^x.
    pub(crate) fn exp2(&mut self, x: Value) -> Value {
        let magic = self.c(MAGIC);
        let shifted = self.add(x, magic);
        let n = self.sub(shifted, magic);
        let f = self.sub(x, n);
        let ln2 = self.c(std::f64::consts::LN_2);
        let f = self.mul(f, ln2);
        let p = self.near_one(f);
        self.scaled(x, shifted, p, 127.999_992, -150.0)
    }

    /// e^f for small f.
    fn near_one(&mut self, f: Value) -> Value {
        let tail = self.polynomial(f, TAIL);
        let square = self.mul(f, f);
        let p = self.fma(tail, square, f);
        let one = self.c(1.0);
        self.add(p, one)
    }

    /// `p` times two to the integer in the low bits of `shifted`, in two steps so that denormals come out; infinity for
    /// `x` above `most`, zero below `least`. A NaN in `p` stays.
    fn scaled(&mut self, x: Value, shifted: Value, p: Value, most: f64, least: f64) -> Value {
        let bits = self.bits(shifted);
        let magic = self.i(0x4B40_0000);
        let n = self.op("arith.subi", bits, magic);
        let one = self.i(1);
        let half = self.op("arith.shrsi", n, one);
        let rest = self.op("arith.subi", n, half);
        let mut result = p;
        for part in [half, rest] {
            let bias = self.i(127);
            let biased = self.op("arith.addi", part, bias);
            let place = self.i(23);
            let bits = self.op("arith.shli", biased, place);
            let power = self.from_bits(bits);
            result = self.mul(result, power);
        }
        let (most, infinity) = (self.c(most), self.c(f64::INFINITY));
        let above = self.compare(2, x, most);
        let result = self.select(above, infinity, result);
        let (least, zero) = (self.c(least), self.c(0.0));
        let below = self.compare(4, x, least);
        self.select(below, zero, result)
    }
}
