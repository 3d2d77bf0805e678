//! Labels of classes.
use crate::onnx::{Context, Elem, Node, Order, Outcome, Tensor, Value, problem::invalid, value::Words as Strings};
use std::rc::Rc;

/// The labels of a classifier.
pub(super) enum Labels {
    Numbers(Vec<i64>),
    Words(Vec<String>),
}

impl Labels {
    /// Reads the labels of a node; `numbers` is the name of the attribute with integers.
    pub(super) fn of(n: &Node, numbers: &str) -> Outcome<Self> {
        let words = n.strings("classlabels_strings").filter(|l| !l.is_empty());
        let numbers = n.ints(numbers).filter(|l| !l.is_empty());
        match (words, numbers) {
            (Some(words), None) => Ok(Self::Words(words)),
            (None, Some(numbers)) => Ok(Self::Numbers(numbers)),
            (None, None) => invalid("there are no labels"),
            _ => invalid("there are two lists of labels"),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(list) => list.len(),
            Self::Words(list) => list.len(),
        }
    }

    /// The labels of the classes that a list of positions (i64) names.
    pub(super) fn at(&self, c: &mut Context<'_>, places: &Value) -> Outcome<Value> {
        match self {
            Self::Words(words) => Ok(Value { words: Some(Strings::Known(Rc::new(words.clone()))), ..places.clone() }),
            Self::Numbers(list) if list.iter().enumerate().all(|(i, l)| *l == i as i64) => Ok(places.clone()),
            Self::Numbers(list) => pick(c, places, &Value::constant(Tensor::from_ints(Elem::I64, list))),
        }
    }

    /// Selects one of two labels with a list of flags; for a single class the labels are 1 and 0.
    pub(super) fn choose(&self, c: &mut Context<'_>, flags: &Value) -> Outcome<Value> {
        if self.len() == 2 {
            let places = super::super::matmul::narrowed(c, flags, Elem::I64)?;
            return self.at(c, &places);
        }
        match self {
            Self::Numbers(_) => super::super::matmul::narrowed(c, flags, Elem::I64),
            Self::Words(_) => invalid("two labels are needed"),
        }
    }
}

/// Reads elements of a constant list at positions that are valid by construction: clamped without a check.
pub(super) fn pick(c: &mut Context<'_>, places: &Value, list: &Value) -> Outcome<Value> {
    let (ssa, ty, elem) = (c.ssa(list), list.ty(), list.elem);
    let last = list.shape[0].get().unwrap_or(1) - 1;
    c.elementwise(std::slice::from_ref(places), elem, |b, v| {
        let (last, zero) = (b.int(Elem::I64, last), b.int(Elem::I64, 0));
        let at = b.max(&v[0], &zero);
        let at = b.min(&at, &last);
        let at = b.to_index(&at);
        b.extract(&ssa, &ty, elem, &[at])
    })
}

/// The position of the largest score of each row.
pub(super) fn best(c: &mut Context<'_>, scores: &Value) -> Outcome<Value> {
    super::super::arg::extreme(c, scores, 1, true, false)
}

/// Whether the score of each row (a single column) exceeds a number.
pub(super) fn above(c: &mut Context<'_>, scores: &Value, than: f64) -> Outcome<Value> {
    let shape = [scores.shape[0].clone()];
    let list = c.reshape(scores, &shape)?;
    c.elementwise(&[list], Elem::Bool, |b, v| {
        let than = b.like(&v[0], than);
        b.compare(Order::Gt, &v[0], &than)
    })
}
