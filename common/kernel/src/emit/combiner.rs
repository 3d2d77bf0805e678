//! How a reduction combines, in code.
use crate::analysis::combiner::Combiner;
use crate::emit::ir_builder::IrBuilder;
use halyard_ir::{Attr, Type, Value};

impl Combiner {
    /// The neutral element: combined with it, a value stays as it is.
    pub(crate) fn neutral(self, code: &mut IrBuilder, ty: Type) -> Value {
        let bits = ty.bits().min(64);
        let smallest = if bits == 64 { i64::MIN } else { -(1i64 << (bits - 1)) };
        let integer = |code: &mut IrBuilder, v: i64| code.constant(Attr::integer(ty, v));
        match self.kind {
            "add" if ty.is_float() => code.number(ty, -0.0),
            "mul" => code.number(ty, 1.0),
            "maximumf" | "maxnumf" => code.number(ty, f64::NEG_INFINITY),
            "minimumf" | "minnumf" => code.number(ty, f64::INFINITY),
            "maxsi" => integer(code, smallest),
            "minsi" => integer(code, !smallest),
            "minui" | "and" => integer(code, -1),
            _ => integer(code, 0),
        }
    }

    /// Combines two.
    pub(crate) fn apply(self, code: &mut IrBuilder, a: Value, b: Value) -> Value {
        let flags = self.flags.map(|flags| ("fastmath", flags));
        code.at.value(self.name, &[a, b], a.ty(), flags.as_slice())
    }

    /// Combines the lanes of a vector. The order of a float sum is free.
    pub(crate) fn collapse(self, code: &mut IrBuilder, vector: Value) -> Value {
        let context = code.at.context();
        let element = vector.ty().element();
        let lanes = vector.ty().element_count().unwrap_or(1);
        if element.is_float() && self.kind != "add" && lanes & (lanes - 1) == 0 {
            // LLVM would go lane by lane.
            let mut part = vector;
            let mut left = lanes;
            while left > 1 {
                left /= 2;
                let half = |from: i64| {
                    let picks = Attr::i64s(context, &(from..from + left).collect::<Vec<_>>());
                    code.at.value("vector.shuffle", &[part, part], Type::vector(left, element), &[("mask", picks)])
                };
                let (low, high) = (half(0), half(left));
                part = self.apply(code, low, high);
            }
            return code.at.value(
                "vector.extract",
                &[part],
                element,
                &[("static_position", Attr::i64s(context, &[0]))],
            );
        }
        let kind = Attr::parse(context, &format!("#vector.kind<{}>", self.kind)).expect("a kind");
        let mut attrs = vec![("kind", kind)];
        if element.is_float() {
            attrs.push(("fastmath", Attr::parse(context, "#arith.fastmath<reassoc>").expect("flags")));
        }
        code.at.value("vector.reduction", &[vector], element, &attrs)
    }
}
