//! Strings. A program has none: a tensor of strings is one of numbers, each of which stands for a string that is known at
//! import. Operators that compare or map strings look these up; others only move them.
use crate::onnx::{
    Elem, Node, Outcome, Problem, Tensor, Value,
    problem::unsupported,
    proto::TensorProto,
};
use std::{collections::HashMap, rc::Rc};

/// Operators whose result has the strings of an input, since they only move elements.
const MOVERS: &[&str] = &[
    "Concat", "Expand", "Flatten", "Gather", "GatherElements", "GatherND", "Identity", "Reshape", "Slice", "Squeeze", "Tile",
    "Transpose", "Unsqueeze", "Where", "ArrayFeatureExtractor",
];

/// Operators of `ai.onnx.ml` that know strings.
const READERS: &[&str] = &["LabelEncoder", "OneHotEncoder", "CategoryMapper"];

/// Operators that know of an input's sizes only.
const MEASURERS: &[&str] = &["Shape", "Size"];

/// The strings of the first result of a node that moves some. Errors: its operator does not know strings.
pub(super) fn carried(node: &Node, domain: &str) -> Outcome<Option<Rc<Vec<String>>>> {
    let mut found: Option<&Rc<Vec<String>>> = None;
    for (i, words) in node.inputs.iter().enumerate().filter_map(|(i, v)| Some((i, v.as_ref()?.words.as_ref()?))) {
        if found.is_some_and(|had| had != words) {
            return unsupported(format!("input {i} has other strings than the inputs before"));
        }
        found = Some(words);
    }
    let Some(words) = found else { return Ok(None) };
    let op = node.op.as_str();
    if (domain.is_empty() && MEASURERS.contains(&op)) || (domain == "ai.onnx.ml" && READERS.contains(&op)) {
        return Ok(None);
    }
    let own = op != "Concat" || node.inputs.iter().flatten().all(|v| v.words.is_some());
    let own = own && (op != "Where" || node.inputs[1..].iter().flatten().all(|v| v.words.is_some()));
    if MOVERS.contains(&op) && own {
        return Ok(Some(words.clone()));
    }
    unsupported("an input holds strings, which this operator does not know")
}

/// A constant of strings.
pub(super) fn constant(proto: &TensorProto) -> Value {
    let mut places = HashMap::new();
    let mut words = Vec::new();
    let numbers: Vec<_> = proto
        .string_data
        .iter()
        .map(|s| {
            *places.entry(s.clone()).or_insert_with(|| {
                words.push(String::from_utf8_lossy(s).into_owned());
                words.len() as i64 - 1
            })
        })
        .collect();
    let shape: Vec<_> = proto.dims.iter().map(|d| *d as usize).collect();
    let tensor = Tensor::from_ints(Elem::I64, &numbers);
    let tensor = if shape.iter().product::<usize>() == numbers.len() { tensor.reshaped(shape) } else { tensor };
    Value { words: Some(Rc::new(words)), ..Value::constant(tensor.named(proto.name.clone())) }
}

/// Why an output of strings is not given.
pub(super) fn refused() -> Problem {
    Problem::Unsupported(
        "it holds strings; `--onnx-strings=number` gives the number of each in the model's list instead".into(),
    )
}
