//! Writes elements of views, pads, slices and concatenations.
use super::element::Elements;
use crate::expression::{
    Scope,
    index::{atom, position, product, sum},
    shape::{groups, kept, pad_widths, slice},
};
use halyard_ir::{Attr, Op, Value};

impl Elements {
    /// Returns the index in the source of an element of a view.
    pub(super) fn before_view(&mut self, op: Op, index: &[String]) -> Result<Vec<String>, String> {
        let (from, to) = (self.shape(op.operand(0))?, self.shape(op.result(0))?);
        let one = |sizes: &[String]| -> Vec<Vec<usize>> { vec![(0..sizes.len()).collect()] };
        let mut at = vec!["0".to_owned(); from.len()];
        match &*op.name() {
            "tensor.cast" => return Ok(index.to_vec()),
            "tensor.collapse_shape" => {
                for (group, i) in groups(op).ok_or("a reshape has no groups")?.iter().zip(index) {
                    self.split(group, i, &from, &mut at)?;
                }
            }
            "tensor.expand_shape" => {
                for (d, group) in groups(op).ok_or("a reshape has no groups")?.iter().enumerate() {
                    let pick = |list: &[String]| group.iter().map(|&g| list[g].clone()).collect::<Vec<_>>();
                    at[d] = self.named(vec![position(&pick(&to), &pick(index))])?.remove(0);
                }
            }
            _ => {
                let flat = self.named(vec![position(&to, index)])?.remove(0);
                self.split(&one(&from)[0], &flat, &from, &mut at)?;
            }
        }
        Ok(at)
    }

    /// The positions in some dimensions, of one in all of them together.
    fn split(&mut self, dims: &[usize], flat: &str, shape: &[String], at: &mut [String]) -> Result<(), String> {
        let large: Vec<usize> = dims.iter().copied().filter(|&d| shape[d] != "1").collect();
        for (k, &d) in large.iter().enumerate() {
            let inner: Vec<String> = large[k + 1..].iter().map(|&d| shape[d].clone()).collect();
            let mut text = flat.to_owned();
            if !inner.is_empty() {
                text = format!("{} / {}", atom(&text), atom(&product(&inner)));
            }
            if k > 0 {
                text = if inner.is_empty() { atom(&text) } else { text };
                text = format!("{text} % {}", atom(&shape[d]));
            }
            at[d] = self.named(vec![text])?.remove(0);
        }
        Ok(())
    }

    pub(super) fn pad(&mut self, op: Op, index: &[String]) -> Result<String, String> {
        let widths = pad_widths(self, op)?;
        let old = self.shape(op.operand(0))?;
        let block = op.body().ok_or("a pad has no body")?;
        let end = block.terminator().ok_or("a pad has no value")?;
        for (argument, name) in block.args().into_iter().zip(index) {
            self.bind(argument, atom(name));
        }
        block.ops().into_iter().filter(|inner| *inner != end).try_for_each(|inner| self.inner(inner))?;
        let value = self.value(end.operand(0))?;
        let mut conditions = Vec::new();
        let mut at = Vec::new();
        for d in 0..old.len() {
            let (low, high) = (&widths[0][d], &widths[1][d]);
            let shifted = if low == "0" { index[d].clone() } else { format!("{} - {}", atom(&index[d]), atom(low)) };
            let shifted = self.named(vec![shifted])?.remove(0);
            if low != "0" {
                conditions.push(format!("{shifted} >= 0"));
            }
            if high != "0" {
                conditions.push(format!("{shifted} < {}", old[d]));
            }
            at.push(shifted);
        }
        self.choose(op, &value, &[(conditions.join(" && "), op.operand(0), at)])
    }

    pub(super) fn insert_slice(&mut self, op: Op, index: &[String]) -> Result<String, String> {
        let [offsets, sizes, strides] = slice(self, op)?;
        let (mut conditions, mut at) = (Vec::new(), Vec::new());
        let whole = self.shape(op.operand(1))?;
        for d in 0..sizes.len() {
            let shifted =
                if offsets[d] == "0" { index[d].clone() } else { format!("{} - {}", index[d], atom(&offsets[d])) };
            let shifted = self.named(vec![shifted])?.remove(0);
            if offsets[d] != "0" {
                conditions.push(format!("{shifted} >= 0"));
            }
            if strides[d] != "1" {
                conditions.push(format!("{} % {} == 0", atom(&shifted), atom(&strides[d])));
                conditions.push(format!("{} / {} < {}", atom(&shifted), atom(&strides[d]), sizes[d]));
                at.push(format!("{} / {}", atom(&shifted), atom(&strides[d])));
                continue;
            }
            if offsets[d] != "0" || whole[d] != sizes[d] {
                conditions.push(format!("{shifted} < {}", sizes[d]));
            }
            at.push(shifted);
        }
        let kept = kept(&sizes, op.operand(0).ty())?;
        let from = kept.into_iter().map(|d| at[d].clone()).collect();
        let old = self.element(op.operand(1), index)?;
        self.choose(op, &old, &[(conditions.join(" && "), op.operand(0), from)])
    }

    pub(super) fn concat(&mut self, op: Op, index: &[String]) -> Result<String, String> {
        let dim = op.attr("dim").and_then(Attr::as_int).ok_or("a concat has no dimension")? as usize;
        let (mut cases, mut start) = (Vec::new(), Vec::new());
        for part in op.operands() {
            let from = sum(&start);
            start.push(self.shape(part)?[dim].clone());
            let mut at = index.to_vec();
            if from != "0" {
                at[dim] = self.named(vec![format!("{} - {}", atom(&index[dim]), atom(&from))])?.remove(0);
            }
            let after = format!("{} < {}", index[dim], sum(&start));
            let condition = if from == "0" { after } else { format!("{} >= {from} && {after}", index[dim]) };
            cases.push((condition, part, at));
        }
        let zero = self.zero(op.result(0).ty().element());
        self.choose(op, &zero, &cases)
    }

    /// A value that is that of an element where a condition holds.
    fn choose(&mut self, op: Op, otherwise: &str, cases: &[(String, Value, Vec<String>)]) -> Result<String, String> {
        if let [(condition, source, at)] = cases
            && condition.is_empty()
        {
            return self.element(*source, at);
        }
        let name = self.variable("y", op.result(0).ty().element(), otherwise)?;
        for (condition, source, at) in cases {
            self.open_if(condition);
            let value = self.element(*source, at);
            if let Ok(value) = &value {
                self.text.line(format!("{name} = {value};"));
            }
            self.close();
            value?;
        }
        Ok(name)
    }
}
