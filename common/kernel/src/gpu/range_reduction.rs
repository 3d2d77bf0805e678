//! Range reduction of sine, cosine and tangent where a product and a sum may be rounded twice: every bit of 2/pi that
//! counts, by integers.
use crate::{Emitter, emit::ir_builder::Coder, math::float_builder::FloatBuilder};
use halyard_ir::{Type, Value};

/// Below this the multiples of pi/2 have 9 bits.
const NEAR: f64 = 800.0;
/// pi/2 as a sum of three floats of 15 bits and one of 24.
const PARTS: [f64; 4] =
    [1.570_739_746_093_75, 5.657_970_905_303_955e-5, 9.920_881_893_776_823e-10, 5.390_302_858_158_119e-15];
/// The bits of 2/pi after the point, after 32 zeros.
const TWO_OVER_PI: [i64; 8] =
    [0, 0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041, 0xfe51_63ab];
/// pi/2 as a sum of two floats of 12 bits and one of 24.
const HALF_PI: [f64; 3] = [1.570_312_5, 4.837_512_969_970_703e-4, 7.549_789_954_891_882e-8];

impl Emitter<'_> {
    /// sin, cos or tan of an `f32` or of a shorter float, to 3 ulp of `f32`.
    pub(super) fn trigonometric(&mut self, name: &str, x: Value) -> Option<Value> {
        let ty = x.ty();
        let mut builder = FloatBuilder::new(&mut self.code, ty, self.target);
        let float = builder.float;
        let x = builder.widened(x);
        let magnitude = builder.unary("math.absf", x);
        let (border, infinity) = (builder.c(NEAR), builder.c(f64::INFINITY));
        let (beyond, finite) = (builder.compare(3, magnitude, border), builder.compare(4, magnitude, infinity));
        let far = builder.op("arith.andi", beyond, finite);
        let int: Type = self.code.int(32);
        let reduce = |this: &mut Self, far: bool| {
            let mut builder = FloatBuilder::new(&mut this.code, float, this.target);
            let (r, quadrant) = if far { builder.reduce_far(magnitude) } else { builder.reduce_near(magnitude) };
            Ok(vec![r, quadrant])
        };
        let reduced = self.if_else(far, &[float, int], |this| reduce(this, true), |this| reduce(this, false)).ok()?;
        let mut builder = FloatBuilder::new(&mut self.code, float, self.target);
        let y = match name {
            "math.tan" => builder.tan_reduced(x, reduced[0], reduced[1]),
            _ => builder.sincos_reduced(x, reduced[0], reduced[1], name == "math.cos"),
        };
        Some(builder.narrowed(y, ty))
    }
}

