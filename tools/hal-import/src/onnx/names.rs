//! Names of a graph: which are needed, their declarations, and references in attributes.
use super::proto::{Attribute, DimensionValue, Graph, NodeProto, SparseTensor, ValueInfo};
use std::collections::{HashMap, HashSet};

/// The shapes that a graph declares, with the sizes that are numbers.
pub(crate) fn declared_shapes(graph: &Graph) -> HashMap<String, Vec<Option<i64>>> {
    let mut shapes: HashMap<String, Vec<Option<i64>>> = HashMap::new();
    for info in graph.value_info.iter().chain(&graph.output) {
        let shape = info.ty.as_ref().and_then(|t| t.tensor.as_ref()).and_then(|t| t.shape.as_ref());
        let sizes = shape.map(|s| {
            s.dim
                .iter()
                .map(|d| match d.value {
                    Some(DimensionValue::Size(n)) if n >= 0 => Some(n),
                    _ => None,
                })
                .collect()
        });
        if let Some(sizes) = sizes {
            shapes.insert(info.name().to_owned(), sizes);
        }
    }
    // For operators that keep the shape, the declaration of the result holds for the input.
    let keeps = |n: &&NodeProto| {
        matches!(n.domain.as_deref(), None | Some("" | "ai.onnx"))
            && KEEPS_SHAPE.contains(&n.op_type.as_deref().unwrap_or_default())
    };
    for node in graph.node.iter().rev().filter(keeps) {
        if let ([input, ..], [output, ..]) = (&node.input[..], &node.output[..])
            && let Some(shape) = shapes.get(output).cloned()
        {
            shapes.entry(input.clone()).or_insert(shape);
        }
    }
    shapes
}

/// Operators whose result has the shape of their first input, whatever the others are.
const KEEPS_SHAPE: &[&str] = &[
    "Abs",
    "Cast",
    "CastLike",
    "Ceil",
    "Clip",
    "CumSum",
    "Elu",
    "Erf",
    "Exp",
    "Floor",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "Identity",
    "IsInf",
    "IsNaN",
    "LeakyRelu",
    "Log",
    "LogSoftmax",
    "Mish",
    "Neg",
    "Not",
    "Reciprocal",
    "Relu",
    "Round",
    "Selu",
    "Sigmoid",
    "Sign",
    "Softmax",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Tanh",
];

/// Returns the ranks that a graph declares.
pub(crate) fn declared_ranks(graph: &Graph) -> HashMap<String, usize> {
    let rank = |info: &ValueInfo| Some(info.ty.as_ref()?.tensor.as_ref()?.shape.as_ref()?.dim.len());
    graph
        .value_info
        .iter()
        .chain(&graph.output)
        .filter_map(|info| Some((info.name().to_owned(), rank(info)?)))
        .collect()
}

/// An attribute, or the one of the function that it refers to.
pub(crate) fn resolve(attribute: &Attribute, outer: &[Attribute]) -> Option<Attribute> {
    match attribute.ref_attr_name.as_deref().filter(|n| !n.is_empty()) {
        Some(name) => {
            outer.iter().find(|a| a.name() == name).map(|a| Attribute { name: attribute.name.clone(), ..a.clone() })
        }
        None => Some(attribute.clone()),
    }
}

pub(crate) fn sparse_name(t: &SparseTensor) -> Option<&str> {
    t.values.as_ref().and_then(|v| v.name.as_deref())
}

/// The names that the outputs of a graph need.
pub(crate) fn needed(graph: &Graph) -> HashSet<&str> {
    needed_for(&graph.node, graph.output.iter().map(ValueInfo::name))
}

pub(crate) fn needed_for<'n>(nodes: &'n [NodeProto], outputs: impl Iterator<Item = &'n str>) -> HashSet<&'n str> {
    let mut names: HashSet<&str> = outputs.collect();
    for node in nodes.iter().rev() {
        if node.output.iter().any(|o| names.contains(o.as_str())) {
            names.extend(node.input.iter().map(String::as_str));
            node.attribute.iter().filter_map(|a| a.g.as_ref()).for_each(|g| inside(g, &mut names));
        }
    }
    names.remove("");
    names
}

/// The names that a graph of an attribute uses, from outside or not.
pub(crate) fn inside<'n>(graph: &'n Graph, names: &mut HashSet<&'n str>) {
    names.extend(graph.output.iter().map(ValueInfo::name));
    for node in &graph.node {
        names.extend(node.input.iter().map(String::as_str));
        node.attribute.iter().filter_map(|a| a.g.as_ref()).for_each(|g| inside(g, names));
    }
}
