//! The arguments and results of the module's function: the inputs and outputs of the model, with their names and shapes.
use super::Importer;
use crate::onnx::{
    Context, Dim, Elem, Outcome, Value,
    context::require::{Rule, escape, node},
    problem::{invalid, unsupported},
    proto::{Dimension, DimensionValue, NodeProto, ValueInfo},
    writer::quote,
};
use crate::sizes::DimRule;
use halyard_ir::names;

/// A dimension of an input.
struct Given<'a> {
    size: Option<i64>,
    /// The model's name for the size.
    name: Option<String>,
    /// What holds of a size that is not known.
    rule: Option<&'a DimRule>,
}

impl Given<'_> {
    fn size(&self) -> Option<i64> {
        self.size
    }
}

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
        let dims = self.dimensions(input.name(), ty.shape.as_ref().map(|s| &*s.dim))?;
        let ssa = format!("%arg{index}");
        // The type comes first: reading a size names it.
        let text: String = dims.iter().map(|d| d.size().map_or("?x".into(), |n| format!("{n}x"))).collect();
        let mlir = format!("tensor<{text}{}>", elem.mlir());
        let mut shape = Vec::new();
        for (i, d) in dims.iter().enumerate() {
            if let Some(size) = d.size() {
                shape.push(Dim::fixed(size));
                continue;
            }
            let read = |c: &mut Context<'a>| {
                let at = c.index(&Dim::fixed(i as i64));
                c.w.value(format!("tensor.dim {ssa}, {at} : {mlir}"))
            };
            let size = match &d.name {
                Some(name) => self.parameter(name, (input.name(), i), reader, read)?,
                None => {
                    let ssa = read(&mut self.c);
                    self.c.fresh_symbol(ssa)
                }
            };
            if let Some(rule) = d.rule {
                match &d.name {
                    Some(name) => self.c.at_inputs(name),
                    None => self.c.at_input(input.name(), i),
                }
                self.c.require_rule(&size, rule)?;
            }
            shape.push(size);
        }
        let names: Vec<_> = dims.iter().map(|d| d.name.clone().filter(|_| d.size().is_none()).unwrap_or_default()).collect();
        let text = format!("{ssa}: {mlir} {{{}}}", attributes(input.name(), elem, &names));
        Ok((Value::new(ssa, elem, shape), text))
    }

    /// What the model and the command line say of an input's dimensions.
    fn dimensions(&mut self, input: &str, shape: Option<&[Dimension]>) -> Outcome<Vec<Given<'a>>> {
        let wanted = self.given.shape(input);
        let rank = match (shape, wanted) {
            (Some(shape), Some(wanted)) if shape.len() != wanted.len() => {
                return invalid(format!("it has {} dimensions, and --input-shape gives {}", shape.len(), wanted.len()));
            }
            (Some(shape), _) => shape.len(),
            (_, Some(wanted)) => wanted.len(),
            _ => return unsupported(format!("its rank is not known; say it, as in `--input-shape={input}=1x?x4`")),
        };
        (0..rank)
            .map(|i| {
                let value = shape.and_then(|s| s[i].value.as_ref());
                let own = match value {
                    Some(DimensionValue::Size(n)) if *n >= 0 => Some(*n),
                    _ => None,
                };
                let name = match value {
                    Some(DimensionValue::Name(name)) if !name.is_empty() => Some(name.clone()),
                    _ => None,
                };
                let shaped = wanted.and_then(|w| w[i]);
                let rule = if own.is_none() || shaped.is_some() || self.given.is_about(input, i) {
                    self.given.rule(input, i, name.as_deref())
                } else {
                    None
                };
                let fixed = [own, shaped, rule.and_then(|r| r.size())];
                let size = fixed.iter().flatten().next().copied();
                if let Some(other) = fixed.iter().flatten().find(|n| Some(**n) != size) {
                    return invalid(format!("dimension {i} is {}, and the command line says {other}", size.unwrap_or(0)));
                }
                Ok(Given { size, name, rule: rule.filter(|_| size.is_none()) })
            })
            .collect()
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

    /// The names of an output's sizes: those of the inputs that are equal, else what the model calls them.
    pub(super) fn dim_names(&self, value: &Value, output: &ValueInfo) -> Vec<String> {
        let declared = output.ty.as_ref().and_then(|t| t.tensor.as_ref()).and_then(|t| t.shape.as_ref());
        let declared = |i: usize| match &declared.filter(|s| s.dim.len() == value.rank())?.dim[i].value {
            Some(DimensionValue::Name(name)) => Some(name.clone()),
            _ => None,
        };
        let name = |(i, d): (usize, &Dim)| {
            if d.get().is_some() {
                return String::new();
            }
            let own = self.parameters.iter().filter(|(_, (size, _))| self.c.settle_dim(size) == *d).map(|(name, _)| name).min();
            own.cloned().or_else(|| declared(i)).unwrap_or_default()
        };
        value.shape.iter().enumerate().map(name).collect()
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

/// What the exchange form says of an input or output: its name in the model, whether its integers are unsigned, and names of sizes.
/// `dims` are the names of sizes that only a run knows; empty where there is none.
pub(super) fn attributes(name: &str, elem: Elem, dims: &[String]) -> String {
    let unsigned = if elem.is_unsigned() && elem != Elem::Bool { ", hal.unsigned" } else { "" };
    let mut sizes = String::new();
    if dims.iter().any(|d| !d.is_empty()) {
        let list: Vec<_> = dims.iter().map(|d| quote(d)).collect();
        sizes = format!(", {} = [{}]", names::DIM_NAMES, list.join(", "));
    }
    format!("hal.name = {}{unsigned}{sizes}", quote(name))
}
