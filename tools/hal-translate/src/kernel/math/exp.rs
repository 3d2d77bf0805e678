//! The exponential functions.
use super::hand::{Hand, MAGIC_BITS};
use halyard_ir::Value;

/// e^f on [-ln 2 / 2, ln 2 / 2], highest first; relative error 4e-9 (by Lawson's algorithm).
const NEAR_ONE: &[f64] =
    &[1.381_453_825e-3, 8.368_745_446e-3, 4.166_838_899e-2, 1.666_652_113e-1, 4.999_999_404e-1, 1.0, 1.0];
/// ln 2 in two parts, the first of few bits.
const LN2: (f64, f64) = (0.693_359_375, -2.121_944_4e-4);

impl Hand<'_> {
    /// e^x.
    pub(crate) fn exp(&mut self, x: Value) -> Value {
        // Beyond these is infinity or zero, and so it comes out.
        let x = self.between(x, -105.0, 89.0);
        let (n, low_bits) = self.nearest(x, Some(std::f64::consts::LOG2_E));
        let (high, low) = (self.c(-LN2.0), self.c(-LN2.1));
        let f = self.fma(n, high, x);
        let f = self.fma(n, low, f);
        let p = self.polynomial(f, NEAR_ONE);
        self.scaled(p, n, low_bits)
    }

    /// 2^x.
    pub(crate) fn exp2(&mut self, x: Value) -> Value {
        let x = self.between(x, -151.0, 129.0);
        let (n, low_bits) = self.nearest(x, None);
        let f = self.sub(x, n);
        let ln2 = self.c(std::f64::consts::LN_2);
        let f = self.mul(f, ln2);
        let p = self.polynomial(f, NEAR_ONE);
        self.scaled(p, n, low_bits)
    }

    /// 2^(f + n) for f in [-1/2, 1/2] and an integer n from -160 to 130.
    pub(crate) fn exp2_near(&mut self, f: Value, n: Value) -> Value {
        let ln2 = self.c(std::f64::consts::LN_2);
        let f = self.mul(f, ln2);
        let p = self.polynomial(f, NEAR_ONE);
        let (_, low_bits) = self.nearest(n, None);
        self.scaled(p, n, low_bits)
    }

    /// tanh x, by way of e^2|x| - 1, so that nothing cancels.
    pub(crate) fn tanh(&mut self, x: Value) -> Value {
        let magnitude = self.code.at.value("math.absf", &[x], self.float, &[]);
        let twice = self.add(magnitude, magnitude);
        // Above it is 1.
        let most = self.c(18.1);
        let above = self.compare(4, most, twice);
        let t = self.select(above, most, twice);
        let (n, bits) = self.nearest(t, Some(std::f64::consts::LOG2_E));
        let (high, low) = (self.c(-LN2.0), self.c(-LN2.1));
        let f = self.fma(n, high, t);
        let f = self.fma(n, low, f);
        // e^f - 1 = f + f^2 times the rest.
        let rest = self.polynomial(f, &NEAR_ONE[..NEAR_ONE.len() - 2]);
        let square = self.mul(f, f);
        let p = self.fma(rest, square, f);
        // Two to the n: the low bits go to the exponent.
        let place = self.i(23);
        let bits = self.op("arith.shli", bits, place);
        let one = self.c(1.0);
        let bias = self.bits(one);
        let bits = self.op("arith.addi", bits, bias);
        let power = self.from_bits(bits);
        let less = self.sub(power, one);
        let e = self.fma(power, p, less);
        let two = self.c(2.0);
        let below = self.add(e, two);
        let y = self.div(e, below);
        self.code.at.value("math.copysign", &[y, x], self.float, &[])
    }

    /// `p`, which is about 1, times two to the integer `n` from -152 to 130, which stands in the low bits of `bits`, too:
    /// rounded once where the result is denormal, infinity where it is too large. A NaN in `p` stays.
    fn scaled(&mut self, p: Value, n: Value, bits: Value) -> Value {
        if let Some(scaled) = self.scalef(p, n) {
            return scaled;
        }
        // In two steps: each power alone is a normal number.
        let magic = self.i(MAGIC_BITS);
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
