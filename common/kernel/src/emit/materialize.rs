//! Materializes tensors at points: code that computes elements on demand. Correct for every tensor at every point; the plan
//! only decides what is computed earlier and kept, see [`crate::schedule::plan`].
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Residency, Supported};
use crate::graph::Memory;
use crate::graph::{Input, Kind};
use halyard_ir::{AffineKind, Loc, Value};

impl Emitter<'_> {
    /// The elements of a tensor at several points: a scalar where all lanes share the index, otherwise a vector.
    pub(crate) fn materialize(&mut self, id: usize, points: &[Point]) -> Supported<Vec<Value>> {
        let mut values: Vec<Option<Value>> = points.iter().map(|p| self.code.recall(id, p)).collect();
        let mut missing: Vec<Point> = Vec::new();
        for (point, value) in points.iter().zip(&values) {
            if value.is_none() && !missing.contains(point) {
                missing.push(point.clone());
            }
        }
        if !missing.is_empty() {
            let made = self.compute(id, &missing)?;
            for (point, &value) in missing.iter().zip(&made) {
                self.code.remember(id, point, value);
            }
            for (point, value) in points.iter().zip(&mut values) {
                if value.is_none() {
                    *value = missing.iter().position(|m| m == point).map(|at| made[at]);
                }
            }
        }
        Ok(values.into_iter().map(|v| v.expect("every point was computed")).collect())
    }

    fn compute(&mut self, id: usize, points: &[Point]) -> Supported<Vec<Value>> {
        self.located(self.tensors[id].loc, |this| this.compute_here(id, points))
    }

    /// Emits code at the place of an operation of the source; without one, where it is.
    pub(crate) fn located<T>(&mut self, loc: Option<Loc>, emit: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.code.at.loc;
        self.code.at.loc = loc.unwrap_or(outer);
        let made = emit(self);
        self.code.at.loc = outer;
        made
    }

    fn compute_here(&mut self, id: usize, points: &[Point]) -> Supported<Vec<Value>> {
        if let Some(buffer) = self.code.buffer(id) {
            let held: Option<Vec<Vec<LaneIndex>>> = points.iter().map(|p| self.held(&buffer.dims, &p.idx)).collect();
            if let Some(held) = held {
                return Ok(points
                    .iter()
                    .zip(held)
                    .map(|(p, idx)| self.load_at(&buffer.memory, &p.at(idx), None))
                    .collect());
            }
        }
        if self.graph.must_materialize.contains(&id) && !self.roots.contains(&id) {
            return Err("an operand that could not be laid out".into());
        }
        let tensor = self.tensors[id].clone();
        match tensor.kind {
            Kind::Memory(memory) => {
                self.ask_next_rows(id, &memory, points);
                Ok(self.load_all(&memory, points))
            }
            Kind::Splat(value) => Ok(vec![value; points.len()]),
            Kind::Empty => {
                let zero = self.code.number(tensor.elem, 0.0);
                Ok(vec![zero; points.len()])
            }
            Kind::Elements(values) => points.iter().map(|p| self.element(&values, &tensor.dims, p)).collect(),
            Kind::Result { node, index } => {
                if self.nodes[node].reduction.iter().any(|&r| r) {
                    debug_assert!(!self.code.keeps(id, self.roots.len()), "tensor {id} is kept, and reduced again");
                    self.reduce(node, index, points)
                } else {
                    self.map(node, index, points)
                }
            }
            Kind::Pad { src, low, region } => points.iter().map(|p| self.padded(id, src, &low, region, p)).collect(),
            Kind::Slice { src, offsets, strides, kept } => {
                let moved = points
                    .iter()
                    .map(|p| {
                        let mut idx: Vec<LaneIndex> = offsets.iter().map(|&o| LaneIndex::uniform(o)).collect();
                        for (at, &d) in kept.iter().enumerate() {
                            let scaled = self.code.idx_scale(&p.idx[at], strides[d]);
                            idx[d] = self.code.idx_add(&idx[d], &scaled);
                        }
                        p.at(idx)
                    })
                    .collect::<Vec<_>>();
                self.materialize(src, &moved)
            }
            Kind::Insert { src, dst, offsets, sizes, strides, kept } => {
                points.iter().map(|p| self.inserted(src, dst, (&offsets, &sizes, &strides, &kept), p)).collect()
            }
            Kind::Concat { srcs, axis } => points.iter().map(|p| self.concatenated(&srcs, axis, p)).collect(),
            Kind::Expand { src, groups } => {
                let moved = points
                    .iter()
                    .map(|p| {
                        let idx = groups.iter().map(|g| self.joined(g, &p.idx, &tensor.dims)).collect();
                        p.at(idx)
                    })
                    .collect::<Vec<_>>();
                self.materialize(src, &moved)
            }
            Kind::Collapse { src, groups } => {
                let sizes = self.tensors[src].dims.clone();
                let moved = points
                    .iter()
                    .map(|p| {
                        let mut idx = vec![LaneIndex::constant(0); sizes.len()];
                        for (group, at) in groups.iter().zip(&p.idx) {
                            self.split(group, at, &sizes, &mut idx);
                        }
                        p.at(idx)
                    })
                    .collect::<Vec<_>>();
                self.materialize(src, &moved)
            }
            Kind::Generate { region } => points
                .iter()
                .map(|p| {
                    let args: Vec<Option<Value>> = self.index_args(&p.idx);
                    Ok(self.body(region, &args, &p.idx, p)?[0])
                })
                .collect(),
        }
    }

    /// Where a buffer has an index; `None` if it does not hold it.
    pub(crate) fn held(&mut self, dims: &[Residency], idx: &[LaneIndex]) -> Option<Vec<LaneIndex>> {
        let mut result = Vec::new();
        for (held, idx) in dims.iter().zip(idx) {
            match held {
                Residency::At(at) if at == idx => {}
                Residency::At(_) => return None,
                Residency::Among(all, step) => {
                    let position = all.iter().position(|at| at == idx)? as i64;
                    result.push(LaneIndex { ix: Index::constant(position * step), lanes: idx.lanes.clone() });
                }
                Residency::From(from) => {
                    let ix = self.code.sub(idx.ix, *from);
                    result.push(LaneIndex { ix, lanes: idx.lanes.clone() });
                }
            }
        }
        Some(result)
    }

    pub(crate) fn load_at(&mut self, memory: &Memory, point: &Point, other: Option<Value>) -> Value {
        let offset = self.code.offset(memory, &point.idx);
        self.code.load(memory, &offset, point.mask, point.guard, other)
    }

    pub(crate) fn index_args(&mut self, idx: &[LaneIndex]) -> Vec<Option<Value>> {
        let index = halyard_ir::Type::index(self.code.at.context());
        idx.iter()
            .map(|i| {
                let value = self.code.idx(i);
                let ty = if value.ty().is_vector() { self.code.vector(index) } else { index };
                Some(self.code.pure("arith.index_cast", &[value], ty, None))
            })
            .collect()
    }

    /// The domain index of the loops of a node, from an index of its result; reductions are zero.
    pub(crate) fn domain(&self, node: usize, idx: &[LaneIndex]) -> Vec<LaneIndex> {
        self.nodes[node]
            .place
            .iter()
            .map(|place| place.map_or_else(|| LaneIndex::constant(0), |at| idx[at].clone()))
            .collect()
    }

    /// An affine expression over a domain index.
    pub(crate) fn affine(&mut self, expr: &AffineKind, domain: &[LaneIndex]) -> Supported<LaneIndex> {
        Ok(match expr {
            AffineKind::Dim(d) => domain[*d].clone(),
            AffineKind::Constant(c) => LaneIndex::constant(*c),
            AffineKind::Symbol(_) => return Err("a map with symbols".into()),
            AffineKind::Add(a, b) => {
                let (a, b) = (self.affine(a, domain)?, self.affine(b, domain)?);
                self.code.idx_add(&a, &b)
            }
            AffineKind::Mul(a, b) => {
                let (a, b) = (self.affine(a, domain)?, self.affine(b, domain)?);
                match (a.is_uniform(), b.is_uniform()) {
                    (_, true) => self.code.idx_scale(&a, b.ix),
                    (true, _) => self.code.idx_scale(&b, a.ix),
                    _ => return Err("a product of indices".into()),
                }
            }
            AffineKind::Mod(a, b) | AffineKind::FloorDiv(a, b) | AffineKind::CeilDiv(a, b) => {
                let (a, b) = (self.affine(a, domain)?, self.affine(b, domain)?);
                if !b.is_uniform() {
                    return Err("a division by an index that varies".into());
                }
                match expr {
                    AffineKind::CeilDiv(..) => self.code.idx_divide("arith.ceildivsi", &a, b.ix),
                    AffineKind::Mod(of, _) if !of.is_natural() => self.code.idx_modulo(&a, b.ix),
                    AffineKind::Mod(..) => self.code.idx_divide("arith.remsi", &a, b.ix),
                    _ => self.code.idx_divide("arith.floordivsi", &a, b.ix),
                }
            }
        })
    }

    /// The operands of a node at points of its domain: inputs and, if asked, outs. `None` where the body does not read.
    pub(crate) fn operands(
        &mut self,
        node: usize,
        domains: &[Point],
        outs: bool,
    ) -> Supported<Vec<Vec<Option<Value>>>> {
        let n = self.nodes[node].clone();
        let args = n.body.args();
        let mut values = vec![vec![None; args.len()]; domains.len()];
        let count = if outs { args.len() } else { n.inputs.len() };
        for (operand, arg) in args.iter().enumerate().take(count) {
            if !arg.has_uses() {
                continue;
            }
            let tensor = match n.inputs.get(operand) {
                Some(Input::Scalar(value)) => {
                    values.iter_mut().for_each(|v| v[operand] = Some(*value));
                    continue;
                }
                Some(Input::Tensor(tensor)) => *tensor,
                None => n.inits[operand - n.inputs.len()],
            };
            let mut points = Vec::with_capacity(domains.len());
            for domain in domains {
                let idx = n.maps[operand].iter().map(|e| self.affine(e, &domain.idx)).collect::<Supported<Vec<_>>>()?;
                points.push(domain.at(idx));
            }
            for (row, value) in values.iter_mut().zip(self.materialize(tensor, &points)?) {
                row[operand] = Some(value);
            }
        }
        Ok(values)
    }

    fn map(&mut self, node: usize, index: usize, points: &[Point]) -> Supported<Vec<Value>> {
        let domains: Vec<Point> = points.iter().map(|p| p.at(self.domain(node, &p.idx))).collect();
        let operands = self.operands(node, &domains, true)?;
        let (block, results) = (self.nodes[node].body, self.nodes[node].results.clone());
        let mut values = Vec::new();
        for ((domain, args), point) in domains.iter().zip(&operands).zip(points) {
            let yielded = self.body(block, args, &domain.idx, domain)?;
            // Whoever wants another result at this point finds it. All results have the map of the first one or are
            // computed anew.
            for (other, &value) in yielded.iter().enumerate() {
                if other != index && self.nodes[node].out_map(other) == self.nodes[node].out_map(index) {
                    self.code.remember(results[other], point, value);
                }
            }
            values.push(yielded[index]);
        }
        Ok(values)
    }
}
