//! What an export computes, as data: tensors, each with how its elements come about, and the sizes and scalars that they
//! depend on. Reading an export ([`read`]) emits nothing: a size is a symbol ([`size`]), and what the kernel needs before its
//! loops is a list of [`Step`]s, which [`crate::emit::prologue`] turns into values. What no kernel can be made of is refused here,
//! by reading or by [`check`].

mod check;
mod definition;
mod form;
mod large_numbers;
mod memory;
mod operations;
mod read;
mod scalar;
mod signature;
mod size;
mod structured;
mod tensors;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod text;

pub(crate) use check::index_bits;
pub(crate) use definition::Definition;
pub(crate) use form::{Extent, Form, InKernel, Symbolic};
pub(crate) use large_numbers::check_numbers;
pub(crate) use memory::Memory;
pub(crate) use read::unknown;
pub(crate) use scalar::Scalar;
pub(crate) use signature::Signature;
pub(crate) use size::{Expression, Size, Sizes, Symbol};
pub(crate) use tensors::{Input, Kind, Node, Tensor, Tensors};

use halyard_ir::{Attr, Loc, Value};
use std::collections::{BTreeSet, HashMap};

/// Why no kernel is made of an export, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsupported(pub(crate) String);

impl From<&str> for Unsupported {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

impl From<String> for Unsupported {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

/// Where a tensor in memory comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The binding of this number.
    Binding(usize),
    /// A constant of the kernel.
    Constant(Attr),
    /// Scratch memory, for a result that waits until others have read what it replaces.
    Scratch,
}

/// What a kernel makes before its loops. Later steps depend on earlier ones only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A size.
    Size(Symbol),
    /// A scalar.
    Scalar(Scalar),
    /// A tensor: its constant, if it is one.
    Tensor(usize),
    /// A structured operation.
    Node(usize),
}

/// The body of an export: tensors, the operations on them, and sizes as symbols.
#[derive(Clone)]
pub(crate) struct Graph {
    /// Where it is in the source.
    pub(crate) loc: Loc,
    /// Its arguments and results.
    pub(crate) signature: Signature,
    /// The tensors; they are named by number.
    pub(crate) tensors: Vec<Tensor<Symbolic>>,
    /// The structured operations; they are named by number.
    pub(crate) nodes: Vec<Node<Symbolic>>,
    /// What the symbols of sizes stand for.
    pub(crate) sizes: Sizes,
    /// The definitions of the scalars, which are named by number.
    pub(crate) scalars: Vec<Definition>,
    /// Everything above in the order of the function.
    pub(crate) steps: Vec<Step>,
    /// The tensor of each tensor of the function.
    pub(crate) tensor_of: HashMap<Value, usize>,
    /// The scalar of each scalar of the function.
    pub(crate) scalar_of: HashMap<Value, Scalar>,
    /// The operands of the function's `return`, one per result.
    pub(crate) returned: Vec<Value>,
    /// Tensors that are always in scratch memory when a reduction reads them.
    pub(crate) must_materialize: BTreeSet<usize>,
    /// Where the results go.
    pub(crate) results: Vec<Memory<Symbolic>>,
}
