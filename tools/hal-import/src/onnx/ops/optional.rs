//! Optionals: import knows whether they hold a value.
use super::Entry;
use crate::onnx::{
    Elem, Num, Tensor, Value,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("Optional", |_, n| Ok(vec![n.optional(0).cloned().unwrap_or_else(Value::absent)])),
    ("OptionalHasElement", |_, n| {
        let holds = n.optional(0).is_some_and(|v| !v.is_absent());
        Ok(vec![Value::constant(Tensor::scalar(Elem::Bool, Num::I(holds.into())))])
    }),
    ("OptionalGetElement", |_, n| match n.optional(0) {
        None => invalid("input 0 is missing"),
        Some(v) if v.is_absent() => unsupported("the optional holds nothing"),
        Some(v) => Ok(vec![v.clone()]),
    }),
];
