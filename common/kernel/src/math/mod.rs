//! Functions of `math` as code of their own, for scalars and vectors alike. `f32` has its own forms, good to 2.6 ulp (each
//! says its bound, which holds for all floats, with and without fused multiply-adds: `tests/numerics/functions.py`) with IEEE
//! edges (NaN, infinities, zeros with their sign, overflow to infinity, underflow through denormals to zero); 16-bit floats
//! go by `f32`; everything else is left to LLVM and the C library.

mod erf;
mod exp;
pub(crate) mod float_builder;
mod hyperbolic;
mod inverse;
mod log;
mod power;
mod sincos;
mod vectors;

pub use vectors::expand_vector_math;

use crate::Emitter;
use crate::emit::ir_builder::Coder;
use float_builder::FloatBuilder;
use halyard_ir::{Attr, Type, Value};

/// The functions of one number that have a form here.
const OWN: &[&str] = &[
    "math.exp",
    "math.exp2",
    "math.expm1",
    "math.log",
    "math.log2",
    "math.log10",
    "math.log1p",
    "math.tanh",
    "math.erf",
    "math.asin",
    "math.acos",
    "math.atan",
    "math.sinh",
    "math.cosh",
    "math.asinh",
    "math.acosh",
    "math.atanh",
    "math.cbrt",
    "math.sin",
    "math.cos",
    "math.tan",
];
/// Those whose argument may be so large that they need a branch.
const PERIODIC: &[&str] = &["math.sin", "math.cos", "math.tan"];

impl Emitter<'_> {
    /// A function as inline code; `None` if it is left to LLVM or to the C library.
    pub(crate) fn expand_math(&mut self, name: &str, operands: &[Value]) -> Option<Value> {
        let ty = operands.first()?.ty();
        let element = ty.element();
        if name == "math.powf" {
            return self.power(operands);
        }
        let angle = name == "math.atan2";
        if !(angle || OWN.contains(&name)) || !element.is_float() || element.bits() > 32 {
            return None;
        }
        if PERIODIC.contains(&name) {
            return self.wave(name, operands[0]);
        }
        let mut builder = FloatBuilder::new(&mut self.code, ty, self.target);
        let x = builder.widened(operands[0]);
        let y = if angle {
            let other = builder.widened(operands[1]);
            builder.atan2(x, other)
        } else {
            builder.function(name, x)
        };
        Some(builder.narrowed(y, ty))
    }

    /// sin, cos or tan: the C library does what lies far out, where any lane does.
    fn wave(&mut self, name: &str, x: Value) -> Option<Value> {
        let ty = x.ty();
        // It takes products that are fused for certain; `kernel::gpu` has forms without.
        if !self.target.fma || self.target.gpu.as_ref().is_some_and(|gpu| !gpu.exact_fma) {
            return None;
        }
        let at = self.code.at;
        if ty.element().bits() < 32 {
            let wide = if ty.is_vector() {
                Type::vector(ty.element_count()?, Type::f32(at.context()))
            } else {
                Type::f32(at.context())
            };
            let wide = at.value("arith.extf", &[x], wide, &[]);
            let y = self.wave(name, wide)?;
            return Some(self.code.at.value("arith.truncf", &[y], ty, &[]));
        }
        let mut builder = FloatBuilder::new(&mut self.code, ty, self.target);
        let magnitude = builder.code.at.value("math.absf", &[x], ty, &[]);
        let (near, infinite) = (builder.c(sincos::FAR), builder.c(f64::INFINITY));
        let far = builder.compare(2, magnitude, near);
        let finite = builder.compare(4, magnitude, infinite);
        let mut far = builder.op("arith.andi", far, finite);
        if ty.is_vector() {
            let kind = Attr::parse(at.context(), "#vector.kind<or>")?;
            let bool = Type::integer(at.context(), 1);
            far = at.value("vector.reduction", &[far], bool, &[("kind", kind)]);
        }
        let slow = |this: &mut Self| Ok(vec![this.code.at.value(name, &[x], ty, &[])]);
        let fast = |this: &mut Self| {
            let mut builder = FloatBuilder::new(&mut this.code, ty, this.target);
            Ok(vec![match name {
                "math.tan" => builder.tan(x),
                _ => builder.sincos(x, name == "math.cos"),
            }])
        };
        self.if_else(far, &[ty], slow, fast).ok().map(|values| values[0])
    }

    /// A power: by products where the exponent is known and small.
    fn power(&mut self, operands: &[Value]) -> Option<Value> {
        let x = operands[0];
        let ty: Type = x.ty();
        match constant(operands[1]) {
            Some(1.0) => return Some(x),
            Some(2.0) => return Some(self.code.at.value("arith.mulf", &[x, x], ty, &[])),
            Some(3.0) => {
                let square = self.code.at.value("arith.mulf", &[x, x], ty, &[]);
                return Some(self.code.at.value("arith.mulf", &[square, x], ty, &[]));
            }
            _ => {}
        }
        if !ty.element().is_float() || ty.element().bits() > 32 {
            return None;
        }
        let mut builder = FloatBuilder::new(&mut self.code, ty, self.target);
        if ty.element().bits() == 32 {
            return Some(builder.power(x, operands[1]));
        }
        let wide =
            |builder: &mut FloatBuilder<'_>, v: Value| builder.code.at.value("arith.extf", &[v], builder.float, &[]);
        let (x, y) = (wide(&mut builder, x), wide(&mut builder, operands[1]));
        let power = builder.power(x, y);
        Some(self.code.at.value("arith.truncf", &[power], ty, &[]))
    }
}

impl FloatBuilder<'_> {
    /// A function of [`OWN`] that is not [`PERIODIC`], of `f32`.
    fn function(&mut self, name: &str, x: Value) -> Value {
        match name {
            "math.exp" => self.exp(x),
            "math.exp2" => self.exp2(x),
            "math.log" => self.log(x),
            "math.expm1" => self.expm1(x),
            "math.log2" => self.log2(x),
            "math.log10" => self.log10(x),
            "math.log1p" => self.log1p(x),
            "math.tanh" => self.tanh(x),
            "math.erf" => self.erf(x),
            "math.asin" => self.asin(x),
            "math.acos" => self.acos(x),
            "math.atan" => self.atan(x),
            "math.sinh" => self.sinh(x),
            "math.cosh" => self.cosh(x),
            "math.asinh" => self.asinh(x),
            "math.acosh" => self.acosh(x),
            "math.atanh" => self.atanh(x),
            "math.cbrt" => self.cbrt(x),
            _ => unreachable!("`{name}` has no form"),
        }
    }
}

/// The value of a constant, or of the constant that a vector repeats.
fn constant(value: Value) -> Option<f64> {
    let mut value = value;
    if let Some(broadcast) = value.def().filter(|d| d.is("vector.broadcast")) {
        value = broadcast.operand(0);
    }
    value.constant_attr()?.as_float()
}
