//! Walks the graph: initialisers and nodes, between the inputs and outputs of [`interface`]; functions of the model
//! and branches are separate graphs ([`inner`]).
mod attempt;
mod inner;
mod interface;
mod nodes;
mod rules;
mod trial;
mod words;

use super::{
    Context, Dim, OnnxOptions, OnnxWeight, Problem, Tensor, Value,
    inputs::GivenShape,
    names::{needed, sparse_name},
    node::STRING,
    proto::{Attribute, Function, Graph, Model, OperatorSet, ValueInfo},
    report::Report,
    strings,
};
use attempt::{advised, attempt, is_unsupported};
use halyard_diag::Result;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
};

/// Versions by domain; the standard operators have domain `""`.
pub(crate) type Opsets = BTreeMap<String, i64>;

/// The values of the graph's names; `None` if the node of a name could not be imported.
pub(crate) type Names = HashMap<String, Option<Value>>;

/// The state of an import.
pub(crate) struct Importer<'a> {
    pub(crate) c: Context<'a>,
    functions: BTreeMap<(String, String, String), &'a Function>,
    report: Report,
    /// The nesting depth of functions and graphs.
    depth: usize,
    /// Shapes that the model declares, by name, in the graph at hand.
    declared: HashMap<String, Vec<Option<i64>>>,
    /// The rules of the command line about sizes.
    rules: rules::Rules<'a>,
    /// The ranks that the graphs at hand declare, by name.
    pub(crate) ranks: HashMap<String, usize>,
    /// The sizes of named dimensions of the inputs, and where they were first seen.
    parameters: HashMap<String, (Dim, (String, usize))>,
    /// The number of symbols that are sizes of inputs.
    input_symbols: usize,
    /// The branches to take where both have results of different ranks.
    pub(crate) choices: trial::Choices,
    /// Nodes with such branches for which there is no choice.
    pub(crate) undecided: Vec<String>,
    /// The attributes of the function at hand, which graphs inside of it may refer to.
    attributes: Vec<Attribute>,
    /// The shapes of inputs that the command line gives.
    shapes: BTreeMap<String, GivenShape>,
    /// Inputs that are constants.
    values: BTreeMap<String, Tensor>,
}

/// Imports a model: the text of its module, and its weights.
pub(crate) fn import(
    model: &Model,
    file: &str,
    folder: &Path,
    options: &OnnxOptions,
) -> Result<(String, Vec<OnnxWeight>)> {
    let done = trial::chosen(|choices| attempt(model, file, folder, options, choices))?;
    done.module.map_err(|error| {
        if is_unsupported(&error) && !done.sizes.is_empty() {
            advised(error, model, file, folder, options, done.sizes)
        } else {
            error
        }
    })
}

#[derive(Default)]
struct Signature {
    arguments: String,
    results: String,
    returns: String,
    /// The number of outputs whose rank differs from the model's declaration.
    misfits: usize,
}

fn domain(name: Option<&str>) -> String {
    match name {
        None | Some("ai.onnx") => String::new(),
        Some(name) => name.to_owned(),
    }
}

fn opsets(sets: &[OperatorSet]) -> Opsets {
    sets.iter().map(|s| (domain(s.domain.as_deref()), s.version.unwrap_or(1))).collect()
}

