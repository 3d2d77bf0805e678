//! The operators, by family.
use super::{Context, Node, Outcome};

mod activation;
mod arg;
mod arithmetic;
mod attention;
mod cast;
mod choose;
mod constant;
mod conv;
mod conv_transpose;
mod gather;
mod logic;
mod loss;
mod matmul;
mod norm;
mod pad;
mod pool;
mod prefix;
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
mod sort;
mod split;
mod suppress;
mod unique;
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
    choose::OPS,
    constant::OPS,
    conv::OPS,
    conv_transpose::OPS,
    gather::OPS,
    logic::OPS,
    loss::OPS,
    matmul::OPS,
    norm::OPS,
    pad::OPS,
    pool::OPS,
    prefix::OPS,
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
    sort::OPS,
    split::OPS,
    suppress::OPS,
    unique::OPS,
];

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
