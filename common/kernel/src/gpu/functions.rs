//! Functions of `math` that SPIR-V lacks, or that Vulkan lets a device compute to a few digits: `f32` by way of the
//! functions that have forms of their own, good to some ulp; 16-bit floats go by `f32`.
use crate::Emitter;
use crate::math::float_builder::FloatBuilder;
use halyard_ir::{Type, Value};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};

/// Cephes `atanf`: (atan x - x) / x^3 over x^2 on [-tan(pi/8), tan(pi/8)], highest first.
const ATAN: &[f64] = &[8.053_744_499_66e-2, -1.387_768_560_32e-1, 1.997_771_064_78e-1, -3.333_294_913_39e-1];

impl Emitter<'_> {
    /// A function as code; `None` if it is not one of these.
    pub(super) fn gpu_function(&mut self, name: &str, operands: &[Value]) -> Option<Value> {
        let ty = operands[0].ty();
        if !ty.is_float() || ty.bits() > 32 {
            return None;
        }
        if matches!(name, "math.sin" | "math.cos" | "math.tan") {
            return self.trigonometric(name, operands[0]);
        }
        let mut builder = FloatBuilder::new(&mut self.code, ty, self.target);
        let wide = |builder: &mut FloatBuilder<'_>, v: Value| {
            if v.ty() == builder.float { v } else { builder.code.at.value("arith.extf", &[v], builder.float, &[]) }
        };
        let x = wide(&mut builder, operands[0]);
        let y = match name {
            "math.atan" => builder.atan(x),
            "math.atan2" => {
                let other = wide(&mut builder, operands[1]);
                builder.atan2(x, other)
            }
            "math.asin" => builder.asin(x),
            "math.acos" => builder.acos(x),
            "math.sinh" => builder.sinh(x),
            "math.cosh" => builder.cosh(x),
            "math.asinh" => builder.asinh(x),
            "math.acosh" => builder.acosh(x),
            "math.atanh" => builder.atanh(x),
            "math.cbrt" => builder.cbrt(x),
            "math.expm1" => builder.exp_less_one(x),
            "math.erfc" => {
                let (one, y) = (builder.c(1.0), builder.erf(x));
                builder.sub(one, y)
            }
            _ => return None,
        };
        Some(if y.ty() == ty { y } else { self.code.at.value("arith.truncf", &[y], ty, &[]) })
    }
}

