//! Which nests compute the results into their memory: what is put together of parts is written part by part.
use super::align::{ComputedResult, align};
use super::choices::Choices;
use super::im2col::im2col;
use super::planned::PlannedNest;
use super::planner::{NestRequest, Planner};
use crate::analysis::access::{NEST, Sym};
use crate::analysis::layout::Layout;
use crate::graph::Memory;
use crate::graph::{Graph, Kind, Place, Size, Sizes, Symbolic, Tensor, Unsupported};
use crate::machine::MachineModel;
use std::collections::BTreeSet;

/// A kernel of nests.
pub(crate) struct PlannedNests {
    /// What they compute: the graph with operands that are gathered first, and with neighbouring reductions merged.
    pub(crate) graph: Graph,
    /// What is computed for each result of the function.
    pub(crate) computed: Vec<ComputedResult>,
    /// How the results are computed, in the order of the code.
    pub(crate) results: Vec<ResultPlan>,
    /// What became of each nest, for people.
    pub(crate) remarks: Vec<String>,
}

impl PlannedNests {
    /// Whether one workgroup does it all: results that wait are copied after everything else.
    pub(crate) fn one_workgroup(&self) -> bool {
        self.results.iter().any(|plan| matches!(plan, ResultPlan::Waiting { .. }))
    }
}

/// How results are computed.
pub(crate) enum ResultPlan {
    /// Into their memory.
    Stored {
        /// Their numbers: several of the same sizes are computed together.
        results: Vec<usize>,
        /// How they are written.
        store: Store,
    },
    /// Into scratch memory, as others still read what it replaces; it is copied when they have.
    Waiting {
        /// Its number.
        result: usize,
        /// The tensor that scratch memory holds meanwhile.
        id: usize,
        /// How it is computed.
        compute: Option<Box<PlannedNest>>,
        /// How it is copied.
        copy: Option<Box<PlannedNest>>,
    },
}

impl ResultPlan {
    /// Whether workgroups share the work.
    pub(crate) fn is_divided(&self) -> bool {
        matches!(self, Self::Stored { store, .. } if store.is_divided())
    }
}

impl Store {
    fn is_divided(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Joined(parts) => parts.iter().any(Self::is_divided),
            Self::Inserted(store) | Self::Reshaped(store) => store.is_divided(),
            Self::Nest(planned) => planned.partition.is_some_and(|p| p.workgroups > 1 && p.tiles != Some(1)),
        }
    }
}

/// How a tensor is written.
pub(crate) enum Store {
    /// Not at all: there are no elements, or they may be anything.
    Nothing,
    /// As the tensors of a concatenation.
    Joined(Vec<Store>),
    /// As what is inserted into a tensor that is there already.
    Inserted(Box<Store>),
    /// As what it is a reshape of.
    Reshaped(Box<Store>),
    /// By a nest.
    Nest(Box<PlannedNest>),
}

/// Chooses how nests compute the results. Errors: a result that is no tensor of the graph.
pub(crate) fn plan_nests(
    graph: &Graph,
    target: &MachineModel,
    choices: &mut Choices,
) -> Result<PlannedNests, Unsupported> {
    let mut graph = graph.clone();
    im2col(&mut graph, target);
    graph.merge_reductions();
    let ids = graph.returned.iter().map(|&v| graph.id(v)).collect::<Result<Vec<_>, _>>()?;
    let tied = graph.signature.tied.clone();
    let mut sizes = Arithmetic::of(&graph);
    let waiting: Vec<Option<usize>> = (0..ids.len())
        .map(|at| (tied[at].is_some() && disturbs(&graph, at, &ids)).then(|| wait(&mut graph, at, &mut sizes)))
        .collect();
    let fixed: Vec<bool> = tied.iter().map(Option::is_some).collect();
    let computed = align(&mut graph, &ids, &fixed, target.cpu.loops.repeated_steps);
    let mut planner = Planner::new(&graph, target, choices);
    let mut results = planner.results(&computed, &waiting, &mut sizes);
    for plan in &mut results {
        if let ResultPlan::Waiting { result, id, copy, .. } = plan {
            let output = Layout::from(&planner.graph.results[*result]);
            *copy = planner.nest(&NestRequest::whole(vec![*id], vec![output], false, true));
        }
    }
    let remarks = planner.remarks;
    Ok(PlannedNests { graph, computed, results, remarks })
}

