//! Passes strings through operators: those that only move elements move the integers that represent strings.
use crate::onnx::{
    Context, Node, Outcome, Value,
    problem::{invalid, unsupported},
    strings::unknown_to,
    value::Words,
};

/// Operators whose results have the strings of some inputs, since they only move elements, and which inputs these are (all where there are none).
const MOVERS: &[(&str, &[usize])] = &[
    ("ArrayFeatureExtractor", &[0]),
    ("CenterCropPad", &[0]),
    ("Compress", &[0]),
    ("Concat", &[]),
    ("DepthToSpace", &[0]),
    ("Expand", &[0]),
    ("Flatten", &[0]),
    ("Gather", &[0]),
    ("GatherElements", &[0]),
    ("GatherND", &[0]),
    ("Identity", &[0]),
    ("OneHot", &[2]),
    ("Pad", &[0, 2]),
    ("Reshape", &[0]),
    ("ReverseSequence", &[0]),
    ("Scatter", &[0, 2]),
    ("ScatterElements", &[0, 2]),
    ("ScatterND", &[0, 2]),
    ("Slice", &[0]),
    ("SpaceToDepth", &[0]),
    ("Split", &[0]),
    ("SplitToSequence", &[0]),
    ("Squeeze", &[0]),
    ("TensorScatter", &[0, 1]),
    ("Tile", &[0]),
    ("Transpose", &[0]),
    ("Trilu", &[0]),
    ("Unsqueeze", &[0]),
    ("Where", &[1, 2]),
];

/// The operators among them that add elements with value 0, which is the empty string if they are spans.
const FILLERS: &[&str] = &["CenterCropPad", "Pad", "Trilu"];

/// The operators that compute with zeros and ones, or add up several updates of one element.
const COMBINERS: &[&str] = &["Scatter", "ScatterElements", "ScatterND"];

/// Operators that know strings, and those that only know of an input's sizes.
const READERS: &[(&str, &str)] = &[
    ("", "Cast"),
    ("", "CastLike"),
    ("", "Equal"),
    ("", "Optional"),
    ("", "OptionalGetElement"),
    ("", "OptionalHasElement"),
    ("", "RegexFullMatch"),
    ("", "SequenceConstruct"),
    ("", "SequenceErase"),
    ("", "SequenceInsert"),
    ("", "SequenceAt"),
    ("", "SequenceLength"),
    ("", "ConcatFromSequence"),
    ("", "Shape"),
    ("", "Size"),
    ("", "StringConcat"),
    ("", "StringNormalizer"),
    ("", "StringSplit"),
    ("", "TfIdfVectorizer"),
    ("ai.onnx.ml", "CategoryMapper"),
    ("ai.onnx.ml", "LabelEncoder"),
    ("ai.onnx.ml", "OneHotEncoder"),
    ("com.microsoft", "Tokenizer"),
];

/// The words of the results of a node that moves strings; its inputs become their numbers. Errors: its operator does not know strings.
pub(super) fn carried(c: &mut Context<'_>, node: &mut Node, domain: &str) -> Outcome<Option<Words>> {
    let Some(first) = node.inputs.iter().position(|v| v.as_ref().is_some_and(Value::has_words)) else {
        return Ok(None);
    };
    let op = node.op.as_str();
    if READERS.contains(&(domain, op)) {
        return Ok(None);
    }
    let own = domain.is_empty() || domain == "ai.onnx.ml" && op == "ArrayFeatureExtractor";
    let Some((_, places)) = MOVERS.iter().find(|(name, _)| *name == op && own) else {
        return Err(unknown_to(&format!("input {first}")));
    };
    let all: Vec<_> = (0..node.inputs.len()).collect();
    let places: Vec<_> = if places.is_empty() { &all } else { *places }
        .iter()
        .copied()
        .filter(|&i| node.optional(i).is_some_and(|v| !v.is_absent()))
        .collect();
    if COMBINERS.contains(&op) && !matches!(&*node.string("reduction", "none"), "none") {
        return unsupported("it combines strings, which only numbers can be; give it no `reduction`");
    }
    for i in &all {
        let Some(v) = node.optional(*i) else { continue };
        if places.contains(i) && v.words.is_none() {
            return invalid(format!("input {first} holds strings, input {i} numbers"));
        }
        if !places.contains(i) && v.has_words() {
            return invalid(format!("input {i} holds strings, where the operator takes numbers"));
        }
    }
    let values: Vec<_> = places.iter().map(|&i| node.input(i).cloned()).collect::<Outcome<_>>()?;
    let (numbers, words) = c.with_one_table(&values, FILLERS.contains(&op))?;
    for (i, v) in places.into_iter().zip(numbers) {
        node.inputs[i] = Some(v);
    }
    Ok(Some(words))
}

/// Attaches the words to results. Fails if one is a sequence whose length is known only at run time.
pub(super) fn attach(words: &Words, results: &mut [Value]) -> Outcome<()> {
    for v in results {
        match &v.sequence {
            _ if v.ragged.is_some() => {
                return unsupported("it makes a sequence of strings whose length only a run knows");
            }
            Some(list) => {
                let list = list.iter().map(|v| Value { words: Some(words.clone()), ..v.clone() }).collect();
                *v = Value::of_sequence(list);
            }
            None => v.words = Some(words.clone()),
        }
    }
    Ok(())
}
