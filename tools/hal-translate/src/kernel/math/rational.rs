//! tanh and erf as odd rational functions (the coefficients of Eigen's `ptanh` and `erf`).
use super::hand::Hand;
use halyard_ir::Value;

const TANH: (&[f64], &[f64]) = (
    &[
        -2.760_768_477_423_55e-16,
        2.000_187_904_824_77e-13,
        -8.604_671_522_137_35e-11,
        5.122_297_090_371_14e-8,
        1.485_722_357_179_79e-5,
        6.372_619_288_754_36e-4,
        4.893_524_558_917_86e-3,
    ],
    &[1.198_258_394_667_02e-6, 1.185_347_056_866_54e-4, 2.268_434_632_439e-3, 4.893_525_185_543_85e-3],
);
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

    /// tanh x.
    pub(crate) fn tanh(&mut self, x: Value) -> Value {
        let near = self.clamp(x, 7.905_311_107_635_498);
        let y = self.odd(near, TANH);
        // The quotient loses the last bits of tiny arguments, for which tanh x is x.
        let magnitude = self.code.at.value("math.absf", &[x], x.ty(), &[]);
        let tiny = self.c(4e-4);
        let small = self.compare(4, magnitude, tiny);
        self.select(small, x, y)
    }

    /// erf x.
    pub(crate) fn erf(&mut self, x: Value) -> Value {
        let near = self.clamp(x, 4.0);
        self.odd(near, ERF)
    }
}