/// Whether writing a tied result could destroy what it or another result still reads.
fn disturbs(graph: &Graph, at: usize, ids: &[usize]) -> bool {
    let same = |id: usize| matches!(&graph.tensors[id].kind, Kind::Memory(m) if m.ptr == graph.results[at].ptr);
    ids.iter().enumerate().any(|(other, &id)| {
        let idx: Vec<Sym> = (0..graph.tensors[id].dims.len()).map(|d| Sym::var((NEST, d))).collect();
        graph
            .uses(id, idx.clone(), &BTreeSet::new())
            .iter()
            .any(|u| same(u.id) && (other != at || u.idx != idx || !u.inside.is_empty()))
    })
}

/// Adds the tensor in scratch memory that a result waits in.
fn wait(graph: &mut Graph, at: usize, sizes: &mut Arithmetic) -> usize {
    let Memory { elem, dims, .. } = graph.results[at].clone();
    let memory = sizes.contiguous(Place::Scratch, elem, &dims);
    graph.tensors.push(Tensor { elem, dims, kind: Kind::Memory(memory), loc: None });
    graph.tensors.len() - 1
}

impl Planner<'_> {
    fn results(
        &mut self,
        all: &[ComputedResult],
        waiting: &[Option<usize>],
        sizes: &mut Arithmetic,
    ) -> Vec<ResultPlan> {
        let graph = self.graph;
        let ids: Vec<usize> = all.iter().map(|result| result.id).collect();
        let memory = |at: usize| all[at].memory(&graph.results[at]);
        let tied = &graph.signature.tied;
        let computed = |at: usize| matches!(graph.tensors[ids[at]].kind, Kind::Result { .. });
        let mut done = vec![false; ids.len()];
        let mut plans = Vec::new();
        for at in 0..ids.len() {
            if std::mem::replace(&mut done[at], true) {
                continue;
            }
            if let Some(id) = waiting[at] {
                let Kind::Memory(scratch) = &graph.tensors[id].kind else { unreachable!("it is in scratch memory") };
                let output = Layout::from(scratch);
                let compute = self.nest(&NestRequest::whole(vec![ids[at]], vec![output], false, true));
                plans.push(ResultPlan::Waiting { result: at, id, compute, copy: None });
                continue;
            }
            let mut results = vec![at];
            if computed(at) && tied[at].is_none() {
                let fits = |other: usize| {
                    computed(other)
                        && tied[other].is_none()
                        && graph.tensors[ids[other]].dims == graph.tensors[ids[at]].dims
                };
                for other in at + 1..ids.len() {
                    if !done[other] && fits(other) {
                        done[other] = true;
                        results.push(other);
                    }
                }
            }
            let store = if results.len() == 1 {
                self.store(ids[at], &memory(at), tied[at].is_none(), sizes)
            } else {
                let roots = results.iter().map(|&at| ids[at]).collect();
                let outputs = results.iter().map(|&at| Layout::from(&memory(at))).collect();
                self.by_nest(&NestRequest::whole(roots, outputs, true, true))
            };
            plans.push(ResultPlan::Stored { results, store });
        }
        plans
    }

    fn by_nest(&mut self, nest: &NestRequest) -> Store {
        self.nest(nest).map_or(Store::Nothing, Store::Nest)
    }

    /// How a tensor is computed into memory: by the form that writes least.
    fn store(&mut self, id: usize, memory: &Memory<Symbolic>, overlap: bool, sizes: &mut Arithmetic) -> Store {
        match pieces(self.graph, id, memory, sizes) {
            Pieces::None => Store::Nothing,
            Pieces::Joined(parts) => {
                Store::Joined(parts.iter().map(|(id, part)| self.store(*id, part, overlap, sizes)).collect())
            }
            Pieces::Inserted(id, part) => Store::Inserted(Box::new(self.store(id, &part, overlap, sizes))),
            Pieces::Reshaped(id, view) => Store::Reshaped(Box::new(self.store(id, &view, overlap, sizes))),
            Pieces::Whole => self.by_nest(&NestRequest::whole(vec![id], vec![Layout::from(memory)], true, overlap)),
        }
    }
}

