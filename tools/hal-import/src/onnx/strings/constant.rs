//! Strings of the model.
use crate::onnx::value::Words;
use crate::onnx::{Elem, Outcome, Tensor, Value, problem::invalid, proto::TensorProto};
use std::{collections::HashMap, rc::Rc};

/// A constant of strings. Errors: there are not as many as its shape says, or one is not UTF-8.
pub(crate) fn constant(proto: &TensorProto) -> Outcome<Value> {
    let name = proto.name.as_deref().unwrap_or_default();
    let (mut places, mut words, mut numbers) = (HashMap::new(), Vec::new(), Vec::new());
    for string in &proto.string_data {
        let Ok(text) = std::str::from_utf8(string) else {
            return invalid(format!("tensor `{name}` holds a string that is not UTF-8"));
        };
        numbers.push(*places.entry(text).or_insert_with(|| {
            words.push(text.to_owned());
            words.len() as i64 - 1
        }));
    }
    let shape: Option<Vec<usize>> = proto.dims.iter().map(|&d| usize::try_from(d).ok()).collect();
    let count = shape.as_ref().and_then(|s| s.iter().try_fold(1usize, |n, &d| n.checked_mul(d)));
    match shape.filter(|_| count == Some(numbers.len())) {
        Some(shape) => {
            let tensor = Tensor::from_ints(Elem::I64, &numbers).reshaped(shape).named(proto.name.clone());
            Ok(Value { words: Some(Words::Known(Rc::new(words))), ..Value::constant(tensor) })
        }
        None => invalid(format!("tensor `{name}` has {} strings for shape {:?}", numbers.len(), proto.dims)),
    }
}