impl FloatBuilder<'_> {
    fn shift(&mut self, name: &'static str, x: Value, by: i64) -> Value {
        let by = self.i(by);
        self.op(name, x, by)
    }

    /// `high` and what follows it in `low`, shifted left by up to 31 bits; the upper word.
    fn window(&mut self, high: Value, low: Value, by: Value) -> Value {
        let all = self.i(31);
        let rest = self.op("arith.subi", all, by);
        let high = self.op("arith.shli", high, by);
        let low = self.shift("arith.shrui", low, 1);
        let low = self.op("arith.shrui", low, rest);
        self.op("arith.ori", high, low)
    }

    /// What is left of a number below [`NEAR`] without the multiple of pi/2 that is nearest to it, and the low bits of which
    /// multiple that is.
    fn reduce_near(&mut self, magnitude: Value) -> (Value, Value) {
        let (n, quadrant) = self.nearest(magnitude, Some(std::f64::consts::FRAC_2_PI));
        let [a, b, c, d] = PARTS.map(|part| {
            let part = self.c(part);
            self.mul(n, part)
        });
        // What the first rounding loses goes to the small terms.
        let rest = self.sub(magnitude, a);
        let r = self.sub(rest, b);
        let lost = self.sub(rest, r);
        let lost = self.sub(lost, b);
        let less = self.sub(lost, c);
        let less = self.sub(less, d);
        (self.add(r, less), quadrant)
    }

    /// The same from [`NEAR`] on to the last float (Payne and Hanek, "Radian reduction for trigonometric functions").
    fn reduce_far(&mut self, magnitude: Value) -> (Value, Value) {
        // |x| = m 2^(exponent - 150).
        let bits = self.bits(magnitude);
        let exponent = self.shift("arith.shrui", bits, 23);
        let (digits, hidden) = (self.i(0x7f_ffff), self.i(0x80_0000));
        let m = self.op("arith.andi", bits, digits);
        let m = self.op("arith.ori", m, hidden);
        // 96 bits of 2/pi, of which the first, times 2^(exponent - 150), is worth 2: what lies before it are whole turns.
        let first = self.shift("arith.subi", exponent, 120);
        let (word, by) = (self.shift("arith.shrui", first, 5), self.i(31));
        let by = self.op("arith.andi", first, by);
        let mut words = [0, 1, 2, 3].map(|j| self.i(TWO_OVER_PI[j]));
        for k in 1..=4 {
            let number = self.i(k as i64);
            let here = self.equal(word, number);
            for (j, chosen) in words.iter_mut().enumerate() {
                let other = self.i(TWO_OVER_PI[k + j]);
                *chosen = self.select(here, other, *chosen);
            }
        }
        let [w0, w1, w2] = [0, 1, 2].map(|j| self.window(words[j], words[j + 1], by));
        // The product, without what is before its 96 bits: two bits of quadrants, then the fraction.
        let p0 = self.op("arith.muli", m, w0);
        let [p1, p2] =
            [w1, w2].map(|w| self.code.at.op("arith.mului_extended", &[m, w], &[m.ty(), m.ty()], &[]).results());
        let low = self.op("arith.addi", p1[0], p2[1]);
        let carry = self.below(low, p1[0]);
        let high = self.op("arith.addi", p0, p1[1]);
        let high = self.op("arith.addi", high, carry);
        let quadrant = self.shift("arith.shrui", high, 30);
        let two = self.i(2);
        let (high, low) = (self.window(high, low, two), self.window(low, p2[0], two));
        // To the nearest quadrant.
        let up = self.shift("arith.shrui", high, 31);
        let quadrant = self.op("arith.addi", quadrant, up);
        let (zero, ones) = (self.i(0), self.i(-1));
        let rounded = self.equal(up, zero);
        let negated = self.op("arith.subi", zero, low);
        let inverted = self.op("arith.xori", high, ones);
        let (none, one) = (self.equal(low, zero), self.i(1));
        let carry = self.select(none, one, zero);
        let inverted = self.op("arith.addi", inverted, carry);
        let (high, low) = (self.select(rounded, high, inverted), self.select(rounded, low, negated));
        // Its first 32 bits, in pieces of 12, 12 and 8.
        let zeros = self.code.at.value("math.ctlz", &[high], high.ty(), &[]);
        let top = self.window(high, low, zeros);
        let first = self.shift("arith.shrui", top, 20);
        let second = self.shift("arith.shrui", top, 8);
        let (twelve, eight) = (self.i(0xfff), self.i(0xff));
        let second = self.op("arith.andi", second, twelve);
        let third = self.op("arith.andi", top, eight);
        let bias = self.i(127 - 12);
        let scale = self.op("arith.subi", bias, zeros);
        let scale = self.shift("arith.shli", scale, 23);
        let scale = self.from_bits(scale);
        let [a, b, c] = [(first, 1.0), (second, 2f64.powi(-12)), (third, 2f64.powi(-20))].map(|(piece, unit)| {
            let (piece, unit) = (self.to_float(piece), self.c(unit));
            let piece = self.mul(piece, scale);
            self.mul(piece, unit)
        });
        // Times pi/2, the largest product last.
        let [h, i, j] = HALF_PI.map(|part| self.c(part));
        let mut r = self.mul(c, h);
        for (x, y) in [(a, j), (b, i), (a, i), (b, h), (a, h)] {
            let product = self.mul(x, y);
            r = self.add(r, product);
        }
        let minus = self.code.at.value("arith.negf", &[r], self.float, &[]);
        (self.select(rounded, r, minus), quadrant)
    }

    /// 1 if `a` is less than `b`, without signs, or else 0.
    fn below(&mut self, a: Value, b: Value) -> Value {
        let less = self.code.compare(6, a, b);
        let (one, zero) = (self.i(1), self.i(0));
        self.select(less, one, zero)
    }
}
