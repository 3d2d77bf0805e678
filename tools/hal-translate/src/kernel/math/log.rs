//! The logarithms.
use super::hand::Hand;
use halyard_ir::Value;

/// Cephes `logf`: the tail of ln(1 + m) on [sqrt(1/2) - 1, sqrt(2) - 1], highest first.
const TAIL: &[f64] = &[
    7.037_683_629_2e-2,
    -1.151_461_031_0e-1,
    1.167_699_874_0e-1,
    -1.242_014_084_6e-1,
    1.424_932_278_7e-1,
    -1.666_805_766_5e-1,
    2.000_071_476_5e-1,
    -2.499_999_399_3e-1,
    3.333_333_117_4e-1,
];

impl Hand<'_> {
    /// ln x.
    pub(crate) fn log(&mut self, x: Value) -> Value {
        // Denormals are brought up by 2^23.
        let (least, up) = (self.c(f64::from(f32::MIN_POSITIVE)), self.c(8_388_608.0));
        let tiny = self.compare(4, x, least);
        let raised = self.mul(x, up);
        let normal = self.select(tiny, raised, x);
        let bits = self.bits(normal);
        // So that the mantissa lies in [sqrt(1/2), sqrt(2)).
        let half = self.i(0x3F35_04F3);
        let moved = self.op("arith.subi", bits, half);
        let place = self.i(23);
        let exponent = self.op("arith.shrsi", moved, place);
        let high = self.op("arith.shli", exponent, place);
        let mantissa = self.op("arith.subi", bits, high);
        let mantissa = self.from_bits(mantissa);
        let exponent = self.to_float(exponent);
        let (by, none) = (self.c(-23.0), self.c(0.0));
        let by = self.select(tiny, by, none);
        let e = self.add(exponent, by);
        let one = self.c(1.0);
        let m = self.sub(mantissa, one);
        let square = self.mul(m, m);
        let tail = self.polynomial(m, TAIL);
        let cube = self.mul(square, m);
        let y = self.mul(cube, tail);
        let low = self.c(-2.121_944_4e-4);
        let y = self.fma(e, low, y);
        let minus_half = self.c(-0.5);
        let y = self.fma(square, minus_half, y);
        let y = self.add(m, y);
        let high = self.c(0.693_359_375);
        let y = self.fma(e, high, y);
        // Infinity and NaN as they are; zero to minus infinity; below zero to NaN.
        let infinity = self.c(f64::INFINITY);
        let finite = self.compare(4, x, infinity);
        let y = self.select(finite, y, x);
        let least = self.c(f64::NEG_INFINITY);
        let zero = self.compare(1, x, none);
        let y = self.select(zero, least, y);
        let nan = self.c(f64::NAN);
        let negative = self.compare(4, x, none);
        self.select(negative, nan, y)
    }

    /// The logarithm to another base: ln x times `factor`.
    pub(crate) fn log_to(&mut self, x: Value, factor: f64) -> Value {
        let y = self.log(x);
        let factor = self.c(factor);
        self.mul(y, factor)
    }

    /// ln (1 + x): what 1 + x loses of x is put back.
    pub(crate) fn log1p(&mut self, x: Value) -> Value {
        let one = self.c(1.0);
        let u = self.add(x, one);
        let y = self.log(u);
        let d = self.sub(u, one);
        let ratio = self.div(x, d);
        let corrected = self.mul(y, ratio);
        let same = self.compare(1, u, one);
        let y2 = self.select(same, x, corrected);
        let infinity = self.c(f64::INFINITY);
        let whole = self.compare(1, u, infinity);
        self.select(whole, y, y2)
    }
}
