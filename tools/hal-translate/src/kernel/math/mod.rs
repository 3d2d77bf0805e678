//! Functions of `math` as code of their own, for scalars and vectors alike. `f32` has its own forms, good to about 2 ulp with
//! IEEE edges (NaN, infinities, overflow to infinity, underflow through denormals to zero); 16-bit floats go by `f32`;
//! everything else is left to LLVM and the C library.

mod exp;
mod hand;
mod log;
mod rational;

use super::Emitter;
use halyard_ir::{Attr, Type, Value};
use hand::Hand;

/// What has a form here.
const OWN: &[&str] =
    &["math.exp", "math.exp2", "math.log", "math.log2", "math.log10", "math.log1p", "math.tanh", "math.erf"];

impl Emitter<'_> {
    /// A function as inline code; `None` if it is left to LLVM or to the C library.
    pub(crate) fn expand_math(&mut self, name: &str, operands: &[Value]) -> Option<Value> {
        let ty = operands.first()?.ty();
        let element = ty.element();
        if name == "math.powf" {
            return self.power(operands);
        }
        if !OWN.contains(&name) || !element.is_float() || element.bits() > 32 {
            return None;
        }
        let mut hand = Hand::new(&mut self.code, ty, self.target);
        let x = if element.bits() < 32 {
            hand.code.at.value("arith.extf", &[operands[0]], hand.float, &[])
        } else {
            operands[0]
        };
        let y = match name {
            "math.exp" => hand.exp(x),
            "math.exp2" => hand.exp2(x),
            "math.log" => hand.log(x),
            "math.log2" => hand.log_to(x, std::f64::consts::LOG2_E),
            "math.log10" => hand.log_to(x, std::f64::consts::LOG10_E),
            "math.log1p" => hand.log1p(x),
            "math.tanh" => hand.tanh(x),
            _ => hand.erf(x),
        };
        Some(if element.bits() < 32 { hand.code.at.value("arith.truncf", &[y], ty, &[]) } else { y })
    }

    /// A power of known small exponent.
    fn power(&mut self, operands: &[Value]) -> Option<Value> {
        let mut exponent = operands[1];
        if let Some(broadcast) = exponent.def().filter(|d| d.is("vector.broadcast")) {
            exponent = broadcast.operand(0);
        }
        let exponent = exponent.def().filter(|d| d.is("arith.constant"))?.attr("value").and_then(Attr::as_float)?;
        let x = operands[0];
        let ty: Type = x.ty();
        let mul = |this: &mut Self, a: Value, b: Value| this.code.at.value("arith.mulf", &[a, b], ty, &[]);
        match exponent {
            1.0 => Some(x),
            2.0 => Some(mul(self, x, x)),
            3.0 => {
                let square = mul(self, x, x);
                Some(mul(self, square, x))
            }
            _ => None,
        }
    }
}
