//! Tensors of strings.
//!
//! A program computes with integers: each element of a tensor of strings is an `i64` that represents a string, so that
//! operators that only move elements move strings as well. [`Words`] states what the integers mean: positions in a
//! list that is known at import, such as the labels of a classifier, or *spans*, which refer to a range of a list of
//! bytes. A span has the first byte in its upper 32 bits and the number of bytes in its lower ones; 0 is the empty
//! string.
//!
//! Between a program and its caller, strings are the concatenated bytes of all elements, and the end of each element
//! ([`interface`]).
mod constant;
mod equal;
mod find;
mod interface;
mod list;
mod matches;
mod numbers;
mod pack;
mod table;

pub(crate) use constant::constant;
pub(crate) use interface::{BYTES, ELEMENT};
pub(crate) use list::{List, repeat};
pub(crate) use matches::{Matcher, Searched, starts_character};
pub(crate) use table::Automaton;

use super::{
    Body, Context, Dim, Elem, Num, Outcome, Scalar, Tensor, Value,
    context::require::Rule,
    problem::{invalid, unsupported},
    value::Words,
};
use std::rc::Rc;

/// The bits of a span below its first byte.
const SHIFT: u32 = 32;
/// The most bytes that spans can name.
const MOST: i64 = (1 << 31) - 1;

/// Strings as spans, and their bytes.
#[derive(Debug, Clone)]
pub(crate) struct Spans {
    /// Numbers (`i64`), in the shape of the strings.
    pub(crate) numbers: Value,
    /// The bytes, a list of `u8`.
    pub(crate) bytes: Value,
}

impl Spans {
    /// Returns the tensor of strings.
    pub(crate) fn value(self) -> Value {
        Value { words: Some(Words::Spans(Rc::new(self.bytes))), ..self.numbers }
    }
}

/// Returns the span of a range of bytes.
fn span(start: usize, length: usize) -> Num {
    Num::I(((start as i128) << SHIFT) | length as i128)
}

/// Strings that are known, one after another.
fn known_spans(words: &[String]) -> (Vec<Num>, Value) {
    let mut bytes = Vec::new();
    let spans = words.iter().map(|w| {
        let start = bytes.len();
        bytes.extend_from_slice(w.as_bytes());
        span(start, w.len())
    });
    let spans: Vec<_> = spans.collect();
    let bytes = Tensor::from_bytes(Elem::U8, vec![bytes.len()], bytes.into()).expect("as many as there are");
    (spans, Value::constant(bytes))
}

impl Value {
    /// Makes a list of known strings.
    pub(crate) fn of_words(words: Vec<String>) -> Self {
        let places = Tensor::from_numbers(Elem::I64, vec![words.len()], (0..words.len()).map(|i| Num::I(i as i128)));
        Self { words: Some(Words::Known(Rc::new(words))), ..Self::constant(places) }
    }

    /// The numbers of a tensor of strings by themselves.
    pub(crate) fn without_words(&self) -> Self {
        Self { words: None, ..self.clone() }
    }

    /// Whether it consists of strings: a tensor of strings, or a sequence that contains one.
    pub(crate) fn has_words(&self) -> bool {
        self.words.is_some() || self.sequence.as_ref().is_some_and(|list| list.iter().any(Self::has_words))
    }
}

