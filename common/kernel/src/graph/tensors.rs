//! The tensors of a graph, each with how its elements come about, and the structured operations.
use super::{Form, InKernel, Memory};
use halyard_ir::{AffineKind, Block, Loc, Type, Value};
use std::collections::{BTreeSet, HashMap};

/// A tensor of the export.
#[derive(Clone, Debug)]
pub(crate) struct Tensor<F: Form = InKernel> {
    /// The element type.
    pub(crate) elem: Type,
    /// The sizes.
    pub(crate) dims: Vec<F::Size>,
    /// How its elements come about.
    pub(crate) kind: Kind<F>,
    /// The operation that defines it, for line tables; an argument has the place of whatever reads it.
    pub(crate) loc: Option<Loc>,
}

/// How the elements of a tensor come about. Tensors are named by number.
#[derive(Clone, Debug)]
pub(crate) enum Kind<F: Form = InKernel> {
    /// They are in memory: a binding or a constant.
    Memory(Memory<F>),
    /// All are this scalar.
    Splat(F::Scalar),
    /// They may be anything.
    Empty,
    /// The scalars in row-major order.
    Elements(Vec<F::Scalar>),
    /// A result of a structured operation.
    Result { node: usize, index: usize },
    /// `tensor.pad`: the source moved by `low`, elsewhere what the region gives.
    Pad { src: usize, low: Vec<F::Size>, region: Block },
    /// `tensor.extract_slice`; `kept` has the source dimension of each dimension.
    Slice { src: usize, offsets: Vec<F::Size>, strides: Vec<F::Size>, kept: Vec<usize> },
    /// `tensor.insert_slice`; `sizes` and `kept` describe the source as a slice of the destination.
    Insert {
        src: usize,
        dst: usize,
        offsets: Vec<F::Size>,
        sizes: Vec<F::Size>,
        strides: Vec<F::Size>,
        kept: Vec<usize>,
    },
    /// `tensor.concat`.
    Concat { srcs: Vec<usize>, axis: usize },
    /// `tensor.expand_shape`: each source dimension is the dimensions of its group.
    Expand { src: usize, groups: Vec<Vec<usize>> },
    /// `tensor.collapse_shape`: each dimension is the source dimensions of its group.
    Collapse { src: usize, groups: Vec<Vec<usize>> },
    /// `tensor.generate`.
    Generate { region: Block },
}

/// What a structured operation reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<F: Form = InKernel> {
    /// A tensor, through the map of the operand.
    Tensor(usize),
    /// A scalar operand.
    Scalar(F::Scalar),
}

/// A structured operation (`linalg.generic`).
#[derive(Clone, Debug)]
pub(crate) struct Node<F: Form = InKernel> {
    /// Its body.
    pub(crate) body: Block,
    /// Its input operands, tensors or scalars, in order.
    pub(crate) inputs: Vec<Input<F>>,
    /// Its outs, one per result.
    pub(crate) inits: Vec<usize>,
    /// Its results as tensors of the graph.
    pub(crate) results: Vec<usize>,
    /// For each input and out: the index expressions over the domain.
    pub(crate) maps: Vec<Vec<AffineKind>>,
    /// The sizes of the domain.
    pub(crate) dims: Vec<F::Size>,
    /// For each dimension of the domain: whether it is a reduction.
    pub(crate) reduction: Vec<bool>,
    /// For each domain dimension that is parallel: which dimension of result 0 it is (`None`: it has one index, 0).
    pub(crate) place: Vec<Option<usize>>,
}

impl<F: Form> Node<F> {
    /// The reduction dimensions in order.
    pub(crate) fn reductions(&self) -> Vec<usize> {
        (0..self.dims.len()).filter(|&d| self.reduction[d]).collect()
    }

    /// The map of the out of a result.
    pub(crate) fn out_map(&self, result: usize) -> &[AffineKind] {
        &self.maps[self.inputs.len() + result]
    }
}

impl<F: Form> Input<F> {
    /// The tensor, unless it is a scalar.
    pub(crate) fn tensor(self) -> Option<usize> {
        match self {
            Input::Tensor(tensor) => Some(tensor),
            Input::Scalar(_) => None,
        }
    }
}

/// The tensors of a graph and how they come about, in either form: what analysis looks at.
pub(crate) struct Tensors<'g, F: Form> {
    /// The tensors.
    pub(crate) tensors: &'g [Tensor<F>],
    /// The structured operations.
    pub(crate) nodes: &'g [Node<F>],
    /// The tensor of each tensor of the function.
    pub(crate) tensor_of: &'g HashMap<Value, usize>,
    /// Tensors that are always in scratch memory when a reduction reads them.
    pub(crate) must_materialize: &'g BTreeSet<usize>,
}