/// The tensors that a tensor is put together of, each with its memory.
pub(crate) fn each_stored(
    graph: &Graph,
    id: usize,
    memory: Memory<Symbolic>,
    sizes: &mut Arithmetic,
    stored: &mut Vec<(usize, Memory<Symbolic>)>,
) {
    match pieces(graph, id, &memory, sizes) {
        Pieces::None => {}
        Pieces::Joined(parts) => parts.into_iter().for_each(|(id, part)| each_stored(graph, id, part, sizes, stored)),
        Pieces::Inserted(id, part) | Pieces::Reshaped(id, part) => each_stored(graph, id, part, sizes, stored),
        Pieces::Whole if is_memory(graph, id, &memory) => {}
        Pieces::Whole => stored.push((id, memory)),
    }
}

/// What a tensor is put together of, each piece with its memory.
enum Pieces {
    None,
    Joined(Vec<(usize, Memory<Symbolic>)>),
    Inserted(usize, Memory<Symbolic>),
    Reshaped(usize, Memory<Symbolic>),
    Whole,
}

fn pieces(graph: &Graph, id: usize, memory: &Memory<Symbolic>, sizes: &mut Arithmetic) -> Pieces {
    match &graph.tensors[id].kind {
        Kind::Empty => Pieces::None,
        Kind::Concat { srcs, axis } => {
            let mut start = Size::ZERO;
            let part = |&src: &usize| {
                let dims = graph.tensors[src].dims.clone();
                let moved = sizes.mul(start, memory.strides[*axis]);
                let offset = sizes.add(memory.offset, moved);
                start = sizes.add(start, dims[*axis]);
                (src, Memory { dims, offset, ..memory.clone() })
            };
            Pieces::Joined(srcs.iter().map(part).collect())
        }
        Kind::Insert { src, dst, offsets, strides, kept, .. }
            if matches!(graph.tensors[*dst].kind, Kind::Empty) || is_memory(graph, *dst, memory) =>
        {
            let mut part = Memory { dims: graph.tensors[*src].dims.clone(), strides: Vec::new(), ..memory.clone() };
            for (&offset, &stride) in offsets.iter().zip(&memory.strides) {
                let moved = sizes.mul(offset, stride);
                part.offset = sizes.add(part.offset, moved);
            }
            part.strides = kept.iter().map(|&d| sizes.mul(strides[d], memory.strides[d])).collect();
            Pieces::Inserted(*src, part)
        }
        Kind::Expand { src, .. } | Kind::Collapse { src, .. } if sizes.is_contiguous(memory) => {
            let mut view = sizes.contiguous(memory.ptr, memory.elem, &graph.tensors[*src].dims);
            view.offset = memory.offset;
            Pieces::Reshaped(*src, view)
        }
        _ => Pieces::Whole,
    }
}

/// Whether a tensor already is that memory.
fn is_memory(graph: &Graph, id: usize, memory: &Memory<Symbolic>) -> bool {
    matches!(&graph.tensors[id].kind, Kind::Memory(m) if m.ptr == memory.ptr && m.offset == memory.offset && m.strides == memory.strides)
}

/// Arithmetic on sizes that no kernel needs as values: it ends with the choice.
pub(crate) struct Arithmetic(Sizes);

impl Arithmetic {
    pub(crate) fn of(graph: &Graph) -> Self {
        Self(graph.sizes.clone())
    }

    fn mul(&mut self, a: Size, b: Size) -> Size {
        self.0.mul(a, b, &mut Vec::new())
    }

    fn add(&mut self, a: Size, b: Size) -> Size {
        self.0.add(a, b, &mut Vec::new())
    }

    /// Row-major memory of these sizes.
    fn contiguous(&mut self, ptr: Place, elem: halyard_ir::Type, dims: &[Size]) -> Memory<Symbolic> {
        let mut strides = vec![Size::constant(1); dims.len()];
        for d in (0..dims.len().saturating_sub(1)).rev() {
            strides[d] = self.mul(strides[d + 1], dims[d + 1]);
        }
        Memory { ptr, elem, dims: dims.to_vec(), strides, offset: Size::ZERO }
    }

    fn is_contiguous(&mut self, memory: &Memory<Symbolic>) -> bool {
        self.contiguous(memory.ptr, memory.elem, &memory.dims).strides == memory.strides
    }
}
