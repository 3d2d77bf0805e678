//! Converts between strings and numbers with host functions.
use crate::onnx::{Context, Elem, Outcome, Value, narrow::Narrowing, problem::unsupported};

impl Context<'_> {
    /// Converts numbers to text.
    pub(crate) fn written(&mut self, x: &Value) -> Outcome<Value> {
        // Narrow numbers are written as their values.
        let wide = if x.elem.is_narrow() && x.elem.is_float() {
            Elem::F32
        } else if x.elem.is_narrow() {
            Elem::I8
        } else {
            x.elem
        };
        let x = if wide == x.elem {
            x.clone()
        } else {
            self.elementwise(std::slice::from_ref(x), wide, |b, v| b.cast(&v[0], wide))?
        };
        let count = self.product(&x.shape);
        let flat = self.reshape(&x, std::slice::from_ref(&count))?;
        let mut made = self.call_host("write_numbers", &[flat], &[(Elem::I64, vec![None]), (Elem::U8, vec![None])]);
        let (bytes, ends) = (made.remove(1), made.remove(0));
        self.require_nameable(&bytes)?;
        let ends = self.cast(&ends, &[count]);
        let spans = self.spans_of_ends(&ends, &bytes)?;
        let numbers = self.reshape(&spans.numbers, &x.shape)?;
        Ok(super::Spans { numbers, ..spans }.value())
    }

    /// The numbers that strings say; one that says none fails the call.
    pub(crate) fn read_numbers(&mut self, x: &Value, to: Elem, narrowing: Narrowing) -> Outcome<Value> {
        if to == Elem::Bool {
            return unsupported(
                "it casts strings to bool, of which the specification does not say which ones are true",
            );
        }
        let wide = if to.is_narrow() { Elem::F32 } else { to };
        let (ends, bytes) = self.packed(x)?;
        let count = self.product(&x.shape);
        let flat = self.reshape(&ends, std::slice::from_ref(&count))?;
        let read = self.call_host("read_numbers", &[flat, bytes], &[(wide, vec![None])]).remove(0);
        let read = self.cast(&read, &[count]);
        let read = self.reshape(&read, &x.shape)?;
        if wide == to { Ok(read) } else { self.elementwise(&[read], to, |b, v| b.convert(&v[0], to, narrowing)) }
    }
}