impl<'a> Importer<'a> {
    fn main(&mut self, graph: &Graph, opsets: &Opsets) -> Signature {
        let mut names = Names::new();
        let needed = needed(graph);
        let stored = stored(graph);
        let mut arguments = Vec::new();
        self.c.w.at("inputs");
        let mut readers = HashMap::new();
        for node in &graph.node {
            for name in &node.input {
                readers.entry(name.as_str()).or_insert(node);
            }
        }
        for input in graph.input.iter().filter(|i| !stored.contains(i.name())) {
            let reader = readers.get(input.name()).copied();
            match self.input(input, reader, &mut arguments) {
                Ok(value) => _ = names.insert(input.name().to_owned(), Some(value)),
                Err(problem) => {
                    names.insert(input.name().to_owned(), None);
                    self.report.add(format!("the input `{}`", input.name()), String::new(), problem);
                }
            }
        }
        self.input_symbols = self.c.symbol_count();
        self.initialisers(graph, &needed, &mut names);
        self.nodes(&graph.node, &needed, opsets, &[], &mut names);
        let (mut results, mut values, mut types) = (Vec::new(), Vec::new(), Vec::new());
        let declared = |output: &ValueInfo| self.ranks.get(output.name()).copied();
        let given = |output: &ValueInfo| {
            names.get(output.name()).and_then(|v| v.as_ref()).filter(|v| v.is_tensor()).map(Value::rank)
        };
        let misfits = graph.output.iter().filter(|o| declared(o).zip(given(o)).is_some_and(|(a, b)| a != b)).count();
        self.c.w.at("outputs");
        for output in &graph.output {
            match names.get(output.name()) {
                Some(Some(value)) if value.ragged.is_some() => self.report.add(
                    format!("the output `{}`", output.name()),
                    String::new(),
                    Problem::Unsupported("it is a sequence whose length only a run knows; concatenate it, or make what its length depends on a constant (`--input-value` does so for an input)".into()),
                ),
                // As many results as there are elements.
                Some(Some(value)) if value.sequence.is_some() || value.is_absent() => {
                    for (i, value) in value.sequence.as_deref().into_iter().flatten().enumerate() {
                        let value = self.c.settle(value);
                        let name = format!("{}.{i}", output.name());
                        if value.words.is_some() && !self.gives_numbers(&value) {
                            if let Err(problem) = self.strings_out(&value, &name, &[], (&mut results, &mut values, &mut types)) {
                                self.report.add(format!("the output `{}`", output.name()), String::new(), problem);
                            }
                            continue;
                        }
                        values.push(self.c.ssa(&value));
                        types.push(value.ty());
                        results.push(format!("{} {{{}}}", value.ty(), interface::attributes(&name, value.elem, &[])));
                    }
                }
                Some(Some(value)) if value.words.is_some() && !self.gives_numbers(value) => {
                    let given = self.declared(value, output).and_then(|value| {
                        let names = self.dim_names(&value, output);
                        self.strings_out(&value, output.name(), &names, (&mut results, &mut values, &mut types))
                    });
                    if let Err(problem) = given {
                        self.report.add(format!("the output `{}`", output.name()), String::new(), problem);
                    }
                }
                Some(Some(value)) => {
                    let value = match self.declared(value, output) {
                        Ok(value) => value,
                        Err(problem) => {
                            self.report.add(format!("the output `{}`", output.name()), String::new(), problem);
                            continue;
                        }
                    };
                    values.push(self.c.ssa(&value));
                    types.push(value.ty());
                    let names = self.dim_names(&value, output);
                    results.push(format!("{} {{{}}}", value.ty(), interface::attributes(output.name(), value.elem, &names)));
                }
                Some(None) => {}
                None => self.report.add(
                    format!("the output `{}`", output.name()),
                    String::new(),
                    Problem::Invalid("no node makes it".into()),
                ),
            }
        }
        let returns = if values.is_empty() {
            "return".into()
        } else {
            format!("return {} : {}", values.join(", "), types.join(", "))
        };
        Signature { arguments: arguments.join(", "), results: results.join(", "), returns, misfits }
    }

    fn initialisers(&mut self, graph: &Graph, needed: &HashSet<&str>, names: &mut Names) {
        for proto in graph.initializer.iter().filter(|t| needed.contains(t.name())) {
            if proto.data_type == Some(STRING) {
                let value = strings::constant(proto)
                    .map_err(|p| self.report.add("the initialisers".into(), String::new(), p))
                    .ok();
                names.insert(proto.name().to_owned(), value);
                continue;
            }
            let tensor = self
                .c
                .loader
                .tensor(proto)
                .map_err(|p| self.report.add("the initialisers".into(), String::new(), p))
                .ok();
            names.insert(proto.name().to_owned(), tensor.map(Value::constant));
        }
        for proto in graph.sparse_initializer.iter().filter(|t| sparse_name(t).is_some_and(|n| needed.contains(n))) {
            let tensor = self
                .c
                .loader
                .sparse(proto)
                .map_err(|p| self.report.add("the initialisers".into(), String::new(), p))
                .ok();
            names.insert(sparse_name(proto).unwrap_or_default().to_owned(), tensor.map(Value::constant));
        }
    }
}

/// The names of a graph that have their values in the model.
fn stored(graph: &Graph) -> HashSet<&str> {
    let dense = graph.initializer.iter().filter_map(|t| t.name.as_deref());
    dense.chain(graph.sparse_initializer.iter().filter_map(sparse_name)).collect()
}
