//! The arguments and results of the module's function: the inputs and outputs of the model, with their names and shapes.
use super::Importer;
use crate::onnx::{
    Context, Dim, Elem, Outcome, Value,
    context::require::{Rule, node},
    inputs::{self, GivenShape, Sizes},
    node::STRING,
    problem::{invalid, unsupported},
    proto::{Dimension, DimensionValue, NodeProto, Shape, TensorType, ValueInfo},
    strings::{BYTES, ELEMENT},
    value::Words,
    writer::quote,
};
use halyard_diag::Template;
use halyard_ir::names;
use halyard_runtime::TensorSpec;
use std::collections::BTreeMap;

/// The longest sequence that an input may be.
const LONGEST: i64 = 1 << 12;

impl<'a> Importer<'a> {
    /// The value of an input, and the arguments of the module's function for it. `reader` is the node that reads it first.
    pub(super) fn input(
        &mut self,
        input: &ValueInfo,
        reader: Option<&NodeProto>,
        arguments: &mut Vec<String>,
    ) -> Outcome<Value> {
        if let Some(value) = self.values.get(input.name()) {
            return Ok(Value::constant(value.clone().named(Some(input.name().to_owned()))));
        }
        let Some(mut ty) = input.ty.as_ref() else { return unsupported("its type is not known") };
        let given = self.shapes.get(input.name()).cloned();
        if let Some(optional) = &ty.optional {
            if given == Some(GivenShape::Nothing) {
                return Ok(Value::absent());
            }
            let Some(held) = &optional.elem_type else { return invalid("it is an optional of no type") };
            ty = held;
        }
        if let Some(tensor) = &ty.tensor {
            return match &given {
                None => self.argument(input.name(), tensor, None, reader, arguments),
                Some(GivenShape::One(sizes)) => self.argument(input.name(), tensor, Some(sizes), reader, arguments),
                Some(_) => invalid("it is a tensor, and `--input-shape` says something else"),
            };
        }
        let Some(sequence) = &ty.sequence else { return unsupported("it is neither a tensor nor a sequence") };
        let Some(element) = sequence.elem_type.as_ref().and_then(|t| t.tensor.as_ref()) else {
            return unsupported("it is a sequence of something else than tensors");
        };
        let elements = match given {
            Some(GivenShape::Many(elements)) => elements.into_iter().map(Some).collect(),
            Some(GivenShape::One(length)) if length.len() == 1 && length[0].is_some_and(|n| n <= LONGEST) => {
                vec![None; length[0].unwrap_or(0) as usize]
            }
            Some(_) => return invalid("it is a sequence, and `--input-shape` says something else"),
            None => {
                let name = input.name();
                return unsupported(format!(
                    "it is a sequence whose length is not known; say what its elements are, as in `--input-shape={name}=[2x3,?x3]` or, for 2, `--input-shape={name}=2`"
                ));
            }
        };
        let mut values = Vec::new();
        for (i, sizes) in elements.iter().enumerate() {
            let name = format!("{}.{i}", input.name());
            // Names of sizes are of each element by itself; a shape that was given counts more than what the model declares.
            let mut own = element.clone();
            own.shape =
                own.shape.filter(|s| sizes.as_ref().is_none_or(|sizes| sizes.len() == s.dim.len())).map(|mut shape| {
                    for d in &mut shape.dim {
                        d.value = d.value.take().filter(|v| matches!(v, DimensionValue::Size(_)));
                    }
                    shape
                });
            values.push(self.argument(&name, &own, sizes.as_ref(), None, arguments)?);
        }
        Ok(Value::of_sequence(values))
    }

