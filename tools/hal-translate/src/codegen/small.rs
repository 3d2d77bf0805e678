//! Computes e^x - 1 and ln (1 + x) accurately near zero for targets without such functions: upstream expands them
//! literally, which loses all digits of a small x. Here a quotient restores the digits that 1 + x and e^x lose (W.
//! Kahan), with an error of a few ulp.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Rewrites the functions in a module, on numbers and vectors.
pub(super) fn rewrite(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        let ty =
            op.results().first().map(|r| r.ty()).filter(|ty| !ty.is_vector() || (ty.rank() == 1 && ty.is_static()));
        if ty.is_some() && (op.is("math.expm1") || op.is("math.log1p")) {
            found.push(op);
        }
    });
    for op in found {
        let text = Text { at: Builder::before(op), ty: op.result(0).ty() };
        let value = if op.is("math.expm1") { text.expm1(op.operand(0)) } else { text.log1p(op.operand(0)) };
        op.result(0).replace_all_uses(value);
        op.erase();
    }
}

struct Text {
    at: Builder,
    ty: Type,
}

impl Text {
    /// (u - 1) x / ln u for u = e^x; where u is 1, x, and where it is 0 or infinite, u - 1.
    fn expm1(&self, x: Value) -> Value {
        let u = self.function("math.exp", x);
        let (one, least, most) = (self.number(1.0), self.number(-1.0), self.number(f64::INFINITY));
        let d = self.two("arith.subf", u, one);
        let ln = self.function("math.log", u);
        let product = self.two("arith.divf", x, ln);
        let y = self.two("arith.mulf", d, product);
        let y = self.where_same(d, least, d, y);
        let y = self.where_same(u, most, d, y);
        self.where_same(u, one, x, y)
    }

    /// ln u times x / (u - 1) for u = 1 + x; where u is 1, x, and where it is infinite, u.
    fn log1p(&self, x: Value) -> Value {
        let (one, most) = (self.number(1.0), self.number(f64::INFINITY));
        let u = self.two("arith.addf", x, one);
        let d = self.two("arith.subf", u, one);
        let ln = self.function("math.log", u);
        let quotient = self.two("arith.divf", x, d);
        let y = self.two("arith.mulf", ln, quotient);
        let y = self.where_same(u, most, u, y);
        self.where_same(u, one, x, y)
    }

    fn function(&self, name: &str, x: Value) -> Value {
        self.at.value(name, &[x], self.ty, &[])
    }

    fn two(&self, name: &str, a: Value, b: Value) -> Value {
        self.at.value(name, &[a, b], self.ty, &[])
    }

    fn number(&self, value: f64) -> Value {
        let number = self.at.constant(Attr::float(self.ty.element(), value));
        if self.ty.is_vector() { self.at.value("vector.broadcast", &[number], self.ty, &[]) } else { number }
    }

    /// `yes` where `a` and `b` are the same number, else `no`.
    fn where_same(&self, a: Value, b: Value, yes: Value, no: Value) -> Value {
        let context = self.at.context();
        let bit = Type::integer(context, 1);
        let bits = if self.ty.is_vector() {
            Type::vector(self.ty.element_count().expect("the vector is static"), bit)
        } else {
            bit
        };
        let equal = Attr::integer(Type::integer(context, 64), 1);
        let same = self.at.value("arith.cmpf", &[a, b], bits, &[("predicate", equal)]);
        self.at.value("arith.select", &[same, yes, no], self.ty, &[])
    }
}
