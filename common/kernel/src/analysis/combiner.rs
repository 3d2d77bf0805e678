//! How a reduction combines: an associative operation of the accumulator with something that does not depend on it.
use crate::graph::Graph;
use halyard_ir::{Attr, Block, Value};

/// An associative operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Combiner {
    /// The operation of `arith`.
    pub(crate) name: &'static str,
    /// The kind of `vector.reduction`.
    pub(crate) kind: &'static str,
    /// What may be taken for granted of its operands.
    pub(crate) flags: Option<Attr>,
}

const KNOWN: &[(&str, &str)] = &[
    ("arith.addf", "add"),
    ("arith.mulf", "mul"),
    ("arith.addi", "add"),
    ("arith.muli", "mul"),
    ("arith.maximumf", "maximumf"),
    ("arith.minimumf", "minimumf"),
    ("arith.maxnumf", "maxnumf"),
    ("arith.minnumf", "minnumf"),
    ("arith.maxsi", "maxsi"),
    ("arith.maxui", "maxui"),
    ("arith.minsi", "minsi"),
    ("arith.minui", "minui"),
    ("arith.andi", "and"),
    ("arith.ori", "or"),
    ("arith.xori", "xor"),
];

/// The combiner of a yielded value with the accumulator, if it is one.
pub(crate) fn combiner(yielded: Value, accumulator: Value) -> Option<Combiner> {
    let op = yielded.def()?;
    let name = op.name();
    let &(name, kind) = KNOWN.iter().find(|k| k.0 == name)?;
    let once = accumulator.uses().len() == 1 && yielded.uses().len() == 1;
    (once && op.operands().contains(&accumulator)).then_some(Combiner { name, kind, flags: op.attr("fastmath") })
}

impl Combiner {
    /// The operation of `arith`.
    pub(crate) fn name(self) -> &'static str {
        self.name
    }

    /// Whether combining with this float changes nothing, but for the sign of zero.
    pub(crate) fn ignores(self, value: f64) -> bool {
        match self.kind {
            "add" => value == 0.0,
            "mul" => value == 1.0,
            "maximumf" | "maxnumf" => value == f64::NEG_INFINITY,
            "minimumf" | "minnumf" => value == f64::INFINITY,
            _ => false,
        }
    }
}

impl Graph {
    /// The reductions of a node that can be done lane by lane: how results combine.
    pub(crate) fn combiners(&self, node: usize) -> Option<Vec<Combiner>> {
        let n = &self.nodes[node];
        let block: Block = n.body;
        let yields = block.terminator()?.operands();
        let args = block.args();
        yields.iter().zip(&args[n.inputs.len()..]).map(|(&y, &acc)| combiner(y, acc)).collect()
    }
}
