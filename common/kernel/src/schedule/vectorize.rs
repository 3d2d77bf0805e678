//! Which loop carries the vector lanes.
use crate::analysis::access::{NEST, Stride, Sym, Use, Var, stride};
use crate::analysis::combiner::Combiner;
use crate::analysis::layout::Layout;
use crate::graph::{Input, Kind, Size};
use crate::schedule::cost_model::vector_cost;
use crate::schedule::planned::Item;
use crate::schedule::planner::{NestRequest, Planner};
use halyard_ir::Type;
use std::collections::BTreeSet;

/// What is kept inside of a nest.
pub(crate) struct Within<'a> {
    /// What is kept.
    pub(crate) items: &'a [Item],
    /// The reductions' loads from memory that are made when it is computed.
    pub(crate) uses: Vec<&'a Use>,
    /// All uses of the nest.
    pub(crate) everything: &'a [Use],
}

impl Planner<'_> {
    /// The loads within what a nest keeps: those that are not among the `uses` of the nest itself.
    pub(crate) fn within<'a>(&self, items: &'a [Item], everything: &'a [Use], uses: &[Use]) -> Within<'a> {
        let loaded = |u: &&Use| {
            matches!(self.graph.tensors[u.id].kind, Kind::Memory(_)) && !u.inside.is_empty() && !uses.contains(u)
        };
        Within { items, uses: everything.iter().filter(loaded).collect(), everything }
    }

    /// The lanes that fill a register with the widest of these elements.
    pub(crate) fn widest(&self, ids: impl Iterator<Item = usize>) -> i64 {
        let bits = |ty: Type| if ty.is_index() { 64 } else { ty.bits().next_power_of_two().max(8) };
        let widest = ids.map(|id| bits(self.graph.tensors[id].elem)).max().unwrap_or(32);
        i64::from(self.target.vector_bits / widest).max(2)
    }

    /// The memory of a use, if it is loaded from memory.
    fn strides(&self, u: &Use, var: Var) -> Option<Stride> {
        match &self.graph.tensors[u.id].kind {
            Kind::Memory(memory) => Some(stride(memory, &u.idx, var)),
            _ => None,
        }
    }

    /// What a vector of a use costs along a loop, in loads; 0 for what is not loaded.
    fn use_cost(&self, u: &Use, var: Var, lanes: i64, kept: bool) -> f64 {
        let costs = &self.target.cpu.costs;
        if let Some(stride) = self.strides(u, var) {
            return vector_cost(costs, stride, lanes);
        }
        if !kept {
            return 0.0;
        }
        // Kept in scratch memory, contiguous along its last dimension.
        let moves = |s: &Sym| s.vars().any(|v| v == var);
        match u.idx.split_last() {
            Some((last, outer)) if !outer.iter().any(moves) && !last.vague.contains(&var) => {
                vector_cost(costs, Stride::Known(last.terms.get(&var).copied().unwrap_or(0)), lanes)
            }
            _ if !u.depends(var) => vector_cost(costs, Stride::Known(0), lanes),
            _ => vector_cost(costs, Stride::Unknown, lanes),
        }
    }

    /// How often a use within reductions happens per point of the nest.
    pub(crate) fn weight(&self, u: &Use) -> f64 {
        let trips = u.inside.iter().flat_map(|&n| {
            let node = &self.graph.nodes[n];
            node.reductions().into_iter().map(|d| self.typical(node.dims[d]) as f64)
        });
        trips.product::<f64>().min(self.target.cpu.loops.heaviest_use)
    }

    /// The loop that carries the lanes, if any should. Tensors in `kept` are in scratch memory; with `transposing`, operands
    /// may be transposed panel by panel, see [`crate::emit::pack`].
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn choose_vector(
        &self,
        uses: &[Use],
        within: &Within<'_>,
        nest: &NestRequest,
        loops: &[usize],
        dims: &[Size],
        lanes: i64,
        kept: &BTreeSet<usize>,
        transposing: bool,
    ) -> Option<usize> {
        let costs = &self.target.cpu.costs;
        let full = lanes as f64;
        let leaf = |u: &Use| matches!(self.graph.tensors[u.id].kind, Kind::Memory(_)) || kept.contains(&u.id);
        // Per point: all scalar, but for reductions, which may have lanes of their own; then several results side by side
        // share what is loaded.
        let side = self.dots_side() as f64;
        let mut scalar = 1.0;
        let mut summed = BTreeSet::new();
        for u in uses.iter().filter(|u| leaf(u)) {
            scalar += match u.inside.last().and_then(|&n| Some((n, self.vector_reduction(n, &nest.there)?.0))) {
                Some((n, along)) => {
                    // The lanes that the reduction fills on average.
                    let filled = match self.graph.nodes[along.0].dims[along.1].known() {
                        Some(n) => n as f64 / ((n + lanes - 1) / lanes).max(1) as f64,
                        None => full,
                    };
                    let again = loops.iter().filter(|&&d| !u.depends((NEST, d)));
                    let again = again.map(|&d| self.typical(dims[d])).max().unwrap_or(1) as f64;
                    let steps = self.weight(u) / filled;
                    let sums = if summed.insert(n) { steps } else { 0.0 };
                    self.use_cost(u, along, lanes, true) * steps / again.min(side) + sums + costs.lanes_added
                }
                None => self.weight(u),
            };
        }
        // With two vectors each, and room for what they are made of.
        let rows = ((i64::from(self.target.registers) - 4) / 2).min(self.target.cpu.loops.tallest_tile) as f64;
        let mut best = (scalar + self.cost_within(within, None, loops, dims, lanes), None);
        for &d in loops {
            let n = self.typical(dims[d]);
            let fits = full.min(n.max(2).unsigned_abs().next_power_of_two() as f64);
            let waste = ((n as f64 / fits).ceil() * fits) / n as f64;
            let out = nest.outputs[0].strides[d].map_or(Stride::Unknown, Stride::Known);
            let mut cost: f64 = nest.outputs.iter().map(|o| self.store_cost(o, d, loops, dims, lanes)).sum();
            let in_registers = within.items.iter().any(|i| !i.scratch && i.follows.contains(&Some(d)));
            let mut summed = BTreeSet::new();
            for u in uses {
                let one = std::slice::from_ref(u);
                // Blocks transposed in registers: shuffles instead of a gather.
                let blocks = !in_registers
                    && loops.iter().any(|&other| other != d && self.transposes(one, d, other, lanes, dims));
                let plain = if blocks {
                    costs.block_transposed
                } else {
                    self.use_cost(u, (NEST, d), lanes, kept.contains(&u.id))
                };
                let transposed = if transposing && out == Stride::Known(1) {
                    self.transposed_cost(u, d, loops, dims, lanes)
                } else {
                    None
                };
                // As without lanes: rows of a tile share what is loaded, and each step of a sum is an addition.
                let again = loops.iter().filter(|&&other| other != d && !u.depends((NEST, other)));
                let again = again.map(|&other| self.typical(dims[other])).max().unwrap_or(1) as f64;
                let shared = if u.inside.is_empty() { 1.0 } else { again.clamp(1.0, rows) };
                cost += transposed.map_or(plain, |t| t.min(plain)) * self.weight(u) / shared;
                if u.inside.last().is_some_and(|&n| leaf(u) && summed.insert(n)) {
                    cost += self.weight(u);
                }
            }
            let cost = cost * waste / fits + self.cost_within(within, Some(d), loops, dims, lanes);
            // Of equals the innermost is best for the caches.
            if cost <= best.0 {
                best = (cost, Some(d));
            }
        }
        best.1
    }

    /// What it costs to store a vector of results along loop `d`.
    fn store_cost(&self, output: &Layout, d: usize, loops: &[usize], dims: &[Size], lanes: i64) -> f64 {
        let costs = &self.target.cpu.costs;
        let stride = output.strides[d].map_or(Stride::Unknown, Stride::Known);
        let one = std::slice::from_ref(output);
        let blocks = loops.iter().any(|&other| other != d && self.stores_across(one, d, other, lanes, dims));
        if blocks { costs.block_transposed + costs.store } else { vector_cost(costs, stride, lanes) * costs.store }
    }

    /// What it costs to compute what is kept, per point of the nest, if the lanes go along loop `v`: in columns, or in registers, they go
    /// along it there too; else each reduction has lanes of its own.
    fn cost_within(&self, within: &Within<'_>, v: Option<usize>, loops: &[usize], dims: &[Size], lanes: i64) -> f64 {
        let columns = v.filter(|&v| self.in_columns(within.items, within.everything, v));
        let own = |u: &Use| {
            let along = u.inside.last().and_then(|&n| self.vector_reduction(n, &BTreeSet::new()));
            along.map_or(1.0, |(along, _)| self.use_cost(u, along, lanes, false) / lanes as f64)
        };
        let each = within.uses.iter().map(|u| {
            let fewer = loops.iter().filter(|&&l| !u.depends((NEST, l)));
            let fewer: f64 = fewer.map(|&l| self.typical(dims[l]).max(1) as f64).product();
            let along = |i: &Item| !i.scratch && self.reduces(i.id).is_some_and(|node| u.inside.contains(&node));
            let in_step = |v: &usize| within.items.iter().any(|i| along(i) && i.follows.contains(&Some(*v)));
            let element = match columns.or(v.filter(in_step)).filter(|&v| u.depends((NEST, v))) {
                Some(v) => self.use_cost(u, (NEST, v), lanes, false) / lanes as f64,
                None => own(u),
            };
            self.weight(u) / fewer * element
        });
        each.sum()
    }

    /// The dimension of a node along which its lanes go when its results are scalars, and how they combine, where some tensors are in scratch memory: results of
    /// their own, or an element with its position (then there are no combiners, see [`crate::analysis::extreme`]).
    pub(crate) fn vector_reduction(&self, node: usize, buffered: &BTreeSet<usize>) -> Option<(Var, Vec<Combiner>)> {
        let extreme = self.graph.extreme(node);
        let combiners = match extreme {
            Some(_) => Vec::new(),
            None => self.graph.combiners(node)?,
        };
        let n = &self.graph.nodes[node];
        let idx: Vec<Sym> = (0..self.graph.tensors[n.results[0]].dims.len()).map(|d| Sym::var((NEST, d))).collect();
        let uses = self.graph.uses(n.results[0], idx, &BTreeSet::new());
        let lanes = self.reduction_lanes(node);
        let inside: Vec<&Use> = uses.iter().filter(|u| u.inside.first() == Some(&node)).collect();
        let mut best: Option<(f64, usize)> = None;
        for d in n.reductions() {
            let size = n.dims[d].known();
            if size.is_some_and(|s| s < 4) || extreme.is_some_and(|e| e.dim != d) {
                continue;
            }
            let waste = size.map_or(1.0, |s| ((s + lanes - 1) / lanes * lanes) as f64 / s as f64);
            let cost: f64 = inside.iter().map(|u| self.use_cost(u, (node, d), lanes, buffered.contains(&u.id))).sum();
            let cost = cost * waste;
            if cost <= inside.len() as f64 * lanes as f64 && best.is_none_or(|b| cost <= b.0) {
                best = Some((cost, d));
            }
        }
        best.map(|(_, d)| ((node, d), combiners))
    }

    /// The lanes of a node when they go along a reduction.
    pub(crate) fn reduction_lanes(&self, node: usize) -> i64 {
        let n = &self.graph.nodes[node];
        let tensors = n.inputs.iter().filter_map(|i| if let Input::Tensor(t) = i { Some(*t) } else { None });
        let lanes = self.widest(tensors.chain(n.results.iter().copied()));
        let longest = n.reductions().into_iter().map(|d| n.dims[d].known().unwrap_or(i64::MAX)).max().unwrap_or(1);
        if longest < lanes { (longest.max(2).unsigned_abs().next_power_of_two() as i64).min(lanes) } else { lanes }
    }
}
