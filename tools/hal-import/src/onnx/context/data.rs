//! Integers of the program's data that the host reads: lists of sizes, choices between sizes, shapes that are known
//! only at run time.
use super::{
    Context,
    require::{Rule, dimension},
};
use crate::onnx::{Dim, Num, Outcome, Scalar, Value, problem::unsupported, value::tensor_type};

impl Context<'_> {
    /// Reads sizes like [`Context::read_dims`], from a list whose length may be known only at run time. `length` is
    /// the length that fits, if it is known otherwise; `what` names the list in errors.
    pub(crate) fn read_list(&mut self, list: &Value, length: Option<usize>, what: &str) -> Outcome<Vec<Dim>> {
        let list = &self.settle(list);
        let Some(own) = (list.rank() == 1).then(|| list.shape[0].clone()).filter(|d| d.get().is_none()) else {
            return self.read_dims(list);
        };
        let Some(length) = length else {
            return unsupported(format!(
                "how many numbers {what} holds is not known at import; make it a constant, or give it or the result a shape"
            ));
        };
        let wanted = Dim::fixed(length as i64);
        let text = format!("{} is {{0}}, not {{1}}, the number that fits", dimension(list, 0));
        self.require(Rule::Equal(own.clone(), wanted.clone()), &text, &[&own, &wanted])?;
        let list = self.settle(list);
        self.read_dims(&list)
    }

    /// The one element of a value, as a scalar of the host program.
    pub(crate) fn read_scalar(&mut self, value: &Value) -> Outcome<Scalar> {
        let flat = self.reshape(value, &[])?;
        let ssa = self.ssa(&flat);
        Ok(self.body().extract(&ssa, &flat.ty(), flat.elem, &[]))
    }

    /// Reads the single element of a value that is a size or an axis.
    pub(crate) fn read_dim(&mut self, value: &Value) -> Outcome<Dim> {
        if let Some(number) = value.splat() {
            return Ok(Dim::fixed(number.int() as i64));
        }
        if value.elem.is_float() {
            let number = self.read_scalar(value)?;
            let mut b = self.body();
            let whole = b.cast(&number, crate::onnx::Elem::I64);
            let index = b.to_index(&whole).name;
            return Ok(self.fresh_number(index));
        }
        let flat = self.reshape(value, &[])?;
        Ok(self.read_dims(&flat)?.remove(0))
    }

    /// A comparison of two sizes, as an `i1`.
    pub(crate) fn compare_dims(&mut self, order: &str, a: &Dim, b: &Dim) -> String {
        let (a, b) = (self.index(a), self.index(b));
        self.w.value(format!("arith.cmpi {order}, {a}, {b} : index"))
    }

    /// Selects one of two sizes with an `i1`.
    pub(crate) fn choose(&mut self, condition: &str, yes: &Dim, no: &Dim) -> Dim {
        let (yes, no) = (self.settle_dim(yes), self.settle_dim(no));
        if yes == no {
            return yes;
        }
        let sized = self.is_size(&yes) && self.is_size(&no);
        let (a, b) = (self.index(&yes), self.index(&no));
        let ssa = self.w.value(format!("arith.select {condition}, {a}, {b} : index"));
        if sized { self.fresh_symbol(ssa) } else { self.fresh_number(ssa) }
    }

    /// A number counted from the end of a dimension of this size if it is negative.
    pub(crate) fn from_end(&mut self, number: &Dim, size: &Dim) -> Dim {
        match number.get() {
            Some(v) if v < 0 => size.offset(v),
            Some(_) => number.clone(),
            None if self.is_size(number) => number.clone(),
            None => {
                let negative = self.compare_dims("slt", number, &Dim::fixed(0));
                self.choose(&negative, &number.plus(size), number)
            }
        }
    }

    /// Combines two `i1`.
    pub(crate) fn and_or(&mut self, name: &str, a: &str, b: &str) -> String {
        self.w.value(format!("arith.{name} {a}, {b} : i1"))
    }

    /// Returns a constant `i1`.
    pub(crate) fn flag(&mut self, on: bool) -> String {
        self.scalar(crate::onnx::Elem::Bool, Num::I(on.into()))
    }

    /// Reshapes to a shape with surely the same number of elements, if the grouping of dimensions is unknown.
    pub(crate) fn regroup(&mut self, value: &Value, shape: &[Dim]) -> Value {
        let (value, shape) = (&self.settle(value), &*self.settle_shape(shape));
        if value.shape == shape {
            return value.clone();
        }
        if value.is_empty() || shape.iter().any(|d| d.is(0)) {
            return self.empty(value.elem, shape);
        }
        let sizes: Vec<_> = shape.iter().map(|d| self.index(d)).collect();
        let ty = format!("tensor<{}xindex>", sizes.len());
        let list = if sizes.is_empty() {
            self.w.value(format!("tensor.empty() : {ty}"))
        } else {
            self.w.value(format!("tensor.from_elements {} : {ty}", sizes.join(", ")))
        };
        let (ssa, result) = (self.ssa(value), tensor_type(value.elem, shape));
        let text = format!("tensor.reshape {ssa}({list}) : ({}, {ty}) -> {result}", value.ty());
        let made = self.value(text, value.elem, shape.to_vec());
        Value { label: value.label.clone(), ..made }
    }

    /// A result with what the model declares of its shape, where that is more than was inferred; the run checks it.
    pub(crate) fn as_declared(&mut self, value: Value, declared: Option<&[Option<i64>]>) -> Outcome<Value> {
        let Some(declared) = declared.filter(|d| d.len() == value.rank()) else { return Ok(value) };
        for (i, size) in declared.iter().enumerate() {
            if let Some(size) = size
                && value.shape[i].get().is_none()
            {
                let (own, size) = (value.shape[i].clone(), Dim::fixed(*size));
                let text = format!("dimension {i} of the result is {{0}}, where the model declares {{1}}");
                self.require(Rule::Equal(own.clone(), size.clone()), &text, &[&own, &size])?;
            }
        }
        Ok(self.settle(&value))
    }
}
