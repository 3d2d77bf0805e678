//! A node with its inputs and attributes.
use super::{
    Outcome, Problem, Value,
    load::Loader,
    problem::invalid,
    proto::{Attribute, Graph, TensorProto},
    tensor::{Num, Tensor},
};

use std::{cell::RefCell, collections::BTreeSet};

/// A node of the graph, ready to be imported.
pub(crate) struct Node {
    /// The operator's name.
    pub(crate) op: String,
    /// The version of the operator set in force.
    pub(crate) opset: i64,
    /// The name for constants that it produces: its first output.
    pub(crate) name: String,
    pub(crate) inputs: Vec<Option<Value>>,
    /// The names of its outputs; empty for those that are not used.
    pub(crate) outputs: Vec<String>,
    pub(crate) attributes: Vec<Attribute>,
    /// The static sizes that the model declares for the outputs.
    pub(crate) declared: Vec<Option<Vec<Option<i64>>>>,
    /// The attributes that the lowering asked for.
    pub(crate) asked: RefCell<BTreeSet<String>>,
    /// The inputs that the lowering asked for.
    pub(crate) read: RefCell<BTreeSet<usize>>,
}

/// The number of the element type of strings.
pub(crate) const STRING: i32 = 8;

/// Attributes that say nothing about the result, or nothing that the inputs do not say, or that count only in some cases:
/// a lowering that does not ask for them is right all the same.
const NOT_ASKED: &[&str] = &[
    "axis",
    "broadcast",
    "consumed_inputs",
    "count_include_pad",
    "cubic_coeff_a",
    "dtype",
    "exclude_outside",
    "extrapolation_value",
    "hidden_size",
    "is_test",
    "keepdims",
    "kernel_shape",
    "kv_num_heads",
    "mode",
    "momentum",
    "nearest_mode",
    "noop_with_empty_axes",
    "num_heads",
    "num_outputs",
    "output_dtype",
    "output_size",
    "pads",
    "precision",
    "q_num_heads",
    "ratio",
    "saturate",
    "seed",
    "sorted",
    "spatial",
    "stash_type",
    "storage_order",
    "to",
    "training_mode",
    "value",
    "y_dtype",
];

