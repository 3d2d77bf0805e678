//! What each operation says about the sizes of its results.
use super::{Size, Sizes, binary, key};
use halyard_ir::{AffineKind, Attr, Op, Structured, Value};

impl Sizes {
    pub(super) fn visit(&mut self, op: Op) {
        let name = op.name();
        if let Some(structured) = Structured::of(op) {
            return self.structured(op, &structured);
        }
        match &*name {
            "tensor.empty" | "bufferization.alloc_tensor" => {
                let mut given = op.operands().into_iter();
                let shape = op.result(0).ty().shape();
                let dims = shape
                    .iter()
                    .map(|d| d.map_or_else(|| given.next().map_or(Size::Any, |v| self.number(v)), Size::Known));
                let dims: Vec<Size> = dims.collect();
                self.shapes.insert(key(op.result(0)), dims);
            }
            "tensor.dim" => {
                let dims = self.shape(op.operand(0));
                let size = match self.number(op.operand(1)) {
                    Size::Known(d) => usize::try_from(d).ok().and_then(|d| dims.get(d).cloned()).unwrap_or(Size::Any),
                    _ => Size::Any,
                };
                self.values.insert(key(op.result(0)), size);
            }
            "tensor.cast" => {
                let (from, to) = (self.shape(op.operand(0)), op.result(0).ty().shape());
                let mut dims = Vec::new();
                for (from, to) in from.into_iter().zip(to) {
                    if let Some(n) = to {
                        self.equate(&from, &Size::Known(n));
                    }
                    dims.push(to.map_or(from, Size::Known));
                }
                self.shapes.insert(key(op.result(0)), dims);
            }
            "tensor.pad" => {
                let dims = self.shape(op.operand(0));
                let mut given = op.operands().into_iter().skip(1);
                let (low, high) =
                    (self.listed(op, "static_low", &mut given), self.listed(op, "static_high", &mut given));
                let dims: Vec<Size> =
                    dims.into_iter().zip(low).zip(high).map(|((d, l), h)| binary("+", binary("+", d, l), h)).collect();
                self.define(op.result(0), dims);
            }
            "tensor.collapse_shape" | "tensor.expand_shape" => self.reshape(op, name == "tensor.collapse_shape"),
            "tensor.extract_slice" => {
                let mut given = op.operands().into_iter().skip(1);
                // Operands are in the order of the lists.
                self.listed(op, "static_offsets", &mut given);
                let sizes = self.listed(op, "static_sizes", &mut given);
                if sizes.len() == op.result(0).ty().rank() {
                    self.define(op.result(0), sizes);
                }
            }
            "tensor.insert_slice" => {
                let dims = self.shape(op.operand(1));
                self.define(op.result(0), dims);
            }
            "linalg.softmax" => {
                let (from, to) = (self.shape(op.operand(0)), self.shape(op.operand(1)));
                from.iter().zip(&to).for_each(|(a, b)| self.equate(a, b));
                self.define(op.result(0), from);
            }
            "arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.extui" | "arith.trunci" => {
                let number = self.number(op.operand(0));
                self.values.insert(key(op.result(0)), number);
            }
            _ if op.operand_count() == 2 && op.result_count() == 1 => {
                let how = match &*name {
                    "arith.addi" => "+",
                    "arith.subi" => "-",
                    "arith.muli" => "*",
                    "arith.divsi" | "arith.divui" | "arith.floordivsi" => "floor",
                    "arith.ceildivsi" | "arith.ceildivui" => "ceil",
                    "arith.remsi" | "arith.remui" => "mod",
                    "arith.maxsi" | "arith.maxui" => "max",
                    "arith.minsi" | "arith.minui" => "min",
                    _ => return,
                };
                let size = binary(how, self.number(op.operand(0)), self.number(op.operand(1)));
                self.values.insert(key(op.result(0)), size);
            }
            "affine.apply" => {
                let Some(map) = op.attr("map").and_then(Attr::as_affine_map) else { return };
                let operands: Vec<Size> = op.operands().into_iter().map(|v| self.number(v)).collect();
                if let Some(expression) = map.results().first() {
                    let size = affine(expression, map.dims(), &operands);
                    self.values.insert(key(op.result(0)), size);
                }
            }
            _ => {}
        }
    }

    /// The numbers of a list such as `static_sizes`, whose dynamic entries stand for the next operands.
    fn listed(&self, op: Op, name: &str, operands: &mut impl Iterator<Item = Value>) -> Vec<Size> {
        let fixed = op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
        let number = |n| match n {
            i64::MIN => operands.next().map_or(Size::Any, |v| self.number(v)),
            n => Size::Known(n),
        };
        fixed.into_iter().map(number).collect()
    }

    /// The sizes of a result, which its type may know better.
    pub(super) fn define(&mut self, value: Value, dims: Vec<Size>) {
        let shape = value.ty().shape();
        for (dim, fixed) in dims.iter().zip(&shape) {
            if let Some(n) = fixed {
                self.equate(dim, &Size::Known(*n));
            }
        }
        let dims = dims.into_iter().zip(shape).map(|(dim, fixed)| fixed.map_or(dim, Size::Known)).collect();
        self.shapes.insert(key(value), dims);
    }
}

/// An affine expression of sizes: dimensions first, then symbols.
pub(super) fn affine(expression: &AffineKind, dims: usize, operands: &[Size]) -> Size {
    let of = |e: &AffineKind| affine(e, dims, operands);
    match expression {
        AffineKind::Dim(d) => operands.get(*d).cloned().unwrap_or(Size::Any),
        AffineKind::Symbol(s) => operands.get(dims + s).cloned().unwrap_or(Size::Any),
        AffineKind::Constant(n) => Size::Known(*n),
        AffineKind::Add(a, b) => binary("+", of(a), of(b)),
        AffineKind::Mul(a, b) => binary("*", of(a), of(b)),
        AffineKind::Mod(a, b) => binary("mod", of(a), of(b)),
        AffineKind::FloorDiv(a, b) => binary("floor", of(a), of(b)),
        AffineKind::CeilDiv(a, b) => binary("ceil", of(a), of(b)),
    }
}
