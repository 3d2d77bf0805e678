//! Inverse trigonometric functions, by the polynomials of Cephes `atanf` and `asinf`. Multiples of pi are added in two parts.
use super::float_builder::{FloatBuilder, in_two};
use halyard_ir::Value;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// (atan r - r) / r^3 over r^2 on [-tan(pi/8), tan(pi/8)], highest first.
const ATAN: &[f64] = &[8.053_744_499_66e-2, -1.387_768_560_32e-1, 1.997_771_064_78e-1, -3.333_294_913_39e-1];
/// tan(pi/8) and tan(3 pi/8): where the reductions of atan meet.
const BORDERS: (f64, f64) = (0.414_213_56, 2.414_213_6);
/// (asin s - s) / s^3 over s^2 on [0, 1/2], highest first.
const ASIN: &[f64] =
    &[4.216_319_904_8e-2, 2.418_131_104_9e-2, 4.547_002_599_8e-2, 7.495_300_268_6e-2, 1.666_675_242_2e-1];

/// What asin and acos share: s with |x| = s, or |x| = 1 - 2 s^2 above 1/2; and (asin s - s) / s.
struct Arc {
    above_half: Value,
    s: Value,
    tail: Value,
}

impl FloatBuilder<'_> {
    /// atan x, to 1.8 ulp.
    pub(crate) fn atan(&mut self, x: Value) -> Value {
        let magnitude = self.unary("math.absf", x);
        let (near, far) = (self.c(BORDERS.0), self.c(BORDERS.1));
        let (middle, large) = (self.compare(2, magnitude, near), self.compare(2, magnitude, far));
        // Around pi/4 and pi/2 by the theorem of addition, with one division for all.
        let (one, minus) = (self.c(1.0), self.c(-1.0));
        let (less, more) = (self.sub(magnitude, one), self.add(magnitude, one));
        let above = self.select(middle, less, magnitude);
        let above = self.select(large, minus, above);
        let below = self.select(middle, more, one);
        let below = self.select(large, magnitude, below);
        let r = self.div(above, below);
        let [high, low] = self.one_of_three(middle, large, [0.0, FRAC_PI_4, FRAC_PI_2]);
        let square = self.mul(r, r);
        let p = self.polynomial(square, ATAN);
        let p = self.mul(p, square);
        let rest = self.fma(p, r, low);
        let y = self.add(r, rest);
        let y = self.add(high, y);
        self.signed(y, x)
    }

    /// The angle of the point (x, y), to 2.4 ulp.
    pub(crate) fn atan2(&mut self, y: Value, x: Value) -> Value {
        let (a, b) = (self.unary("math.absf", y), self.unary("math.absf", x));
        // The smaller over the larger; of two infinities or zeros the quotient is given.
        let steep = self.compare(2, a, b);
        let (least, most) = (self.select(steep, b, a), self.select(steep, a, b));
        let quotient = self.div(least, most);
        let (zero, one, infinity) = (self.c(0.0), self.c(1.0), self.c(f64::INFINITY));
        let nothing = self.compare(1, most, zero);
        let quotient = self.select(nothing, zero, quotient);
        let both = self.compare(1, least, infinity);
        let quotient = self.select(both, one, quotient);
        let angle = self.atan(quotient);
        // A zero has a side, too.
        let side = self.signed(one, x);
        let left = self.compare(4, side, zero);
        // From the nearest half-axis: 0, pi or pi/2.
        let [high, low] = self.one_of_three(left, steep, [0.0, PI, FRAC_PI_2]);
        let back = self.op("arith.xori", steep, left);
        let negated = self.unary("arith.negf", angle);
        let angle = self.select(back, negated, angle);
        let angle = self.add(angle, low);
        let angle = self.add(high, angle);
        let angle = self.signed(angle, y);
        // What is not a number stays so.
        let sum = self.add(x, y);
        let nan = self.compare(13, x, x);
        let also = self.compare(13, y, y);
        let nan = self.op("arith.ori", nan, also);
        self.select(nan, sum, angle)
    }

    /// asin x, to 1.6 ulp.
    pub(crate) fn asin(&mut self, x: Value) -> Value {
        let arc = self.arc(x);
        let near = self.fma(arc.tail, arc.s, arc.s);
        // pi/2 - 2 asin s.
        let twice = self.add(arc.s, arc.s);
        let far = self.off(FRAC_PI_2, twice, arc.tail);
        let y = self.select(arc.above_half, far, near);
        self.signed(y, x)
    }

    /// acos x, to 1 ulp.
    pub(crate) fn acos(&mut self, x: Value) -> Value {
        let arc = self.arc(x);
        let s = self.signed(arc.s, x);
        let middle = self.off(FRAC_PI_2, s, arc.tail);
        let twice = self.add(arc.s, arc.s);
        let right = self.fma(arc.tail, twice, twice);
        let left = self.off(PI, twice, arc.tail);
        let zero = self.c(0.0);
        let negative = self.compare(4, x, zero);
        let far = self.select(negative, left, right);
        self.select(arc.above_half, far, middle)
    }

    fn arc(&mut self, x: Value) -> Arc {
        let (one, half) = (self.c(1.0), self.c(0.5));
        let magnitude = self.unary("math.absf", x);
        let above_half = self.compare(2, magnitude, half);
        let rest = self.sub(one, magnitude);
        let rest = self.mul(rest, half);
        let root = self.unary("math.sqrt", rest);
        let square = self.mul(magnitude, magnitude);
        let square = self.select(above_half, rest, square);
        let s = self.select(above_half, root, magnitude);
        let tail = self.polynomial(square, ASIN);
        let tail = self.mul(tail, square);
        Arc { above_half, s, tail }
    }

    /// `from` - (s + s `tail`).
    fn off(&mut self, from: f64, s: Value, tail: Value) -> Value {
        let (high, low) = in_two(from);
        let (high, low) = (self.c(high), self.c(-low));
        let rest = self.fma(tail, s, low);
        let sum = self.add(s, rest);
        self.sub(high, sum)
    }

    /// The last of three constants if `last`, else the second if `second`, else the first; as a sum of two floats.
    fn one_of_three(&mut self, second: Value, last: Value, constants: [f64; 3]) -> [Value; 2] {
        let parts = constants.map(in_two);
        [parts.map(|(high, _)| high), parts.map(|(_, low)| low)].map(|[a, b, c]| {
            let [a, b, c] = [a, b, c].map(|value| self.c(value));
            let chosen = self.select(second, b, a);
            self.select(last, c, chosen)
        })
    }
}