impl Node {
    fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.asked.borrow_mut().insert(name.to_owned());
        self.attributes.iter().find(|a| a.name.as_deref() == Some(name))
    }

    /// An attribute that the lowering does not know. Newer versions of operators add some; passing over them would give
    /// wrong results.
    pub(crate) fn unknown_attribute(&self) -> Option<&str> {
        let asked = self.asked.borrow();
        self.attributes
            .iter()
            .filter_map(|a| a.name.as_deref())
            .find(|name| !asked.contains(*name) && !NOT_ASKED.contains(name))
    }

    /// An input that the lowering did not ask for. Operators of `com.microsoft` gain some without a new version; in other domains, it is one that
    /// makes no difference, such as a threshold where nothing is selected.
    pub(crate) fn unread_input(&self) -> Option<usize> {
        let read = self.read.borrow();
        (0..self.inputs.len()).find(|i| self.inputs[*i].is_some() && !read.contains(i))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    pub(crate) fn int(&self, name: &str, default: i64) -> i64 {
        self.attribute(name).map_or(default, |a| a.i.unwrap_or(0))
    }

    pub(crate) fn float(&self, name: &str, default: f32) -> f64 {
        self.attribute(name).map_or(default, |a| a.f.unwrap_or(0.0)).into()
    }

    /// Returns an attribute that is a single number.
    pub(crate) fn number(&self, name: &str) -> Option<Num> {
        let attribute = self.attribute(name)?;
        attribute.i.map(|i| Num::I(i.into())).or_else(|| attribute.f.map(|f| Num::F(f.into())))
    }

    pub(crate) fn string(&self, name: &str, default: &str) -> String {
        self.attribute(name).map_or_else(
            || default.to_owned(),
            |a| String::from_utf8_lossy(a.s.as_deref().unwrap_or_default()).into_owned(),
        )
    }

    pub(crate) fn ints(&self, name: &str) -> Option<Vec<i64>> {
        self.attribute(name).map(|a| a.ints.clone())
    }

    pub(crate) fn floats(&self, name: &str) -> Option<Vec<f32>> {
        self.attribute(name).map(|a| a.floats.clone())
    }

    pub(crate) fn strings(&self, name: &str) -> Option<Vec<String>> {
        self.attribute(name).map(|a| a.strings.iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect())
    }

    /// The strings of a tensor of an attribute, if it holds some.
    pub(crate) fn texts(&self, name: &str) -> Option<Vec<String>> {
        let tensor = self.attribute(name)?.t.as_ref()?;
        let text = |s: &bytes::Bytes| String::from_utf8_lossy(s).into_owned();
        (tensor.data_type == Some(STRING)).then(|| tensor.string_data.iter().map(text).collect())
    }

    /// The tensor of strings of an attribute, if it holds one.
    pub(crate) fn string_tensor(&self, name: &str) -> Option<&TensorProto> {
        self.attribute(name)?.t.as_ref().filter(|t| t.data_type == Some(STRING))
    }

    pub(crate) fn graph(&self, name: &str) -> Outcome<&Graph> {
        self.attribute(name)
            .and_then(|a| a.g.as_ref())
            .ok_or_else(|| Problem::Invalid(format!("attribute `{name}` is missing")))
    }

    pub(crate) fn tensor(&self, name: &str, loader: &mut Loader<'_>) -> Outcome<Option<Tensor>> {
        let Some(attribute) = self.attribute(name) else { return Ok(None) };
        match (&attribute.t, &attribute.sparse_tensor) {
            (Some(t), _) => loader.tensor(t).map(Some),
            (_, Some(t)) => loader.sparse(t).map(Some),
            _ => invalid(format!("attribute `{name}` holds no tensor")),
        }
    }

    /// Returns a required input.
    pub(crate) fn input(&self, index: usize) -> Outcome<&Value> {
        match self.optional(index) {
            Some(v) if !v.is_tensor() => invalid(format!("input {index} is {}", v.kind())),
            Some(v) => Ok(v),
            None => invalid(format!("input {index} is missing")),
        }
    }

    /// Returns an optional input.
    pub(crate) fn optional(&self, index: usize) -> Option<&Value> {
        self.read.borrow_mut().insert(index);
        self.inputs.get(index).and_then(Option::as_ref)
    }

    /// Returns all inputs; none may be omitted.
    pub(crate) fn all(&self) -> Outcome<Vec<Value>> {
        (0..self.inputs.len()).map(|i| self.input(i).cloned()).collect()
    }

    /// Returns all inputs, to be passed on.
    pub(crate) fn operands(&self) -> Vec<Option<Value>> {
        self.read.borrow_mut().extend(0..self.inputs.len());
        self.inputs.clone()
    }

    /// Whether an output is used.
    pub(crate) fn wants(&self, output: usize) -> bool {
        self.outputs.get(output).is_some_and(|o| !o.is_empty())
    }

    /// The shape that the model declares for an output, if all of it is known.
    pub(crate) fn declared_shape(&self, output: usize) -> Option<Vec<i64>> {
        self.declared.get(output)?.as_ref()?.iter().copied().collect()
    }

    /// The rank that the model declares for an output.
    pub(crate) fn declared_rank(&self, output: usize) -> Option<usize> {
        Some(self.declared.get(output)?.as_ref()?.len())
    }

    /// An axis counted from the end if negative. Errors: it is out of range.
    pub(crate) fn axis(&self, axis: i64, rank: usize) -> Outcome<usize> {
        let at = if axis < 0 { axis + rank as i64 } else { axis };
        match usize::try_from(at) {
            Ok(at) if at < rank => Ok(at),
            _ => invalid(format!("axis {axis} is out of range for rank {rank}")),
        }
    }
}
