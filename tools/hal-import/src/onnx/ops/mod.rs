//! The operators, by family.
use super::{Context, Elem, Node, Outcome, Value, proto::Attribute};

mod activation;
mod arg;
mod arithmetic;
pub(crate) mod attention;
mod cache;
mod cast;
mod causal_conv;
mod choose;
mod col2im;
mod constant;
mod conv;
mod conv_transpose;
mod deform;
mod dequantised;
mod det;
mod gather;
mod grid;
mod image;
mod integers;
mod linear_attention;
mod logic;
mod loss;
pub(crate) mod matmul;
mod microsoft;
mod ml;
mod norm;
mod optimiser;
mod optional;
mod pad;
mod pool;
pub(crate) mod prefix;
mod quantize;
mod random;
mod ranking;
mod recurrent;
mod reduce;
mod reshape;
mod resize;
mod reverse;
mod roi;
mod rotary;
mod sample;
mod scales;
mod scan;
mod scatter;
mod sequence;
mod shape;
mod slice;
pub(crate) mod softmax;
mod sort;
mod spectral;
mod split;
mod statistics;
mod stored;
mod strings;
mod subpixel;
mod suppress;
mod tfidf;
mod tournament;
mod unique;
mod unpool;
mod window;
mod zero_points;

pub(crate) use choose::rows;
pub(crate) use dequantised::{carried, widened};
pub(crate) use pool::{highest, lowest};

/// Imports a node: writes its operations and gives its results.
pub(crate) type Lower = fn(&mut Context<'_>, &Node) -> Outcome;

/// An operator and its lowering.
pub(crate) type Entry = (&'static str, Lower);

const FAMILIES: &[&[Entry]] = &[
    activation::OPS,
    arg::OPS,
    arithmetic::OPS,
    attention::OPS,
    cast::OPS,
    col2im::OPS,
    causal_conv::OPS,
    choose::OPS,
    constant::OPS,
    conv::OPS,
    conv_transpose::OPS,
    deform::OPS,
    det::OPS,
    gather::OPS,
    grid::OPS,
    image::OPS,
    logic::OPS,
    linear_attention::OPS,
    loss::OPS,
    matmul::OPS,
    norm::OPS,
    optional::OPS,
    pad::OPS,
    pool::OPS,
    prefix::OPS,
    quantize::OPS,
    random::OPS,
    recurrent::OPS,
    reduce::OPS,
    reshape::OPS,
    resize::OPS,
    reverse::OPS,
    roi::OPS,
    rotary::OPS,
    scan::OPS,
    scatter::OPS,
    sequence::OPS,
    shape::OPS,
    slice::OPS,
    softmax::OPS,
    spectral::OPS,
    tfidf::OPS,
    split::OPS,
    unpool::OPS,
    sort::OPS,
    strings::OPS,
    suppress::OPS,
    unique::OPS,
];

/// Domains with their operators.
const DOMAINS: &[(&str, &[&[Entry]])] = &[
    ("", FAMILIES),
    ("ai.onnx.ml", ml::FAMILIES),
    ("ai.onnx.preview", &[]),
    ("ai.onnx.preview.training", &[optimiser::OPS]),
    ("com.microsoft", microsoft::FAMILIES),
];

/// The lowering of an operator of a domain.
pub(crate) fn find(domain: &str, op: &str) -> Option<Lower> {
    // onnxruntime writes some of its operators into the standard domain.
    let find = |families: &[&'static [Entry]]| {
        families.iter().flat_map(|f| f.iter()).find(|(name, _)| *name == op).map(|(_, lower)| *lower)
    };
    let own = DOMAINS.iter().find(|(name, _)| *name == domain).and_then(|(_, families)| find(families));
    own.or_else(|| if domain.is_empty() { find(&[microsoft::STANDARD]) } else { None })
}

/// Returns all operators: domain and name.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let tables = DOMAINS.iter().flat_map(|(domain, families)| {
        families.iter().flat_map(move |f| f.iter().map(move |(name, _)| (*domain, *name)))
    });
    let written = microsoft::STANDARD.iter().map(|(name, _)| ("", *name));
    let control = super::control::OPS.iter().map(|name| ("", *name)).chain([("ai.onnx.preview", "FlexAttention")]);
    tables.chain(written).chain(control)
}

/// Whether operators of a domain are implemented.
pub(crate) fn knows(domain: &str) -> bool {
    DOMAINS.iter().any(|(name, _)| *name == domain)
}

/// The version of the standard operators that other operators are made of.
const VERSION: i64 = 23;

/// A node of the standard domain in place of another one, with these inputs and attributes.
fn node(n: &Node, op: &str, inputs: Vec<Option<Value>>, attributes: Vec<Attribute>) -> Node {
    Node {
        op: op.to_owned(),
        opset: VERSION,
        name: n.name.clone(),
        inputs,
        outputs: vec![n.name.clone()],
        attributes,
        declared: Vec::new(),
        asked: Default::default(),
        read: Default::default(),
    }
}

/// Calls another operator of the standard domain instead of a node, with these inputs and attributes.
fn apply(c: &mut Context<'_>, n: &Node, op: &str, inputs: Vec<Option<Value>>, attributes: Vec<Attribute>) -> Outcome {
    let node = node(n, op, inputs, attributes);
    match find("", op) {
        Some(lower) => lower(c, &node),
        None => super::problem::unsupported(format!("it is made of `{op}`, which has no lowering")),
    }
}

/// The operators that accept narrow types, according to the specification; the others compute in the types of their
/// inputs.
const TAKE_NARROW: &[&str] = &[
    "BitCast",
    "Cast",
    "CastLike",
    "ConstantOfShape",
    "DequantizeLinear",
    "Dropout",
    "Flatten",
    "GatherBlockQuantized",
    "Identity",
    "If",
    "IsInf",
    "IsNaN",
    "Loop",
    "Optional",
    "OptionalGetElement",
    "OptionalHasElement",
    "Pad",
    "QLinearMatMul",
    "QuantizeLinear",
    "Reshape",
    "Scan",
    "Shape",
    "Size",
    "Squeeze",
    "TensorScatter",
    "Transpose",
    "Unsqueeze",
];

/// Whether an operator supports an input of an element type.
pub(crate) fn takes(op: &str, elem: Elem) -> bool {
    !elem.is_narrow() || TAKE_NARROW.contains(&op)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn operators_are_listed_once() {
        for (domain, families) in DOMAINS {
            let all: Vec<_> = families.iter().flat_map(|f| f.iter()).map(|(name, _)| *name).collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{domain}");
        }
        assert!(find("", "Conv").is_some() && find("", "Nonsense").is_none());
        assert!(find("ai.onnx.ml", "Scaler").is_some() && find("", "Scaler").is_none());
    }
}
