//! Scalar arithmetic in the bodies of `linalg.generic`, and index arithmetic.
use super::{
    Elem,
    tensor::Num,
    writer::{Writer, literal, quote},
};

/// A scalar in a body: of an element type, or an index.
#[derive(Debug, Clone)]
pub(crate) struct Scalar {
    pub(crate) name: String,
    /// The element type; `None` for an index.
    pub(crate) elem: Option<Elem>,
}

impl Scalar {
    pub(crate) fn new(name: impl Into<String>, elem: Elem) -> Self {
        Self { name: name.into(), elem: Some(elem) }
    }

    pub(crate) fn index(name: impl Into<String>) -> Self {
        Self { name: name.into(), elem: None }
    }

    fn ty(&self) -> &'static str {
        self.elem.map_or("index", Elem::mlir)
    }

    fn is_float(&self) -> bool {
        self.elem.is_some_and(Elem::is_float)
    }

    fn is_unsigned(&self) -> bool {
        self.elem.is_some_and(Elem::is_unsigned)
    }
}

/// The predicates of comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Writes scalar operations.
pub(crate) struct Body<'w> {
    pub(crate) w: &'w mut Writer,
}

impl Body<'_> {
    pub(super) fn op(&mut self, operation: String, elem: Option<Elem>) -> Scalar {
        Scalar { name: self.w.value(operation), elem }
    }

    pub(crate) fn number(&mut self, elem: Elem, value: Num) -> Scalar {
        if elem == Elem::Bool {
            return self.op(format!("arith.constant {}", literal(elem, value)), Some(elem));
        }
        self.op(format!("arith.constant {} : {}", literal(elem, value), elem.mlir()), Some(elem))
    }

    pub(crate) fn float(&mut self, elem: Elem, value: f64) -> Scalar {
        self.number(elem, Num::F(value))
    }

    pub(crate) fn int(&mut self, elem: Elem, value: i64) -> Scalar {
        self.number(elem, Num::I(value.into()))
    }

    pub(crate) fn index_constant(&mut self, value: i64) -> Scalar {
        self.op(format!("arith.constant {value} : index"), None)
    }

    /// A constant of the type of another scalar.
    pub(crate) fn like(&mut self, other: &Scalar, value: f64) -> Scalar {
        match other.elem {
            Some(elem) if elem.is_float() => self.float(elem, value),
            Some(elem) => self.int(elem, value as i64),
            None => self.index_constant(value as i64),
        }
    }

    /// The position along a dimension of the iteration space.
    pub(crate) fn position(&mut self, dimension: usize) -> Scalar {
        self.op(format!("linalg.index {dimension} : index"), None)
    }

    /// Operation `name` of two scalars of one type, whose result has that type.
    fn two(&mut self, name: &str, a: &Scalar, b: &Scalar) -> Scalar {
        if a.ty() != b.ty() {
            self.w.fault(format!("`{name}` is given `{}` and `{}`", a.ty(), b.ty()));
        }
        let wants = match name.as_bytes().last() {
            _ if name.starts_with("math.") => Some(true),
            Some(b'f') => Some(true),
            Some(b'i') => Some(false),
            _ => None,
        };
        if wants.is_some_and(|float| float != a.is_float()) {
            self.w.fault(format!("`{name}` is given `{}`", a.ty()));
        }
        self.op(format!("{name} {}, {} : {}", a.name, b.name, a.ty()), a.elem)
    }

    fn pick<'n>(a: &Scalar, float: &'n str, signed: &'n str, unsigned: &'n str) -> &'n str {
        if a.is_float() {
            float
        } else if a.is_unsigned() {
            unsigned
        } else {
            signed
        }
    }

    pub(crate) fn add(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        self.two(
            Self::pick(
                a,
                "arith.addf",
                "arith.addi",
                if a.elem == Some(Elem::Bool) { "arith.ori" } else { "arith.addi" },
            ),
            a,
            b,
        )
    }

    pub(crate) fn sub(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        self.two(Self::pick(a, "arith.subf", "arith.subi", "arith.subi"), a, b)
    }

    pub(crate) fn mul(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        self.two(
            Self::pick(
                a,
                "arith.mulf",
                "arith.muli",
                if a.elem == Some(Elem::Bool) { "arith.andi" } else { "arith.muli" },
            ),
            a,
            b,
        )
    }

    /// Divides; integers toward zero.
    pub(crate) fn div(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        self.two(Self::pick(a, "arith.divf", "arith.divsi", "arith.divui"), a, b)
    }

    /// The remainder with the sign of the dividend.
    pub(crate) fn rem(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        self.two(Self::pick(a, "arith.remf", "arith.remsi", "arith.remui"), a, b)
    }

    /// Computes the maximum; NaN if either operand is NaN.
    pub(crate) fn max(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        self.two(Self::pick(a, "arith.maximumf", "arith.maxsi", "arith.maxui"), a, b)
    }

    /// Computes the minimum; NaN if either operand is NaN.
    pub(crate) fn min(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        self.two(Self::pick(a, "arith.minimumf", "arith.minsi", "arith.minui"), a, b)
    }

    pub(crate) fn and(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        self.two("arith.andi", a, b)
    }

    pub(crate) fn or(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        self.two("arith.ori", a, b)
    }

    pub(crate) fn xor(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        self.two("arith.xori", a, b)
    }

    pub(crate) fn not(&mut self, a: &Scalar) -> Scalar {
        let ones = if a.elem == Some(Elem::Bool) { self.int(Elem::Bool, 1) } else { self.like(a, -1.0) };
        self.xor(a, &ones)
    }

    /// A shift, to the right with the sign. A shift by the width or more leaves the sign or 0, as does a negative one.
    pub(crate) fn shift(&mut self, a: &Scalar, by: &Scalar, left: bool) -> Scalar {
        let last = self.like(a, f64::from(a.elem.map_or(64, Elem::bits)) - 1.0);
        let fits = self.op(format!("arith.cmpi ule, {}, {} : {}", by.name, last.name, by.ty()), Some(Elem::Bool));
        // In MLIR a shift by the width is poison.
        let by = self.select(&fits, by, &last);
        if !left && !a.is_unsigned() {
            return self.two("arith.shrsi", a, &by);
        }
        let shifted = self.two(if left { "arith.shli" } else { "arith.shrui" }, a, &by);
        let zero = self.like(a, 0.0);
        self.select(&fits, &shifted, &zero)
    }

    pub(crate) fn neg(&mut self, a: &Scalar) -> Scalar {
        if a.is_float() {
            return self.op(format!("arith.negf {} : {}", a.name, a.ty()), a.elem);
        }
        let zero = self.like(a, 0.0);
        self.sub(&zero, a)
    }

    pub(crate) fn abs(&mut self, a: &Scalar) -> Scalar {
        match Self::pick(a, "math.absf", "math.absi", "") {
            "" => a.clone(),
            name => self.op(format!("{name} {} : {}", a.name, a.ty()), a.elem),
        }
    }

    /// A comparison; floats compare false with NaN.
    pub(crate) fn compare(&mut self, order: Order, a: &Scalar, b: &Scalar) -> Scalar {
        if a.ty() != b.ty() {
            self.w.fault(format!("`{}` is compared with `{}`", a.ty(), b.ty()));
        }
        let name = match order {
            Order::Eq => "eq",
            Order::Lt => "lt",
            Order::Le => "le",
            Order::Gt => "gt",
            Order::Ge => "ge",
        };
        let text = if a.is_float() {
            format!("arith.cmpf o{name}, {}, {} : {}", a.name, b.name, a.ty())
        } else {
            let sign = if order == Order::Eq { "" } else { Self::pick(a, "", "s", "u") };
            format!("arith.cmpi {sign}{name}, {}, {} : {}", a.name, b.name, a.ty())
        };
        self.op(text, Some(Elem::Bool))
    }

    /// Whether `a > b` or either is NaN.
    pub(crate) fn greater_or_nan(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        if a.is_float() {
            return self.op(format!("arith.cmpf ugt, {}, {} : {}", a.name, b.name, a.ty()), Some(Elem::Bool));
        }
        self.compare(Order::Gt, a, b)
    }

    /// Whether it is NaN; false for integers.
    pub(crate) fn is_nan(&mut self, a: &Scalar) -> Scalar {
        if a.elem.is_some_and(Elem::is_narrow) {
            let wide = self.widened(a);
            return self.is_nan(&wide);
        }
        if a.is_float() {
            return self.op(format!("arith.cmpf uno, {0}, {0} : {1}", a.name, a.ty()), Some(Elem::Bool));
        }
        self.int(Elem::Bool, 0)
    }

    pub(crate) fn select(&mut self, condition: &Scalar, yes: &Scalar, no: &Scalar) -> Scalar {
        if yes.ty() != no.ty() || condition.ty() != "i1" {
            self.w.fault(format!("`{}` is chosen against `{}` by `{}`", yes.ty(), no.ty(), condition.ty()));
        }
        self.op(format!("arith.select {}, {}, {} : {}", condition.name, yes.name, no.name, yes.ty()), yes.elem)
    }

    /// An operation of the math dialect on a float; narrow floats go through f32.
    pub(crate) fn math(&mut self, name: &str, a: &Scalar) -> Scalar {
        let elem = a.elem.unwrap_or(Elem::I64);
        if !elem.is_float() {
            self.w.fault(format!("`math.{name}` is given `{}`", a.ty()));
        }
        let wide = self.cast(a, elem.accumulator());
        let result = self.op(format!("math.{name} {} : {}", wide.name, wide.ty()), wide.elem);
        self.cast(&result, elem)
    }

    /// Does the same as [`Body::math`] for two operands.
    pub(crate) fn math2(&mut self, name: &str, a: &Scalar, b: &Scalar) -> Scalar {
        let elem = a.elem.unwrap_or(Elem::I64);
        let (x, y) = (self.cast(a, elem.accumulator()), self.cast(b, elem.accumulator()));
        let result = self.two(&format!("math.{name}"), &x, &y);
        self.cast(&result, elem)
    }

    /// The element of a tensor at indices.
    pub(crate) fn extract(&mut self, tensor: &str, ty: &str, elem: Elem, at: &[Scalar]) -> Scalar {
        let rank = ty.matches('x').count() - usize::from(ty.ends_with("xindex>"));
        if rank != at.len() {
            self.w.fault(format!("`{ty}` is read at {} indices", at.len()));
        }
        let at: Vec<_> = at.iter().map(|s| s.name.as_str()).collect();
        self.op(format!("tensor.extract {tensor}[{}] : {ty}", at.join(", ")), Some(elem))
    }

    /// Fails the call of the program where a condition does not hold.
    pub(crate) fn demand(&mut self, condition: &Scalar, message: &str) {
        self.w.line(format!("cf.assert {}, {}", condition.name, quote(message)));
    }

    /// Converts an integer to an index.
    pub(crate) fn to_index(&mut self, a: &Scalar) -> Scalar {
        match a.elem {
            None => a.clone(),
            Some(e) => {
                if e.is_float() {
                    self.w.fault(format!("an index is of type `{}`", a.ty()));
                }
                let cast = if e.is_unsigned() { "arith.index_castui" } else { "arith.index_cast" };
                self.op(format!("{cast} {} : {} to index", a.name, a.ty()), None)
            }
        }
    }

    /// ONNX `Cast`: floats to integers toward zero, integers wrap, to bool is `≠ 0`.
    pub(crate) fn cast(&mut self, a: &Scalar, to: Elem) -> Scalar {
        let Some(from) = a.elem else {
            let wide = self.op(format!("arith.index_cast {} : index to i64", a.name), Some(Elem::I64));
            return self.cast(&wide, to);
        };
        if from != to && (from.is_narrow() || to.is_narrow()) {
            return self.convert(a, to, super::narrow::Narrowing::default());
        }
        let convert = |name: &str| format!("{name} {} : {} to {}", a.name, from.mlir(), to.mlir());
        if from == to || (from.mlir() == to.mlir() && to != Elem::Bool) {
            return Scalar { name: a.name.clone(), elem: Some(to) };
        }
        if to == Elem::Bool {
            let zero = self.like(a, 0.0);
            let text = if from.is_float() {
                format!("arith.cmpf une, {}, {} : {}", a.name, zero.name, a.ty())
            } else {
                format!("arith.cmpi ne, {}, {} : {}", a.name, zero.name, a.ty())
            };
            return self.op(text, Some(to));
        }
        match (from.is_float(), to.is_float()) {
            (true, true) if from.size() == to.size() => {
                let wide = self.cast(a, Elem::F32);
                self.cast(&wide, to)
            }
            (true, true) => {
                self.op(convert(if from.size() < to.size() { "arith.extf" } else { "arith.truncf" }), Some(to))
            }
            (false, true) => {
                self.op(convert(if from.is_unsigned() { "arith.uitofp" } else { "arith.sitofp" }), Some(to))
            }
            (true, false) if to.size() < 8 => {
                // Through the widest integer: out-of-range values then wrap, as numpy's do.
                let wide = self.op(format!("arith.fptosi {} : {} to i64", a.name, a.ty()), Some(Elem::I64));
                self.cast(&wide, to)
            }
            (true, false) => self.op(convert(if to == Elem::U64 { "arith.fptoui" } else { "arith.fptosi" }), Some(to)),
            (false, false) if from.bits() > to.bits() => self.op(convert("arith.trunci"), Some(to)),
            (false, false) => {
                self.op(convert(if from.is_unsigned() { "arith.extui" } else { "arith.extsi" }), Some(to))
            }
        }
    }

    /// A float that is known to fit, as an i32.
    pub(crate) fn whole(&mut self, a: &Scalar) -> Scalar {
        self.op(format!("arith.fptosi {} : {} to i32", a.name, a.ty()), Some(Elem::I32))
    }
}
