//! erf as an odd rational function (the coefficients of Eigen's `erf`).
use super::hand::Hand;
use halyard_ir::Value;

const ERF: (&[f64], &[f64]) = (
    &[
        -2.726_142_258_013_06e-10,
        2.770_681_424_959_02e-8,
        -2.101_024_020_825_08e-6,
        -5.692_506_394_623_46e-5,
        -7.349_906_303_268_55e-4,
        -2.954_599_808_540_25e-3,
        -1.609_603_332_624_15e-2,
    ],
    &[
        -1.456_607_184_649_96e-5,
        -2.133_740_552_789_05e-4,
        -1.682_826_974_382_03e-3,
        -7.373_329_167_204_68e-3,
        -1.426_473_905_141_89e-2,
    ],
);

impl Hand<'_> {
    fn odd(&mut self, x: Value, (above, below): (&[f64], &[f64])) -> Value {
        let square = self.mul(x, x);
        let p = self.polynomial(square, above);
        let p = self.mul(p, x);
        let q = self.polynomial(square, below);
        self.div(p, q)
    }

    /// erf x.
    pub(crate) fn erf(&mut self, x: Value) -> Value {
        let near = self.clamp(x, 4.0);
        let y = self.odd(near, ERF);
        // The products of tiny arguments would lose bits; there erf x is x times 2 / sqrt(pi).
        let magnitude = self.code.at.value("math.absf", &[x], x.ty(), &[]);
        let (least, slope) = (self.c(1e-4), self.c(0.128_379_167));
        let tiny = self.compare(4, magnitude, least);
        let line = self.fma(x, slope, x);
        self.select(tiny, line, y)
    }
}
