//! Writes operations that move elements: views, slices, pads, concatenations.
use super::body::{Body, Place};
use crate::expression::{
    Scope,
    index::{Shape, position, sum},
    language::Language,
    shape::{filled, is_view, kept, pad_widths, padded, shifted, slice, view_shape},
};
use halyard_ir::{Attr, Op, Value};

impl Body<'_> {
    /// An operation whose first result is a tensor.
    pub(super) fn tensor(&mut self, op: Op) -> Result<(), String> {
        let name = op.name();
        let result = op.result(0);
        if is_view(op) {
            let shape = view_shape(self, op, result.ty())?;
            let place = self.place(op.operand(0))?.with_shape(shape);
            self.places.insert(result, place);
            return Ok(());
        }
        match &*name {
            "tensor.empty" => {
                let sizes = self.values(&op.operands())?;
                let shape = filled(&result.ty().shape(), &mut sizes.into_iter())?;
                self.places.insert(result, Place::Empty { shape });
                Ok(())
            }
            "tensor.splat" => {
                let value = self.value(op.operand(0))?;
                let sizes = self.values(&op.operands()[1..])?;
                let shape = filled(&result.ty().shape(), &mut sizes.into_iter())?;
                self.places.insert(result, Place::Splat { value, shape });
                Ok(())
            }
            "tensor.extract_slice" => self.extract_slice(op),
            "tensor.insert_slice" => self.insert_slice(op),
            "tensor.pad" => self.pad(op),
            "tensor.concat" => self.concat(op),
            "tensor.generate" => self.generate(op),
            "tensor.from_elements" => self.elements(op),
            _ => Err(format!("`{name}` is not written in C")),
        }
    }

    fn extract_slice(&mut self, op: Op) -> Result<(), String> {
        let [offsets, sizes, strides] = slice(self, op)?;
        let (source, result) = (self.place(op.operand(0))?, op.result(0));
        let kept = kept(&sizes, result.ty())?;
        let shape: Shape = kept.iter().map(|&d| sizes[d].clone()).collect();
        let place = self.new_buffer(result, shape)?;
        self.text.comment("tensor.extract_slice");
        let names = self.open(&sizes);
        let from = shifted(&names, &offsets, &strides);
        let to: Vec<String> = kept.iter().map(|&d| names[d].clone()).collect();
        self.move_element(&source, &from, &place, &to, result)?;
        self.text.close(sizes.len());
        self.places.insert(result, place);
        Ok(())
    }

    fn insert_slice(&mut self, op: Op) -> Result<(), String> {
        let [offsets, sizes, strides] = slice(self, op)?;
        let (source, result) = (self.place(op.operand(0))?, op.result(0));
        let kept = kept(&sizes, op.operand(0).ty())?;
        let place = self.updated(result, op.operand(1), true)?;
        self.text.comment("tensor.insert_slice");
        let names = self.open(&sizes);
        let from: Vec<String> = kept.iter().map(|&d| names[d].clone()).collect();
        self.move_element(&source, &from, &place, &shifted(&names, &offsets, &strides), result)?;
        self.text.close(sizes.len());
        self.places.insert(result, place);
        Ok(())
    }

    fn pad(&mut self, op: Op) -> Result<(), String> {
        let result = op.result(0);
        let source = self.place(op.operand(0))?;
        let widths = pad_widths(self, op)?;
        let old = source.shape().clone();
        let shape: Shape = padded(&old, &widths);
        let block = op.body().ok_or("a pad has no body")?;
        let end = block.terminator().ok_or("a pad has no value")?;
        if block.args().iter().any(|a| a.has_uses()) {
            return Err("a pad whose value depends on the place is not written in C".into());
        }
        for inner in block.ops().into_iter().filter(|inner| *inner != end) {
            self.inner(inner)?;
        }
        let value = self.value(end.operand(0))?;
        let place = self.new_buffer(result, shape.clone())?;
        self.text.comment("tensor.pad");
        self.copy(&Place::Splat { value, shape }, &place, result.ty().element())?;
        let names = self.open(&old);
        let ones = vec!["1".to_owned(); names.len()];
        self.move_element(&source, &names, &place, &shifted(&names, &widths[0], &ones), result)?;
        self.text.close(old.len());
        self.places.insert(result, place);
        Ok(())
    }

    fn concat(&mut self, op: Op) -> Result<(), String> {
        let result = op.result(0);
        let dim = op.attr("dim").and_then(Attr::as_int).ok_or("a concat has no dimension")? as usize;
        let parts = op.operands().into_iter().map(|v| self.place(v)).collect::<Result<Vec<_>, _>>()?;
        let mut shape = parts[0].shape().clone();
        let along: Vec<String> = parts.iter().map(|p| p.shape()[dim].clone()).collect();
        shape[dim] = sum(&along);
        let place = self.new_buffer(result, shape)?;
        self.text.comment("tensor.concat");
        for (i, part) in parts.iter().enumerate() {
            let sizes = part.shape().clone();
            let names = self.open(&sizes);
            let mut to = names.clone();
            to[dim] = sum(&[names[dim].clone(), sum(&along[..i])]);
            self.move_element(part, &names, &place, &to, result)?;
            self.text.close(sizes.len());
        }
        self.places.insert(result, place);
        Ok(())
    }

    fn generate(&mut self, op: Op) -> Result<(), String> {
        let result = op.result(0);
        let sizes = self.values(&op.operands())?;
        let shape = filled(&result.ty().shape(), &mut sizes.into_iter())?;
        let place = self.new_buffer(result, shape.clone())?;
        self.text.comment("tensor.generate");
        let names = self.open(&shape);
        let block = op.body().ok_or("a generate has no body")?;
        for (argument, name) in block.args().into_iter().zip(&names) {
            self.scalars.insert(argument, name.clone());
        }
        let end = block.terminator().ok_or("a generate has no value")?;
        for inner in block.ops().into_iter().filter(|inner| *inner != end) {
            self.inner(inner)?;
        }
        let value = self.value(end.operand(0))?;
        self.store(&place, &names, &value, result)?;
        self.text.close(names.len());
        self.places.insert(result, place);
        Ok(())
    }

    fn elements(&mut self, op: Op) -> Result<(), String> {
        let result = op.result(0);
        let shape: Shape = result.ty().shape().iter().map(|d| d.unwrap_or(0).to_string()).collect();
        let values = self.values(&op.operands())?;
        let place = self.new_buffer(result, shape.clone())?;
        let flat = place.with_shape(vec![values.len().to_string()]);
        for (i, value) in values.iter().enumerate() {
            self.store(&flat, &[i.to_string()], value, result)?;
        }
        self.places.insert(result, place);
        Ok(())
    }

    /// Opens a loop per dimension; gives their variables.
    fn open(&mut self, sizes: &[String]) -> Vec<String> {
        let names: Vec<String> =
            (0..sizes.len()).map(|d| ["i", "j", "k", "l"].get(d).map_or(format!("d{d}"), |n| (*n).into())).collect();
        for (name, size) in names.iter().zip(sizes) {
            self.text.each(name, size);
        }
        names
    }

    fn move_element(
        &mut self,
        from: &Place,
        at: &[String],
        to: &Place,
        place: &[String],
        like: Value,
    ) -> Result<(), String> {
        let ty = like.ty().element();
        // A bf16 in a buffer is copied as its bits.
        if let (true, Place::Buffer { name, shape, .. }, Place::Buffer { name: target, shape: other, .. }) =
            (Language::C.narrow(ty).is_some(), from, to)
        {
            let (a, b) = (position(shape, at), position(other, place));
            self.text.line(format!("{target}[{b}] = {name}[{a}];"));
            return Ok(());
        }
        let value = self.load(from, at, ty)?;
        self.store(to, place, &value, like)
    }
}
