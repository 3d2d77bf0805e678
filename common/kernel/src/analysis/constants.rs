//! Tensors whose elements are all the same constant.
use crate::graph::{Definition, Graph, Input, Kind, Node, Scalar, Symbolic};
use halyard_ir::Attr;

impl Graph {
    /// The node that makes a tensor as its only result.
    pub(crate) fn node_of(&self, tensor: usize) -> Option<&Node<Symbolic>> {
        match self.tensors[tensor].kind {
            Kind::Result { node, index: 0 } if self.nodes[node].results.len() == 1 => Some(&self.nodes[node]),
            _ => None,
        }
    }

    /// Whether a tensor is zero everywhere.
    pub(crate) fn is_zero(&self, tensor: usize) -> bool {
        let integer = self.tensors[tensor].elem.is_integer();
        self.filler(tensor).is_some_and(|a| a.as_float() == Some(0.0) || integer && a.as_int() == Some(0))
    }

    /// The constant that all elements of a tensor are.
    pub(crate) fn filler(&self, tensor: usize) -> Option<Attr> {
        if let Kind::Splat(scalar) = self.tensors[tensor].kind {
            return self.literal(scalar);
        }
        let node = self.node_of(tensor)?;
        let (args, ops) = (node.body.args(), node.body.ops());
        let [end] = ops.as_slice() else { return None };
        match args.iter().position(|a| *a == end.operand(0)).and_then(|at| node.inputs.get(at)) {
            Some(Input::Scalar(scalar)) => self.literal(*scalar),
            Some(Input::Tensor(_)) => None,
            None => end.operand(0).constant_attr(),
        }
    }

    /// The constant that a scalar is.
    pub(crate) fn literal(&self, scalar: Scalar) -> Option<Attr> {
        match &self.scalars[scalar.0] {
            Definition::Constant(value) => Some(*value),
            _ => None,
        }
    }
}
