//! Reductions at points: accumulators in registers, carried by the loops of the reduction.
use crate::Emitter;
use crate::analysis::combiner::Combiner;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, IrBuilder, Supported};
use crate::graph::Node;
use crate::schedule::Choices;
use crate::schedule::planner::Planner;
use halyard_ir::{Type, Value};

impl Coder for Emitter<'_> {
    fn code(&mut self) -> &mut IrBuilder {
        &mut self.code
    }
}

impl Emitter<'_> {
    /// One result of a node with reductions, at points that are computed side by side.
    pub(crate) fn reduce(&mut self, node: usize, index: usize, points: &[Point]) -> Supported<Vec<Value>> {
        let domains: Vec<Point> = points.iter().map(|p| p.at(self.domain(node, &p.idx))).collect();
        let results = self.nodes[node].results.clone();
        let gpu = self.target.gpu.is_some();
        let lanes = if gpu {
            None
        } else {
            self.planner(&mut Choices::default()).vector_reduction(node, &self.code.buffered())
        };
        let values = match lanes.filter(|_| points.iter().all(Point::is_uniform)) {
            Some(((_, dim), combiners)) => {
                let own = self.planner(&mut Choices::default()).reduction_lanes(node);
                let lanes = std::mem::replace(&mut self.code.lanes, own);
                let values = self.across(node, dim, &combiners, &domains);
                self.code.lanes = lanes;
                values?
            }
            None => {
                let mut carried = self.initial(node, &domains)?;
                for (at, domain) in domains.iter().enumerate() {
                    if !domain.is_uniform() {
                        for value in &mut carried[at * results.len()..(at + 1) * results.len()] {
                            *value = self.code.splat(*value);
                        }
                    }
                }
                let order = self.nodes[node].reductions();
                let most = self.unrolled_copies();
                let mut copies = domains.len() as i64;
                let mut unrolled = vec![false; order.len()];
                for (at, &dim) in order.iter().enumerate().rev() {
                    let Some(size) = self.nodes[node].dims[dim].known() else { break };
                    copies *= size;
                    if copies > most {
                        break;
                    }
                    unrolled[at] = true;
                }
                self.loops(node, &order, &unrolled, domains, carried)?
            }
        };
        for (point, row) in points.iter().zip(values.chunks(results.len())) {
            for (other, &value) in row.iter().enumerate() {
                if other != index && self.nodes[node].out_map(other) == self.nodes[node].out_map(index) {
                    self.code.remember(results[other], point, value);
                }
            }
        }
        Ok(values.chunks(results.len()).map(|row| row[index]).collect())
    }

    /// The copies of the body of a reduction, at most, that take the place of its loops.
    fn unrolled_copies(&self) -> i64 {
        let loops = &self.target.cpu.loops;
        if self.target.gpu.is_some() {
            return loops.unrolled_copies_of_thread;
        }
        if self.target.registers >= 32 {
            return loops.unrolled_copies;
        }
        // All but the terminators.
        let operations = |node: &Node| node.body.ops().len() - 1;
        let others = self.nodes.iter().filter(|node| !node.reduction.contains(&true));
        match others.map(operations).sum::<usize>() <= loops.few_operations {
            true => loops.unrolled_copies_of_small_tiles,
            false => loops.unrolled_copies_before_operations,
        }
    }

    /// What says how something that is met is computed; nothing of it is asked for by schedules.
    pub(crate) fn planner<'c>(&'c self, none: &'c mut Choices) -> Planner<'c> {
        Planner::new(self.graph, self.target, none)
    }

    /// What the accumulators start from: point by point, result by result.
    pub(crate) fn initial(&mut self, node: usize, domains: &[Point]) -> Supported<Vec<Value>> {
        let inits = self.nodes[node].inits.clone();
        let mut values = vec![None; domains.len() * inits.len()];
        for (result, &init) in inits.iter().enumerate() {
            let map = self.nodes[node].out_map(result).to_vec();
            let mut points = Vec::new();
            for domain in domains {
                let idx = map.iter().map(|e| self.affine(e, &domain.idx)).collect::<Supported<Vec<_>>>()?;
                points.push(domain.at(idx));
            }
            for (at, value) in self.materialize(init, &points)?.into_iter().enumerate() {
                values[at * inits.len() + result] = Some(value);
            }
        }
        Ok(values.into_iter().map(|v| v.expect("every out was read")).collect())
    }

    /// The loops over `order`, and the body at all points within.
    fn loops(
        &mut self,
        node: usize,
        order: &[usize],
        unrolled: &[bool],
        domains: Vec<Point>,
        carried: Vec<Value>,
    ) -> Supported<Vec<Value>> {
        let Some((&dim, inner)) = order.split_first() else {
            return self.step(node, &domains, carried);
        };
        let size = self.reduction_size(node, dim);
        let at = |i: Index, domains: &[Point]| {
            domains
                .iter()
                .map(|d| {
                    let mut d = d.clone();
                    d.idx[dim] = LaneIndex::uniform(i);
                    d
                })
                .collect::<Vec<_>>()
        };
        if let (true, Some(size)) = (unrolled[0], size.known()) {
            let mut carried = carried;
            for i in 0..size {
                carried = self.loops(node, inner, &unrolled[1..], at(Index::constant(i), &domains), carried)?;
            }
            return Ok(carried);
        }
        self.for_loop((Index::ZERO, size, Index::constant(1)), &carried, |this, i, carried| {
            if inner.is_empty() && this.target.gpu.is_none() {
                this.prefetch(node, dim, &at(i, &domains))?;
            }
            this.loops(node, inner, &unrolled[1..], at(i, &domains), carried.to_vec())
        })
    }

    /// One step of a reduction at all points.
    pub(crate) fn step(&mut self, node: usize, domains: &[Point], carried: Vec<Value>) -> Supported<Vec<Value>> {
        let mut operands = self.operands(node, domains, false)?;
        let (block, ins, outs) = (self.nodes[node].body, self.nodes[node].inputs.len(), self.nodes[node].results.len());
        let mut next = Vec::with_capacity(carried.len());
        for ((domain, args), carried) in domains.iter().zip(&mut operands).zip(carried.chunks(outs)) {
            for (arg, &value) in args[ins..].iter_mut().zip(carried) {
                *arg = Some(value);
            }
            for (value, before) in self.body(block, args, &domain.idx, domain)?.into_iter().zip(carried) {
                next.push(if before.ty().is_vector() { self.code.splat(value) } else { value });
            }
        }
        Ok(next)
    }

    /// A reduction to scalars, with the lanes along one of its dimensions.
    fn across(&mut self, node: usize, dim: usize, combiners: &[Combiner], domains: &[Point]) -> Supported<Vec<Value>> {
        let initial = self.initial(node, domains)?;
        let extreme = self.graph.extreme(node);
        let outs = self.nodes[node].results.len();
        let most = self.target.cpu.loops.sum_chains;
        let chains = (most / (domains.len() * outs)).clamp(1, most);
        let width = self.code.lanes;
        let size = self.reduction_size(node, dim);
        let chains = size.known().map_or(chains, |n| chains.min((n / width).max(1) as usize));
        let mut neutral = Vec::new();
        for initial in initial.chunks(outs) {
            for (at, &value) in initial.iter().enumerate() {
                // What was best before all may be so for every lane.
                let start = combiners.get(at).map_or(value, |c| c.neutral(&mut self.code, value.ty()));
                neutral.push(self.code.splat(start));
            }
        }
        let carried: Vec<Value> = (0..chains).flat_map(|_| neutral.iter().copied()).collect();
        let outer: Vec<usize> = self.nodes[node].reductions().into_iter().filter(|&d| d != dim).collect();
        let carried = self.across_loops(node, &outer, dim, domains.to_vec(), carried)?;
        if let Some(extreme) = extreme {
            return self.best_of(&extreme, &carried, domains.len());
        }
        // The chains into one, its lanes into one, and what there was before.
        let each = neutral.len();
        let mut values = Vec::new();
        for at in 0..each {
            let combiner = &combiners[at % outs];
            let mut chains: Vec<Value> = carried.iter().skip(at).step_by(each).copied().collect();
            while chains.len() > 1 {
                chains = chains
                    .chunks(2)
                    .map(|c| if c.len() == 2 { combiner.apply(&mut self.code, c[0], c[1]) } else { c[0] })
                    .collect();
            }
            let total = combiner.collapse(&mut self.code, chains[0]);
            values.push(combiner.apply(&mut self.code, initial[at], total));
        }
        Ok(values)
    }

    fn across_loops(
        &mut self,
        node: usize,
        outer: &[usize],
        dim: usize,
        domains: Vec<Point>,
        carried: Vec<Value>,
    ) -> Supported<Vec<Value>> {
        if let Some((&d, rest)) = outer.split_first() {
            let size = self.reduction_size(node, d);
            return self.for_loop((Index::ZERO, size, Index::constant(1)), &carried, |this, i, carried| {
                let mut domains = domains;
                domains.iter_mut().for_each(|p| p.idx[d] = LaneIndex::uniform(i));
                this.across_loops(node, rest, dim, domains, carried.to_vec())
            });
        }
        let outs = self.nodes[node].results.len();
        let each = domains.len() * outs;
        let chains = carried.len() / each;
        let width = self.code.lanes;
        let size = self.reduction_size(node, dim);
        let block = Index::constant(width * chains as i64);
        let whole = |this: &mut Self, by: Index| {
            let count = this.code.divide("arith.divui", size, by);
            this.code.mul(count, by)
        };
        let blocks = whole(self, block);
        let vectors = whole(self, Index::constant(width));
        let at = |i: Index, mask: Option<Value>| {
            domains
                .iter()
                .map(|d| {
                    let mut d = d.clone();
                    d.idx[dim] = LaneIndex::from(i);
                    d.mask = mask;
                    d
                })
                .collect::<Vec<_>>()
        };
        let mut carried = self.for_loop((Index::ZERO, blocks, block), &carried, |this, i, carried| {
            let mut points = Vec::new();
            for chain in 0..chains {
                points.extend(at(i.plus(width * chain as i64), None));
            }
            this.step(node, &points, carried.to_vec())
        })?;
        if chains > 1 {
            let first =
                self.for_loop((blocks, vectors, Index::constant(width)), &carried[..each], |this, i, carried| {
                    this.step(node, &at(i, None), carried.to_vec())
                })?;
            carried[..each].copy_from_slice(&first);
        }
        let first = self.for_loop((vectors, size, Index::constant(width)), &carried[..each], |this, i, before| {
            let left = this.code.sub(size, i);
            let mask = this.lane_mask(left);
            let after = this.step(node, &at(i, Some(mask)), before.to_vec())?;
            Ok(after.into_iter().zip(before).map(|(new, &old)| this.code.select(mask, new, old)).collect())
        })?;
        carried[..each].copy_from_slice(&first);
        Ok(carried)
    }

    /// The steps of a reduction loop.
    fn reduction_size(&self, node: usize, dim: usize) -> Index {
        self.nodes[node].dims[dim]
    }

    /// The first `count` lanes.
    pub(crate) fn lane_mask(&mut self, count: Index) -> Value {
        self.code.first_lanes(count)
    }

    /// A scalar that is computed only under a condition.
    pub(crate) fn if_value(
        &mut self,
        condition: Value,
        ty: Type,
        yes: impl FnOnce(&mut Self) -> Supported<Value>,
        no: Value,
    ) -> Supported<Value> {
        Ok(self.if_else(condition, &[ty], |this| Ok(vec![yes(this)?]), |_| Ok(vec![no]))?[0])
    }
}
