//! What choices are made of: a graph, the numbers of a machine, and what a schedule asks for. There is no code here to emit to.
use super::choices::Choices;
use crate::analysis::layout::Layout;
use crate::graph::{Graph, Kind, Size};
use crate::machine::MachineModel;
use std::collections::BTreeSet;

/// Makes the choices of a kernel.
pub(crate) struct Planner<'g> {
    /// What is computed.
    pub(crate) graph: &'g Graph,
    /// What it is computed on.
    pub(crate) target: &'g MachineModel,
    /// What is asked for, and what was chosen.
    pub(crate) choices: &'g mut Choices,
    /// What became of each nest, for people.
    pub(crate) remarks: Vec<String>,
}

/// The indices at which a dimension stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// How many of them are unrolled.
    pub(crate) count: i64,
    /// Whether each is a vector of indices.
    pub(crate) lanes: bool,
}

/// What a nest is to compute.
#[derive(Clone, Debug)]
pub(crate) struct NestRequest {
    /// The tensors, all of the same sizes.
    pub(crate) roots: Vec<usize>,
    /// Their memory.
    pub(crate) outputs: Vec<Layout>,
    /// The indices at which a dimension stays.
    pub(crate) held: Vec<Option<Held>>,
    /// Whether the work is divided among the workgroups.
    pub(crate) shared: bool,
    /// Whether elements may be computed and stored twice.
    pub(crate) overlap: bool,
    /// What the nests around this one keep.
    pub(crate) there: BTreeSet<usize>,
    /// The lanes of the nest around this one.
    pub(crate) lanes: i64,
    /// Whether there is no nest around this one.
    pub(crate) outermost: bool,
}

impl NestRequest {
    /// An outermost nest that computes tensors as a whole.
    pub(crate) fn whole(roots: Vec<usize>, outputs: Vec<Layout>, shared: bool, overlap: bool) -> Self {
        let held = vec![None; outputs[0].dims.len()];
        NestRequest { roots, outputs, held, shared, overlap, there: BTreeSet::new(), lanes: 1, outermost: true }
    }

    /// The dimensions that have loops.
    pub(crate) fn free(&self) -> Vec<usize> {
        (0..self.held.len()).filter(|&d| self.held[d].is_none()).collect()
    }
}

impl<'g> Planner<'g> {
    pub(crate) fn new(graph: &'g Graph, target: &'g MachineModel, choices: &'g mut Choices) -> Self {
        Planner { graph, target, choices, remarks: Vec::new() }
    }

    /// A size of a loop, or what one that is not known is taken to be.
    pub(crate) fn typical(&self, size: Size) -> i64 {
        size.known().unwrap_or(self.target.cpu.loops.typical_size)
    }

    /// Whether a tensor is a result of a node that reduces.
    pub(crate) fn reduces(&self, id: usize) -> Option<usize> {
        match self.graph.tensors[id].kind {
            Kind::Result { node, .. } => Some(node).filter(|&n| self.graph.nodes[n].reduction.contains(&true)),
            _ => None,
        }
    }
}
