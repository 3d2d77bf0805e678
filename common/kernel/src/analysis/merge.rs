//! Neighbouring loops as one: where every access steps from the end of the inner loop to the next step of the outer one,
//! the inner loop may as well run on.
use super::layout::Layout;
use crate::Emitter;
use crate::analysis::access::{NEST, Stride, Sym, Use, Var, asks_index, stride};
use crate::graph::{Extent, Form, Graph, Kind, Node, Tensor, Tensors};
use crate::schedule::planned::Item;
use halyard_ir::Value;
use std::collections::{BTreeSet, HashMap};

impl<F: Form> Tensors<'_, F> {
    /// The sizes of the loops of a nest that is stored as `outputs` say, after merging: an outer loop that went into an inner one has size 1, and the inner
    /// one does the steps of both.
    pub(crate) fn merged(&self, roots: &[usize], outputs: &[Layout], free: &[usize]) -> Vec<F::Size> {
        let mut dims = self.tensors[roots[0]].dims.clone();
        let idx: Vec<Sym> = (0..dims.len()).map(|d| Sym::var((NEST, d))).collect();
        let uses: Vec<Use> = roots.iter().flat_map(|&r| self.uses(r, idx.clone(), self.must_materialize)).collect();
        let wide: Vec<usize> = free.iter().copied().filter(|&d| dims[d].known() != Some(1)).collect();
        let Some((&last, outer)) = wide.split_last() else { return dims };
        let mut inner = last;
        for &d in outer.iter().rev() {
            let (Some(n), Some(m)) = (dims[d].known(), dims[inner].known()) else {
                inner = d;
                continue;
            };
            let stored = outputs.iter().all(|output| {
                let (a, b) = (output.strides[d], output.strides[inner]);
                a.is_some() && a == b.map(|b| b * m)
            });
            if n * m > 0 && stored && uses.iter().all(|u| self.merges(u, (NEST, d), (NEST, inner), m)) {
                dims[inner] = F::Size::number(n * m);
                dims[d] = F::Size::number(1);
            } else {
                inner = d;
            }
        }
        dims
    }

    /// Whether a tensor that lies whole in scratch memory is met in the right places by loops that were merged: it may have
    /// more between their dimensions than the memory that it is made of (what is padded between them, say). `dims` are the
    /// sizes of the nest of `roots` after merging; dimensions that the tensor follows are not whole.
    pub(crate) fn runs_on(
        &self,
        item: &Item,
        roots: &[usize],
        free: &[usize],
        dims: &[F::Size],
        stop: &BTreeSet<usize>,
    ) -> bool {
        let before = &self.tensors[roots[0]].dims;
        let wide: Vec<usize> = free.iter().copied().filter(|&d| before[d].known() != Some(1)).collect();
        let Some((&last, outer)) = wide.split_last() else { return true };
        let idx: Vec<Sym> = (0..dims.len()).map(|d| Sym::var((NEST, d))).collect();
        let mut uses: Vec<Use> = roots.iter().flat_map(|&r| self.uses(r, idx.clone(), stop)).collect();
        uses.retain(|u| u.id == item.id);
        let (mut inner, mut size) = (last, before[last].known());
        outer.iter().rev().all(|&d| {
            let Some((n, m)) = before[d].known().zip(size).filter(|_| dims[d].known() == Some(1)) else {
                (inner, size) = (d, before[d].known());
                return true;
            };
            size = Some(n * m);
            item.follows.contains(&Some(inner))
                || uses.iter().all(|u| self.merges_packed(u, (NEST, d), (NEST, inner), m))
        })
    }

    /// Whether it may be that what is used lies in scratch memory, see `Emitter::items`.
    fn may_be_kept(&self, u: &Use) -> bool {
        !u.inside.is_empty() && matches!(self.tensors[u.id].kind, Kind::Pad { .. } | Kind::Result { .. })
    }

    /// Whether a use stays right when loop `a` stays at 0 and loop `b`, of `size` steps, runs on past its end.
    fn merges(&self, u: &Use, a: Var, b: Var, size: i64) -> bool {
        let moves = |s: &Sym| s.vars().any(|v| v == a || v == b);
        if u.idx.iter().any(|s| s.vague.contains(&a) || s.vague.contains(&b)) {
            return false;
        }
        if self.must_materialize.contains(&u.id) && !u.inside.is_empty() {
            return self.merges_packed(u, a, b, size);
        }
        match &self.tensors[u.id].kind {
            Kind::Memory(memory) => match (stride(memory, &u.idx, a), stride(memory, &u.idx, b)) {
                (Stride::Known(a), Stride::Known(b)) => a == b * size,
                _ => false,
            },
            Kind::Splat(_) | Kind::Empty | Kind::Slice { .. } | Kind::Expand { .. } | Kind::Collapse { .. } => true,
            Kind::Elements(_) | Kind::Generate { .. } | Kind::Insert { .. } => !u.idx.iter().any(moves),
            Kind::Pad { .. } => u.idx.iter().enumerate().all(|(d, s)| !moves(s) || self.unpadded(u.id, d)),
            Kind::Concat { axis, .. } => !moves(&u.idx[*axis]),
            Kind::Result { node, .. } => {
                asks_index(self.nodes[*node].body).into_iter().all(|d| match self.nodes[*node].place[d] {
                    Some(place) => !moves(&u.idx[place]),
                    None => (*node, d) != a && (*node, d) != b,
                })
            }
        }
    }

    /// The same for a tensor that will be in contiguous scratch memory: only if both loops are dimensions of it, or neither.
    fn merges_packed(&self, u: &Use, a: Var, b: Var, size: i64) -> bool {
        let place = |v: Var| u.idx.iter().position(|s| s.exactly() == Some(v));
        let moves = |v: Var| u.idx.iter().any(|s| s.vars().any(|w| w == v));
        match (place(a), place(b)) {
            (None, None) => !moves(a) && !moves(b),
            (Some(a), Some(b)) => {
                let steps = |d: usize| self.tensors[u.id].dims[d].known();
                // What lies between them has one step; so the outer one moves by all of the inner one.
                a < b
                    && steps(b).is_some_and(|n| n <= size)
                    && (a + 1..=b).try_fold(1, |n, d| Some(n * steps(d)?)) == Some(size)
            }
            _ => false,
        }
    }

    /// Whether a dimension of a `tensor.pad` has no padding, as far as is known now.
    pub(crate) fn unpadded(&self, id: usize, d: usize) -> bool {
        let Kind::Pad { src, low, .. } = &self.tensors[id].kind else { return false };
        low[d].known() == Some(0) && self.tensors[id].dims[d] == self.tensors[*src].dims[d]
    }
}

