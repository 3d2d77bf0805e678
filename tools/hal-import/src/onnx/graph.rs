//! Walks the graph: initialisers and nodes, between the inputs and outputs of [`interface`]; functions of the model and
//! branches are graphs of their own ([`inner`]).
mod inner;
mod interface;
mod rules;
mod trial;
mod words;

use super::{
    Context, Dim, Known, Node, OnnxOptions, OnnxWeight, Outcome, Problem, Tensor, Value, foreign,
    inputs::{self, GivenShape},
    load::Loader,
    names::{declared_ranks, declared_shapes, needed, resolve, sparse_name},
    node::STRING,
    ops,
    problem::{invalid, unsupported},
    proto::{Attribute, Function, Graph, Model, NodeProto, OperatorSet, ValueInfo},
    report::Report,
    strings,
};
use halyard_diag::{Error, Result};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
};

/// Versions by domain; the standard operators have domain `""`.
pub(crate) type Opsets = BTreeMap<String, i64>;

/// What a name of the graph stands for; `None` where its node could not be imported.
pub(crate) type Names = HashMap<String, Option<Value>>;

/// The state of an import.
pub(crate) struct Importer<'a> {
    pub(crate) c: Context<'a>,
    functions: BTreeMap<(String, String, String), &'a Function>,
    report: Report,
    /// How many functions and graphs deep.
    depth: usize,
    /// Shapes that the model declares, by name, in the graph at hand.
    declared: HashMap<String, Vec<Option<i64>>>,
    /// What the command line says of sizes.
    rules: rules::Rules<'a>,
    /// The ranks that the graphs at hand declare, by name.
    pub(crate) ranks: HashMap<String, usize>,
    /// The sizes that names of the inputs' types stand for, and where they were first seen.
    parameters: HashMap<String, (Dim, (String, usize))>,
    /// So many symbols are sizes of inputs.
    input_symbols: usize,
    /// The branches to take where both have results of different ranks.
    pub(crate) choices: trial::Choices,
    /// Nodes with such branches for which there is no choice.
    pub(crate) undecided: Vec<String>,
    /// The attributes of the function at hand, which graphs inside of it may refer to.
    attributes: Vec<Attribute>,
    /// What the command line says of inputs.
    shapes: BTreeMap<String, GivenShape>,
    /// Inputs that are constants.
    values: BTreeMap<String, Tensor>,
}

