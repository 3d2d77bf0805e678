//! The value of a name of the graph.
mod ragged;
mod ramps;
mod words;

pub(crate) use ragged::Ragged;
pub(crate) use words::Words;

use super::{Dim, Elem, Ramp, Tensor};
use std::{cell::RefCell, rc::Rc};

/// Elements that are known at import.
#[derive(Debug, Clone)]
pub(crate) enum Known {
    /// Numbers.
    Tensor(Rc<Tensor>),
    /// Integers, row-major, that may depend on dynamic dimensions: the results of `Shape` and of shape arithmetic.
    Dims(Rc<Vec<Dim>>),
}

/// A tensor of the graph: its type, its elements if known, and its name in the module once it has one.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) elem: Elem,
    pub(crate) shape: Vec<Dim>,
    pub(crate) known: Option<Known>,
    /// The name in the module; shared by all copies, since constants are written when first used.
    pub(crate) ssa: Rc<RefCell<Option<String>>>,
    /// Set for a sequence, of which nothing else counts.
    pub(crate) sequence: Option<Rc<Vec<Value>>>,
    /// Set for a sequence whose length only a run knows.
    pub(crate) ragged: Option<Rc<Ragged>>,
    /// The integers that it was dequantised from.
    pub(crate) quantised: Option<Rc<Quantised>>,
    /// For f32 that a constant of f16 or bf16 was made of, and i32 of bytes: that constant.
    pub(crate) narrow: Option<Rc<Value>>,
    /// For integers that follow from the place of each: how; several for lists, which the last dimension has.
    pub(crate) ramps: Option<Rc<Vec<Ramp>>>,
    /// For a tensor of strings, the meaning of its integers.
    pub(crate) words: Option<Words>,
    /// The name in the node that reads it, for messages.
    pub(crate) label: Option<Rc<str>>,
}

/// The parts of `(numbers - zero) * scale`; lists of zeros and scales are along an axis, or there is one for each block along it.
#[derive(Debug, Clone)]
pub(crate) struct Quantised {
    pub(crate) numbers: Value,
    pub(crate) scale: Value,
    pub(crate) zero: Option<Value>,
    pub(crate) axis: usize,
    /// The size of a block; 0 without blocks.
    pub(crate) block: i64,
}

impl Value {
    /// A tensor of which nothing is known but its type, and that nothing computes yet.
    fn of_type(elem: Elem, shape: Vec<Dim>) -> Self {
        Self {
            elem,
            shape,
            known: None,
            ssa: Rc::default(),
            sequence: None,
            ragged: None,
            quantised: None,
            narrow: None,
            ramps: None,
            words: None,
            label: None,
        }
    }

    pub(crate) fn new(ssa: impl Into<String>, elem: Elem, shape: Vec<Dim>) -> Self {
        Self { ssa: Rc::new(RefCell::new(Some(ssa.into()))), ..Self::of_type(elem, shape) }
    }

    pub(crate) fn constant(tensor: Tensor) -> Self {
        let shape = tensor.shape.iter().map(|&d| Dim::fixed(d as i64)).collect();
        let value = Self::of_type(tensor.elem, shape);
        Self { known: Some(Known::Tensor(Rc::new(tensor))), ..value }
    }

    /// Integers that may depend on dynamic dimensions. `shape` is static and holds as many.
    pub(crate) fn dims(elem: Elem, shape: Vec<Dim>, dims: Vec<Dim>) -> Self {
        if let Some(numbers) = super::dims::fixed(&dims) {
            let shape = shape.iter().map(|d| d.get().unwrap_or(0) as usize).collect();
            return Self::constant(Tensor::from_ints(elem, &numbers).reshaped(shape));
        }
        Self { known: Some(Known::Dims(Rc::new(dims))), ..Self::of_type(elem, shape) }
    }

    pub(crate) fn of_sequence(values: Vec<Self>) -> Self {
        let elem = values.first().map_or(Elem::F32, |v| v.elem);
        Self { sequence: Some(Rc::new(values)), ..Self::of_type(elem, Vec::new()) }
    }

    /// Makes an empty optional.
    pub(crate) fn absent() -> Self {
        Self::of_type(Elem::F32, Vec::new())
    }

    /// Whether it is an empty optional.
    pub(crate) fn is_absent(&self) -> bool {
        self.known.is_none() && !self.is_sequence() && self.ssa.borrow().is_none()
    }

    /// Whether it is a sequence.
    pub(crate) fn is_sequence(&self) -> bool {
        self.sequence.is_some() || self.ragged.is_some()
    }

    /// Whether it is a tensor: neither a sequence nor an empty optional.
    pub(crate) fn is_tensor(&self) -> bool {
        !self.is_sequence() && !self.is_absent()
    }