/// Merges the reduction loops of every node that can.
fn merge_reductions<F: Form>(
    tensors: &[Tensor<F>],
    nodes: &mut [Node<F>],
    tensor_of: &HashMap<Value, usize>,
    must_materialize: &BTreeSet<usize>,
) {
    for node in 0..nodes.len() {
        let result = nodes[node].results[0];
        let idx: Vec<Sym> = (0..tensors[result].dims.len()).map(|d| Sym::var((NEST, d))).collect();
        let wide = nodes[node].reductions().into_iter().filter(|&d| nodes[node].dims[d].known() != Some(1));
        let wide: Vec<usize> = wide.collect();
        let Some((&last, outer)) = wide.split_last() else { continue };
        let mut inner = last;
        for &d in outer.iter().rev() {
            let graph = Tensors { tensors, nodes, tensor_of, must_materialize };
            let uses = graph.uses(result, idx.clone(), must_materialize);
            let both = |size: i64| {
                let runs = |u: &Use| graph.merges(u, (node, d), (node, inner), size);
                let kept = |u: &Use| graph.may_be_kept(u) && !graph.merges_packed(u, (node, d), (node, inner), size);
                uses.iter().all(|u| runs(u) && !kept(u))
            };
            match (nodes[node].dims[d].known(), nodes[node].dims[inner].known()) {
                (Some(n), Some(m)) if n * m > 0 && both(m) => {
                    nodes[node].dims[inner] = F::Size::number(n * m);
                    nodes[node].dims[d] = F::Size::number(1);
                }
                _ => inner = d,
            }
        }
    }
}

impl Graph {
    /// The graph with reduction loops merged where they can be.
    pub(crate) fn with_merged_reductions(&self) -> Graph {
        let mut graph = self.clone();
        graph.merge_reductions();
        graph
    }

    /// Merges the reduction loops of every node that can.
    pub(crate) fn merge_reductions(&mut self) {
        let Self { tensors, nodes, tensor_of, must_materialize, .. } = self;
        merge_reductions(tensors, nodes, tensor_of, must_materialize);
    }
}

impl Emitter<'_> {
    /// See [`Tensors::unpadded`].
    pub(crate) fn unpadded(&self, id: usize, d: usize) -> bool {
        self.graph.view().unpadded(id, d)
    }
}
