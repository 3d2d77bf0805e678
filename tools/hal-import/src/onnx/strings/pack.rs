//! Makes strings: concatenates their bytes.
use super::{List, Spans, known_spans, span_of, start_of};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Num, Order, Outcome, Scalar, Tensor, Value,
    generic::map,
    ops::{
        prefix::{self, LaidOut},
        rows,
    },
};

impl Context<'_> {
    /// Strings of these lengths (`i64`, in the shape of the result), whose bytes are one after another. `byte` is given the number of the
    /// string, and the place of a byte in it (both `index`).
    pub(crate) fn strings_of(
        &mut self,
        lengths: &Value,
        byte: impl FnOnce(&mut Body<'_>, &Scalar, &Scalar) -> Scalar,
    ) -> Outcome<Spans> {
        let count = self.product(&lengths.shape);
        let flat = self.reshape(lengths, std::slice::from_ref(&count))?;
        let (laid, bytes) = self.laid_out(&flat, Elem::U8, byte)?;
        let ends = self.reshape(&laid.ends, &lengths.shape)?;
        let numbers = self.elementwise(&[ends, lengths.clone()], Elem::I64, |b, v| {
            let start = b.sub(&v[0], &v[1]);
            span_of(b, &start, &v[1])
        })?;
        self.require_nameable(&bytes)?;
        Ok(Spans { numbers: self.settle(&numbers), bytes: self.settle(&bytes) })
    }

    /// Rows of these lengths (a list of `i64`), one after another, and where each ends. `element` is given the number of the row and the place in it.
    pub(crate) fn laid_out(
        &mut self,
        lengths: &Value,
        elem: Elem,
        element: impl FnOnce(&mut Body<'_>, &Scalar, &Scalar) -> Scalar,
    ) -> Outcome<(LaidOut, Value)> {
        let laid = prefix::laid_out(self, lengths)?;
        let (ends, sizes) = (List::of(self, &laid.ends), List::of(self, lengths));
        let out = self.empty(elem, std::slice::from_ref(&laid.total));
        let made = self.generic(&[Iter::Parallel], &[(&laid.owners, map(&[0]))], &[(&out, map(&[0]))], |b, v| {
            let (owner, here) = (b.to_index(&v[0]), b.position(0));
            let (end, size) = (ends.at(b, &owner), sizes.at(b, &owner));
            let start = b.sub(&end, &size);
            let start = b.to_index(&start);
            let place = b.sub(&here, &start);
            vec![element(b, &owner, &place)]
        });
        Ok((laid, made.into_iter().next().expect("one result")))
    }

    /// Strings as they leave the program: where each ends (`i64`, in their shape), and the bytes of all, one after another.
    pub(crate) fn packed(&mut self, value: &Value) -> Outcome<(Value, Value)> {
        if let Some(words) = self.known_strings(value) {
            let mut end = 0;
            let ends: Vec<_> = words.iter().map(|w| (end += w.len(), Num::I(end as i128)).1).collect();
            let shape = value.shape.iter().map(|d| d.get().unwrap_or(0) as usize).collect();
            let ends = Value::constant(Tensor::from_numbers(Elem::I64, shape, ends));
            return Ok((ends, known_spans(&words).1));
        }
        let spans = self.spans(value)?;
        let lengths = self.string_lengths(&spans)?;
        let count = self.product(&lengths.shape);
        let flat = self.reshape(&lengths, std::slice::from_ref(&count))?;
        let numbers = self.reshape(&spans.numbers, std::slice::from_ref(&count))?;
        let (numbers, bytes) = (List::of(self, &numbers), List::of(self, &spans.bytes));
        let (laid, bytes) = self.laid_out(&flat, Elem::U8, |b, owner, place| {
            let span = numbers.at(b, owner);
            let start = start_of(b, &span);
            let at = b.add(&start, place);
            bytes.at(b, &at)
        })?;
        let ends = self.reshape(&laid.ends, &value.shape)?;
        Ok((ends, bytes))
    }

    /// Lists of bytes one after another, of so many bytes together. It is made of the size by which it is read, so that what reads it
    /// tells places inside from others.
    pub(super) fn joined_bytes(&mut self, lists: &[Value], total: &Dim) -> Value {
        let mut starts = vec![Dim::fixed(0)];
        for list in &lists[..lists.len() - 1] {
            starts.push(starts[starts.len() - 1].plus(&list.shape[0]));
        }
        let lists: Vec<_> = lists.iter().map(|list| List::of(self, list)).collect();
        let starts: Vec<_> = starts.iter().map(|start| Scalar::index(self.index(start))).collect();
        let out = self.empty(Elem::U8, std::slice::from_ref(total));
        let made = self.generic(&[Iter::Parallel], &[], &[(&out, map(&[0]))], |b, _| {
            let here = b.position(0);
            let mut byte = lists[0].at(b, &here);
            for (list, start) in lists.iter().zip(&starts).skip(1) {
                let at = b.sub(&here, start);
                let own = list.at(b, &at);
                let behind = b.compare(Order::Ge, &here, start);
                byte = b.select(&behind, &own, &byte);
            }
            vec![byte]
        });
        made.into_iter().next().expect("one result")
    }

    /// A list without the elements that a list of bools does not choose.
    pub(crate) fn chosen(&mut self, list: &Value, mask: &Value) -> Outcome<Value> {
        let places = prefix::positions(self, mask)?;
        rows(self, list, 0, &places)
    }

    /// The elements of a list, or one 0 where it has none.
    pub(crate) fn or_one(&mut self, list: &Value) -> Value {
        let length = self.size_max(&list.shape[0], &Dim::fixed(1));
        let elements = List::of(self, list);
        let out = self.empty(list.elem, std::slice::from_ref(&length));
        let made = self.generic(&[Iter::Parallel], &[], &[(&out, map(&[0]))], |b, _| {
            let here = b.position(0);
            vec![elements.at(b, &here)]
        });
        made.into_iter().next().expect("one result")
    }
}
