//! Results that share a sum but lie in another order, as a product and its transpose: the dimensions of the later one are put into
//! the order of the first one. One nest then computes both, and the sum once.
use crate::analysis::access::{NEST, Sym};
use crate::graph::{Graph, Kind, Memory, Symbolic};
use std::collections::BTreeSet;

/// A result as nests compute it.
#[derive(Clone, Debug)]
pub(crate) struct ComputedResult {
    /// The tensor.
    pub(crate) id: usize,
    /// For each of its dimensions, which dimension of the result it is; `None` if they are the same.
    pub(crate) order: Option<Vec<usize>>,
}

impl ComputedResult {
    /// The memory of the result with its dimensions in the order of the tensor.
    pub(crate) fn memory<F: crate::graph::Form>(&self, memory: &Memory<F>) -> Memory<F> {
        let Some(order) = &self.order else { return memory.clone() };
        let (dims, strides) = order.iter().map(|&d| (memory.dims[d], memory.strides[d])).unzip();
        Memory { dims, strides, ..memory.clone() }
    }
}

/// Decides how results `ids` are computed. `fixed` results keep their order: they are written in place. A sum of fewer steps than
/// `least` is computed again for less than it costs to store a result across its rows.
pub(crate) fn align(graph: &mut Graph, ids: &[usize], fixed: &[bool], least: i64) -> Vec<ComputedResult> {
    let mut all: Vec<ComputedResult> = ids.iter().map(|&id| ComputedResult { id, order: None }).collect();
    for first in 0..ids.len() {
        for other in first + 1..ids.len() {
            if fixed[first] || fixed[other] || all[other].order.is_some() || all[first].id == all[other].id {
                continue;
            }
            if let Some(order) = order(graph, all[first].id, ids[other], least)
                && let Some(id) = reordered(graph, ids[other], &order)
            {
                all[other] = ComputedResult { id, order: Some(order) };
            }
        }
    }
    all
}

/// The order of `other`'s dimensions in which both tensors meet the steps of a common sum together; `None` if there is no such sum, or
/// they meet it as they are.
fn order(graph: &Graph, first: usize, other: usize, least: i64) -> Option<Vec<usize>> {
    let dims = |id: usize| &graph.tensors[id].dims;
    if dims(first).len() != dims(other).len() {
        return None;
    }
    let sums = |id: usize| -> Vec<(usize, Vec<Sym>)> {
        let idx = (0..dims(id).len()).map(|d| Sym::var((NEST, d))).collect();
        let uses = graph.uses(id, idx, &BTreeSet::new()).into_iter().filter(|u| u.inside.is_empty());
        uses.filter(|u| is_sum(graph, u.id, least)).map(|u| (u.id, u.idx)).collect()
    };
    let wide = |id: usize| (0..dims(id).len()).filter(|&d| dims(id)[d].known() != Some(1)).collect::<BTreeSet<_>>();
    let (of_first, of_other) = (sums(first), sums(other));
    let mut found: Option<Vec<usize>> = None;
    for (id, idx) in &of_other {
        let mut same = of_first.iter().filter(|(shared, _)| shared == id);
        let (Some((_, theirs)), None) = (same.next(), same.next()) else { continue };
        // Which dimension of the first result each dimension of the other one goes with.
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (a, b) in theirs.iter().zip(idx) {
            match (a.exactly(), b.exactly()) {
                (Some((NEST, a)), Some((NEST, b))) if dims(first)[a] == dims(other)[b] => pairs.push((a, b)),
                (None, None) if *a == Sym::default() && *b == Sym::default() => {}
                _ => return None,
            }
        }
        pairs.retain(|&(a, _)| dims(first)[a].known() != Some(1));
        let (a, b): (BTreeSet<usize>, BTreeSet<usize>) = pairs.iter().copied().unzip();
        if pairs.len() != a.len() || a != wide(first) || b != wide(other) {
            return None;
        }
        let mut narrow = (0..dims(other).len()).filter(|d| !b.contains(d));
        let partner = |a: usize| pairs.iter().find(|pair| pair.0 == a).map(|pair| pair.1);
        let order: Vec<usize> = (0..dims(first).len()).filter_map(|a| partner(a).or_else(|| narrow.next())).collect();
        if found.as_ref().is_some_and(|found| *found != order) {
            return None;
        }
        found = Some(order);
    }
    found.filter(|order| order.iter().enumerate().any(|(to, from)| to != *from))
}

/// Whether a tensor is the result of a sum, or the like, of that many steps.
fn is_sum(graph: &Graph, id: usize, least: i64) -> bool {
    let Kind::Result { node, .. } = graph.tensors[id].kind else { return false };
    let node = &graph.nodes[node];
    let reductions = node.reductions();
    let steps = reductions.iter().try_fold(1i64, |n, &d| Some(n.saturating_mul(node.dims[d].known()?)));
    !reductions.is_empty() && steps.is_none_or(|n| n >= least)
}

/// Adds the tensor with its dimensions in another order. `None` for what no single operation computes from nothing.
fn reordered(graph: &mut Graph, id: usize, order: &[usize]) -> Option<usize> {
    let Kind::Result { node, .. } = graph.tensors[id].kind else { return None };
    let mut node = graph.nodes[node].clone();
    let starts_from_nothing =
        node.inits.iter().all(|&init| matches!(graph.tensors[init].kind, Kind::Splat(_) | Kind::Empty));
    if node.results.len() != 1 || !starts_from_nothing {
        return None;
    }
    let to = |d: usize| order.iter().position(|&from| from == d);
    node.place = node.place.iter().map(|place| place.and_then(to)).collect();
    let map = node.inputs.len();
    node.maps[map] = order.iter().map(|&d| node.maps[map][d].clone()).collect();
    let tensor = &graph.tensors[id];
    let dims = order.iter().map(|&d| tensor.dims[d]).collect();
    let (number, kind) = (graph.tensors.len(), Kind::Result { node: graph.nodes.len(), index: 0 });
    let tensor = crate::graph::Tensor::<Symbolic> { dims, kind, ..tensor.clone() };
    node.results = vec![number];
    graph.tensors.push(tensor);
    graph.nodes.push(node);
    Some(number)
}
