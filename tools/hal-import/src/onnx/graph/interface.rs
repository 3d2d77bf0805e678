//! The arguments and results of the module's function: the inputs and outputs of the model, with their names and shapes.
use super::Importer;
use crate::onnx::{
    Context, Dim, Elem, Outcome, Value,
    problem::unsupported,
    proto::{Dimension, DimensionValue, ValueInfo},
    writer::quote,
};

impl<'a> Importer<'a> {
    /// An argument of the module's function for an input, and its text.
    pub(super) fn argument(&mut self, input: &ValueInfo, index: usize) -> Outcome<(Value, String)> {
        let Some(ty) = input.ty.as_ref().and_then(|t| t.tensor.as_ref()) else {
            return unsupported("it is not a tensor");
        };
        let elem =
            Elem::from_onnx(ty.elem_type.unwrap_or(0)).or_else(|t| unsupported(format!("its element type is {t}")))?;
        let Some(shape) = &ty.shape else {
            return unsupported("its rank is not known; give it a shape");
        };
        let ssa = format!("%arg{index}");
        // The type comes first: reading a size names it.
        let known = |d: &Dimension| matches!(d.value, Some(DimensionValue::Size(n)) if n >= 0);
        let text: String = shape
            .dim
            .iter()
            .map(|d| match d.value {
                Some(DimensionValue::Size(n)) if known(d) => format!("{n}x"),
                _ => "?x".into(),
            })
            .collect();
        let mlir = format!("tensor<{text}{}>", elem.mlir());
        let mut dims = Vec::new();
        for (i, d) in shape.dim.iter().enumerate() {
            let read = |c: &mut Context<'a>| {
                let at = c.index(&Dim::fixed(i as i64));
                c.w.value(format!("tensor.dim {ssa}, {at} : {mlir}"))
            };
            dims.push(match &d.value {
                Some(DimensionValue::Size(n)) if *n >= 0 => Dim::fixed(*n),
                Some(DimensionValue::Name(name)) if !name.is_empty() => self.c.symbol(format!("param:{name}"), read),
                _ => {
                    let ssa = read(&mut self.c);
                    self.c.fresh_symbol(ssa)
                }
            });
        }
        let text = format!("{ssa}: {mlir} {{{}}}", attributes(input.name(), elem));
        Ok((Value::new(ssa, elem, dims), text))
    }

    /// An output with what the model declares of its shape, where that is more than was inferred.
    pub(super) fn declared(&mut self, value: &Value, output: &ValueInfo) -> Value {
        let shape = output.ty.as_ref().and_then(|t| t.tensor.as_ref()).and_then(|t| t.shape.as_ref());
        let Some(shape) = shape.filter(|s| s.dim.len() == value.rank()) else { return value.clone() };
        let dims: Vec<_> = value
            .shape
            .iter()
            .zip(&shape.dim)
            .map(|(inferred, declared)| match declared.value {
                Some(DimensionValue::Size(n)) if n >= 0 && inferred.get().is_none() => Dim::fixed(n),
                _ => inferred.clone(),
            })
            .collect();
        self.c.cast(value, &dims)
    }
}

/// What the exchange form says of an input or output: its name in the model, and whether its integers are unsigned.
pub(super) fn attributes(name: &str, elem: Elem) -> String {
    let unsigned = if elem.is_unsigned() && elem != Elem::Bool { ", hal.unsigned" } else { "" };
    format!("hal.name = {}{unsigned}", quote(name))
}
