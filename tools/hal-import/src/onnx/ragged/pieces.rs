//! Splits a tensor into a sequence whose length is known only at run time.
use crate::onnx::value::Ragged;
use crate::onnx::{Context, Dim, Elem, Iter, Order, Outcome, Scalar, Value, context::require::Rule, generic::map};

impl Context<'_> {
    /// A tensor in pieces of one size along an axis, the last one perhaps smaller; `keep` leaves the axis to pieces of 1.
    pub(crate) fn ragged_split(&mut self, x: &Value, axis: usize, part: &Dim, keep: bool) -> Outcome<Value> {
        let text = "the pieces are of size {0}";
        self.require(Rule::AtLeast(part.clone(), Dim::fixed(1)), text, &[part])?;
        let safe = self.size_max(part, &Dim::fixed(1));
        let whole = x.shape[axis].clone();
        let count = self.size_over(&whole.plus(&safe).offset(-1), &safe);
        let (outer, inner) = (self.product(&x.shape[..axis]), self.product(&x.shape[axis + 1..]));
        let total = self.product(&x.shape);
        let cut = self.reshape(x, &[outer.clone(), whole.clone(), inner.clone()])?;
        let sizes = [safe.clone(), whole.clone(), outer.clone(), inner.clone(), count.clone()];
        let data = self.gather_at(&cut, &[total], &sizes, |b, here, s| {
            let [part, whole, outer, inner, count] = s else { unreachable!("five sizes were given") };
            let one = b.index_constant(1);
            let slab = b.mul(outer, inner);
            let piece = b.mul(&slab, part);
            // Nothing is read where a size is 0, but the divisions are written.
            let piece = b.max(&piece, &one);
            let number = b.div(&here[0], &piece);
            let last = b.sub(count, &one);
            let number = b.min(&number, &last);
            let first = b.mul(&number, part);
            let rest = b.sub(whole, &first);
            let own = b.min(part, &rest);
            let own = b.max(&own, &one);
            let before = b.mul(&number, &piece);
            let within = b.sub(&here[0], &before);
            let inner = b.max(inner, &one);
            let row = b.div(&within, &inner);
            let column = b.rem(&within, &inner);
            let outer_at = b.div(&row, &own);
            let in_piece = b.rem(&row, &own);
            let at = b.add(&first, &in_piece);
            vec![outer_at, at, column]
        });
        // The table: ends, then sizes.
        let kept: Vec<_> = (0..x.rank()).filter(|&i| keep || i != axis).collect();
        let rank = kept.len();
        let shape = [count, Dim::fixed(rank as i64 + 1)];
        let out = self.empty(Elem::I64, &shape);
        let slab = self.size_times(&outer, &inner);
        let given: Vec<_> = [&safe, &whole, &slab].into_iter().map(|d| Scalar::index(self.index(d))).collect();
        let fixed: Vec<_> = kept.iter().map(|&i| Scalar::index(self.index(&x.shape[i]))).collect();
        let table = self
            .generic(&[Iter::Parallel; 2], &[], &[(&out, map(&[0, 1]))], |b, _| {
                let (number, column, one) = (b.position(0), b.position(1), b.index_constant(1));
                let next = b.add(&number, &one);
                let end = b.mul(&next, &given[0]);
                let end = b.min(&end, &given[1]);
                let first = b.mul(&number, &given[0]);
                let own = b.sub(&end, &first);
                let mut entry = b.mul(&end, &given[2]);
                for (k, &i) in kept.iter().enumerate() {
                    let size = if i == axis { own.clone() } else { fixed[k].clone() };
                    let place = b.index_constant(k as i64 + 1);
                    let here = b.compare(Order::Eq, &column, &place);
                    entry = b.select(&here, &size, &entry);
                }
                vec![b.cast(&entry, Elem::I64)]
            })
            .remove(0);
        Ok(Value::of_ragged(Ragged { data, table, rank }))
    }
}