impl Context<'_> {
    /// A tensor of strings as spans. Errors: it holds numbers.
    pub(crate) fn spans(&mut self, value: &Value) -> Outcome<Spans> {
        let numbers = value.without_words();
        match &value.words {
            Some(Words::Spans(bytes)) => Ok(Spans { numbers, bytes: (**bytes).clone() }),
            Some(Words::Known(words)) => {
                let (spans, bytes) = known_spans(words);
                if let Some(tensor) = numbers.tensor() {
                    let numbers =
                        tensor.mapped(Elem::I64, |place| spans.get(place.int() as usize).copied().unwrap_or(Num::I(0)));
                    return Ok(Spans { numbers: Value::constant(numbers), bytes });
                }
                let table = Value::constant(Tensor::from_numbers(Elem::I64, vec![spans.len()], spans));
                let table = List::of(self, &table);
                let spans = self.elementwise(&[numbers], Elem::I64, |b, v| {
                    let place = b.to_index(&v[0]);
                    table.at(b, &place)
                })?;
                Ok(Spans { numbers: Value { label: value.label.clone(), ..spans }, bytes })
            }
            None => invalid(format!(
                "`{}` holds numbers, where strings are needed",
                value.label.as_deref().unwrap_or("an input")
            )),
        }
    }

    /// Converts a tensor of strings to spans; a value without strings stays unchanged.
    pub(crate) fn with_spans(&mut self, value: &Value) -> Outcome<Value> {
        if let Some(list) = &value.sequence {
            let list = list.iter().map(|v| self.with_spans(v)).collect::<Outcome<_>>()?;
            return Ok(Value { label: value.label.clone(), ..Value::of_sequence(list) });
        }
        match value.words {
            Some(Words::Known(_)) => Ok(self.spans(value)?.value()),
            _ => Ok(value.clone()),
        }
    }

    /// Tensors of strings with one set of words: their numbers mean the same. `spans`: it must be spans, of which 0 is the empty
    /// string.
    pub(crate) fn with_one_table(&mut self, values: &[Value], spans: bool) -> Outcome<(Vec<Value>, Words)> {
        let Some(first) = values.first().and_then(|v| v.words.clone()) else { return invalid("there are no strings") };
        let is_one = values.iter().all(|v| Words::are_one(Some(&first), v.words.as_ref()));
        let plain = values.iter().map(Value::without_words).collect();
        match &first {
            Words::Known(_) if is_one && !spans => return Ok((plain, first)),
            Words::Spans(_) if is_one => return Ok((plain, first)),
            _ => {}
        }
        let (mut numbers, mut bytes, mut end) = (Vec::new(), Vec::<Value>::new(), Dim::fixed(0));
        for v in values {
            let own = self.spans(v)?;
            numbers.push(self.moved_on(&own.numbers, &end)?);
            end = end.plus(&own.bytes.shape[0]);
            bytes.push(own.bytes);
        }
        let all = match &bytes[..] {
            [one] => one.clone(),
            known if known.iter().all(|v| v.tensor().is_some()) => self.concat(known, 0)?,
            _ => self.joined_bytes(&bytes, &end),
        };
        self.require_nameable(&all)?;
        Ok((numbers, Words::Spans(Rc::new(all))))
    }

    /// Spans of bytes that stand so much further on.
    fn moved_on(&mut self, spans: &Value, by: &Dim) -> Outcome<Value> {
        if by.is(0) {
            return Ok(spans.clone());
        }
        if let (Some(t), Some(by)) = (spans.tensor(), by.get()) {
            return Ok(Value::constant(t.mapped(Elem::I64, |v| Num::I(v.int() + (i128::from(by) << SHIFT)))));
        }
        let by = Scalar::index(self.index(by));
        self.elementwise(std::slice::from_ref(spans), Elem::I64, |b, v| {
            let by = b.cast(&by, Elem::I64);
            let by = shifted(b, &by);
            b.add(&v[0], &by)
        })
    }

    /// Requires that spans can refer to all of the bytes.
    fn require_nameable(&mut self, bytes: &Value) -> Outcome<()> {
        let text = format!("the strings have {{0}} bytes together, where {MOST} are possible");
        self.require(Rule::AtLeast(Dim::fixed(MOST), bytes.shape[0].clone()), &text, &[&bytes.shape[0]])
    }

    /// Returns the strings of a tensor, if they are known. Fails if it holds numbers.
    pub(crate) fn known_strings(&mut self, value: &Value) -> Option<Vec<String>> {
        let (Some(Words::Known(words)), Some(places)) = (&value.words, value.tensor()) else { return None };
        places.ints().iter().map(|&i| words.get(usize::try_from(i).ok()?).cloned()).collect()
    }
}

/// Returns the first byte of a span.
pub(crate) fn start_of(b: &mut Body<'_>, span: &Scalar) -> Scalar {
    let bits = b.int(Elem::I64, i64::from(SHIFT));
    let start = b.shift(span, &bits, false);
    b.to_index(&start)
}

/// Returns the number of bytes of a span.
pub(crate) fn length_of(b: &mut Body<'_>, span: &Scalar) -> Scalar {
    let mask = b.int(Elem::I64, (1 << SHIFT) - 1);
    let length = b.and(span, &mask);
    b.to_index(&length)
}

/// A span of a first byte and a number of bytes (`index`).
pub(crate) fn span_of(b: &mut Body<'_>, start: &Scalar, length: &Scalar) -> Scalar {
    let (start, length) = (b.cast(start, Elem::I64), b.cast(length, Elem::I64));
    let high = shifted(b, &start);
    b.or(&high, &length)
}

fn shifted(b: &mut Body<'_>, start: &Scalar) -> Scalar {
    let bits = b.int(Elem::I64, i64::from(SHIFT));
    b.shift(start, &bits, true)
}

/// Makes the error for an operator that does not support strings.
pub(crate) fn unknown_to(what: &str) -> super::Problem {
    super::Problem::Unsupported(format!("{what} holds strings, which this operator does not know"))
}

/// Refuses strings where only numbers can be.
pub(crate) fn refuse(value: &Value, what: &str) -> Outcome<()> {
    if value.has_words() { unsupported(format!("{what} holds strings")) } else { Ok(()) }
}
