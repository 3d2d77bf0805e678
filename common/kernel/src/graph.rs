//! What an export computes: its tensors, each with how its elements come about.
use super::ix::Ix;
use super::memory::Memory;
use halyard_ir::{AffineKind, Block, Type, Value};

/// A tensor of the export.
#[derive(Clone)]
pub(crate) struct Tensor {
    /// The element type.
    pub(crate) elem: Type,
    /// The sizes.
    pub(crate) dims: Vec<Ix>,
    /// How its elements come about.
    pub(crate) kind: Kind,
}

/// How the elements of a tensor come about. Tensors are named by number.
#[derive(Clone)]
pub(crate) enum Kind {
    /// They are in memory: a binding or a constant.
    Memory(Memory),
    /// All are this scalar.
    Splat(Value),
    /// They may be anything.
    Empty,
    /// The scalars in row-major order.
    Elements(Vec<Value>),
    /// A result of a structured operation.
    Result { node: usize, index: usize },
    /// `tensor.pad`: the source moved by `low`, elsewhere what the region gives.
    Pad { src: usize, low: Vec<Ix>, region: Block },
    /// `tensor.extract_slice`; `kept` has the source dimension of each dimension.
    Slice { src: usize, offsets: Vec<Ix>, strides: Vec<Ix>, kept: Vec<usize> },
    /// `tensor.insert_slice`; `sizes` and `kept` describe the source as a slice of the destination.
    Insert { src: usize, dst: usize, offsets: Vec<Ix>, sizes: Vec<Ix>, strides: Vec<Ix>, kept: Vec<usize> },
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
#[derive(Clone, Copy)]
pub(crate) enum Input {
    /// A tensor, through the map of the operand.
    Tensor(usize),
    /// A scalar operand.
    Scalar(Value),
}

/// A structured operation (`linalg.generic`).
#[derive(Clone)]
pub(crate) struct Node {
    /// Its body.
    pub(crate) body: Block,
    /// What it reads.
    pub(crate) inputs: Vec<Input>,
    /// Its outs, one per result.
    pub(crate) inits: Vec<usize>,
    /// Its results as tensors of the graph.
    pub(crate) results: Vec<usize>,
    /// For each input and out: the index expressions over the domain.
    pub(crate) maps: Vec<Vec<AffineKind>>,
    /// The sizes of the domain.
    pub(crate) dims: Vec<Ix>,
    /// Which dimensions are reductions.
    pub(crate) reduction: Vec<bool>,
    /// For each domain dimension that is parallel: which dimension of result 0 it is (`None`: it has one index, 0).
    pub(crate) place: Vec<Option<usize>>,
}

impl Node {
    /// The reduction dimensions in order.
    pub(crate) fn reductions(&self) -> Vec<usize> {
        (0..self.dims.len()).filter(|&d| self.reduction[d]).collect()
    }

    /// The map of the out of a result.
    pub(crate) fn out_map(&self, result: usize) -> &[AffineKind] {
        &self.maps[self.inputs.len() + result]
    }
}
