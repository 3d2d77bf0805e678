//! Builds float arithmetic.
use crate::{MachineModel, emit::ir_builder::IrBuilder};
use halyard_ir::{Attr, Type, Value};

/// Writes `f32` code, scalar or vector.
pub(crate) struct FloatBuilder<'c> {
    /// Where to.
    pub(crate) code: &'c mut IrBuilder,
    /// `f32` or a vector of it.
    pub(crate) float: Type,
    int: Type,
    bool: Type,
    fma: bool,
    /// Whether vectors of this shape have AVX-512's multiplication by powers of two.
    scalef: bool,
    /// Whether large numbers that are added and taken off again do not round, see [`Self::nearest`].
    pub(super) reorders: bool,
}

/// 1.5 * 2^23: adding it rounds a small float to an integer that then stands in the low bits.
pub(super) const MAGIC: f64 = 12_582_912.0;
/// Its bits.
pub(super) const MAGIC_BITS: i64 = 0x4B40_0000;

/// A number as the sum of two floats.
pub(super) fn in_two(value: f64) -> (f64, f64) {
    let high = f64::from(value as f32);
    (high, value - high)
}

impl<'c> FloatBuilder<'c> {
    /// For values of the shape of `like`.
    pub(crate) fn new(code: &'c mut IrBuilder, like: Type, target: &MachineModel) -> Self {
        let context = code.at.context();
        let shaped = |element: Type| match like.is_vector() {
            true => Type::vector(like.element_count().expect("vectors are static"), element),
            false => element,
        };
        let (float, int, bool) =
            (shaped(Type::f32(context)), shaped(Type::integer(context, 32)), shaped(Type::integer(context, 1)));
        let scalef = target.vector_bits == 512 && like.is_vector() && like.element_count() == Some(16);
        Self {
            code,
            float,
            int,
            bool,
            fma: target.fma,
            scalef,
            reorders: target.gpu.as_ref().is_some_and(|gpu| gpu.reorders),
        }
    }

    fn spread(&mut self, value: Value, ty: Type) -> Value {
        if ty.is_vector() { self.code.pure("vector.broadcast", &[value], ty, None) } else { value }
    }

    /// A float constant.
    pub(crate) fn c(&mut self, value: f64) -> Value {
        let value = self.code.number(self.float.element(), value);
        self.spread(value, self.float)
    }

    /// An `i32` constant.
    pub(crate) fn i(&mut self, value: i64) -> Value {
        let attr = Attr::integer(self.int.element(), value);
        let value = self.code.constant(attr);
        self.spread(value, self.int)
    }

    /// A value of this shape as `f32`.
    pub(crate) fn widened(&mut self, x: Value) -> Value {
        if x.ty() == self.float { x } else { self.code.at.value("arith.extf", &[x], self.float, &[]) }
    }

    /// A result as a value of type `ty`.
    pub(crate) fn narrowed(&mut self, y: Value, ty: Type) -> Value {
        if y.ty() == ty { y } else { self.code.at.value("arith.truncf", &[y], ty, &[]) }
    }

    /// An operation on one float.
    pub(crate) fn unary(&mut self, name: &'static str, x: Value) -> Value {
        self.code.at.value(name, &[x], self.float, &[])
    }

    /// A magnitude with the sign of another number.
    pub(super) fn signed(&mut self, magnitude: Value, sign: Value) -> Value {
        self.code.at.value("math.copysign", &[magnitude, sign], self.float, &[])
    }

    /// A binary operation of `arith` on two values of one type.
    pub(crate) fn op(&mut self, name: &'static str, a: Value, b: Value) -> Value {
        self.code.at.value(name, &[a, b], a.ty(), &[])
    }

