//! Checks that integers of the program's data lie within bounds where no other check detects it, because they are only
//! compared.
use super::{
    Context,
    require::{Rule, shown},
};
use crate::onnx::{
    Dim, Iter, Outcome, Value,
    generic::map,
    ops::{highest, lowest},
};

impl Context<'_> {
    /// Indices count from the start of a dimension of this size, or from its end if negative.
    pub(crate) fn require_indices(&mut self, indices: &Value, size: &Dim) -> Outcome<()> {
        let first = if indices.elem.is_unsigned() { Dim::fixed(0) } else { size.times(-1) };
        self.require_range(indices, &first, &size.offset(-1))
    }

    /// Requires that all elements lie in `first..=last`. A dispatch finds the least and the largest; the program
    /// checks them.
    pub(crate) fn require_range(&mut self, list: &Value, first: &Dim, last: &Dim) -> Outcome<()> {
        let text = format!("{} holds numbers from {{0}} to {{1}}, where {{2}} to {{3}} are possible", shown(list));
        if let Some(numbers) = list.tensor().map(crate::onnx::Tensor::ints) {
            let (Some(&least), Some(&most)) = (numbers.iter().min(), numbers.iter().max()) else { return Ok(()) };
            let (least, most) = (Dim::fixed(least), Dim::fixed(most));
            let sizes = [&least, &most, first, last];
            self.require(Rule::AtLeast(least.clone(), first.clone()), &text, &sizes)?;
            return self.require(Rule::AtLeast(last.clone(), most.clone()), &text, &sizes);
        }
        if !self.options.check_data || list.is_empty() {
            return Ok(());
        }
        let (elem, all): (_, Vec<_>) = (list.elem, (0..list.rank()).collect());
        let (least, most) = (self.filled(elem, &[], highest(elem)), self.filled(elem, &[], lowest(elem)));
        let none = String::new;
        let ends = self.generic(
            &vec![Iter::Reduction; list.rank()],
            &[(list, map(&all))],
            &[(&least, none()), (&most, none())],
            |b, v| vec![b.min(&v[1], &v[0]), b.max(&v[2], &v[0])],
        );
        let ends: Vec<_> = ends
            .iter()
            .map(|end| {
                let ssa = self.ssa(end);
                let mut b = self.body();
                let read = b.extract(&ssa, &end.ty(), elem, &[]);
                b.to_index(&read).name
            })
            .collect();
        let (first, last) = (self.index(first), self.index(last));
        let from = self.w.value(format!("arith.cmpi sge, {}, {first} : index", ends[0]));
        let to = self.w.value(format!("arith.cmpi sle, {}, {last} : index", ends[1]));
        let inside = self.w.value(format!("arith.andi {from}, {to} : i1"));
        // An empty list is within bounds.
        let none = self.w.value(format!("arith.cmpi sgt, {}, {} : index", ends[0], ends[1]));
        let fine = self.w.value(format!("arith.ori {inside}, {none} : i1"));
        let values = [ends[0].clone(), ends[1].clone(), first, last].map(|ssa| Ok((ssa, "index")));
        self.check_values(&fine, &text, &values);
        Ok(())
    }
}
