//! Compares strings byte by byte.
use super::{List, Spans, length_of, repeat, start_of};
use crate::onnx::{Context, Elem, Num, Order, Outcome, Tensor, Value, value::Words};

impl Context<'_> {
    /// Element by element, with broadcasting: whether two tensors hold the same strings.
    pub(crate) fn equal_strings(&mut self, a: &Value, b: &Value) -> Outcome<Value> {
        // Positions in one list are compared directly, after those of equal strings have been unified.
        if let (Some(Words::Known(x)), Some(Words::Known(y))) = (&a.words, &b.words)
            && x == y
        {
            let first = |word: &String| x.iter().position(|w| w == word).unwrap_or(0) as i64;
            let table: Vec<_> = x.iter().map(first).collect();
            if table.iter().enumerate().all(|(i, place)| *place == i as i64) {
                return self.same_numbers(&a.without_words(), &b.without_words());
            }
        }
        if let (Some(x), Some(y)) = (self.known_strings(a), self.known_strings(b))
            && a.shape == b.shape
        {
            let flags = x.iter().zip(&y).map(|(x, y)| Num::I((x == y).into()));
            let shape = a.shape.iter().map(|d| d.get().unwrap_or(0) as usize).collect();
            return Ok(Value::constant(Tensor::from_numbers(Elem::Bool, shape, flags)));
        }
        let (a, b) = (self.spans(a)?, self.spans(b)?);
        let (first, second) = (List::of(self, &a.bytes), List::of(self, &b.bytes));
        self.elementwise(&[a.numbers, b.numbers], Elem::Bool, |b, v| {
            let (start, other) = (start_of(b, &v[0]), start_of(b, &v[1]));
            let (length, others) = (length_of(b, &v[0]), length_of(b, &v[1]));
            let same = b.compare(Order::Eq, &length, &others);
            let none = b.index_constant(0);
            let count = b.select(&same, &length, &none);
            repeat(b, &count, &[same], |b, i, same| {
                let (x, y) = (b.add(&start, i), b.add(&other, i));
                let (x, y) = (first.at(b, &x), second.at(b, &y));
                let equal = b.compare(Order::Eq, &x, &y);
                vec![b.and(&same[0], &equal)]
            })
            .remove(0)
        })
    }

    fn same_numbers(&mut self, a: &Value, b: &Value) -> Outcome<Value> {
        self.elementwise(&[a.clone(), b.clone()], Elem::Bool, |b, v| b.compare(Order::Eq, &v[0], &v[1]))
    }

    /// Returns the number of bytes of each string (`i64`).
    pub(crate) fn string_lengths(&mut self, spans: &Spans) -> Outcome<Value> {
        self.elementwise(std::slice::from_ref(&spans.numbers), Elem::I64, |b, v| {
            let length = length_of(b, &v[0]);
            b.cast(&length, Elem::I64)
        })
    }
}
