//! Tensors at points: code that computes elements on demand. Correct for every tensor at every point; the plan only
//! decides what is computed earlier and kept, see [`super::plan`].
use super::Emitter;
use super::code::{Emitted, Held};
use super::graph::{Input, Kind};
use super::ix::{Idx, Ix, Lanes, Point};
use super::memory::Memory;
use halyard_ir::{AffineKind, Value};

impl Emitter<'_> {
    /// The elements of a tensor at several points: a scalar where all lanes share the index, otherwise a vector.
    pub(crate) fn pull(&mut self, id: usize, points: &[Point]) -> Emitted<Vec<Value>> {
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

    fn compute(&mut self, id: usize, points: &[Point]) -> Emitted<Vec<Value>> {
        if let Some(buffer) = self.code.buffer(id) {
            let held: Option<Vec<Vec<Idx>>> = points.iter().map(|p| self.held(&buffer.dims, &p.idx)).collect();
            if let Some(held) = held {
                return Ok(points
                    .iter()
                    .zip(held)
                    .map(|(p, idx)| self.load_at(&buffer.memory, &p.at(idx), None))
                    .collect());
            }
        }
        if self.always.contains(&id) && !self.roots.contains(&id) {
            return Err("an operand that could not be laid out".to_owned());
        }
        let tensor = self.tensors[id].clone();
        match tensor.kind {
            Kind::Memory(memory) => Ok(self.load_all(&memory, points)),
            Kind::Splat(value) => Ok(vec![value; points.len()]),
            Kind::Empty => {
                let zero = self.code.number(tensor.elem, 0.0);
                Ok(vec![zero; points.len()])
            }
            Kind::Elements(values) => points.iter().map(|p| self.element(&values, &tensor.dims, p)).collect(),
            Kind::Result { node, index } => {
                if self.nodes[node].reduction.iter().any(|&r| r) {
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
                        let mut idx: Vec<Idx> = offsets.iter().map(|&o| Idx::same(o)).collect();
                        for (at, &d) in kept.iter().enumerate() {
                            let scaled = self.code.idx_scale(&p.idx[at], strides[d]);
                            idx[d] = self.code.idx_add(&idx[d], &scaled);
                        }
                        p.at(idx)
                    })
                    .collect::<Vec<_>>();
                self.pull(src, &moved)
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
                self.pull(src, &moved)
            }
            Kind::Collapse { src, groups } => {
                let sizes = self.tensors[src].dims.clone();
                let moved = points
                    .iter()
                    .map(|p| {
                        let mut idx = vec![Idx::constant(0); sizes.len()];
                        for (group, at) in groups.iter().zip(&p.idx) {
                            self.split(group, at, &sizes, &mut idx);
                        }
                        p.at(idx)
                    })
                    .collect::<Vec<_>>();
                self.pull(src, &moved)
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
    pub(crate) fn held(&mut self, dims: &[Held], idx: &[Idx]) -> Option<Vec<Idx>> {
        let mut result = Vec::new();
        for (held, idx) in dims.iter().zip(idx) {
            match held {
                Held::At(at) if at == idx => {}
                Held::At(_) => return None,
                Held::Among(all, step) => {
                    let position = all.iter().position(|at| at == idx)? as i64;
                    result.push(Idx { ix: Ix::constant(position * step), lanes: idx.lanes.clone() });
                }
                Held::From(from) => {
                    let ix = self.code.sub(idx.ix, *from);
                    result.push(Idx { ix, lanes: idx.lanes.clone() });
                }
            }
        }
        Some(result)
    }

    pub(crate) fn load_at(&mut self, memory: &Memory, point: &Point, other: Option<Value>) -> Value {
        let offset = self.code.offset(memory, &point.idx);
        self.code.load(memory, &offset, point.mask, point.guard, other)
    }

    fn index_args(&mut self, idx: &[Idx]) -> Vec<Option<Value>> {
        let index = halyard_ir::Type::index(self.code.at.context());
        idx.iter()
            .map(|i| {
                let value = self.code.idx(i);
                let ty = if value.ty().is_vector() { self.code.vector(index) } else { index };
                Some(self.code.pure("arith.index_cast", &[value], ty, None))
            })
            .collect()
    }

    // ---- structured operations

    /// The domain index of the loops of a node, from an index of its result; reductions are zero.
    pub(crate) fn domain(&self, node: usize, idx: &[Idx]) -> Vec<Idx> {
        self.nodes[node]
            .place
            .iter()
            .map(|place| place.map_or_else(|| Idx::constant(0), |at| idx[at].clone()))
            .collect()
    }

    /// An affine expression over a domain index.
    pub(crate) fn affine(&mut self, expr: &AffineKind, domain: &[Idx]) -> Emitted<Idx> {
        Ok(match expr {
            AffineKind::Dim(d) => domain[*d].clone(),
            AffineKind::Constant(c) => Idx::constant(*c),
            AffineKind::Symbol(_) => return Err("a map with symbols".to_owned()),
            AffineKind::Add(a, b) => {
                let (a, b) = (self.affine(a, domain)?, self.affine(b, domain)?);
                self.code.idx_add(&a, &b)
            }
            AffineKind::Mul(a, b) => {
                let (a, b) = (self.affine(a, domain)?, self.affine(b, domain)?);
                match (a.is_same(), b.is_same()) {
                    (_, true) => self.code.idx_scale(&a, b.ix),
                    (true, _) => self.code.idx_scale(&b, a.ix),
                    _ => return Err("a product of indices".to_owned()),
                }
            }
            AffineKind::Mod(a, b) | AffineKind::FloorDiv(a, b) | AffineKind::CeilDiv(a, b) => {
                let (a, b) = (self.affine(a, domain)?, self.affine(b, domain)?);
                if !b.is_same() {
                    return Err("a division by an index that varies".to_owned());
                }
                let name = match expr {
                    AffineKind::CeilDiv(..) => "arith.ceildivsi",
                    // A remainder as MLIR defines it is never negative; so is an index into a tensor and, as the maps
                    // that come up have it, what is divided.
                    AffineKind::Mod(..) => "arith.remsi",
                    _ => "arith.floordivsi",
                };
                self.code.idx_divide(name, &a, b.ix)
            }
        })
    }

    /// The operands of a node at points of its domain: inputs and, if asked, outs. `None` where the body does not read.
    pub(crate) fn operands(&mut self, node: usize, domains: &[Point], outs: bool) -> Emitted<Vec<Vec<Option<Value>>>> {
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
                let idx = n.maps[operand].iter().map(|e| self.affine(e, &domain.idx)).collect::<Emitted<Vec<_>>>()?;
                points.push(domain.at(idx));
            }
            for (row, value) in values.iter_mut().zip(self.pull(tensor, &points)?) {
                row[operand] = Some(value);
            }
        }
        Ok(values)
    }

    fn map(&mut self, node: usize, index: usize, points: &[Point]) -> Emitted<Vec<Value>> {
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

    // ---- data movement

    /// One index of several: mixed radix.
    fn joined(&mut self, group: &[usize], idx: &[Idx], dims: &[Ix]) -> Idx {
        let mut sum = Idx::constant(0);
        for &d in group {
            let scaled = self.code.idx_scale(&sum, dims[d]);
            sum = self.code.idx_add(&scaled, &idx[d]);
        }
        sum
    }

    /// Several indices of one.
    fn split(&mut self, group: &[usize], at: &Idx, sizes: &[Ix], idx: &mut [Idx]) {
        let wide: Vec<usize> = group.iter().copied().filter(|&d| sizes[d].known() != Some(1)).collect();
        let mut rest = at.clone();
        for (k, &d) in wide.iter().enumerate().rev() {
            if k == 0 {
                idx[d] = rest.clone();
            } else {
                idx[d] = self.code.idx_divide("arith.remui", &rest, sizes[d]);
                rest = self.code.idx_divide("arith.divui", &rest, sizes[d]);
            }
        }
    }

    /// `low <= index < high` as a guard or a mask added to a point. Known facts add nothing.
    fn within(&mut self, point: &mut Point, idx: &Idx, low: Ix, high: Ix) {
        for (predicate, bound) in [(5, low), (2, high)] {
            if idx.is_same() {
                if let (Some(i), Some(b)) = (idx.ix.known(), bound.known()) {
                    if (predicate == 5 && i >= b) || (predicate == 2 && i < b) {
                        continue;
                    }
                }
                let (a, b) = (self.code.ix(idx.ix), self.code.ix(bound));
                let c = self.code.compare(predicate, a, b);
                point.guard = self.code.and(point.guard, Some(c));
            } else {
                // Compare lane offsets with what the scalar part leaves of the bound.
                let left = self.code.sub(bound, idx.ix);
                if let (Some(left), Lanes::Step(step)) = (left.known(), &idx.lanes) {
                    let (min, max) = (0.min(step * (self.code.lanes - 1)), 0.max(step * (self.code.lanes - 1)));
                    if (predicate == 5 && min >= left) || (predicate == 2 && max < left) {
                        continue;
                    }
                }
                let a = self.code.lane_vector(&idx.lanes);
                let b = self.code.ix(left);
                let b = self.code.splat(b);
                let c = self.code.compare(predicate, a, b);
                point.mask = self.code.and(point.mask, Some(c));
            }
        }
    }

    /// `yes` in the lanes of `point` that `inner` keeps, `no` in the others.
    fn choose(&mut self, inner: &Point, yes: Value, no: Value) -> Value {
        if yes == no {
            return yes;
        }
        match inner.mask {
            None => match inner.guard {
                None => yes,
                Some(guard) => {
                    let both = self.level(&[yes, no]);
                    self.code.select(guard, both[0], both[1])
                }
            },
            Some(mask) => {
                let guard = inner.guard.map(|g| self.code.splat(g));
                let mask = self.code.and(Some(mask), guard).expect("there is a mask");
                let (yes, no) = (self.code.splat(yes), self.code.splat(no));
                self.code.select(mask, yes, no)
            }
        }
    }

    /// Whether a dimension of a `tensor.pad` has no padding, as far as is known now.
    pub(crate) fn unpadded(&self, id: usize, d: usize) -> bool {
        let Kind::Pad { src, low, .. } = &self.tensors[id].kind else { return false };
        low[d] == Ix::ZERO && self.tensors[id].dims[d] == self.tensors[*src].dims[d]
    }

    fn padded(
        &mut self,
        id: usize,
        src: usize,
        low: &[Ix],
        region: halyard_ir::Block,
        point: &Point,
    ) -> Emitted<Value> {
        let args = if region.args().iter().any(|a| a.has_uses()) { self.index_args(&point.idx) } else { Vec::new() };
        let outside = self.body(region, &args, &point.idx, point)?[0];
        let sizes = self.tensors[src].dims.clone();
        let mut inner = Point { idx: Vec::new(), mask: point.mask, guard: point.guard };
        for d in 0..low.len() {
            let ix = self.code.sub(point.idx[d].ix, low[d]);
            let idx = Idx { ix, lanes: point.idx[d].lanes.clone() };
            if !self.unpadded(id, d) {
                self.within(&mut inner, &idx, Ix::ZERO, sizes[d]);
            }
            inner.idx.push(idx);
        }
        if sizes.iter().any(|s| s.known() == Some(0)) {
            return Ok(outside);
        }
        if inner.guard.is_some() && sizes.iter().any(|s| s.known().is_none()) && inner.is_same() {
            // The source may be empty, and then has no first element to read instead.
            let ty = self.tensors[src].elem;
            let guard = inner.guard.expect("just checked");
            let unguarded = Point { guard: None, ..inner.clone() };
            return Ok(self.if_value(guard, ty, |this| Ok(this.pull(src, &[unguarded])?[0]), outside)?);
        }
        if let (Kind::Memory(memory), None) = (self.tensors[src].kind.clone(), self.code.buffer(src)) {
            if inner.mask.is_some() && !inner.is_same() {
                let offset = self.code.offset(&memory, &inner.idx);
                if !offset.is_same() {
                    return Ok(self.code.load(&memory, &offset, inner.mask, inner.guard, Some(outside)));
                }
            }
        }
        let value = self.pull(src, &[inner.clone()])?[0];
        Ok(self.choose(&inner, value, outside))
    }

    fn inserted(
        &mut self,
        src: usize,
        dst: usize,
        (offsets, sizes, strides, kept): (&[Ix], &[Ix], &[Ix], &[usize]),
        point: &Point,
    ) -> Emitted<Value> {
        let mut inner = Point { idx: Vec::new(), mask: point.mask, guard: point.guard };
        let mut idx = Vec::new();
        for d in 0..offsets.len() {
            let ix = self.code.sub(point.idx[d].ix, offsets[d]);
            let mut at = Idx { ix, lanes: point.idx[d].lanes.clone() };
            if strides[d].known() != Some(1) {
                let whole = at.clone();
                at = self.code.idx_divide("arith.floordivsi", &whole, strides[d]);
                let back = self.code.idx_scale(&at, strides[d]);
                let minus = self.code.idx_scale(&back, Ix::constant(-1));
                let rest = self.code.idx_add(&whole, &minus);
                self.within(&mut inner, &rest, Ix::ZERO, Ix::constant(1));
            }
            self.within(&mut inner, &at, Ix::ZERO, sizes[d]);
            if kept.contains(&d) {
                idx.push(at);
            }
        }
        inner.idx = idx;
        let below = self.pull(dst, &[point.clone()])?[0];
        if self.tensors[src].dims.iter().any(|s| s.known() == Some(0)) {
            return Ok(below);
        }
        let above = self.guarded(src, &inner, below)?;
        Ok(above)
    }

    /// A tensor at a point some of whose lanes may be out of its bounds: there it is `other`.
    fn guarded(&mut self, src: usize, inner: &Point, other: Value) -> Emitted<Value> {
        if let (Some(guard), true) = (inner.guard, inner.is_same()) {
            let ty = self.tensors[src].elem;
            let unguarded = Point { guard: None, ..inner.clone() };
            if inner.mask.is_none() && !other.ty().is_vector() {
                return self.if_value(guard, ty, |this| Ok(this.pull(src, &[unguarded])?[0]), other);
            }
        }
        let value = self.pull(src, &[inner.clone()])?[0];
        Ok(self.choose(inner, value, other))
    }

    fn concatenated(&mut self, srcs: &[usize], axis: usize, point: &Point) -> Emitted<Value> {
        let mut start = Ix::ZERO;
        let mut value: Option<Value> = None;
        for &src in srcs {
            let size = self.tensors[src].dims[axis];
            if size.known() == Some(0) {
                continue;
            }
            let mut inner = point.clone();
            inner.idx[axis].ix = self.code.sub(point.idx[axis].ix, start);
            let at = inner.idx[axis].clone();
            self.within(&mut inner, &at, Ix::ZERO, size);
            let other = match value {
                Some(value) => value,
                None => self.code.number(self.tensors[src].elem, 0.0),
            };
            value = Some(self.guarded(src, &inner, other)?);
            start = self.code.add(start, size);
        }
        Ok(match value {
            Some(value) => value,
            None => self.code.number(self.tensors[srcs[0]].elem, 0.0),
        })
    }

    fn element(&mut self, values: &[Value], dims: &[Ix], point: &Point) -> Emitted<Value> {
        let group: Vec<usize> = (0..dims.len()).collect();
        let at = self.joined(&group, &point.idx, dims);
        let mut result = values[0];
        for (k, &value) in values.iter().enumerate().skip(1) {
            let at = self.code.idx(&at);
            let mut k = self.code.i64_constant(k as i64);
            if at.ty().is_vector() {
                k = self.code.splat(k);
            }
            let here = self.code.compare(0, at, k);
            let (yes, no) =
                if at.ty().is_vector() { (self.code.splat(value), self.code.splat(result)) } else { (value, result) };
            result = self.code.select(here, yes, no);
        }
        Ok(result)
    }
}
