//! The exponential functions.
use super::float_builder::FloatBuilder;
use halyard_ir::Value;

/// e^f on [-ln 2 / 2, ln 2 / 2], highest first; relative error 4e-9 (by Lawson's algorithm).
const NEAR_ONE: &[f64] =
    &[1.381_453_825e-3, 8.368_745_446e-3, 4.166_838_899e-2, 1.666_652_113e-1, 4.999_999_404e-1, 1.0, 1.0];
/// ln 2 in two parts, the first of few bits.
const LN2: (f64, f64) = (0.693_359_375, -2.121_944_4e-4);

/// A power of two is multiplied in two factors; the second one is `BELOW` for powers from -160 to -1, and `ABOVE` for those from 0 to 130.
const BELOW: f64 = 1.0 / 18_446_744_073_709_551_616.0;
const ABOVE: f64 = 4.0;

/// tanh x / x - 1 over x^2 for |x| below 5/8, highest first (Cephes `tanhf`).
const TANH: &[f64] =
    &[-5.704_988_727_45e-3, 2.063_908_879_54e-2, -5.373_971_555_31e-2, 1.333_144_220_36e-1, -3.333_328_194_22e-1];

impl FloatBuilder<'_> {
    /// e^x, to 0.9 ulp (1.2 without fused multiply-adds).
    pub(crate) fn exp(&mut self, x: Value) -> Value {
        // Beyond these is infinity or zero, and so it comes out.
        if is_minus_magnitude(x) {
            let x = self.at_least(x, -105.0);
            let (f, n, low_bits) = self.reduced(x);
            let p = self.polynomial(f, NEAR_ONE);
            return self.scaled_down(p, n, low_bits);
        }
        let x = self.between(x, -105.0, 89.0);
        let (f, n, low_bits) = self.reduced(x);
        let p = self.polynomial(f, NEAR_ONE);
        self.scaled(p, n, low_bits)
    }

    /// e^x / 2 for x from 0 on, to the same, infinite only where that is.
    pub(super) fn half_exp(&mut self, x: Value) -> Value {
        let x = self.between(x, -105.0, 90.0);
        let (f, n, low_bits) = self.reduced(x);
        let p = self.polynomial(f, NEAR_ONE);
        let (one, unit) = (self.c(1.0), self.i(1));
        let n = self.sub(n, one);
        let low_bits = self.op("arith.subi", low_bits, unit);
        self.scaled(p, n, low_bits)
    }

    /// 2^x, to 0.9 ulp (1.2 without fused multiply-adds).
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

    /// e^x - 1, to 1.6 ulp: 2^n (e^f - 1) + (2^n - 1), so that nothing cancels.
    pub(crate) fn expm1(&mut self, x: Value) -> Value {
        let t = self.between(x, -18.0, 89.0);
        let (f, _, low_bits) = self.reduced(t);
        // e^f - 1 = f + f^2 times the rest.
        let rest = self.polynomial(f, &NEAR_ONE[..NEAR_ONE.len() - 2]);
        let square = self.mul(f, f);
        let p = self.fma(rest, square, f);
        // Half of it, since 2^128 is no number.
        let half = self.c(0.5);
        let power = self.power_of_two(low_bits, 0.5);
        let less = self.sub(power, half);
        let e = self.fma(power, p, less);
        let e = self.add(e, e);
        // Of tiny numbers half would lose bits, and zero its sign; they are what comes out.
        let least = self.c(1e-8);
        let magnitude = self.code.at.value("math.absf", &[x], self.float, &[]);
        let tiny = self.compare(4, magnitude, least);
        self.select(tiny, x, e)
    }

    /// tanh x, to 1.4 ulp: 1 - 2 / (e^2|x| + 1), and a polynomial where that would cancel.
    pub(crate) fn tanh(&mut self, x: Value) -> Value {
        let magnitude = self.code.at.value("math.absf", &[x], self.float, &[]);
        let twice = self.add(magnitude, magnitude);
        // Above it is 1.
        let most = self.c(18.1);
        let above = self.compare(4, most, twice);
        let t = self.select(above, most, twice);
        let e = self.exp_within(t);
        let (one, two) = (self.c(1.0), self.c(2.0));
        let below = self.add(e, one);
        let rest = self.div(two, below);
        let far = self.sub(one, rest);
        let square = self.mul(magnitude, magnitude);
        let p = self.polynomial(square, TANH);
        let p = self.mul(p, square);
        let near = self.fma(p, magnitude, magnitude);
        let end = self.c(0.625);
        let is_near = self.compare(4, magnitude, end);
        let y = self.select(is_near, near, far);
        self.code.at.value("math.copysign", &[y, x], self.float, &[])
    }

    /// e^x for |x| up to 80, which needs no care at the ends.
    fn exp_within(&mut self, x: Value) -> Value {
        let (f, n, low_bits) = self.reduced(x);
        let p = self.polynomial(f, NEAR_ONE);
        if let Some(scaled) = self.scalef(p, n) {
            return scaled;
        }
        let power = self.power_of_two(low_bits, 1.0);
        self.mul(p, power)
    }

    /// `x` = f + n ln 2 with f about within [-ln 2 / 2, ln 2 / 2]; n as a float, and in the low bits of an integer.
    fn reduced(&mut self, x: Value) -> (Value, Value, Value) {
        let (n, low_bits) = self.nearest(x, Some(std::f64::consts::LOG2_E));
        let (high, low) = (self.c(-LN2.0), self.c(-LN2.1));
        let f = self.fma(n, high, x);
        (self.fma(n, low, f), n, low_bits)
    }

    /// `unit`, a power of two, times two to the integer in the low bits; the result must be a normal number.
    fn power_of_two(&mut self, low_bits: Value, unit: f64) -> Value {
        let unit = self.c(unit);
        let unit = self.bits(unit);
        self.shifted_to_exponent(low_bits, unit)
    }

    /// The same with the bits of the unit.
    fn shifted_to_exponent(&mut self, low_bits: Value, unit: Value) -> Value {
        let place = self.i(23);
        let bits = self.op("arith.shli", low_bits, place);
        let bits = self.op("arith.addi", bits, unit);
        self.from_bits(bits)
    }

    /// `p`, which is about 1, times two to the integer `n` from -152 to 130, which stands in the low bits of `bits`, too:
    /// rounded once where the result is denormal, infinity where it is too large. A NaN in `p` stays.
    fn scaled(&mut self, p: Value, n: Value, bits: Value) -> Value {
        if let Some(scaled) = self.scalef(p, n) {
            return scaled;
        }
        // In two steps, since a power alone must be a normal number, or infinity.
        let (zero, bits_of_n) = (self.i(0), self.bits(n));
        let negative = self.less(bits_of_n, zero);
        let (below, above) = (self.c(BELOW), self.c(ABOVE));
        let (first_below, first_above) = (self.c(1.0 / BELOW), self.c(1.0 / ABOVE));
        let (first_below, first_above) = (self.bits(first_below), self.bits(first_above));
        let last = self.select(negative, below, above);
        let unit = self.select(negative, first_below, first_above);
        let power = self.shifted_to_exponent(bits, unit);
        let p = self.mul(p, power);
        self.mul(p, last)
    }

    /// The same for `n` that are at most zero.
    fn scaled_down(&mut self, p: Value, n: Value, bits: Value) -> Value {
        if let Some(scaled) = self.scalef(p, n) {
            return scaled;
        }
        let power = self.power_of_two(bits, 1.0 / BELOW);
        let (p, below) = (self.mul(p, power), self.c(BELOW));
        self.mul(p, below)
    }
}

/// Whether a number is -|x|, as in a sigmoid.
fn is_minus_magnitude(x: Value) -> bool {
    let magnitude = x.def().filter(|op| op.is("arith.negf")).and_then(|op| op.operand(0).def());
    magnitude.is_some_and(|op| op.is("math.absf"))
}
