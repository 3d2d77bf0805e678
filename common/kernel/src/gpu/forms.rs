//! Operations on numbers that a GPU does not have, or has with other edges, by others.
use crate::Emitter;
use crate::emit::ir_builder::Supported;
use halyard_ir::{Attr, Type, Value};

/// Functions of `math` that both ways to a GPU take as they are, for every float.
pub const EXACT: &[&str] = &[
    "math.absf",
    "math.absi",
    "math.ceil",
    "math.copysign",
    "math.floor",
    "math.fma",
    "math.round",
    "math.roundeven",
    "math.rsqrt",
    "math.sqrt",
    "math.trunc",
];

impl Emitter<'_> {
    /// An operation in the form that a GPU has; `None` if it is taken as it is. Errors: it has none.
    pub(crate) fn gpu_form(&mut self, name: &str, operands: &[Value]) -> Supported<Option<Value>> {
        let Some(gpu) = &self.target.gpu else { return Ok(None) };
        let Some(&x) = operands.first() else { return Ok(None) };
        let ty = x.ty();
        if !gpu.exact_edges {
            let (predicate, spreads) = match name {
                "arith.maximumf" => (2, true),
                "arith.minimumf" => (4, true),
                "arith.maxnumf" => (2, false),
                "arith.minnumf" => (4, false),
                "math.trunc" => return Ok(Some(self.truncated(x))),
                _ => (0, false),
            };
            if predicate > 0 {
                return Ok(Some(self.extremum((predicate, spreads), x, operands[1])));
            }
        }
        // For doubles there is a library everywhere.
        let single = !gpu.math_library && ty.bits() < 64;
        if single && name.starts_with("math.") && !EXACT.contains(&name) {
            if let Some(value) = self.gpu_function(name, operands) {
                return Ok(Some(value));
            }
            if ty.is_float() {
                return Err(format!("`{name}` of `{ty}`").into());
            }
        }
        Ok(None)
    }

    /// `a * b + c` of floats.
    pub(super) fn fused_product(&mut self, a: Value, b: Value, c: Value) -> Value {
        if self.target.fma {
            return self.code.at.value("math.fma", &[a, b, c], a.ty(), &[]);
        }
        let product = self.code.at.value("arith.mulf", &[a, b], a.ty(), &[]);
        self.code.at.value("arith.addf", &[product, c], a.ty(), &[])
    }

    /// The larger (2) or smaller (4) of two floats; a NaN spreads, or gives way to a number. Of the zeros the
    /// positive one is larger.
    fn extremum(&mut self, (predicate, spreads): (i64, bool), a: Value, b: Value) -> Value {
        let first = self.compare_floats(predicate, a, b);
        let zeros = self.zero_of(predicate == 2, a, b);
        let same = self.compare_floats(1, a, b);
        let other = self.code.select(same, zeros, b);
        let chosen = self.code.select(first, a, other);
        // `chosen` is `b` wherever one of them is a NaN.
        if spreads {
            let nan = self.compare_floats(13, a, a);
            self.code.select(nan, a, chosen)
        } else {
            let nan = self.compare_floats(13, b, b);
            self.code.select(nan, a, chosen)
        }
    }

    /// Of two floats that are equal, the one with the wanted sign: their bits differ if they are zeros.
    fn zero_of(&mut self, positive: bool, a: Value, b: Value) -> Value {
        let (ty, bits) = (a.ty(), self.code.int(a.ty().bits()));
        let [x, y] = [a, b].map(|v| self.code.pure("arith.bitcast", &[v], bits, None));
        let z = self.code.math(if positive { "arith.andi" } else { "arith.ori" }, &[x, y]);
        self.code.pure("arith.bitcast", &[z], ty, None)
    }

    /// Towards zero.
    fn truncated(&mut self, x: Value) -> Value {
        let magnitude = self.code.math("math.absf", &[x]);
        let floor = self.code.math("math.floor", &[magnitude]);
        self.code.math("math.copysign", &[floor, x])
    }

    /// `arith.cmpf`, by predicate number.
    pub(super) fn compare_floats(&mut self, predicate: i64, a: Value, b: Value) -> Value {
        let bool: Type = self.code.int(1);
        let predicate = Attr::integer(self.code.i64(), predicate);
        self.code.pure("arith.cmpf", &[a, b], bool, Some(("predicate", predicate)))
    }
}
