//! Factors as groups of short numbers: what one instruction multiplies with what lies side by side.
use super::form::{Dots, Factor, arguments};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Lanes, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::emit::scratch::Taken;
use crate::families::dot_instructions::Short;
use crate::graph::Input;
use crate::graph::Memory;
use halyard_ir::{Type, Value};
use std::collections::HashMap;

/// Scratch memory that both views share.
pub(super) struct Packed {
    pub(super) taken: Taken,
    /// As short numbers.
    pub(super) short: Memory,
    /// As groups.
    pub(super) groups: Memory,
}

/// The vectors of a panel: the indices of the loops across, and the lanes that count.
pub(super) type Columns = Vec<(Vec<LaneIndex>, Option<Value>)>;

impl Emitter<'_> {
    /// Scratch memory of so many groups.
    pub(super) fn packed(&mut self, d: &Dots, groups: i64) -> Supported<Packed> {
        let taken = self.take(Index::constant(groups), 4)?;
        let ptr = taken.ptr;
        let (int, short) = (self.code.int(32), self.code.int(d.short().bits()));
        Ok(Packed {
            taken,
            short: self.code.contiguous(ptr, short, &[Index::constant(groups * d.short().group())]),
            groups: self.code.contiguous(ptr, int, &[Index::constant(groups)]),
        })
    }

    /// A factor at points of the node's loops, as it stands in the body.
    fn factor_at(&mut self, d: &Dots, factor: &Factor, domains: &[Point]) -> Supported<Vec<Value>> {
        let node = self.nodes[d.node].clone();
        // A bf16 is wanted as it was.
        let value = if d.short() == Short::Half {
            factor.value.def().expect("it was widened").operand(0)
        } else {
            factor.value
        };
        let args = node.body.args();
        let mut known: Vec<HashMap<Value, Value>> = vec![HashMap::new(); domains.len()];
        for operand in arguments(&node, value).ok_or("a factor of something else")? {
            match node.inputs[operand] {
                Input::Scalar(scalar) => known.iter_mut().for_each(|k| _ = k.insert(args[operand], scalar)),
                Input::Tensor(tensor) => {
                    let mut points = Vec::new();
                    for domain in domains {
                        let idx = node.maps[operand]
                            .iter()
                            .map(|e| self.affine(e, &domain.idx))
                            .collect::<Supported<Vec<_>>>()?;
                        points.push(domain.at(idx));
                    }
                    for (known, value) in known.iter_mut().zip(self.materialize(tensor, &points)?) {
                        known.insert(args[operand], value);
                    }
                }
            }
        }
        domains.iter().zip(&mut known).map(|(point, known)| self.expression(value, known, point)).collect()
    }

    /// A factor as the integers whose lowest bits are the short numbers; `shift` is added to what is in the body.
    pub(super) fn integers(
        &mut self,
        d: &Dots,
        factor: &Factor,
        shift: Option<Value>,
        domains: &[Point],
    ) -> Supported<Vec<Value>> {
        let (int, short) = (self.code.int(32), self.code.int(d.short().bits()));
        let values = self.factor_at(d, factor, domains)?;
        Ok(values
            .into_iter()
            .map(|value| {
                let value = self.code.splat(value);
                if d.short().is_float() {
                    let ty = self.code.vector(short);
                    let bits = self.code.pure("arith.bitcast", &[value], ty, None);
                    let ty = self.code.vector(int);
                    return if short == int { bits } else { self.code.pure("arith.extui", &[bits], ty, None) };
                }
                match shift {
                    Some(shift) => {
                        let shift = self.code.splat(shift);
                        self.code.math("arith.addi", &[value, shift])
                    }
                    None => value,
                }
            })
            .collect())
    }

    /// A point of the node's loops.
    pub(super) fn domain_at(&self, d: &Dots, places: &[(&[usize], &[LaneIndex])], mask: Option<Value>) -> Point {
        let mut idx = vec![LaneIndex::constant(0); d.sizes.len()];
        for (loops, at) in places {
            for (&d, at) in loops.iter().zip(*at) {
                idx[d] = at.clone();
            }
        }
        Point { idx, mask, guard: None }
    }

    /// The indices of loops whose steps are counted through.
    pub(super) fn counted(&mut self, d: &Dots, loops: &[usize], at: Index) -> Vec<LaneIndex> {
        let sizes: Vec<Index> = loops.iter().map(|&l| Index::constant(d.sizes[l])).collect();
        let group: Vec<usize> = (0..loops.len()).collect();
        let mut idx = vec![LaneIndex::constant(0); loops.len()];
        self.split(&group, &LaneIndex::uniform(at), &sizes, &mut idx);
        idx
    }

    /// The groups of some rows, one row after the other, `pitch` groups apart.
    pub(super) fn pack_rows(
        &mut self,
        d: &Dots,
        batch: &[LaneIndex],
        (from, to): (Index, Index),
        pitch: i64,
        shift: Option<Value>,
        into: &Packed,
    ) -> Supported<()> {
        let (group, steps) = (d.short().group(), d.product(&d.sums));
        let lanes = self.code.lanes;
        if !d.rows.along_sum && !d.rows.flat {
            return self.pack_rows_across(d, batch, (from, to), pitch, shift, into);
        }
        // All sums at once, or the innermost one within the others.
        let (outer, last) = d.sums.split_at(d.sums.len() - 1);
        let taps = d.tap_step.is_some();
        let (outer, inner) = if d.rows.flat && !taps { (&[][..], steps) } else { (outer, d.sizes[last[0]]) };
        let between = if taps { d.groups_of_line() * group } else { inner };
        let most = lanes * group;
        let width = most.min(inner.max(2).unsigned_abs().next_power_of_two() as i64);
        let short = self.code.int(d.short().bits());
        self.for_loop((from, to, Index::constant(1)), &[], |this, row, _| {
            let down = this.counted(d, &d.down, row);
            let start = this.code.mul(row, Index::constant(pitch * group));
            for at in d.product(outer) * between..pitch * group {
                let zero = this.code.number(short, 0.0);
                this.code.store(&into.short, &LaneIndex::uniform(start.plus(at)), zero, None);
            }
            this.code.lanes = width;
            let count = Index::constant(d.product(outer));
            let result = this.for_loop((Index::ZERO, count, Index::constant(1)), &[], |this, o, _| {
                let outside = this.counted(d, outer, o);
                let line = this.code.mul(o, Index::constant(between));
                let start = this.code.add(start, line);
                for at in inner..between {
                    let zero = this.code.number(short, 0.0);
                    this.code.store(&into.short, &LaneIndex::uniform(start.plus(at)), zero, None);
                }
                let whole = inner / width * width;
                for (from, to, ragged) in [(0, whole, false), (whole, inner, true)] {
                    let bounds = (Index::constant(from), Index::constant(to), Index::constant(width));
                    this.for_loop(bounds, &[], |this, k, _| {
                        let left = this.code.sub(Index::constant(inner), k);
                        let mask = ragged.then(|| this.lane_mask(left));
                        let along = [LaneIndex::from(k)];
                        let places = [(&*d.batch, batch), (&*d.down, &*down), (outer, &*outside), (last, &along[..])];
                        let point = this.domain_at(d, &places, mask);
                        let value = this.integers(d, &d.rows, shift, &[point])?[0];
                        let value = this.narrow(value, short);
                        let place = this.code.add(start, k);
                        this.code.store(&into.short, &LaneIndex::from(place), value, mask);
                        Ok(Vec::new())
                    })?;
                }
                Ok(Vec::new())
            });
            this.code.lanes = lanes;
            result
        })?;
        Ok(())
    }

    /// As [`Self::pack_rows`], with a row in each lane.
    fn pack_rows_across(
        &mut self,
        d: &Dots,
        batch: &[LaneIndex],
        (from, to): (Index, Index),
        pitch: i64,
        shift: Option<Value>,
        into: &Packed,
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let (outer, last) = d.down.split_at(d.down.len() - 1);
        let size = d.sizes[last[0]];
        let zero = self.code.number(self.code.int(32), 0.0);
        self.for_loop((from, to, Index::constant(1)), &[], |this, row, _| {
            // What the last groups hold beside numbers is zero.
            let start = this.code.mul(row, Index::constant(pitch));
            for at in d.product(&d.sums) / d.short().group()..pitch {
                this.code.store(&into.groups, &LaneIndex::uniform(start.plus(at)), zero, None);
            }
            Ok(Vec::new())
        })?;
        // Lanes stay within a line of the innermost loop.
        let lines = Index::constant(size);
        let first = self.code.divide("arith.divui", from, lines);
        let end = self.code.divide("arith.divui", to.plus(size - 1), lines);
        self.for_loop((first, end, Index::constant(1)), &[], |this, line, _| {
            let outside = this.counted(d, outer, line);
            let start = this.code.mul(line, Index::constant(size));
            let low = this.code.sub(from, start);
            let low = this.code.max(low, Index::ZERO);
            let high = this.code.sub(to, start);
            let high = this.code.min(high, Index::constant(size));
            this.for_loop((low, high, Index::constant(lanes)), &[], |this, at, _| {
                let left = this.code.sub(high, at);
                let mask = Some(this.lane_mask(left));
                let inside = [LaneIndex::from(at)];
                let places = [(&*d.batch, batch), (outer, &*outside), (last, &inside[..])];
                let row = this.code.add(start, at);
                let row = this.code.mul(row, Index::constant(pitch));
                this.each_group(d, 0, |this, k, count| {
                    let value = this.group(d, &d.rows, shift, (k, count), &places, mask)?;
                    let k = this.code.divide("arith.divui", k, Index::constant(d.short().group()));
                    let place = this.code.add(row, k);
                    let place = LaneIndex { ix: place, lanes: Lanes::Strided(pitch) };
                    this.code.store(&into.groups, &place, value, mask);
                    Ok(())
                })?;
                Ok(Vec::new())
            })?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// For each group from a step on: its first step and how many steps it has.
    fn each_group(
        &mut self,
        d: &Dots,
        from: i64,
        mut body: impl FnMut(&mut Self, Index, i64) -> Supported<()>,
    ) -> Supported<()> {
        let (group, steps) = (d.short().group(), d.product(&d.sums));
        let whole = steps / group * group;
        self.for_loop((Index::constant(from), Index::constant(whole), Index::constant(group)), &[], |this, k, _| {
            body(this, k, group)?;
            Ok(Vec::new())
        })?;
        if whole < steps { self.code_scoped(|this| body(this, Index::constant(whole), steps - whole)) } else { Ok(()) }
    }

    /// The steps of a sum from `k` on as one vector of groups.
    fn group(
        &mut self,
        d: &Dots,
        factor: &Factor,
        shift: Option<Value>,
        (k, count): (Index, i64),
        places: &[(&[usize], &[LaneIndex])],
        mask: Option<Value>,
    ) -> Supported<Value> {
        let mut domains = Vec::new();
        for step in 0..count {
            let along = self.counted(d, &d.sums, k.plus(step));
            let places: Vec<_> = places.iter().copied().chain([(&*d.sums, &*along)]).collect();
            domains.push(self.domain_at(d, &places, mask));
        }
        self.group_at(d, factor, shift, &domains)
    }

    /// A factor at the points of one group, as a vector of groups.
    pub(super) fn group_at(
        &mut self,
        d: &Dots,
        factor: &Factor,
        shift: Option<Value>,
        domains: &[Point],
    ) -> Supported<Value> {
        let short = self.code.int(d.short().bits());
        let values = self.integers(d, factor, shift, domains)?;
        let parts = values.into_iter().map(|v| self.narrow(v, short)).collect();
        Ok(self.side_by_side(d.short(), parts))
    }

    /// The groups of a panel: for each group of steps the vectors side by side. Where neighbours in memory are steps of the
    /// sum, blocks of groups are transposed.
    pub(super) fn pack_columns(
        &mut self,
        d: &Dots,
        batch: &[LaneIndex],
        columns: &Columns,
        shift: Option<Value>,
        into: &Packed,
    ) -> Supported<()> {
        if let Some(step) = d.tap_step {
            return self.pack_taps(d, step, batch, columns, shift, into);
        }
        let lanes = self.code.lanes;
        let width = lanes * columns.len() as i64;
        let group = d.short().group();
        let last = &d.sums[d.sums.len() - 1..];
        let transposes =
            d.columns.along_sum && (d.columns.flat || d.sums.len() == 1) && columns.iter().all(|c| c.1.is_none());
        let whole = if transposes { d.product(&d.sums) / (lanes * group) * (lanes * group) } else { 0 };
        let block = Index::constant(lanes * group);
        self.for_loop((Index::ZERO, Index::constant(whole), block), &[], |this, k, _| {
            let at = this.code.divide("arith.divui", k, Index::constant(group));
            let row = this.code.mul(at, Index::constant(width));
            for (number, (across, _)) in columns.iter().enumerate() {
                let mut rows = Vec::new();
                for lane in 0..lanes {
                    let mut across = across.clone();
                    let line = across.last_mut().expect("a loop with lanes");
                    *line = LaneIndex::uniform(line.ix.plus(lane));
                    let along = [LaneIndex::from(k)];
                    let places = [(&*d.batch, batch), (&*d.across, &*across), (last, &along[..])];
                    let point = this.domain_at(d, &places, None);
                    let (short, int) = (this.code.int(d.short().bits()), this.code.int(32));
                    this.code.lanes = lanes * group;
                    let value = this.integers(d, &d.columns, shift, &[point]);
                    let value = value.map(|v| this.narrow(v[0], short));
                    this.code.lanes = lanes;
                    rows.push(this.code.pure("vector.bitcast", &[value?], Type::vector(lanes, int), None));
                }
                for (k, value) in this.transposed(rows).into_iter().enumerate() {
                    let place = row.plus(k as i64 * width + number as i64 * lanes);
                    this.code.store(&into.groups, &LaneIndex::from(place), value, None);
                }
            }
            Ok(Vec::new())
        })?;
        self.each_group(d, whole, |this, k, count| {
            let at = this.code.divide("arith.divui", k, Index::constant(group));
            let row = this.code.mul(at, Index::constant(width));
            for (number, (across, mask)) in columns.iter().enumerate() {
                let places = [(&*d.batch, batch), (&*d.across, &**across)];
                let value = this.group(d, &d.columns, shift, (k, count), &places, *mask)?;
                this.code.store(&into.groups, &LaneIndex::from(row.plus(number as i64 * lanes)), value, None);
            }
            Ok(())
        })
    }
}
