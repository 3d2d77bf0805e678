//! Imports ONNX models as modules of phase `input`: linalg on tensors.
//!
//! Import is one pass over the graph ([`graph`]). Each node is looked up in the table of [`ops`]; its lowering
//! computes the types of its results and writes its operations as MLIR text ([`context`], [`writer`]). The text is
//! parsed at the end, so that the result of import is text that a person could have written. Constants are folded
//! ([`tensor`]), and unknown sizes stay symbolic ([`dims`]), so that the shape arithmetic of exporters vanishes.
//!
//! To add an operator: write a function `fn(&mut Context, &Node) -> Outcome` in the file of its family in `ops/` and
//! name it in that file's `OPS`.

mod axes;
mod bulk;
mod concat;
mod context;
mod control;
mod dims;
mod elem;
mod evaluate;
mod flex;
mod foreign;
mod generic;
mod graph;
mod host;
mod inputs;
mod layout;
mod lists;
mod load;
mod locations;
mod names;
mod narrow;
mod newest;
mod node;
mod ops;
mod order;
mod packed;
mod problem;
mod proto;
mod ragged;
mod ramp;
mod report;
mod scalar;
mod sniff;
mod strings;
mod tensor;
#[cfg(test)]
mod tests;
mod value;
mod writer;

pub(crate) use evaluate::{SMALL, SMALL_POSITIONS};
pub use foreign::{Foreign, ForeignArgument, Shaped};
pub use inputs::{GivenShape, InputShape, Sizes};
pub(crate) use locations::locations;
pub use sniff::looks_like_onnx;

use context::Context;
use dims::Dim;
use elem::Elem;
use generic::Iter;
use node::Node;
use problem::{Outcome, Problem};
use ramp::{Part, Ramp};
use scalar::{Body, Order, Scalar};
use tensor::{Num, Tensor};
use value::{Known, Quantised, Value};

use bytes::Bytes;
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Module, Op, Session, form::note_value};
use prost::Message as _;
use safetensors::Dtype;
use std::path::Path;

/// Options of an import.
#[derive(Debug, Clone)]
pub struct OnnxOptions {
    /// Constants of at most so many elements are written into the module; larger ones become weights, unless all
    /// their elements are equal.
    pub inline_elements: usize,
    /// Whether integers of the data that are used to access elements, such as lengths, are checked at run time; sizes
    /// always are.
    pub check_data: bool,
    /// Sizes of the inputs that the command line gives.
    pub sizes: crate::DimArgs,
    /// Whether outputs of strings are returned as the integers that represent them.
    pub number_strings: bool,
    /// Shapes of inputs that the model leaves open.
    pub shapes: Vec<InputShape>,
    /// Inputs that are constants.
    pub values: Vec<halyard_tensors::TensorArgument>,
    /// Files with weights that the model lacks.
    pub weights: Option<std::sync::Arc<halyard_tensors::WeightFiles>>,
    /// Functions for operators; those of the model's own functions and of this crate come after them.
    pub functions: Vec<Foreign>,
}

impl Default for OnnxOptions {
    fn default() -> Self {
        Self {
            inline_elements: 64,
            check_data: true,
            sizes: crate::DimArgs::default(),
            number_strings: false,
            shapes: Vec::new(),
            values: Vec::new(),
            weights: None,
            functions: Vec::new(),
        }
    }
}

/// A weight of the model.
#[derive(Debug, Clone)]
pub struct OnnxWeight {
    /// The `key` of the global's `hal.parameter`: the name in the model, or that of the node it was folded from.
    pub name: String,
    /// The element type.
    pub dtype: Dtype,
    /// The shape.
    pub shape: Vec<usize>,
    /// The elements, row-major and little-endian; may be a mapped piece of a file.
    pub bytes: Bytes,
}

/// The module that a model is imported to, with its weights.
pub struct ImportedOnnx<'s> {
    /// The module, verified, not yet stamped with a phase.
    pub module: Module<'s>,
    /// The weights, in the order of their globals.
    pub weights: Vec<OnnxWeight>,
    /// Warnings about the model.
    pub warnings: Vec<halyard_diag::Diagnostic>,
}

/// The operators that are imported, one a line: `DOMAIN NAME`, sorted; the standard domain is `ai.onnx`.
pub fn operators() -> String {
    let all: std::collections::BTreeSet<_> = ops::all()
        .map(|(domain, name)| format!("{} {name}\n", if domain.is_empty() { "ai.onnx" } else { domain }))
        .collect();
    all.into_iter().collect()
}

/// Imports a model. `name` is what messages call it; external data are looked up in `folder`.
///
/// The module has one function, `@main`: an argument for each input of the graph that is not an initialiser, and its
/// outputs as results, with their names in `hal.name` and `hal.unsigned` on unsigned tensors. A sequence `x` is as many
/// tensors, `x.0`, `x.1` …, an optional what it holds. Errors: not a model;
/// operators or types that are not supported (all of them, in one error); missing external data.
pub fn import<'s>(
    session: &'s Session,
    bytes: Bytes,
    name: &str,
    folder: &Path,
    options: &OnnxOptions,
) -> Result<ImportedOnnx<'s>> {
    let model = decode(bytes, name)?;
    let warnings = newest::warnings(&model, name);
    let (text, weights) = graph::import(&model, name, folder, options)?;
    let module = session.parse(text.as_bytes(), name).map_err(|mut e| {
        e.diagnostics.insert(
            0,
            halyard_diag::Diagnostic::error(
                "the shapes or types of the model do not fit together, or hal-import read them wrongly",
            )
            .in_file(name),
        );
        e
    })?;
    note_marked(Op::from(&module));
    Ok(ImportedOnnx { module, weights, warnings })
}

/// Notes in locations what the model calls its tensors, where the text has marks for it, and takes those out.
fn note_marked(module: Op) {
    let mut marks = Vec::new();
    module.walk(&mut |op: Op| {
        if op.is(context::MARK) {
            marks.push(op);
        }
    });
    for mark in marks {
        if let Some(name) = mark.attr("name").and_then(Attr::as_string) {
            note_value(mark.operand(0), &name);
        }
        mark.erase();
    }
}

/// Imports like [`import`], to text.
pub fn to_text(bytes: Bytes, name: &str, folder: &Path, options: &OnnxOptions) -> Result<(String, Vec<OnnxWeight>)> {
    graph::import(&decode(bytes, name)?, name, folder, options)
}

/// The model, its nodes in order. Errors: it is damaged.
fn decode(bytes: Bytes, name: &str) -> Result<proto::Model> {
    let mut model = proto::Model::decode(bytes).map_err(|e| {
        Error::input(format!(
            "the ONNX model is damaged: {}",
            e.to_string().trim_start_matches("failed to decode Protobuf message: ")
        ))
        .in_file(name)
        .code("bad-onnx")
        .hint("is the file complete?")
    })?;
    order::sort(&mut model);
    Ok(model)
}
