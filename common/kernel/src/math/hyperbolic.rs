//! Hyperbolic functions and their inverses, by the exponential function and the logarithm. (tanh is in `exp.rs`.)
use super::float_builder::FloatBuilder;
use halyard_ir::Value;
use std::f64::consts::LN_2;

/// (sinh x - x) / x^3 over x^2, highest first: Taylor's series, good to 3e-8 up to 1.
const SINH: &[f64] = &[1.0 / 362_880.0, 1.0 / 5040.0, 1.0 / 120.0, 1.0 / 6.0];
/// Above it, the square root of x^2 ± 1 is x.
const LARGE: f64 = 1e9;

impl FloatBuilder<'_> {
    /// sinh x, to 1.5 ulp.
    pub(crate) fn sinh(&mut self, x: Value) -> Value {
        // Near zero the powers would cancel.
        let square = self.mul(x, x);
        let p = self.polynomial(square, SINH);
        let p = self.mul(p, square);
        let near = self.fma(p, x, x);
        let (power, rest) = self.half_powers(x);
        let far = self.sub(power, rest);
        let far = self.signed(far, x);
        let one = self.c(1.0);
        let small = self.compare(4, square, one);
        self.select(small, near, far)
    }

    /// cosh x, to 1.3 ulp.
    pub(crate) fn cosh(&mut self, x: Value) -> Value {
        let (power, rest) = self.half_powers(x);
        self.add(power, rest)
    }

    /// e^|x| / 2 and e^-|x| / 2.
    fn half_powers(&mut self, x: Value) -> (Value, Value) {
        let magnitude = self.unary("math.absf", x);
        let power = self.half_exp(magnitude);
        let quarter = self.c(0.25);
        (power, self.div(quarter, power))
    }

    /// asinh x, to 1.6 ulp.
    pub(crate) fn asinh(&mut self, x: Value) -> Value {
        let (a, one) = (self.unary("math.absf", x), self.c(1.0));
        // ln (1 + t) with t = a + (sqrt(a^2 + 1) - 1), in which nothing cancels.
        let square = self.mul(a, a);
        let root = self.add(square, one);
        let root = self.unary("math.sqrt", root);
        let below = self.add(root, one);
        let t = self.div(square, below);
        let t = self.add(a, t);
        let y = self.log1p_or_log_of_double(t, a);
        self.signed(y, x)
    }

    /// acosh x, to 1.6 ulp.
    pub(crate) fn acosh(&mut self, x: Value) -> Value {
        let (one, two) = (self.c(1.0), self.c(2.0));
        let t = self.sub(x, one);
        let more = self.add(t, two);
        let product = self.mul(t, more);
        let root = self.unary("math.sqrt", product);
        let t = self.add(t, root);
        let y = self.log1p_or_log_of_double(t, x);
        // Below -1 the product is positive again.
        let below = self.compare(4, x, one);
        let nan = self.c(f64::NAN);
        self.select(below, nan, y)
    }

    /// atanh x, to 1.8 ulp.
    pub(crate) fn atanh(&mut self, x: Value) -> Value {
        let (a, one, half) = (self.unary("math.absf", x), self.c(1.0), self.c(0.5));
        let (twice, below) = (self.add(a, a), self.sub(one, a));
        let t = self.div(twice, below);
        let y = self.log1p(t);
        let y = self.mul(y, half);
        self.signed(y, x)
    }

    /// ln (1 + t), and ln (2 a) where `a` is large.
    fn log1p_or_log_of_double(&mut self, t: Value, a: Value) -> Value {
        let (limit, zero, ln2) = (self.c(LARGE), self.c(0.0), self.c(LN_2));
        let large = self.compare(2, a, limit);
        let t = self.select(large, a, t);
        let more = self.select(large, ln2, zero);
        let y = self.log1p(t);
        self.add(y, more)
    }
}
