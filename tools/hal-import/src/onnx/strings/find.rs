//! Looks up strings in a known list.
use super::{List, known_spans, length_of, repeat, start_of};
use crate::onnx::{Body, Context, Elem, Num, Order, Outcome, Scalar, Tensor, Value, value::Words};
use std::collections::BTreeMap;

impl Context<'_> {
    /// Returns the position of each string in a list of keys (`i64`): the last one if there are several, -1 if there
    /// is none.
    pub(crate) fn find_strings(&mut self, value: &Value, keys: &[String]) -> Outcome<Value> {
        // Sorted by bytes, in the order of the comparison.
        let sorted: BTreeMap<&String, i64> = keys.iter().zip(0..).collect();
        if let Some(Words::Known(words)) = &value.words {
            // The strings are known at import, so that the table can be computed now.
            let table: Vec<_> = words.iter().map(|w| sorted.get(w).copied().unwrap_or(-1)).collect();
            let places = value.without_words();
            if let Some(t) = places.tensor() {
                let found = t.mapped(Elem::I64, |i| Num::I(table.get(i.int() as usize).copied().unwrap_or(-1).into()));
                return Ok(Value::constant(found));
            }
            let table = Value::constant(Tensor::from_ints(Elem::I64, &table));
            let table = List::of(self, &table);
            return self.elementwise(&[places], Elem::I64, |b, v| {
                let place = b.to_index(&v[0]);
                table.at(b, &place)
            });
        }
        let spans = self.spans(value)?;
        let list: Vec<String> = sorted.keys().map(|k| (*k).clone()).collect();
        let (numbers, bytes) = known_spans(&list);
        let count = list.len();
        let numbers = Value::constant(Tensor::from_numbers(Elem::I64, vec![count], numbers).named(Some("keys".into())));
        let places: Vec<_> = sorted.values().copied().collect();
        let places = Value::constant(Tensor::from_ints(Elem::I64, &places).named(Some("places".into())));
        let [numbers, bytes, places, own] = [&numbers, &bytes, &places, &spans.bytes].map(|list| List::of(self, list));
        self.elementwise(&[spans.numbers], Elem::I64, |b, v| {
            // Halving as often leaves nothing to look at.
            let steps = b.index_constant(i64::from(usize::BITS - count.leading_zeros()));
            let (zero, end, none) = (b.index_constant(0), b.index_constant(count as i64), b.int(Elem::I64, -1));
            repeat(b, &steps, &[zero, end, none], |b, _, s| {
                let (low, high, found) = (&s[0], &s[1], &s[2]);
                let (one, two) = (b.index_constant(1), b.index_constant(2));
                let sum = b.add(low, high);
                let middle = b.div(&sum, &two);
                let open = b.compare(Order::Lt, low, high);
                let key = numbers.at(b, &middle);
                let order = compared(b, (&own, &v[0]), (&bytes, &key));
                let nothing = b.int(Elem::I32, 0);
                let (same, above) = (b.compare(Order::Eq, &order, &nothing), b.compare(Order::Gt, &order, &nothing));
                let place = places.at(b, &middle);
                let hit = b.and(&open, &same);
                let found = b.select(&hit, &place, found);
                let next = b.add(&middle, &one);
                let (up, down) = (b.select(&above, &next, low), b.select(&above, high, &middle));
                // A range that is empty stays so.
                let (low, high) = (b.select(&open, &up, low), b.select(&open, &down, high));
                vec![low, high, found]
            })
            .remove(2)
        })
    }
}

/// The order of two strings by their bytes, as an `i32` less than, equal to or above 0.
pub(super) fn compared(b: &mut Body<'_>, (list, x): (&List, &Scalar), (other, y): (&List, &Scalar)) -> Scalar {
    let (start, length) = (start_of(b, x), length_of(b, x));
    let (others_start, others_length) = (start_of(b, y), length_of(b, y));
    let (shorter, none) = (b.min(&length, &others_length), b.int(Elem::I32, 0));
    let order = repeat(b, &shorter, std::slice::from_ref(&none), |b, i, order| {
        let (p, q) = (b.add(&start, i), b.add(&others_start, i));
        let (p, q) = (list.byte(b, &p), other.byte(b, &q));
        let now = b.sub(&p, &q);
        let open = b.compare(Order::Eq, &order[0], &none);
        vec![b.select(&open, &now, &order[0])]
    });
    let (more, less) = (b.int(Elem::I32, 1), b.int(Elem::I32, -1));
    let longer = b.compare(Order::Gt, &length, &others_length);
    let equally_long = b.compare(Order::Eq, &length, &others_length);
    let by_length = b.select(&longer, &more, &less);
    let by_length = b.select(&equally_long, &none, &by_length);
    let open = b.compare(Order::Eq, &order[0], &none);
    b.select(&open, &by_length, &order[0])
}
