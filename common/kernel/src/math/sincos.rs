//! Sine, cosine and tangent: the quadrant is taken off by a product of three parts of pi/2 in fused steps, which cancel exactly for
//! arguments up to [`FAR`]; the rest goes by polynomials on [-pi/4, pi/4] (Cephes `sinf`, `cosf` and `tanf`).
use super::float_builder::FloatBuilder;
use halyard_ir::Value;

/// Beyond this the three parts of pi/2 do not have enough bits.
pub(super) const FAR: f64 = 100_000.0;
/// pi/2 as a sum of floats.
const PARTS: [f64; 3] = [1.570_796_370_506_286_6, -4.371_139_000_186_241e-8, -1.715_122_474_462_289_3e-15];
/// (sin r - r) / r^3, highest first.
const SINE: &[f64] = &[-1.951_529_589_1e-4, 8.332_160_873_6e-3, -1.666_665_461_1e-1];
/// (cos r - 1 + r^2 / 2) / r^4, highest first.
const COSINE: &[f64] = &[2.443_315_711_809_948e-5, -1.388_731_625_493_765e-3, 4.166_664_568_298_827e-2];
/// (tan r - r) / r^3 over r^2, highest first.
const TANGENT: &[f64] = &[
    9.385_401_855_43e-3,
    3.119_922_326_97e-3,
    2.443_013_545_25e-2,
    5.341_128_070_05e-2,
    1.333_879_940_85e-1,
    3.333_315_685_48e-1,
];

impl FloatBuilder<'_> {
    /// sin x, or cos x, to 1.6 ulp, for |x| up to [`FAR`], for infinities and for NaN.
    pub(crate) fn sincos(&mut self, x: Value, cosine: bool) -> Value {
        let (r, quadrant) = self.without_quadrants(x);
        self.sincos_reduced(x, r, quadrant, cosine)
    }

    /// tan x, to 2.6 ulp, for the same numbers.
    pub(crate) fn tan(&mut self, x: Value) -> Value {
        let (r, quadrant) = self.without_quadrants(x);
        self.tan_reduced(x, r, quadrant)
    }

    /// |x| without the nearest multiple of pi/2, and the low bits of which multiple that is.
    fn without_quadrants(&mut self, x: Value) -> (Value, Value) {
        let magnitude = self.unary("math.absf", x);
        let (n, quadrant) = self.nearest(magnitude, Some(std::f64::consts::FRAC_2_PI));
        let mut r = magnitude;
        for part in PARTS {
            let part = self.c(-part);
            r = self.fma(n, part, r);
        }
        (r, quadrant)
    }

    /// tan x where |x| without some quadrants is `r`, which is within [-pi/4, pi/4].
    pub(crate) fn tan_reduced(&mut self, x: Value, r: Value, quadrant: Value) -> Value {
        let square = self.mul(r, r);
        let p = self.polynomial(square, TANGENT);
        let cube = self.mul(square, r);
        let tangent = self.fma(p, cube, r);
        // Odd quadrants have the cotangent.
        let (unit, minus) = (self.i(1), self.c(-1.0));
        let cotangent = self.div(minus, tangent);
        let odd = self.op("arith.andi", quadrant, unit);
        let odd = self.equal(odd, unit);
        let y = self.select(odd, cotangent, tangent);
        // tan is odd.
        let rest = self.i(0x8000_0000);
        let bits = self.bits(x);
        let own = self.op("arith.andi", bits, rest);
        let bits = self.bits(y);
        let bits = self.op("arith.xori", bits, own);
        self.from_bits(bits)
    }

    /// sin x, or cos x, where |x| without some quadrants is `r`, which is within [-pi/4, pi/4].
    pub(crate) fn sincos_reduced(&mut self, x: Value, r: Value, mut quadrant: Value, cosine: bool) -> Value {
        let square = self.mul(r, r);
        let p = self.polynomial(square, SINE);
        let cube = self.mul(square, r);
        let sine = self.fma(p, cube, r);
        let p = self.polynomial(square, COSINE);
        let (half, one) = (self.c(-0.5), self.c(1.0));
        let p = self.fma(p, square, half);
        let wave = self.fma(p, square, one);
        // The quadrant stands in the low bits: odd ones exchange the two, the second bit turns the sign.
        let unit = self.i(1);
        if cosine {
            quadrant = self.op("arith.addi", quadrant, unit);
        }
        let (place, rest) = (self.i(30), self.i(0x8000_0000));
        let odd = self.op("arith.andi", quadrant, unit);
        let odd = self.equal(odd, unit);
        let y = self.select(odd, wave, sine);
        let sign = self.op("arith.shli", quadrant, place);
        let mut sign = self.op("arith.andi", sign, rest);
        if !cosine {
            // sin is odd.
            let bits = self.bits(x);
            let own = self.op("arith.andi", bits, rest);
            sign = self.op("arith.xori", sign, own);
        }
        let bits = self.bits(y);
        let bits = self.op("arith.xori", bits, sign);
        self.from_bits(bits)
    }
}