    /// An argument of the module's function; its text is added.
    fn argument(
        &mut self,
        name: &str,
        ty: &TensorType,
        sizes: Option<&Sizes>,
        reader: Option<&NodeProto>,
        arguments: &mut Vec<String>,
    ) -> Outcome<Value> {
        let is_strings = ty.elem_type == Some(STRING);
        let elem = match ty.elem_type.unwrap_or(0) {
            // The end of each string.
            STRING => Elem::I64,
            code => Elem::from_onnx(code).or_else(|t| unsupported(format!("its element type is {t}")))?,
        };
        let shape = shape_of(ty, sizes)?;
        let Some(shape) = &shape else {
            return unsupported(format!("its rank is not known; give it a shape, as in `--input-shape={name}=2x?`"));
        };
        let shape = &self.ruled(name, shape)?;
        let ssa = format!("%arg{}", arguments.len());
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
            let own = name_of(d);
            let size = match &d.value {
                Some(DimensionValue::Size(n)) if *n >= 0 => Dim::fixed(*n),
                _ => match own {
                    Some(parameter) => self.parameter(parameter, (name, i), reader, read)?,
                    None => {
                        let ssa = read(&mut self.c);
                        self.c.fresh_symbol(ssa)
                    }
                },
            };
            if size.get().is_none()
                && let Some(rule) = self.rules.of(name, i, own)
            {
                match own {
                    Some(parameter) => self.c.at_inputs(parameter),
                    None => self.c.at_input(name, i),
                }
                self.c.require_rule(&size, rule)?;
            }
            dims.push(size);
        }
        let names: Vec<_> = shape.dim.iter().map(|d| name_of(d).unwrap_or_default().to_owned()).collect();
        let value = Value::new(ssa.clone(), elem, dims);
        if is_strings {
            arguments.push(format!("{ssa}: {mlir} {{{}}}", string_attributes(name, &names)));
            return self.strings_in(name, &value, arguments);
        }
        arguments.push(format!("{ssa}: {mlir} {{{}}}", attributes(name, elem, &names)));
        Ok(value)
    }

    /// An input that holds strings, whose ends are an argument already: the next one is their bytes.
    fn strings_in(&mut self, name: &str, ends: &Value, arguments: &mut Vec<String>) -> Outcome<Value> {
        let ssa = format!("%arg{}", arguments.len());
        let bytes = self.c.sized(ssa.clone(), Elem::U8, &[None]);
        arguments.push(format!("{ssa}: {} {{{}}}", bytes.ty(), attributes(&format!("{name}{BYTES}"), Elem::U8, &[])));
        self.c.at_input_of(name);
        self.c.given_strings(ends, &bytes)
    }

    /// Whether strings are returned as their indices.
    pub(super) fn gives_numbers(&self, value: &Value) -> bool {
        self.c.gives_words() && matches!(value.words, Some(Words::Known(_)))
    }

    /// The two results of the module's function for strings; their texts, names and types are added.
    pub(super) fn strings_out(
        &mut self,
        value: &Value,
        name: &str,
        sizes: &[String],
        (results, values, types): (&mut Vec<String>, &mut Vec<String>, &mut Vec<String>),
    ) -> Outcome<()> {
        let (ends, bytes) = self.c.packed(value)?;
        results.push(format!("{} {{{}}}", ends.ty(), string_attributes(name, sizes)));
        results.push(format!("{} {{{}}}", bytes.ty(), attributes(&format!("{name}{BYTES}"), Elem::U8, &[])));
        for v in [&ends, &bytes] {
            values.push(self.c.ssa(v));
            types.push(v.ty());
        }
        Ok(())
    }

    /// A shape with the sizes that rules fix. Errors: the model or `--input-shape` says something else.
    fn ruled(&mut self, input: &str, shape: &Shape) -> Outcome<Shape> {
        let mut shape = shape.clone();
        for (i, d) in shape.dim.iter_mut().enumerate() {
            let own = match d.value {
                Some(DimensionValue::Size(n)) if n >= 0 => Some(n),
                _ => None,
            };
            if own.is_some() && !self.rules.is_about(input, i) {
                continue;
            }
            let Some(rule) = self.rules.of(input, i, name_of(d)) else { continue };
            match (own, rule.size()) {
                (Some(own), _) if !rule.holds(own) => {
                    return invalid(format!("dimension {i} is {own}, which `--dim {}` excludes", rule.text));
                }
                (None, Some(size)) => d.value = Some(DimensionValue::Size(size)),
                _ => {}
            }
        }
        Ok(shape)
    }

    /// Returns the size of a named dimension: that of the first input that has it, with which the others must agree.
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
        let (of, at) = (Template::escape(&place.0), place.1);
        let text = format!(
            "it is {{0}} in dimension {at} of input `{of}` and {{1}} in dimension {axis} of input `{}`{reader}",
            Template::escape(input)
        );
        self.c.require(Rule::Equal(size.clone(), own.clone()), &text, &[&size, &own])?;
        Ok(size)
    }

    /// The names of an output's sizes: those of the inputs that are equal, else what the model calls them.
    pub(super) fn dim_names(&self, value: &Value, output: &ValueInfo) -> Vec<String> {
        let declared = output.ty.as_ref().and_then(|t| t.tensor.as_ref()).and_then(|t| t.shape.as_ref());
        let declared = |i: usize| name_of(&declared.filter(|s| s.dim.len() == value.rank())?.dim[i]);
        let name = |(i, d): (usize, &Dim)| {
            if d.get().is_some() {
                return String::new();
            }
            let own = self
                .parameters
                .iter()
                .filter(|(_, (size, _))| self.c.settle_dim(size) == *d)
                .map(|(name, _)| &**name)
                .min();
            own.or_else(|| declared(i)).unwrap_or_default().to_owned()
        };
        value.shape.iter().enumerate().map(name).collect()
    }

    /// Returns an output with the shape that the model declares, if that is more precise than the inferred one. A size
    /// that inputs determine is kept: exporters declare the size that they tried, and onnxruntime only warns about it.
    pub(super) fn declared(&mut self, value: &Value, output: &ValueInfo) -> Outcome<Value> {
        let value = &self.c.settle(value).called(output.name());
        let shape = output.ty.as_ref().and_then(|t| t.tensor.as_ref()).and_then(|t| t.shape.as_ref());
        let Some(shape) = shape.filter(|s| s.dim.len() == value.rank()) else { return Ok(value.clone()) };
        self.c.at_output(output.name());
        let chosen = self.input_symbols;
        let open = |d: &Dim| d.terms().iter().any(|(symbol, _)| *symbol >= chosen);
        for (i, declared) in shape.dim.iter().enumerate() {
            if let Some(DimensionValue::Size(n)) = declared.value
                && n >= 0
                && open(&value.shape[i])
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
                Some(DimensionValue::Size(n)) if n >= 0 && open(inferred) => Dim::fixed(n),
                _ => inferred.clone(),
            })
            .collect();
        Ok(self.c.cast(value, &dims))
    }
}

