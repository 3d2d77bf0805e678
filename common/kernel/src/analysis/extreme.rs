//! Argmin and argmax: reductions of two results, an element and where it is, that both change when a comparison says so.
use crate::graph::{Graph, Input, Node, Symbolic};
use halyard_ir::{Attr, Op, Value};

/// Such a reduction, by values of its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extreme {
    /// The loop along which positions are counted.
    pub(crate) dim: usize,
    /// The element, its position, and what was best before.
    pub(crate) element: Value,
    pub(crate) here: Value,
    pub(crate) before: [Value; 2],
    /// Whether the element is better.
    pub(crate) take: Value,
    /// Which result is the element; the other one is the position.
    pub(crate) at: usize,
}

impl Graph {
    /// Recognises the form: `take` may depend on comparisons only, as [`super::argminmax_law`] wants them.
    pub(crate) fn extreme(&self, node: usize) -> Option<Extreme> {
        let n = &self.nodes[node];
        let long: Vec<usize> = n.reductions().into_iter().filter(|&d| n.dims[d].known() != Some(1)).collect();
        let &[dim] = long.as_slice() else { return None };
        let yields = n.body.terminator()?.operands();
        let choices = yields.iter().map(|y| y.def().filter(|d| d.is("arith.select"))).collect::<Option<Vec<_>>>()?;
        let &[a, b] = choices.as_slice() else { return None };
        let old: Vec<Value> = n.body.args()[n.inputs.len()..].to_vec();
        let takes = a.operand(0) == b.operand(0) && a.operand(2) == old[0] && b.operand(2) == old[1];
        let at = [a, b].iter().position(|c| self.is_element(n, c.operand(1)))?;
        let (element, here) = ([a, b][at].operand(1), [a, b][1 - at].operand(1));
        let found = Extreme { dim, element, here, before: [old[at], old[1 - at]], take: a.operand(0), at };
        (takes && is_position(here, dim) && self.chooses_in_parts(node, dim, element, at)).then_some(found)
    }

    fn is_element(&self, node: &Node<Symbolic>, value: Value) -> bool {
        let at = node.body.args().iter().position(|a| *a == value);
        at.and_then(|at| node.inputs.get(at)).is_some_and(|i| matches!(i, Input::Tensor(_)))
    }
}

/// Whether a value of a body is the index of a loop.
fn is_position(value: Value, dim: usize) -> bool {
    let index = |op: Op| op.is("linalg.index") && op.attr("dim").and_then(Attr::as_int) == Some(dim as i64);
    value.def().is_some_and(|op| index(op) || op.is("arith.index_cast") && op.operand(0).def().is_some_and(index))
}
