//! The error function: x plus an odd polynomial near zero; further out 1 - p(|x|)^4, where a polynomial is enough and its
//! errors hardly show. There is no division. The coefficients are minimax fits (Lawson's algorithm, relative error 1.4e-8 and
//! absolute error 5e-9).
use super::float_builder::FloatBuilder;
use halyard_ir::Value;

/// Where the two forms meet.
const BORDER: f64 = 1.2;
/// Above it, it is 1.
const MOST: f64 = 4.0;
/// erf x / x - 1 over x^2, highest first.
const NEAR: &[f64] = &[
    6.523_472_984_554_246e-5,
    -7.560_618_687_421_083e-4,
    5.131_038_371_473_551e-3,
    -2.682_000_957_429_409e-2,
    1.128_268_018_364_906e-1,
    -3.761_253_654_956_817_6e-1,
    1.283_791_512_250_900_3e-1,
];
/// The fourth root of 1 - erf x, highest first.
const FAR: &[f64] = &[
    -1.894_182_641_990_482_8e-4,
    3.374_656_196_683_645_2e-3,
    -2.304_855_734_109_878_5e-2,
    6.882_652_640_342_712e-2,
    -5.563_411_861_658_096e-2,
    -5.764_123_052_358_627e-2,
    -3.123_271_167_278_29e-1,
    1.006_411_433_219_909_7,
];

impl FloatBuilder<'_> {
    /// erf x, to 1.9 ulp.
    pub(crate) fn erf(&mut self, x: Value) -> Value {
        let magnitude = self.code.at.value("math.absf", &[x], x.ty(), &[]);
        let most = self.c(MOST);
        let above = self.compare(4, most, magnitude);
        let t = self.select(above, most, magnitude);
        let square = self.mul(t, t);
        let near = self.polynomial(square, NEAR);
        let near = self.fma(near, t, t);
        let root = self.polynomial(t, FAR);
        let root = self.mul(root, root);
        let minus = self.code.at.value("arith.negf", &[root], x.ty(), &[]);
        let one = self.c(1.0);
        let far = self.fma(minus, root, one);
        let border = self.c(BORDER);
        let is_far = self.compare(2, t, border);
        let y = self.select(is_far, far, near);
        self.code.at.value("math.copysign", &[y, x], x.ty(), &[])
    }
}