impl FloatBuilder<'_> {
    pub(super) fn unary(&mut self, name: &'static str, x: Value) -> Value {
        self.code.at.value(name, &[x], self.float, &[])
    }

    fn signed(&mut self, magnitude: Value, sign: Value) -> Value {
        let ty: Type = self.float;
        self.code.at.value("math.copysign", &[magnitude, sign], ty, &[])
    }

    /// atan x.
    fn atan(&mut self, x: Value) -> Value {
        let magnitude = self.unary("math.absf", x);
        let (one, zero, minus) = (self.c(1.0), self.c(0.0), self.c(-1.0));
        let (near, far) = (self.c(0.414_213_56), self.c(2.414_213_6));
        let (middle, large) = (self.compare(2, magnitude, near), self.compare(2, magnitude, far));
        // Around pi/4 and pi/2 by the theorem of addition.
        let (less, more) = (self.sub(magnitude, one), self.add(magnitude, one));
        let sincos = self.div(less, more);
        let inverse = self.div(minus, magnitude);
        let r = self.select(middle, sincos, magnitude);
        let r = self.select(large, inverse, r);
        let (quarter, half) = (self.c(FRAC_PI_4), self.c(FRAC_PI_2));
        let base = self.select(middle, quarter, zero);
        let base = self.select(large, half, base);
        let square = self.mul(r, r);
        let p = self.polynomial(square, ATAN);
        let p = self.mul(p, square);
        let y = self.fma(p, r, r);
        let y = self.add(base, y);
        self.signed(y, x)
    }

    /// The angle of the point (x, y).
    fn atan2(&mut self, y: Value, x: Value) -> Value {
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
        let (right, straight) = (self.c(FRAC_PI_2), self.c(PI));
        let other = self.sub(right, angle);
        let angle = self.select(steep, other, angle);
        // A zero has a side, too.
        let side = self.signed(one, x);
        let left = self.compare(4, side, zero);
        let other = self.sub(straight, angle);
        let angle = self.select(left, other, angle);
        let angle = self.signed(angle, y);
        // What is not a number stays so.
        let sum = self.add(x, y);
        let nan = self.compare(13, x, x);
        let also = self.compare(13, y, y);
        let nan = self.op("arith.ori", nan, also);
        self.select(nan, sum, angle)
    }

    /// sqrt((1 - x) (1 + x)).
    fn leg(&mut self, x: Value) -> Value {
        let one = self.c(1.0);
        let (less, more) = (self.sub(one, x), self.add(one, x));
        let product = self.mul(less, more);
        self.unary("math.sqrt", product)
    }

    fn asin(&mut self, x: Value) -> Value {
        let leg = self.leg(x);
        self.atan2(x, leg)
    }

    fn acos(&mut self, x: Value) -> Value {
        let leg = self.leg(x);
        self.atan2(leg, x)
    }

    /// e^(|x|) / 2, infinite only where that is.
    fn half_power(&mut self, x: Value) -> Value {
        let (magnitude, half) = (self.unary("math.absf", x), self.c(LN_2));
        let less = self.sub(magnitude, half);
        self.exp(less)
    }

    fn sinh(&mut self, x: Value) -> Value {
        // Near zero the powers would cancel: x + x^3/6 + x^5/120 + x^7/5040.
        let square = self.mul(x, x);
        let p = self.polynomial(square, &[1.0 / 362_880.0, 1.0 / 5040.0, 1.0 / 120.0, 1.0 / 6.0]);
        let p = self.mul(p, square);
        let near = self.fma(p, x, x);
        let power = self.half_power(x);
        let quarter = self.c(0.25);
        let rest = self.div(quarter, power);
        let far = self.sub(power, rest);
        let far = self.signed(far, x);
        let one = self.c(1.0);
        let small = self.compare(4, square, one);
        self.select(small, near, far)
    }

    fn cosh(&mut self, x: Value) -> Value {
        let (power, quarter) = (self.half_power(x), self.c(0.25));
        let rest = self.div(quarter, power);
        self.add(power, rest)
    }

    /// e^x - 1, by tanh(x/2) near zero, where nothing cancels.
    fn exp_less_one(&mut self, x: Value) -> Value {
        let (half, one, two) = (self.c(0.5), self.c(1.0), self.c(2.0));
        let halved = self.mul(x, half);
        let t = self.tanh(halved);
        let (above, below) = (self.mul(two, t), self.sub(one, t));
        let near = self.div(above, below);
        let power = self.exp(x);
        let far = self.sub(power, one);
        let magnitude = self.unary("math.absf", x);
        let small = self.compare(4, magnitude, one);
        self.select(small, near, far)
    }

    fn asinh(&mut self, x: Value) -> Value {
        let (a, one, ln2) = (self.unary("math.absf", x), self.c(1.0), self.c(LN_2));
        let square = self.mul(a, a);
        let root = self.add(square, one);
        let root = self.unary("math.sqrt", root);
        let below = self.add(root, one);
        let t = self.div(square, below);
        let t = self.add(a, t);
        let near = self.log1p(t);
        let far = self.log(a);
        let far = self.add(far, ln2);
        let limit = self.c(1e9);
        let large = self.compare(2, a, limit);
        let y = self.select(large, far, near);
        self.signed(y, x)
    }

    fn acosh(&mut self, x: Value) -> Value {
        let (one, two, ln2, limit) = (self.c(1.0), self.c(2.0), self.c(LN_2), self.c(1e9));
        let t = self.sub(x, one);
        let more = self.add(t, two);
        let product = self.mul(t, more);
        let root = self.unary("math.sqrt", product);
        let sum = self.add(t, root);
        let near = self.log1p(sum);
        let far = self.log(x);
        let far = self.add(far, ln2);
        let large = self.compare(2, x, limit);
        self.select(large, far, near)
    }

    fn atanh(&mut self, x: Value) -> Value {
        let (a, one, half) = (self.unary("math.absf", x), self.c(1.0), self.c(0.5));
        let (twice, below) = (self.add(a, a), self.sub(one, a));
        let t = self.div(twice, below);
        let y = self.log1p(t);
        let y = self.mul(y, half);
        self.signed(y, x)
    }

    /// The third root, by a power and a step of Newton's.
    fn cbrt(&mut self, x: Value) -> Value {
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
}
