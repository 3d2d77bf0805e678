//! The arguments and results of the module's function: the inputs and outputs of the model, with their names and shapes.
use super::Importer;
use crate::onnx::{
    Context, Dim, Elem, Outcome, Value,
    context::require::{Rule, escape, node},
    problem::unsupported,
    proto::{Dimension, DimensionValue, NodeProto, ValueInfo},
    writer::quote,
};

impl<'a> Importer<'a> {
    /// An argument of the module's function for an input, and its text.
    /// `reader` is the node that reads it first.
    pub(super) fn argument(
        &mut self,
        input: &ValueInfo,
        index: usize,
        reader: Option<&NodeProto>,
    ) -> Outcome<(Value, String)> {
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
                Some(DimensionValue::Name(name)) if !name.is_empty() => self.parameter(name, (input.name(), i), reader, read)?,
                _ => {
                    let ssa = read(&mut self.c);
                    self.c.fresh_symbol(ssa)
                }
            });
        }
        let text = format!("{ssa}: {mlir} {{{}}}", attributes(input.name(), elem));
        Ok((Value::new(ssa, elem, dims), text))
    }

    /// The size that a name stands for: that of the first input which has it, with which the others agree.
    fn parameter(
        &mut self,
        name: &str,
        (input, axis): (&str, usize),
        reader: Option<&NodeProto>,
        read: impl FnOnce(&mut Context<'a>) -> String,
    ) -> Outcome<Dim> {
        let Some((size, place)) = self.parameters.get(name).cloned() else {
            let size = self.c.symbol(format!("param:{name}"), read);
            self.parameters.insert(name.to_owned(), (size.clone(), (input.to_owned(), axis)));
            return Ok(size);
        };
        let ssa = read(&mut self.c);
        let own = self.c.fresh_symbol(ssa);
        self.c.at_inputs(name);
        let reader = reader.map_or(String::new(), |n| {
            let output = n.output.iter().find(|o| !o.is_empty()).map_or("", String::as_str);
            format!(", which {} reads", node(n.op_type.as_deref().unwrap_or_default(), n.name.as_deref(), output))
        });
        let (of, at) = (escape(&place.0), place.1);
        let text = format!("it is {{0}} in dimension {at} of input `{of}` and {{1}} in dimension {axis} of input `{}`{reader}", escape(input));
        self.c.require(Rule::Equal(size.clone(), own.clone()), &text, &[&size, &own])?;
        Ok(size)
    }

    /// An output with what the model declares of its shape, where that is more than was inferred.
    pub(super) fn declared(&mut self, value: &Value, output: &ValueInfo) -> Outcome<Value> {
        let value = &self.c.settle(value).called(output.name());
        let shape = output.ty.as_ref().and_then(|t| t.tensor.as_ref()).and_then(|t| t.shape.as_ref());
        let Some(shape) = shape.filter(|s| s.dim.len() == value.rank()) else { return Ok(value.clone()) };
        self.c.at_output(output.name());
        for (i, declared) in shape.dim.iter().enumerate() {
            if let Some(DimensionValue::Size(n)) = declared.value
                && n >= 0
                && value.shape[i].get().is_none()
            {
                self.c.require_size((value, i), &Dim::fixed(n), "as the model declares")?;
            }
        }
        let value = &self.c.settle(value);
        let dims: Vec<_> = value
            .shape
            .iter()
            .zip(&shape.dim)
            .map(|(inferred, declared)| match declared.value {
                Some(DimensionValue::Size(n)) if n >= 0 && inferred.get().is_none() => Dim::fixed(n),
                _ => inferred.clone(),
            })
            .collect();
        Ok(self.c.cast(value, &dims))
    }
}

/// What the exchange form says of an input or output: its name in the model, whether its integers are unsigned, and what
/// its bytes are where their type does not tell.
pub(super) fn attributes(name: &str, elem: Elem) -> String {
    let unsigned = if elem.is_unsigned() && elem != Elem::Bool { ", hal.unsigned" } else { "" };
    let narrow = elem.narrow_name().map_or(String::new(), |name| format!(", hal.element = {}", quote(name)));
    format!("hal.name = {}{unsigned}{narrow}", quote(name))
}