/// The markers that exporters write for an unknown size. Equal markers do not imply equal sizes.
const MARKS_OF_UNKNOWN: [&str; 5] = ["", "?", "*", "-1", "None"];

/// The model's name for a size that only a run knows.
fn name_of(d: &Dimension) -> Option<&str> {
    match &d.value {
        Some(DimensionValue::Name(name)) if !MARKS_OF_UNKNOWN.contains(&&**name) => Some(name),
        _ => None,
    }
}

/// Combines the shape that the model declares with that of the command line. Fails if they do not agree.
fn shape_of(ty: &TensorType, sizes: Option<&Sizes>) -> Outcome<Option<Shape>> {
    let Some(sizes) = sizes else { return Ok(ty.shape.clone()) };
    let declared =
        ty.shape.clone().map_or_else(|| vec![None; sizes.len()], |s| s.dim.into_iter().map(|d| d.value).collect());
    if declared.len() != sizes.len() {
        return invalid(format!("the model declares rank {}, `--input-shape` rank {}", declared.len(), sizes.len()));
    }
    let mut dim = Vec::new();
    for (declared, given) in declared.into_iter().zip(sizes) {
        let value = match (declared, given) {
            (Some(DimensionValue::Size(a)), Some(b)) if a >= 0 && a != *b => {
                return invalid(format!("the model declares a size of {a}, `--input-shape` says {b}"));
            }
            (_, Some(given)) => Some(DimensionValue::Size(*given)),
            (declared, None) => declared,
        };
        dim.push(Dimension { value });
    }
    Ok(Some(Shape { dim }))
}

/// An input that is a tensor, as tools that take values know it.
pub(super) fn spec(input: &ValueInfo, shapes: &BTreeMap<String, GivenShape>) -> Option<(TensorSpec, Elem)> {
    let ty = input.ty.as_ref()?.tensor.as_ref()?;
    let elem = Elem::from_onnx(ty.elem_type.unwrap_or(0)).ok()?;
    let sizes = match shapes.get(input.name()) {
        Some(GivenShape::One(sizes)) => Some(sizes),
        _ => None,
    };
    let size = |d: Dimension| match d.value {
        Some(DimensionValue::Size(n)) => usize::try_from(n).ok(),
        _ => None,
    };
    let shape = shape_of(ty, sizes).ok()??.dim.into_iter().map(size).collect();
    Some((inputs::spec(input.name(), elem, shape), elem))
}

/// Does the same as [`attributes`] for strings: their ends.
fn string_attributes(name: &str, sizes: &[String]) -> String {
    format!("{}, {} = {}", attributes(name, Elem::I64, sizes), names::ELEMENT, quote(ELEMENT))
}

/// Returns the attributes of an input or output in the exchange form: its name in the model, whether its integers are
/// unsigned, and the meaning of its bytes if the type does not state it. `dims` are the names of dynamic sizes; empty
/// for static ones.
pub(super) fn attributes(name: &str, elem: Elem, dims: &[String]) -> String {
    let unsigned = if elem.is_unsigned() && elem != Elem::Bool { ", hal.unsigned" } else { "" };
    let narrow = elem.narrow_name().map_or(String::new(), |name| format!(", hal.element = {}", quote(name)));
    let mut sizes = String::new();
    if dims.iter().any(|d| !d.is_empty()) {
        let list: Vec<_> = dims.iter().map(|d| quote(d)).collect();
        sizes = format!(", {} = [{}]", names::DIM_NAMES, list.join(", "));
    }
    format!("hal.name = {}{unsigned}{narrow}{sizes}", quote(name))
}