    /// `a + b`.
    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        self.op("arith.addf", a, b)
    }

    /// `a - b`.
    pub(crate) fn sub(&mut self, a: Value, b: Value) -> Value {
        self.op("arith.subf", a, b)
    }

    /// `a * b`.
    pub(crate) fn mul(&mut self, a: Value, b: Value) -> Value {
        self.op("arith.mulf", a, b)
    }

    /// `a / b`.
    pub(crate) fn div(&mut self, a: Value, b: Value) -> Value {
        self.op("arith.divf", a, b)
    }

    /// `a * b + c`, fused where the target can.
    pub(crate) fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        if self.fma {
            return self.code.at.value("math.fma", &[a, b, c], self.float, &[]);
        }
        let product = self.mul(a, b);
        self.add(product, c)
    }

    /// The integer nearest to `x`, or to `x` times `scale`, as a float, and in the low bits of an integer, [`MAGIC_BITS`]
    /// more.
    pub(crate) fn nearest(&mut self, x: Value, scale: Option<f64>) -> (Value, Value) {
        let scale = scale.map(|s| self.c(s));
        if self.reorders {
            let x = scale.map_or(x, |s| self.mul(x, s));
            let n = self.code.at.value("math.roundeven", &[x], self.float, &[]);
            let whole = self.code.at.value("arith.fptosi", &[n], self.int, &[]);
            let magic = self.i(MAGIC_BITS);
            return (n, self.op("arith.addi", whole, magic));
        }
        let magic = self.c(MAGIC);
        let shifted = match scale {
            Some(scale) => self.fma(x, scale, magic),
            None => self.add(x, magic),
        };
        let n = self.sub(shifted, magic);
        (n, self.bits(shifted))
    }

    /// A polynomial, highest coefficient first.
    pub(crate) fn polynomial(&mut self, x: Value, coefficients: &[f64]) -> Value {
        let mut sum = self.c(coefficients[0]);
        for &c in &coefficients[1..] {
            let c = self.c(c);
            sum = self.fma(sum, x, c);
        }
        sum
    }

    /// `arith.cmpf` by predicate number (1 oeq, 2 ogt, 3 oge, 4 olt, 5 ole, 6 one, 13 une).
    pub(crate) fn compare(&mut self, predicate: i64, a: Value, b: Value) -> Value {
        let predicate = Attr::integer(self.code.i64(), predicate);
        self.code.at.value("arith.cmpf", &[a, b], self.bool, &[("predicate", predicate)])
    }

    /// Whether two integers are the same.
    pub(crate) fn equal(&mut self, a: Value, b: Value) -> Value {
        let predicate = Attr::integer(self.code.i64(), 0);
        self.code.at.value("arith.cmpi", &[a, b], self.bool, &[("predicate", predicate)])
    }

    /// Whether an integer is less than another one, both signed.
    pub(crate) fn less(&mut self, a: Value, b: Value) -> Value {
        let predicate = Attr::integer(self.code.i64(), 2);
        self.code.at.value("arith.cmpi", &[a, b], self.bool, &[("predicate", predicate)])
    }

    /// `condition ? yes : no`.
    pub(crate) fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        self.code.at.value("arith.select", &[condition, yes, no], yes.ty(), &[])
    }

    /// The bits of a float.
    pub(crate) fn bits(&mut self, x: Value) -> Value {
        self.code.at.value("arith.bitcast", &[x], self.int, &[])
    }

    /// The float of bits.
    pub(crate) fn from_bits(&mut self, x: Value) -> Value {
        self.code.at.value("arith.bitcast", &[x], self.float, &[])
    }

    /// An integer as a float.
    pub(crate) fn to_float(&mut self, x: Value) -> Value {
        self.code.at.value("arith.sitofp", &[x], self.float, &[])
    }

    /// `x` kept within bounds; NaN stays.
    pub(crate) fn between(&mut self, x: Value, low: f64, high: f64) -> Value {
        let high = self.c(high);
        // In this order each is one instruction of x86, which gives its second operand for a NaN.
        let above = self.compare(4, high, x);
        let x = self.select(above, high, x);
        self.at_least(x, low)
    }

    /// `x`, but no less than a bound; NaN stays.
    pub(crate) fn at_least(&mut self, x: Value, low: f64) -> Value {
        let low = self.c(low);
        let below = self.compare(2, low, x);
        self.select(below, low, x)
    }

    /// `a` times two to the integer `n`, if the target has an instruction for it.
    pub(crate) fn scalef(&mut self, a: Value, n: Value) -> Option<Value> {
        if !self.scalef {
            return None;
        }
        let context = self.code.at.context();
        let all = self.code.constant(Attr::integer(Type::integer(context, 16), -1));
        // As the rounding mode says: to nearest.
        let current = self.code.constant(Attr::integer(Type::integer(context, 32), 4));
        let name = Attr::string(context, "llvm.x86.avx512.mask.scalef.ps.512");
        let sizes = |text: &str| Attr::parse(context, text).expect("an array");
        let attrs = [
            ("intrin", name),
            ("operandSegmentSizes", sizes("array<i32: 5, 0>")),
            ("op_bundle_sizes", sizes("array<i32>")),
        ];
        Some(self.code.at.value("llvm.call_intrinsic", &[a, n, a, all, current], self.float, &attrs))
    }
}