/// What became of an import.
struct Attempt {
    module: Result<(String, Vec<OnnxWeight>)>,
    /// The sizes that are not fixed, where there is no module.
    sizes: Vec<crate::sizes::DimRule>,
    /// See [`Importer::undecided`].
    open: Vec<String>,
    /// How much else is wrong.
    problems: usize,
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

/// Imports a model with choices between branches.
fn attempt(
    model: &Model,
    file: &str,
    folder: &Path,
    options: &OnnxOptions,
    choices: &trial::Choices,
) -> Result<Attempt> {
    let wrong = |what: &str| Error::input(format!("the ONNX model {what}")).in_file(file).code("bad-onnx");
    let Some(graph) = &model.graph else {
        return Err(wrong("has no graph"));
    };
    let opsets = opsets(&model.opset_import);
    if model.opset_import.is_empty() && model.ir_version.unwrap_or(0) >= 3 {
        return Err(wrong("does not say which operator sets it uses"));
    }
    let functions = model
        .functions
        .iter()
        .map(|f| {
            (
                (
                    domain(f.domain.as_deref()),
                    f.name.clone().unwrap_or_default(),
                    f.overload.clone().unwrap_or_default(),
                ),
                f,
            )
        })
        .collect();
    let entering = || {
        let stored = stored(graph);
        graph.input.iter().filter(move |i| !stored.contains(i.name()))
    };
    let shapes = inputs::shapes(&options.shapes, entering().map(ValueInfo::name))?;
    let specs = entering().filter_map(|i| interface::spec(i, &shapes)).collect();
    let mut values = inputs::values(&options.values, file, specs)?;
    if let Some(files) = &options.weights {
        let named = entering().filter(|i| files.has(i.name())).filter_map(|i| interface::spec(i, &shapes));
        inputs::weights(files, file, named, &mut values)?;
    }
    let mut importer = Importer {
        c: Context::new(Loader::new(folder, options.weights.clone()), options),
        functions,
        report: Report::default(),
        depth: 0,
        declared: declared_shapes(graph),
        ranks: declared_ranks(graph),
        parameters: HashMap::new(),
        input_symbols: 0,
        rules: rules::Rules::new(&options.sizes),
        choices: choices.clone(),
        undecided: Vec::new(),
        attributes: Vec::new(),
        shapes,
        values,
    };
    let text = importer.main(graph, &opsets);
    importer.rules.check(file)?;
    let open = std::mem::take(&mut importer.undecided);
    let problems =
        importer.report.count().saturating_sub(open.len()) + if choices.is_empty() { 0 } else { text.misfits };
    if !importer.report.is_empty() {
        let sizes = importer.rules.all_fixed(TRIAL);
        return Ok(Attempt { module: Err(importer.report.into_error(file)), sizes, open, problems });
    }
    let signature = text;
    let (globals, body, locations, weights) = importer.c.finish();
    let name: String = graph
        .name
        .as_deref()
        .unwrap_or_default()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let name =
        if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { name } else { format!("model_{name}") };
    let Signature { arguments, results, returns, .. } = signature;
    let text = format!(
        "module @{name} {{\n{globals}  func.func @main({arguments}) -> ({results}) {{\n{body}    {returns}\n  }}\n}}\n{locations}"
    );
    Ok(Attempt { module: Ok((text, weights)), sizes: Vec::new(), open, problems })
}

/// The size that all sizes are tried with where a model is refused.
const TRIAL: i64 = 8;

fn is_unsupported(error: &Error) -> bool {
    error.diagnostics.iter().any(|d| d.code == Some("onnx-unsupported"))
}

/// The error, with the advice to fix sizes where that leaves nothing that is not supported.
fn advised(
    error: Error,
    model: &Model,
    file: &str,
    folder: &Path,
    options: &OnnxOptions,
    open: Vec<crate::sizes::DimRule>,
) -> Error {
    let flags: Vec<_> = open.iter().take(4).map(|rule| format!("--dim {}=SIZE", rule.name)).collect();
    let mut fixed = options.clone();
    fixed.sizes.dims.extend(open);
    match import(model, file, folder, &fixed) {
        Err(other) if is_unsupported(&other) => error,
        _ => error.hint(format!("it is taken with fixed sizes, as by `{}`", flags.join(" "))),
    }
}

#[derive(Default)]
struct Signature {
    arguments: String,
    results: String,
    returns: String,
    /// How many outputs are not of the rank that the model declares.
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

    /// Imports nodes in order. `attributes` are those of the function that holds them.
    fn nodes(
        &mut self,
        nodes: &[NodeProto],
        needed: &HashSet<&str>,
        opsets: &Opsets,
        attributes: &[Attribute],
        names: &mut Names,
    ) {
        for proto in nodes.iter().filter(|n| n.output.iter().any(|o| needed.contains(o.as_str()))) {
            let op = proto.op_type.clone().unwrap_or_default();
            let domain = domain(proto.domain.as_deref());
            let opset = opsets.get(&domain).copied();
            let results = self.node(proto, &op, &domain, opset, needed, opsets, attributes, names);
            let results = results.unwrap_or_else(|problem| {
                let shown = if domain.is_empty() { format!("`{op}`") } else { format!("`{domain}.{op}`") };
                let version = opset.map_or_else(|| "no opset".into(), |v| format!("opset {v}"));
                self.report.add(format!("{shown} ({version})"), shown_node(proto), problem);
                None
            });
            let mut results = results.map(IntoIterator::into_iter);
            for output in &proto.output {
                let value = results.as_mut().and_then(Iterator::next);
                if !output.is_empty() {
                    names.insert(output.clone(), value);
                }
            }
        }
    }

