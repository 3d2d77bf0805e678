//! The operators, by family.
use super::{Context, Elem, Node, Outcome};

mod activation;
mod arg;
mod arithmetic;
mod attention;
mod cast;
mod constant;
mod conv;
mod conv_transpose;
mod gather;
mod logic;
mod matmul;
mod norm;
mod optional;
mod pad;
mod pool;
mod integers;
mod quantize;
mod recurrent;
mod reduce;
mod reshape;
mod resize;
mod rotary;
mod scan;
mod scatter;
mod sequence;
mod shape;
mod slice;
mod softmax;
mod split;
mod window;

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
    constant::OPS,
    conv::OPS,
    conv_transpose::OPS,
    gather::OPS,
    logic::OPS,
    matmul::OPS,
    norm::OPS,
    optional::OPS,
    pad::OPS,
    pool::OPS,
    quantize::OPS,
    recurrent::OPS,
    reduce::OPS,
    reshape::OPS,
    resize::OPS,
    rotary::OPS,
    scan::OPS,
    scatter::OPS,
    sequence::OPS,
    shape::OPS,
    slice::OPS,
    softmax::OPS,
    split::OPS,
];

/// The operators that take narrow numbers, as the specification has it; the others compute with what they are given.
const TAKE_NARROW: &[&str] = &[
    "BitCast",
    "Cast",
    "CastLike",
    "ConstantOfShape",
    "DequantizeLinear",
    "Dropout",
    "Flatten",
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

/// Whether an operator takes an input of an element type.
pub(crate) fn takes(op: &str, elem: Elem) -> bool {
    !elem.is_narrow() || TAKE_NARROW.contains(&op)
}

/// The lowering of a standard operator.
pub(crate) fn find(op: &str) -> Option<Lower> {
    FAMILIES.iter().flat_map(|f| f.iter()).find(|(name, _)| *name == op).map(|(_, lower)| *lower)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn operators_are_listed_once() {
        let all: Vec<_> = FAMILIES.iter().flat_map(|f| f.iter()).map(|(name, _)| *name).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        assert!(find("Conv").is_some() && find("Nonsense").is_none());
    }
}
