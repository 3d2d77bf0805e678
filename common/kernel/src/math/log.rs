//! The logarithms.
use super::float_builder::{FloatBuilder, in_two};
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

/// ln 2 in two parts, the first of few bits.
const LN2: (f64, f64) = (0.693_359_375, -2.121_944_4e-4);
/// The same of log10 2.
const LOG10_2: (f64, f64) = (0.301_025_390_625, 4.605_038_981_195_214e-6);

impl FloatBuilder<'_> {
    /// ln x, to 0.9 ulp.
    pub(crate) fn log(&mut self, x: Value) -> Value {
        let (m, e) = self.taken_apart(x);
        let y = self.log_near_one(m, e);
        self.log_edges(x, 0.0, y)
    }

    /// The logarithm to base 2, to 1 ulp (1.9 without fused multiply-adds).
    pub(crate) fn log2(&mut self, x: Value) -> Value {
        let (m, e) = self.taken_apart(x);
        let none = self.c(0.0);
        let y = self.log_of_base(m, std::f64::consts::LOG2_E, none);
        let y = self.add(e, y);
        self.log_edges(x, 0.0, y)
    }

    /// The logarithm to base 10, to 1 ulp (1.9 without fused multiply-adds).
    pub(crate) fn log10(&mut self, x: Value) -> Value {
        let (m, e) = self.taken_apart(x);
        let (high, low) = (self.c(LOG10_2.0), self.c(LOG10_2.1));
        let little = self.mul(e, low);
        let y = self.log_of_base(m, std::f64::consts::LOG10_E, little);
        let y = self.fma(e, high, y);
        self.log_edges(x, 0.0, y)
    }

    /// ln (1 + x), to 1.4 ulp: x is scaled as 1 + x would be, so that nothing of it is lost.
    pub(crate) fn log1p(&mut self, x: Value) -> Value {
        let one = self.c(1.0);
        let u = self.add(x, one);
        let bits = self.bits(u);
        let exponent = self.exponent(bits);
        let place = self.i(23);
        let high = self.op("arith.shli", exponent, place);
        let bits = self.bits(x);
        let bits = self.op("arith.subi", bits, high);
        let scaled = self.from_bits(bits);
        // The one, scaled; a quarter of four times it, which is always a normal number.
        let four = self.c(4.0);
        let bits = self.bits(four);
        let bits = self.op("arith.subi", bits, high);
        let unit = self.from_bits(bits);
        let (quarter, minus) = (self.c(0.25), self.c(-1.0));
        let less = self.fma(unit, quarter, minus);
        let m = self.add(scaled, less);
        let e = self.to_float(exponent);
        let y = self.log_near_one(m, e);
        let y = self.log_edges(x, -1.0, y);
        // Zero keeps its sign.
        self.code.at.value("math.copysign", &[y, x], self.float, &[])
    }

    /// m and e of x = (1 + m) 2^e with 1 + m in [sqrt(1/2), sqrt(2)).
    fn taken_apart(&mut self, x: Value) -> (Value, Value) {
        // Denormals are brought up by 2^23.
        let (least, up) = (self.c(f64::from(f32::MIN_POSITIVE)), self.c(8_388_608.0));
        let tiny = self.compare(4, x, least);
        let raised = self.mul(x, up);
        let normal = self.select(tiny, raised, x);
        let bits = self.bits(normal);
        let exponent = self.exponent(bits);
        let place = self.i(23);
        let high = self.op("arith.shli", exponent, place);
        let mantissa = self.op("arith.subi", bits, high);
        let mantissa = self.from_bits(mantissa);
        let exponent = self.to_float(exponent);
        let (by, none) = (self.c(-23.0), self.c(0.0));
        let by = self.select(tiny, by, none);
        let e = self.add(exponent, by);
        let one = self.c(1.0);
        (self.sub(mantissa, one), e)
    }

    /// The exponent of a positive float, so that its mantissa lies in [sqrt(1/2), sqrt(2)).
    fn exponent(&mut self, bits: Value) -> Value {
        let root = self.i(0x3F35_04F3);
        let moved = self.op("arith.subi", bits, root);
        let place = self.i(23);
        self.op("arith.shrsi", moved, place)
    }

    /// ln (1 + m) - m + m^2 / 2.
    fn log_tail(&mut self, m: Value) -> (Value, Value) {
        let square = self.mul(m, m);
        let tail = self.polynomial(m, TAIL);
        let cube = self.mul(square, m);
        (self.mul(cube, tail), square)
    }

    /// ln (1 + m) + e ln 2.
    fn log_near_one(&mut self, m: Value, e: Value) -> Value {
        let (tail, square) = self.log_tail(m);
        let (high, low) = (self.c(LN2.0), self.c(LN2.1));
        let y = self.fma(e, low, tail);
        let minus_half = self.c(-0.5);
        let y = self.fma(square, minus_half, y);
        let y = self.add(m, y);
        self.fma(e, high, y)
    }

    /// ln (1 + m) times `factor`, plus something small. What ln adds to m stays apart until it is multiplied, which saves
    /// a rounding.
    fn log_of_base(&mut self, m: Value, factor: f64, little: Value) -> Value {
        let (tail, square) = self.log_tail(m);
        let minus_half = self.c(-0.5);
        let y = self.fma(square, minus_half, tail);
        let (high, low) = in_two(factor);
        let (high, low) = (self.c(high), self.c(low));
        let sum = self.fma(m, low, little);
        let sum = self.fma(y, high, sum);
        self.fma(m, high, sum)
    }

    /// Infinity and NaN as they are; minus infinity at `pole`, NaN below it.
    fn log_edges(&mut self, x: Value, pole: f64, y: Value) -> Value {
        let (infinity, pole) = (self.c(f64::INFINITY), self.c(pole));
        let finite = self.compare(4, x, infinity);
        let y = self.select(finite, y, x);
        let least = self.c(f64::NEG_INFINITY);
        let zero = self.compare(1, x, pole);
        let y = self.select(zero, least, y);
        let nan = self.c(f64::NAN);
        let negative = self.compare(4, x, pole);
        self.select(negative, nan, y)
    }
}
