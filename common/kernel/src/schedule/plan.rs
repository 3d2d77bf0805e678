//! What a nest does where: which loop carries the lanes, the order of the loops, what is computed at which depth and
//! kept. Every choice here is about speed: what the plan does not mention is computed on demand, see [`crate::emit::materialize`].
use crate::analysis::access::{NEST, Sym, Use};
use crate::graph::{Kind, Size};
use crate::schedule::planned::{Alternatives, Item, Pack, Plan};
use crate::schedule::planner::{NestRequest, Planner};
use crate::schedule::tile::TileBudget;
use std::collections::{BTreeMap, BTreeSet};

impl Planner<'_> {
    /// The plan for computing the tensors of a nest over its free loops of these sizes; other dimensions stay at the few indices
    /// at which they are held.
    pub(crate) fn plan(&self, nest: &NestRequest, dims: &[Size]) -> Plan {
        self.plan_transposing(nest, dims, true)
            .unwrap_or_else(|| self.plan_transposing(nest, dims, false).expect("nothing is turned"))
    }

    /// With `transposing`, lanes may run across the rows of operands that are transposed; `None` if the plan came to count on
    /// that, but has no place for it.
    fn plan_transposing(&self, nest: &NestRequest, dims: &[Size], transposing: bool) -> Option<Plan> {
        let NestRequest { roots, held, there, .. } = nest;
        let (free, output) = (&nest.free()[..], &nest.outputs[0]);
        let rank = dims.len();
        let idx: Vec<Sym> = (0..rank)
            .map(|d| if dims[d].known() == Some(1) && free.contains(&d) { Sym::default() } else { Sym::var((NEST, d)) })
            .collect();
        let all = |stop: &BTreeSet<usize>| -> Vec<Use> {
            let mut uses: Vec<Use> = roots.iter().flat_map(|&r| self.graph.uses(r, idx.clone(), stop)).collect();
            uses.retain(|u| !roots.contains(&u.id));
            uses
        };
        let loops: Vec<usize> = free.iter().copied().filter(|&d| dims[d].known() != Some(1)).collect();
        // What the nests around this one keep is there.
        let everything = all(there);
        let mut items = self.items(&everything, roots, &loops);
        items.retain(|i| !there.contains(&i.id));
        let candidates: Vec<usize> = items.iter().map(|i| i.id).collect();
        let depths = self.requested_depths(&candidates, loops.len());
        items.retain(|i| depths.get(&i.id) != Some(&-1));
        let stop: BTreeSet<usize> = items.iter().map(|i| i.id).chain(there.iter().copied()).collect();
        let uses = all(&stop);
        let lanes = self.widest(uses.iter().map(|u| u.id).chain(roots.iter().copied()));
        let kept: BTreeSet<usize> =
            items.iter().filter(|i| i.scratch).map(|i| i.id).chain(there.iter().copied()).collect();
        let widest = lanes;
        // The lanes of a loop around this nest are those of all that is inside.
        let lanes_around = held.iter().flatten().any(|h| h.lanes).then_some(nest.lanes);
        let vector = match lanes_around {
            Some(_) => None,
            None => {
                let within = self.within(&items, &everything, &uses);
                let ours = self.choose_vector(&uses, &within, nest, &loops, dims, lanes, &kept, transposing);
                self.requested_vector(ours, &loops)
            }
        };
        // What all lanes share takes up no lanes; but bodies may make of it what differs, so there are at most twice as many.
        let moved = |v: usize| uses.iter().filter(move |u| u.depends((NEST, v))).map(|u| u.id);
        let lanes = vector.map_or(lanes, |v| self.widest(moved(v).chain(roots.iter().copied())).min(2 * lanes));
        let widest = widest.max(lanes);
        // Fewer lanes where the loop has fewer steps.
        let lanes = match (lanes_around, vector.and_then(|v| dims[v].known())) {
            (Some(around), _) => around,
            (None, Some(n)) => lanes.min(n.max(2).unsigned_abs().next_power_of_two() as i64),
            (None, None) => lanes,
        };
        let lanes = match lanes_around {
            Some(around) => around,
            None => self.choices.number("lanes", lanes, |n| n >= 2 && n <= widest && n & (n - 1) == 0),
        };
        let columns = vector.filter(|&v| self.in_columns(&items, &everything, v));
        let mut order: Vec<usize> = Vec::new();
        // Copies that others are made of come first. One that only the nest itself reads gives way: columns that the last product of an
        // attention transposes are few, but scores would be kept for all its rows.
        let candidate = |id: &usize| candidates.contains(id);
        let feeds = |id: usize| {
            let others = |node: &usize| self.graph.nodes[*node].results.iter().any(|r| *r != id && candidate(r));
            everything.iter().any(|u| u.id == id && u.inside.iter().any(others))
        };
        items.sort_by_key(|i| {
            let first = self.graph.must_materialize.contains(&i.id) && feeds(i.id);
            (i.follows.iter().flatten().count(), !first, i.id)
        });
        let mut cut = false;
        for item in &mut items {
            if let Some(v) = columns.filter(|_| item.scratch) {
                self.stay_where_merged(item, &everything, v, dims);
            }
            // Scratch memory has whole dimensions: not lanes (but in columns), nor the steps of a merged loop.
            let sizes = &self.graph.tensors[item.id].dims;
            let merged = |at: usize, f: usize| {
                sizes[at].known().is_some() && dims[f].known().is_some_and(|n| n != 1) && sizes[at] != dims[f]
            };
            cut |= item.follows.iter().enumerate().any(|(at, f)| f.is_some_and(|f| Some(f) != vector && merged(at, f)));
            let whole = |follows: &mut Vec<Option<usize>>| {
                for (at, follow) in follows.iter_mut().enumerate() {
                    *follow = follow.filter(|&f| Some(f) == columns || Some(f) != vector && !merged(at, f));
                }
            };
            let open = |follows: &[Option<usize>]| -> BTreeSet<usize> {
                follows.iter().flatten().copied().filter(|d| loops.contains(d)).collect()
            };
            if item.scratch {
                whole(&mut item.follows);
            }
            let mut wanted = open(&item.follows);
            if order.iter().all(|d| wanted.contains(d)) {
                let mut further: Vec<usize> = wanted.iter().copied().filter(|d| !order.contains(d)).collect();
                further.sort_by_key(|&d| (Some(d) == columns, d));
                order.extend(further);
            } else {
                // Only the outermost loops that it follows come before what is placed already.
                let prefix = |wanted: &BTreeSet<usize>| -> BTreeSet<usize> {
                    order.iter().take_while(|d| wanted.contains(d)).copied().collect()
                };
                if prefix(&wanted) != wanted {
                    item.scratch = true;
                    whole(&mut item.follows);
                }
                wanted = prefix(&open(&item.follows));
                item.follows.iter_mut().for_each(|f| *f = f.filter(|f| wanted.contains(f) || !loops.contains(f)));
            }
            item.depth = wanted.len();
            let Some(depth) = depths.get(&item.id).map(|&depth| depth as usize) else { continue };
            if depth < item.depth {
                // Further out it is kept over the dimensions whose loops are not open there.
                item.scratch = true;
                whole(&mut item.follows);
                let outer = &order[..depth];
                item.follows.iter_mut().for_each(|f| *f = f.filter(|f| outer.contains(f) || !loops.contains(f)));
            }
            item.depth = depth;
        }
        for item in items.iter_mut().filter(|i| nest.shared && i.depth == 0) {
            item.scratch |= self.long(item.id);
            item.for_all = item.scratch && (self.long(item.id) || self.large(item.id));
        }
        // What is whole is computed by loops of its own.
        let longer = |f: &usize| dims[*f] != self.graph.tensors[roots[0]].dims[*f];
        let whole = items.iter().filter(|i| i.scratch && !i.follows.iter().flatten().any(longer)).map(|i| i.id);
        let stop: BTreeSet<usize> = whole.chain(there.iter().copied()).collect();
        cut |= items.iter().any(|i| i.scratch && !self.graph.view().runs_on(i, roots, free, dims, &stop));
        let settled = items.iter().map(|i| i.depth).max().unwrap_or(0);
        let mut rest: Vec<usize> = loops.iter().copied().filter(|d| !order.contains(d)).collect();
        // The loop with the lanes is the innermost of its part.
        rest.sort_by_key(|&d| (Some(d) == vector, d));
        let mut unroll_jam = vec![1; rank];
        if let Some(v) = vector.filter(|v| order.contains(v)) {
            unroll_jam[v] = self.columns_side(&items, v, lanes, dims);
        }
        let already: i64 = held.iter().flatten().map(|h| h.count).product();
        // Rows that share what is streamed past them are kept side by side.
        let rows = items.iter().filter(|i| {
            i.depth == settled && i.scratch && matches!(self.graph.tensors[i.id].kind, Kind::Result { .. })
        });
        let streams = |d: usize| {
            everything.iter().any(|u| {
                let memory = matches!(self.graph.tensors[u.id].kind, Kind::Memory(_));
                memory && !u.inside.is_empty() && !u.depends((NEST, d)) && u.idx.iter().any(|s| s.vars().count() > 0)
            })
        };
        if let Some(&d) = order.last().filter(|&&d| already == 1 && rows.count() > 0 && Some(d) != vector && streams(d))
        {
            unroll_jam[d] = self.typical(dims[d]).min(if self.target.registers >= 32 { 8 } else { 4 });
        }
        let already = already * unroll_jam.iter().product::<i64>();
        let budget = TileBudget { inner: &rest, vector, lanes, dims, outputs: &nest.outputs, already };
        let mut tiling = self.tiling(&uses, &budget);
        let mut pack = tiling.pack.take().map(|p| Pack { depth: p.depth + order.len(), ..p });
        order.extend(&tiling.order);
        for (unroll_jam, inner) in unroll_jam.iter_mut().zip(&tiling.unroll_jam) {
            *unroll_jam = (*unroll_jam).max(*inner);
        }
        if tiling.blocks.is_empty() {
            self.block_of_open(&uses, &budget, &order, &mut unroll_jam, &mut tiling);
        }
        let nanoseconds = self.estimate(&uses, &order, dims);
        let stretches = self.stretches(nest, &mut order, &items, &tiling, &budget, nanoseconds);
        let open = Alternatives {
            widest,
            candidates,
            blocks: tiling.blocks,
            packs: tiling.packs,
            free_lanes: lanes_around.is_none(),
        };
        self.requested_order(&mut order, &items, &mut pack);
        self.requested_tile(&mut unroll_jam, &order, (vector, lanes), tiling.block);
        let counted_on = |v: usize| {
            output.strides[v] == Some(1)
                && uses.iter().any(|u| self.transposed_cost(u, v, &loops, dims, widest).is_some())
        };
        if transposing && pack.is_none() && self.choices.flag("pack", true) && vector.is_some_and(counted_on) {
            return None;
        }
        Some(Plan {
            lanes,
            vector,
            order,
            unroll_jam,
            block: tiling.block,
            items,
            pack,
            nanoseconds,
            cut,
            wide: None,
            nontemporal: false,
            stretches,
            open,
        })
    }

    /// The tensors that are worth keeping.
    fn items(&self, uses: &[Use], roots: &[usize], loops: &[usize]) -> Vec<Item> {
        let mut by_id: BTreeMap<usize, Vec<&Use>> = BTreeMap::new();
        for u in uses {
            by_id.entry(u.id).or_default().push(u);
        }
        let mut items = Vec::new();
        let mut hidden: BTreeSet<usize> = BTreeSet::new();
        for (&id, uses) in &by_id {
            if roots.contains(&id) {
                continue;
            }
            let rank = self.graph.tensors[id].dims.len();
            let follows: Vec<Option<usize>> = (0..rank)
                .map(|d| {
                    let first = uses[0].idx[d].exactly().filter(|v| v.0 == NEST)?;
                    uses.iter().all(|u| u.idx[d].exactly() == Some(first)).then_some(first.1)
                })
                .collect();
            let aligned = (0..rank).all(|d| follows[d].is_some() || uses.iter().all(|u| u.idx[d] == Sym::default()));
            let outside = uses.iter().all(|u| u.inside.is_empty());
            let repeated = uses.iter().any(|u| !u.inside.is_empty() && self.repeats(u, loops));
            let (compute_at, scratch) = match &self.graph.tensors[id].kind {
                _ if self.graph.must_materialize.contains(&id) && !outside => (true, true),
                Kind::Result { node, .. } if self.graph.nodes[*node].reduction.contains(&true) => {
                    let follows_all = loops.iter().all(|l| follows.contains(&Some(*l)));
                    match (outside, aligned) {
                        (true, true) => (!follows_all, false),
                        (true, false) => (uses.len() > 1 || self.partial(uses, loops), true),
                        (false, true)
                            if uses.iter().all(|u| loops.iter().all(|&l| u.depends((NEST, l)))) && !repeated =>
                        {
                            (false, false)
                        }
                        // Fixed while the reductions around it run: a register holds it.
                        (false, true) => (!follows_all, false),
                        (false, false) => (repeated || uses.len() > 1, true),
                    }
                }
                Kind::Result { node, .. } => {
                    (repeated && (self.expensive(*node) || self.widens(*node)) && !aligned, true)
                }
                Kind::Pad { .. } => (!outside && !aligned, true),
                _ => (false, false),
            };
            if compute_at && !hidden.contains(&id) {
                items.push(Item { id, follows, scratch, depth: 0, for_all: false });
            }
        }
        hidden.clear();
        items
    }

    /// Whether a use within reductions comes back to the same element: a loop around it does not move it, or two loops
    /// move it along one dimension.
    fn repeats(&self, u: &Use, loops: &[usize]) -> bool {
        let nest = loops.iter().map(|&l| (NEST, l));
        let reductions = u.inside.iter().flat_map(|&n| {
            let node = &self.graph.nodes[n];
            node.reductions().into_iter().filter(|&d| node.dims[d].known() != Some(1)).map(move |d| (n, d))
        });
        let still = nest.chain(reductions).any(|v| !u.depends(v));
        still || u.idx.iter().any(|s| s.vars().count() > 1)
    }

    /// Whether it takes so long to compute a tensor that no workgroup should do what another one has done.
    fn long(&self, id: usize) -> bool {
        let Some(node) = self.reduces(id).map(|node| &self.graph.nodes[node]) else { return false };
        let steps = node.reductions().iter().try_fold(1i64, |n, &d| Some(n.saturating_mul(node.dims[d].known()?)));
        let known = self.graph.tensors[id].dims.iter().all(|d| d.known().is_some());
        let elem = self.graph.tensors[id].elem;
        let plain = node.results.len() == 1 && (elem.is_float() || elem.is_integer() && elem.bits() >= 8);
        known && plain && steps.is_some_and(|n| n >= self.target.cpu.loops.recomputed_steps)
    }

    /// Whether a tensor is so large that no workgroup should compute what another one has computed.
    fn large(&self, id: usize) -> bool {
        let tensor = &self.graph.tensors[id];
        let count = tensor.dims.iter().try_fold(1i64, |n, d| Some(n * d.known()?));
        count.is_some_and(|n| n * tensor.elem.byte_width() as i64 > self.target.cpu.memory.recomputed_bytes)
    }

    /// Whether some loop of the nest does not move any of the uses.
    fn partial(&self, uses: &[&Use], loops: &[usize]) -> bool {
        loops.iter().any(|&l| uses.iter().any(|u| !u.depends((NEST, l))))
    }

    /// Whether computing an element costs more than loading it.
    pub(crate) fn expensive(&self, node: usize) -> bool {
        self.graph.nodes[node].body.ops().iter().any(|o| {
            let name = o.name();
            name.starts_with("math.") && !matches!(name.as_str(), "math.fma" | "math.absf" | "math.sqrt")
                || name.contains("div")
                || name == "tensor.extract"
                || name == "func.call"
        })
    }

    /// Whether all that it does is to make 16-bit floats wider.
    fn widens(&self, node: usize) -> bool {
        matches!(&self.graph.nodes[node].body.ops()[..], [op, _] if op.is("arith.extf") && op.operand(0).ty().bits() == 16)
    }

    /// The bytes of an element.
    fn bytes_of(&self, id: usize) -> f64 {
        self.graph.tensors[id].elem.byte_width() as f64
    }

    /// A rough time for all of it: loads or multiplications, whichever there are.
    fn estimate(&self, uses: &[Use], order: &[usize], dims: &[Size]) -> Option<f64> {
        let points = order.iter().try_fold(1.0, |n, &d| Some(n * dims[d].known()? as f64))?;
        let costs = &self.target.cpu.costs;
        let mut each = costs.point;
        for u in uses {
            if let Kind::Result { node, .. } = self.graph.tensors[u.id].kind {
                each += if self.expensive(node) { costs.function } else { costs.arithmetic } * self.weight(u);
            } else if matches!(self.graph.tensors[u.id].kind, Kind::Memory(_)) {
                let full: f64 = u
                    .inside
                    .iter()
                    .flat_map(|&n| self.graph.nodes[n].reductions().into_iter().map(move |d| (n, d)))
                    .map(|(n, d)| self.typical(self.graph.nodes[n].dims[d]) as f64)
                    .product();
                let moves = |d: &usize| dims[*d].known() == Some(1) || u.depends((NEST, *d));
                let load = match u.inside.is_empty() {
                    true => costs.load,
                    false if order.iter().all(moves) => costs.streamed_byte * self.bytes_of(u.id),
                    false => costs.reused_load,
                };
                each += load * full;
            }
        }
        Some(points * each)
    }
}
