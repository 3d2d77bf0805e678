//! The sizes of a source that are not fixed: which belong together, and numbers for them.
//!
//! Sizes of arguments and `index` arguments are unknowns. Operations say which are equal or follow from others; what this
//! does not see is left to the checks in the reference, which refuse sizes that do not fit.
mod choice;
mod operations;
mod structured;

pub(crate) use choice::Chosen;

use halyard_ir::{Op, Value, form::Interface};
use std::collections::HashMap;

/// A size in terms of the unknowns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Size {
    Known(i64),
    Unknown(usize),
    Of(&'static str, Box<Size>, Box<Size>),
    /// Nothing is known of it.
    Any,
}

/// The unknowns of an export.
#[derive(Debug, Default)]
pub(crate) struct Sizes {
    /// What each unknown was found to be.
    bound: Vec<Option<Size>>,
    /// Which of them are numbers, not sizes: offsets and the like.
    numbers: Vec<bool>,
    /// What must be equal, beyond that.
    equal: Vec<(Size, Size)>,
    /// For each argument: its sizes; that of a scalar is its value.
    pub(crate) arguments: Vec<Vec<Size>>,
    /// For each result.
    pub(crate) results: Vec<Vec<Size>>,
    values: HashMap<usize, Size>,
    shapes: HashMap<usize, Vec<Size>>,
}

impl Sizes {
    /// Finds the unknowns of a function on tensors, and how they belong together.
    pub(crate) fn of(function: Op, interface: &Interface) -> Self {
        let mut sizes = Self::default();
        let Some(body) = function.body() else { return sizes };
        for argument in body.args() {
            let ty = argument.ty();
            let dims = if ty.is_ranked_tensor() {
                let dims = sizes.of_shape(&ty.shape());
                sizes.shapes.insert(key(argument), dims.clone());
                dims
            } else if ty.is_index() || ty.is_integer() {
                let value = sizes.unknown();
                *sizes.numbers.last_mut().expect("just made") = true;
                sizes.values.insert(key(argument), value.clone());
                vec![value]
            } else {
                Vec::new()
            };
            sizes.arguments.push(dims);
        }
        function.walk(&mut |op| sizes.visit(op));
        let returned = body.terminator().map(|end| end.operands()).unwrap_or_default();
        for (i, &value) in returned.iter().enumerate() {
            let dims = sizes.shape(value);
            let given = interface.dims.get(i).cloned().unwrap_or_default();
            let dynamic =
                value.ty().shape().iter().enumerate().filter(|(_, d)| d.is_none()).map(|(d, _)| d).collect::<Vec<_>>();
            for (&d, &argument) in dynamic.iter().zip(&given) {
                let said = sizes.arguments.get(argument).and_then(|a| a.first().cloned()).unwrap_or(Size::Any);
                sizes.equate(&dims[d], &said);
            }
            if let Some(Some(tied)) = interface.tied.get(i) {
                let other = sizes.arguments[*tied].clone();
                dims.iter().zip(&other).for_each(|(a, b)| sizes.equate(a, b));
            }
            sizes.results.push(dims);
        }
        sizes
    }

    /// Gives the value of a scalar argument.
    pub(crate) fn fix(&mut self, argument: usize, value: i64) {
        if let Some(size) = self.arguments.get(argument).and_then(|a| a.first().cloned()) {
            self.equate(&size, &Size::Known(value));
        }
    }

    /// Whether there is anything to choose.
    pub(crate) fn is_static(&self) -> bool {
        self.bound.is_empty()
    }

    fn unknown(&mut self) -> Size {
        self.bound.push(None);
        self.numbers.push(false);
        Size::Unknown(self.bound.len() - 1)
    }

    fn of_shape(&mut self, shape: &[Option<i64>]) -> Vec<Size> {
        shape.iter().map(|d| d.map_or_else(|| self.unknown(), Size::Known)).collect()
    }

    /// The sizes of a tensor; made up if it is new.
    pub(crate) fn shape(&mut self, tensor: Value) -> Vec<Size> {
        if let Some(known) = self.shapes.get(&key(tensor)) {
            return known.clone();
        }
        let shape: Vec<Size> = tensor.ty().shape().iter().map(|d| d.map_or(Size::Any, Size::Known)).collect();
        self.shapes.insert(key(tensor), shape.clone());
        shape
    }

    fn number(&self, value: Value) -> Size {
        if let Some(known) = self.values.get(&key(value)) {
            return known.clone();
        }
        value.constant().map_or(Size::Any, Size::Known)
    }

    fn resolve(&self, size: &Size) -> Size {
        match size {
            Size::Unknown(i) => self.bound[*i].as_ref().map_or_else(|| size.clone(), |s| self.resolve(s)),
            other => other.clone(),
        }
    }

    fn mentions(&self, size: &Size, unknown: usize) -> bool {
        match self.resolve(size) {
            Size::Unknown(i) => i == unknown,
            Size::Of(_, a, b) => self.mentions(&a, unknown) || self.mentions(&b, unknown),
            _ => false,
        }
    }

    fn equate(&mut self, a: &Size, b: &Size) {
        match (self.resolve(a), self.resolve(b)) {
            (Size::Any, _) | (_, Size::Any) => {}
            (a, b) if a == b => {}
            (Size::Unknown(i), other) | (other, Size::Unknown(i)) if !self.mentions(&other, i) => {
                self.bound[i] = Some(other)
            }
            pair => self.equal.push(pair),
        }
    }
}

pub(crate) fn key(value: Value) -> usize {
    value.0.ptr as usize
}

fn binary(how: &'static str, a: Size, b: Size) -> Size {
    match (how, &a, &b) {
        (_, Size::Any, _) | (_, _, Size::Any) => Size::Any,
        ("+" | "-", _, Size::Known(0)) | ("*", _, Size::Known(1)) => a,
        ("+", Size::Known(0), _) | ("*", Size::Known(1), _) => b,
        ("+", Size::Of("-", x, y), _) if **y == b => (**x).clone(),
        ("+", Size::Known(x), Size::Known(y)) => Size::Known(x + y),
        ("*", Size::Known(x), Size::Known(y)) => Size::Known(x.saturating_mul(*y)),
        ("-", Size::Known(x), Size::Known(y)) => Size::Known(x - y),
        _ => Size::Of(how, Box::new(a), Box::new(b)),
    }
}
