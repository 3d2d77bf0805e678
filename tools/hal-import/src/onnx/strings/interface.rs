//! Strings between a program and its caller: the end of each string (`i64`, in the shape of the strings), and the
//! concatenated bytes of all strings.
use super::{Automaton, List, MOST, Spans, span_of};
use crate::onnx::{Body, Context, Elem, Num, Order, Outcome, Scalar, Value};

/// The element type in `hal.element` of the ends of strings.
pub(crate) const ELEMENT: &str = "string";
/// The suffix of the name of the tensor with their bytes.
pub(crate) const BYTES: &str = ".bytes";

impl Context<'_> {
    /// Strings that the caller gives, which the program checks: none ends before it starts or beyond the bytes, the last one ends with
    /// them, and all are UTF-8.
    pub(crate) fn given_strings(&mut self, ends: &Value, bytes: &Value) -> Outcome<Value> {
        self.require_nameable(bytes)?;
        let count = self.product(&ends.shape);
        let flat = self.reshape(ends, std::slice::from_ref(&count))?;
        let total = Scalar::index(self.index(&bytes.shape[0]));
        let last = Scalar::index(self.index(&count.offset(-1)));
        let list = List::of(self, &flat);
        let before = |b: &mut Body<'_>| {
            let (here, one) = (b.position(0), b.index_constant(1));
            let at = b.sub(&here, &one);
            // The first string starts at 0.
            list.at(b, &at)
        };
        let fine = self.elementwise(std::slice::from_ref(&flat), Elem::Bool, |b, v| {
            let (start, total) = (before(b), b.cast(&total, Elem::I64));
            let rises = b.compare(Order::Le, &start, &v[0]);
            let inside = b.compare(Order::Le, &v[0], &total);
            let here = b.position(0);
            let is_last = b.compare(Order::Eq, &here, &last);
            let at_end = b.compare(Order::Eq, &v[0], &total);
            let before_last = b.not(&is_last);
            let at_end = b.or(&before_last, &at_end);
            let fine = b.and(&rises, &inside);
            b.and(&fine, &at_end)
        })?;
        let text = "its strings end at places that do not rise from 0 to the number of bytes";
        self.require_all(&fine, text)?;
        let spans = self.spans_of_ends(&flat, bytes)?;
        let spans = Spans { numbers: self.reshape(&spans.numbers, &ends.shape)?, ..spans };
        if self.checks_data() {
            let valid = Automaton::utf8().runs(self, &spans)?;
            self.require_all(&valid, "its strings are not UTF-8")?;
        }
        Ok(Value { label: ends.label.clone(), ..spans.value() })
    }

    /// The spans of strings of which each starts where the one before ends, all within the bytes. `ends` is a list.
    pub(super) fn spans_of_ends(&mut self, ends: &Value, bytes: &Value) -> Outcome<Spans> {
        let list = List::of(self, ends);
        let total = Scalar::index(self.index(&bytes.shape[0]));
        let numbers = self.elementwise(std::slice::from_ref(ends), Elem::I64, |b, v| {
            let (here, one) = (b.position(0), b.index_constant(1));
            let at = b.sub(&here, &one);
            let (start, total) = (list.at(b, &at), b.cast(&total, Elem::I64));
            // Data that is being checked must not be used to access memory.
            let most = b.int(Elem::I64, MOST);
            let zero = b.int(Elem::I64, 0);
            let total = b.min(&total, &most);
            let start = b.max(&start, &zero);
            let start = b.min(&start, &total);
            let end = b.max(&v[0], &start);
            let end = b.min(&end, &total);
            let length = b.sub(&end, &start);
            span_of(b, &start, &length)
        })?;
        Ok(Spans { numbers, bytes: bytes.clone() })
    }

    /// A check that all elements of a tensor of bools are true.
    pub(crate) fn require_all(&mut self, flags: &Value, text: &str) -> Outcome<()> {
        if !self.checks_data() || flags.is_empty() {
            return Ok(());
        }
        let axes: Vec<_> = (0..flags.rank()).collect();
        let all = self.reduce(flags, &axes, Elem::Bool, Num::I(1), |b, v, all| b.and(all, v));
        let fine = self.read_scalar(&all)?;
        self.check_values(&fine.name, text, &[]);
        Ok(())
    }
}