    /// Imports a node; `None` where one of its inputs could not be imported.
    #[allow(clippy::too_many_arguments)]
    fn node(
        &mut self,
        proto: &NodeProto,
        op: &str,
        domain: &str,
        opset: Option<i64>,
        needed: &HashSet<&str>,
        opsets: &Opsets,
        outer: &[Attribute],
        names: &mut Names,
    ) -> Outcome<Option<Vec<Value>>> {
        let key = (domain.to_owned(), op.to_owned(), proto.overload.clone().unwrap_or_default());
        let function = self.functions.get(&key).copied();
        let lower = ops::find(domain, op);
        let flexible = domain == "ai.onnx.preview" && op == "FlexAttention";
        let control = domain.is_empty() && super::control::OPS.contains(&op) || flexible;
        let foreign = self.c.foreign(domain, op);
        if function.is_none() && lower.is_none() && foreign.is_empty() && !control {
            return unsupported(if ops::knows(domain) {
                "the operator has no lowering"
            } else {
                "the domain is not known, and the model does not define the function; `--onnx-op` can give one"
            });
        }
        let name = proto.output.iter().find(|o| !o.is_empty()).cloned().unwrap_or_default();
        self.c.w.at_node(proto.name.as_deref().filter(|n| !n.is_empty()).unwrap_or(&name), op);
        self.c.at_node(op, proto.name.as_deref(), &name);
        let mut inputs = Vec::new();
        for name in &proto.input {
            inputs.push(match name.as_str() {
                "" => None,
                name => match names.get(name) {
                    Some(Some(value)) => {
                        let value = self.c.settle(value).called(name);
                        names.insert(name.to_owned(), Some(value.clone()));
                        Some(value)
                    }
                    Some(None) => return Ok(None),
                    None => return invalid(format!("input `{name}` is made by no node before it")),
                },
            });
        }
        let attributes = proto.attribute.iter().filter_map(|a| resolve(a, outer)).collect();
        let outputs =
            proto.output.iter().map(|o| if needed.contains(o.as_str()) { o.clone() } else { String::new() }).collect();
        if let Some(function) = function.filter(|_| foreign.is_empty()) {
            return self.call(function, proto, &inputs, attributes);
        }
        let Some(opset) = opset.or((!foreign.is_empty()).then_some(1)) else {
            return invalid("the model does not say which version of the operator set it uses");
        };
        if let Some(v) = inputs.iter().flatten().find(|v| !ops::takes(op, v.elem)) {
            let (name, elem) = (v.label.as_deref().unwrap_or_default(), v.elem.shown());
            return invalid(format!(
                "input `{name}` is of type {elem}, which the operator does not take; cast it before"
            ));
        }
        let declared = proto.output.iter().map(|o| self.declared.get(o).filter(|_| self.depth == 0).cloned()).collect();
        let mut node =
            Node { op: op.to_owned(), opset, name, inputs, outputs, attributes, declared, asked: Default::default() };
        if let Some(v) =
            node.inputs.iter().flatten().find(|v| v.has_words() && (flexible || op == "Scan" || !foreign.is_empty()))
        {
            return Err(strings::unknown_to(&format!("input `{}`", v.label.as_deref().unwrap_or_default())));
        }
        if flexible && foreign.is_empty() {
            return self.flex_attention(&node, opsets, names);
        }
        if control && foreign.is_empty() {
            let results = self.control(&node, opsets, names)?;
            return match node.unknown_attribute() {
                Some(name) => unsupported(format!("attribute `{name}` is not known")),
                None => Ok(results),
            };
        }
        let words = words::carried(&mut self.c, &mut node, domain)?;
        let results = if foreign.is_empty() {
            lower.expect("seen above")(&mut self.c, &node)
        } else {
            foreign::call(&mut self.c, &node, &foreign)
        };
        // Operands that do not fit are noticed where they are written.
        let fault = self.c.w.take_fault();
        let mut results = results?;
        if let Some(fault) = fault {
            return invalid(format!("the element types or ranks do not fit: {fault}"));
        }
        if let Some(name) = node.unknown_attribute().filter(|_| foreign.is_empty()) {
            return unsupported(format!("attribute `{name}` is not known"));
        }
        if let Some(words) = words {
            words::attach(&words, &mut results)?;
        }
        // Folded constants are called as the model calls them.
        for (value, name) in results.iter_mut().zip(&proto.output) {
            if let Some(Known::Tensor(t)) = &mut value.known
                && t.name.is_none()
            {
                std::rc::Rc::make_mut(t).name = Some(name.clone());
            }
        }
        Ok(Some(results))
    }
}

/// The names of a graph that have their values in the model.
fn stored(graph: &Graph) -> HashSet<&str> {
    let dense = graph.initializer.iter().filter_map(|t| t.name.as_deref());
    dense.chain(graph.sparse_initializer.iter().filter_map(sparse_name)).collect()
}

fn shown_node(proto: &NodeProto) -> String {
    match proto.name.as_deref().filter(|n| !n.is_empty()) {
        Some(name) => format!("`{name}`"),
        None => format!("of output `{}`", proto.output.iter().find(|o| !o.is_empty()).map_or("", |o| o.as_str())),
    }
}