    /// The tensors that it is made of: the elements of a sequence, none of an optional that holds nothing.
    pub(crate) fn tensors(&self) -> Vec<Self> {
        if let Some(r) = &self.ragged {
            return vec![r.data.clone(), r.table.clone()];
        }
        match &self.sequence {
            Some(list) => list.iter().flat_map(Self::tensors).collect(),
            None if self.is_absent() => Vec::new(),
            None => match &self.words {
                Some(Words::Spans(bytes)) => vec![Self { words: None, ..self.clone() }, (**bytes).clone()],
                _ => vec![self.clone()],
            },
        }
    }

    /// A value that is made as this one, of other tensors.
    pub(crate) fn of_tensors(&self, tensors: &mut impl Iterator<Item = Self>) -> Self {
        if let Some(r) = &self.ragged {
            let mut next = || tensors.next().expect("as many tensors as it is made of");
            let (data, table) = (next(), next());
            return Self::of_ragged(Ragged { data, table, rank: r.rank });
        }
        match &self.sequence {
            Some(list) => Self::of_sequence(list.iter().map(|v| v.of_tensors(tensors)).collect()),
            None if self.is_absent() => self.clone(),
            None => {
                let mut next = || tensors.next().expect("as many tensors as it is made of");
                let numbers = next();
                let words = match &self.words {
                    Some(Words::Spans(_)) => Some(Words::Spans(Rc::new(next()))),
                    words => words.clone(),
                };
                Self { words, ..numbers }
            }
        }
    }

    /// Whether both consist of the same number of tensors in the same structure.
    pub(crate) fn is_made_as(&self, other: &Self) -> bool {
        if let (Some(a), Some(b)) = (&self.ragged, &other.ragged) {
            return a.rank == b.rank && a.data.elem == b.data.elem;
        }
        match (&self.sequence, &other.sequence) {
            _ if self.ragged.is_some() || other.ragged.is_some() => false,
            (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.is_made_as(b)),
            (None, None) => {
                self.is_absent() == other.is_absent() && Words::are_alike(self.words.as_ref(), other.words.as_ref())
            }
            _ => false,
        }
    }

    /// Whether both are surely the same tensor.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let named = || matches!((&*self.ssa.borrow(), &*other.ssa.borrow()), (Some(a), Some(b)) if a == b);
        self.elem == other.elem
            && self.ty() == other.ty()
            && Words::are_one(self.words.as_ref(), other.words.as_ref())
            && (Rc::ptr_eq(&self.ssa, &other.ssa) || named())
    }

    /// Describes the kind of value, for messages.
    pub(crate) fn kind(&self) -> String {
        match &self.sequence {
            Some(list) => format!("a sequence of {}", list.len()),
            None if self.ragged.is_some() => "a sequence of unknown length".into(),
            None if self.is_absent() => "an optional that holds nothing".into(),
            None if self.words.is_some() => "a tensor of strings".into(),
            None => format!("`{}`", self.ty()),
        }
    }

    /// The value under the name that the model has for it.
    pub(crate) fn called(self, name: &str) -> Self {
        Self { label: Some(name.into()), ..self }
    }

    pub(crate) fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Returns the elements, if all are known.
    pub(crate) fn tensor(&self) -> Option<&Tensor> {
        match &self.known {
            Some(Known::Tensor(t)) => Some(t),
            _ => None,
        }
    }

    /// The one number that all elements are, if that is known.
    pub(crate) fn splat(&self) -> Option<super::tensor::Num> {
        self.tensor().and_then(Tensor::as_splat)
    }

    /// The integers, if all are known but for dynamic dimensions.
    pub(crate) fn as_dims(&self) -> Option<Vec<Dim>> {
        match &self.known {
            Some(Known::Dims(dims)) => Some(dims.to_vec()),
            // Longer ones are no lists of sizes.
            Some(Known::Tensor(t)) if !t.elem.is_float() && t.len() <= 4096 => {
                Some(t.ints().into_iter().map(Dim::fixed).collect())
            }
            _ => None,
        }
    }

    /// Returns the number of elements, if it is known and does not overflow.
    pub(crate) fn count(&self) -> Option<i64> {
        self.shape.iter().try_fold(1i64, |n, d| n.checked_mul(d.get()?))
    }

    /// Whether it surely has no elements.
    pub(crate) fn is_empty(&self) -> bool {
        self.shape.iter().any(|d| d.is(0))
    }

    /// Returns the type in MLIR.
    pub(crate) fn ty(&self) -> String {
        tensor_type(self.elem, &self.shape)
    }
}

/// Prints a type as `tensor<2x?xf32>`.
pub(crate) fn tensor_type(elem: Elem, shape: &[Dim]) -> String {
    let dims: String = shape.iter().map(|d| d.get().map_or("?x".into(), |d| format!("{d}x"))).collect();
    format!("tensor<{dims}{}>", elem.mlir())
}
