//! The dispatch graph of a function: what its host program runs, and which tensors connect it.
mod layout;
mod levels;
mod memory;
mod walk;
mod writers;

pub(crate) use layout::{NODE, Placed, ROW, layout};
pub(crate) use levels::{Level, levels};
pub(crate) use memory::{Lifetime, lifetimes};
pub(crate) use walk::graph;

use serde::Serialize;

/// A graph whose nodes are in an order of execution: edges lead to later nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    /// For each transient of the function, the first and the last node that uses it.
    pub(crate) transients: Vec<Option<(usize, usize)>>,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NodeKind {
    /// An input of the function.
    Input,
    /// An output of the function.
    Output,
    /// A dispatch of a kernel.
    Dispatch,
    /// A copy or a fill.
    Copy,
    /// A call of a function of the host.
    Host,
    /// A state that is read or written.
    State,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    /// The name of the kernel, of the input, of the state.
    pub(crate) label: String,
    /// The index of the kernel of a dispatch.
    pub(crate) kernel: Option<usize>,
    /// The model's name of its first result; empty if it has none. Kernels that compute the same are one, whose origin is that of
    /// all its dispatches: this name is of this dispatch alone.
    pub(crate) value: String,
    /// The nodes of the model that it comes from.
    pub(crate) origin: Vec<String>,
    /// Loops and branches around it, the outer ones first: `loop 1`, `if 2`, `else 2`.
    pub(crate) regions: Vec<String>,
    /// The bytes of constants of the program that it reads.
    pub(crate) weights: u64,
}

/// A tensor that one node makes and another one uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Its size, if static.
    pub(crate) bytes: Option<u64>,
}
