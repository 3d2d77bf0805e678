//! Powers: 2^(y log2 |x|), with the logarithm and the product in double precision, so that the result is good to about one
//! ulp; then the cases of IEEE 754.
use super::float_builder::FloatBuilder;
use halyard_ir::{Attr, Type, Value};

/// 2 atanh(s) / ln 2 / s over s^2, highest first: terms 2 / (ln 2 (2 k + 1)).
const TERMS: usize = 8;

impl FloatBuilder<'_> {
    /// The third root, to 1 ulp: by a power, and a step of Newton's.
    pub(crate) fn cbrt(&mut self, x: Value) -> Value {
        let a = self.unary("math.absf", x);
        let (third, zero, infinity) = (self.c(1.0 / 3.0), self.c(0.0), self.c(f64::INFINITY));
        let log = self.log(a);
        let log = self.mul(log, third);
        let y = self.exp(log);
        let square = self.mul(y, y);
        let quotient = self.div(a, square);
        let error = self.sub(quotient, y);
        let better = self.fma(error, third, y);
        let nothing = self.compare(1, a, zero);
        let y = self.select(nothing, a, better);
        let endless = self.compare(1, a, infinity);
        let y = self.select(endless, a, y);
        self.signed(y, x)
    }

    /// x^y, to 1.2 ulp.
    pub(crate) fn power(&mut self, x: Value, y: Value) -> Value {
        let magnitude = self.code.at.value("math.absf", &[x], self.float, &[]);
        let log = self.wide_log2(magnitude);
        let double = self.shaped(Type::f64(self.code.at.context()));
        let far = self.code.at.value("arith.extf", &[y], double, &[]);
        let t = self.op("arith.mulf", far, log);
        // Beyond these is infinity or zero, and so it comes out; NaN stays.
        let (least, most) = (self.constant(double, -160.0), self.constant(double, 130.0));
        let above = self.compare(4, most, t);
        let t = self.select(above, most, t);
        let below = self.compare(2, least, t);
        let t = self.select(below, least, t);
        let n = self.rounded(t, double);
        let f = self.op("arith.subf", t, n);
        let f = self.code.at.value("arith.truncf", &[f], self.float, &[]);
        let n = self.code.at.value("arith.truncf", &[n], self.float, &[]);
        let p = self.exp2_near(f, n);
        // One to anything and anything to zero is one.
        let (zero, one, infinity) = (self.c(0.0), self.c(1.0), self.c(f64::INFINITY));
        let unit = self.compare(1, magnitude, one);
        let ordered = self.compare(1, y, y);
        let unit = self.op("arith.andi", unit, ordered);
        let p = self.select(unit, one, p);
        // Negative numbers have powers with whole exponents only; odd ones keep the sign.
        let whole = self.code.at.value("math.roundeven", &[y], self.float, &[]);
        let is_whole = self.compare(1, whole, y);
        let half = self.c(0.5);
        let halved = self.mul(y, half);
        let rounded = self.code.at.value("math.roundeven", &[halved], self.float, &[]);
        let uneven = self.compare(6, halved, rounded);
        let odd = self.op("arith.andi", is_whole, uneven);
        let signed = self.code.at.value("math.copysign", &[p, x], self.float, &[]);
        let p = self.select(odd, signed, p);
        let negative = self.compare(4, x, zero);
        let finite = self.compare(4, magnitude, infinity);
        // Unordered or different.
        let broken = self.compare(13, whole, y);
        let bad = self.op("arith.andi", negative, finite);
        let bad = self.op("arith.andi", bad, broken);
        let nan = self.c(f64::NAN);
        let p = self.select(bad, nan, p);
        let nothing = self.compare(1, y, zero);
        let p = self.select(nothing, one, p);
        let first = self.compare(1, x, one);
        self.select(first, one, p)
    }

    /// The integer nearest to a double of the size of an exponent.
    fn rounded(&mut self, t: Value, double: Type) -> Value {
        if !self.reorders {
            return self.code.at.value("math.roundeven", &[t], double, &[]);
        }
        // Vulkan rounds no doubles; a float has bits enough.
        let t = self.code.at.value("arith.truncf", &[t], self.float, &[]);
        let n = self.code.at.value("math.roundeven", &[t], self.float, &[]);
        self.code.at.value("arith.extf", &[n], double, &[])
    }

    fn shaped(&self, element: Type) -> Type {
        match self.float.is_vector().then(|| self.float.element_count()).flatten() {
            Some(lanes) => Type::vector(lanes, element),
            None => element,
        }
    }

    fn constant(&mut self, ty: Type, value: f64) -> Value {
        let value = self.code.number(ty.element(), value);
        if ty.is_vector() { self.code.pure("vector.broadcast", &[value], ty, None) } else { value }
    }

    /// The logarithm to base 2 of a float that is not negative, in double precision (relative error 1e-11).
    fn wide_log2(&mut self, x: Value) -> Value {
        let context = self.code.at.context();
        let (double, long) = (self.shaped(Type::f64(context)), self.shaped(Type::integer(context, 64)));
        let wide = self.code.at.value("arith.extf", &[x], double, &[]);
        let bits = self.code.at.value("arith.bitcast", &[wide], long, &[]);
        let integer = |this: &mut Self, value: i64| {
            let value = this.code.constant(Attr::integer(long.element(), value));
            if long.is_vector() { this.code.pure("vector.broadcast", &[value], long, None) } else { value }
        };
        // So that the mantissa lies in [sqrt(1/2), sqrt(2)).
        let root = integer(self, 0x3FE6_A09E_667F_3BCD);
        let moved = self.op("arith.subi", bits, root);
        let place = integer(self, 52);
        let exponent = self.op("arith.shrsi", moved, place);
        let high = self.op("arith.shli", exponent, place);
        let mantissa = self.op("arith.subi", bits, high);
        let mantissa = self.code.at.value("arith.bitcast", &[mantissa], double, &[]);
        // The exponent as a float by way of 32 bits, which every vector unit converts.
        let narrow = self.shaped(Type::integer(context, 32));
        let exponent = self.code.at.value("arith.trunci", &[exponent], narrow, &[]);
        let exponent = self.code.at.value("arith.sitofp", &[exponent], double, &[]);
        let one = self.constant(double, 1.0);
        let less = self.op("arith.subf", mantissa, one);
        let more = self.op("arith.addf", mantissa, one);
        let s = self.op("arith.divf", less, more);
        let square = self.op("arith.mulf", s, s);
        let term = |k: usize| 2.0 / (std::f64::consts::LN_2 * (2 * k + 1) as f64);
        let mut sum = self.constant(double, term(TERMS - 1));
        for k in (0..TERMS - 1).rev() {
            let product = self.op("arith.mulf", sum, square);
            let term = self.constant(double, term(k));
            sum = self.op("arith.addf", product, term);
        }
        let log = self.op("arith.mulf", sum, s);
        let log = self.op("arith.addf", log, exponent);
        // Of zero, of infinity and of NaN.
        let (zero, infinity, least) = (
            self.constant(double, 0.0),
            self.constant(double, f64::INFINITY),
            self.constant(double, f64::NEG_INFINITY),
        );
        let none = self.compare(1, wide, zero);
        let log = self.select(none, least, log);
        let finite = self.compare(4, wide, infinity);
        self.select(finite, log, wide)
    }
}
