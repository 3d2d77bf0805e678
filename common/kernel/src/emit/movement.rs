//! Data movement at points: reshapes, paddings, insertions, concatenations. What is out of bounds of a source becomes a
//! condition: a guard where all lanes share the index, a mask where they do not.
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Lanes, Point};
use crate::emit::ir_builder::Supported;
use crate::graph::Kind;
use halyard_ir::Value;

impl Emitter<'_> {
    /// One index of several: mixed radix.
    pub(crate) fn joined(&mut self, group: &[usize], idx: &[LaneIndex], dims: &[Index]) -> LaneIndex {
        let mut sum = LaneIndex::constant(0);
        for &d in group {
            let scaled = self.code.idx_scale(&sum, dims[d]);
            sum = self.code.idx_add(&scaled, &idx[d]);
        }
        sum
    }

    /// Several indices of one.
    pub(crate) fn split(&mut self, group: &[usize], at: &LaneIndex, sizes: &[Index], idx: &mut [LaneIndex]) {
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
    fn within(&mut self, point: &mut Point, idx: &LaneIndex, low: Index, high: Index) {
        for (predicate, bound) in [(5, low), (2, high)] {
            if idx.is_uniform() {
                if let (Some(i), Some(b)) = (idx.ix.known(), bound.known())
                    && ((predicate == 5 && i >= b) || (predicate == 2 && i < b))
                {
                    continue;
                }
                let (a, b) = (self.code.ix(idx.ix), self.code.ix(bound));
                let c = self.code.compare(predicate, a, b);
                point.guard = self.code.and(point.guard, Some(c));
            } else {
                // Compare lane offsets with what the scalar part leaves of the bound.
                let left = self.code.sub(bound, idx.ix);
                if let (Some(left), Lanes::Strided(step)) = (left.known(), &idx.lanes) {
                    let (min, max) = (0.min(step * (self.code.lanes - 1)), 0.max(step * (self.code.lanes - 1)));
                    if (predicate == 5 && min >= left) || (predicate == 2 && max < left) {
                        continue;
                    }
                }
                let a = self.code.lane_vector(&idx.lanes);
                let b = self.code.ix(left);
                let b = self.code.splat(b);
                let c = self.code.compare(predicate, a, b);
                if let (Some(left), Lanes::Strided(1)) = (left.known(), &idx.lanes) {
                    self.code.note_lanes(c, if predicate == 5 { left..self.code.lanes } else { 0..left });
                }
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

    pub(crate) fn padded(
        &mut self,
        id: usize,
        src: usize,
        low: &[Index],
        region: halyard_ir::Block,
        point: &Point,
    ) -> Supported<Value> {
        let args = if region.args().iter().any(|a| a.has_uses()) { self.index_args(&point.idx) } else { Vec::new() };
        let outside = self.body(region, &args, &point.idx, point)?[0];
        let sizes = self.tensors[src].dims.clone();
        let mut inner = Point { idx: Vec::new(), mask: point.mask, guard: point.guard };
        for d in 0..low.len() {
            let ix = self.code.sub(point.idx[d].ix, low[d]);
            let idx = LaneIndex { ix, lanes: point.idx[d].lanes.clone() };
            if !self.unpadded(id, d) {
                self.within(&mut inner, &idx, Index::ZERO, sizes[d]);
            }
            inner.idx.push(idx);
        }
        if sizes.iter().any(|s| s.known() == Some(0)) {
            return Ok(outside);
        }
        if let Some(guard) = inner.guard
            && sizes.iter().any(|s| s.known().is_none())
            && inner.is_uniform()
        {
            // The source may be empty, and then has no first element to read instead.
            let ty = self.tensors[src].elem;
            let unguarded = Point { guard: None, ..inner.clone() };
            return self.if_value(guard, ty, |this| Ok(this.materialize(src, &[unguarded])?[0]), outside);
        }
        if let (Kind::Memory(memory), None) = (self.tensors[src].kind.clone(), self.code.buffer(src))
            && inner.mask.is_some()
            && !inner.is_uniform()
        {
            let offset = self.code.offset(&memory, &inner.idx);
            if !offset.is_uniform() {
                self.ask_next_rows(src, &memory, std::slice::from_ref(&inner));
                return Ok(self.code.load(&memory, &offset, inner.mask, inner.guard, Some(outside)));
            }
        }
        let value = self.materialize(src, &[inner.clone()])?[0];
        Ok(self.choose(&inner, value, outside))
    }

    pub(crate) fn inserted(
        &mut self,
        src: usize,
        dst: usize,
        (offsets, sizes, strides, kept): (&[Index], &[Index], &[Index], &[usize]),
        point: &Point,
    ) -> Supported<Value> {
        let mut inner = Point { idx: Vec::new(), mask: point.mask, guard: point.guard };
        let mut idx = Vec::new();
        for d in 0..offsets.len() {
            let ix = self.code.sub(point.idx[d].ix, offsets[d]);
            let mut at = LaneIndex { ix, lanes: point.idx[d].lanes.clone() };
            if strides[d].known() != Some(1) {
                let whole = at.clone();
                at = self.code.idx_divide("arith.floordivsi", &whole, strides[d]);
                let back = self.code.idx_scale(&at, strides[d]);
                let minus = self.code.idx_scale(&back, Index::constant(-1));
                let rest = self.code.idx_add(&whole, &minus);
                self.within(&mut inner, &rest, Index::ZERO, Index::constant(1));
            }
            self.within(&mut inner, &at, Index::ZERO, sizes[d]);
            if kept.contains(&d) {
                idx.push(at);
            }
        }
        inner.idx = idx;
        let below = self.materialize(dst, std::slice::from_ref(point))?[0];
        if self.tensors[src].dims.iter().any(|s| s.known() == Some(0)) {
            return Ok(below);
        }
        let above = self.guarded(src, &inner, below)?;
        Ok(above)
    }

    /// A tensor at a point some of whose lanes may be out of its bounds: there it is `other`.
    fn guarded(&mut self, src: usize, inner: &Point, other: Value) -> Supported<Value> {
        if let (Some(guard), true) = (inner.guard, inner.is_uniform()) {
            let ty = self.tensors[src].elem;
            let unguarded = Point { guard: None, ..inner.clone() };
            if inner.mask.is_none() && !other.ty().is_vector() {
                return self.if_value(guard, ty, |this| Ok(this.materialize(src, &[unguarded])?[0]), other);
            }
        }
        let value = self.materialize(src, std::slice::from_ref(inner))?[0];
        Ok(self.choose(inner, value, other))
    }

    pub(crate) fn concatenated(&mut self, srcs: &[usize], axis: usize, point: &Point) -> Supported<Value> {
        let mut start = Index::ZERO;
        let mut value: Option<Value> = None;
        for &src in srcs {
            let size = self.tensors[src].dims[axis];
            if size.known() == Some(0) {
                continue;
            }
            let mut inner = point.clone();
            inner.idx[axis].ix = self.code.sub(point.idx[axis].ix, start);
            let at = inner.idx[axis].clone();
            self.within(&mut inner, &at, Index::ZERO, size);
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

    pub(crate) fn element(&mut self, values: &[Value], dims: &[Index], point: &Point) -> Supported<Value> {
        let group: Vec<usize> = (0..dims.len()).collect();
        let at = self.joined(&group, &point.idx, dims);
        let mut result = values[0];
        for (k, &value) in values.iter().enumerate().skip(1) {
            let at = self.code.idx(&at);
            let mut k = self.code.index_constant(k as i64);
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
