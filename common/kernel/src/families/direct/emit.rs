//! Emits convolutions with packed filters, stripe by stripe.
use super::form::Direct;
use super::plan::DirectPlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Kind;
use crate::graph::Memory;
use halyard_ir::Value;

/// What a unit of work is about.
pub(super) struct Unit {
    /// Image, or image and group; first row of the result, first block of filters.
    pub(super) outer: Vec<Index>,
    pub(super) row: Index,
    pub(super) block: Index,
    /// The filters, and where those of the group start.
    pub(super) w: Memory,
    pub(super) of_group: Index,
    /// Of bytes: the zero point of the input, negated, if it has one.
    pub(super) minus_zero: Option<Value>,
    /// The input of the stripe: where its first element is, and the elements from a channel and a row to the next.
    pub(super) x: Memory,
    pub(super) first: Index,
    pub(super) plane: i64,
    pub(super) pitch: i64,
}

impl Emitter<'_> {
    /// Emits the kernel.
    pub(in crate::families) fn convolve(&mut self, plan: &DirectPlan, memories: &[Memory]) -> Supported<()> {
        let DirectPlan { form: d, lanes, blocking, share, .. } = plan;
        self.code.lanes = *lanes;
        let mut w = self.memory(d.w)?;
        let (mut shift, mut minus_zero) = (None, None);
        if let Some(bytes) = &d.bytes {
            w = self.as_groups(&w);
            (shift, minus_zero) = self.correction(bytes.raw, bytes.instruction.shift(true, bytes.raw.signed))?;
        }
        let under = d.under(blocking.rows);
        let given = match &self.tensors[d.x].kind {
            Kind::Memory(memory) if d.bytes.is_none() => Some(memory.clone()),
            _ => None,
        };
        let elem = self.tensors[d.y].elem;
        // Planes a power of two apart would compete for the same lines of the cache.
        let (plane, pitch) = match given {
            Some(_) => (d.input[0] * d.input[1], d.input[1]),
            None => (under * d.input[1] + 16, d.input[1]),
        };
        let scratch = match &given {
            Some(_) => None,
            None => {
                let count = Index::constant(d.sizes.channels * plane);
                let taken = self.take(count, 4)?;
                Some((taken, self.code.contiguous(taken.ptr, elem, &[count])))
            }
        };
        self.units(blocking, *share, &d.roots, |this, place| {
            let (outer, of_group) = match d.groups {
                None => (vec![place.image], Index::ZERO),
                Some(groups) => {
                    let groups = Index::constant(groups);
                    let group = this.code.divide("arith.remui", place.image, groups);
                    let image = this.code.divide("arith.divui", place.image, groups);
                    let filters = Index::constant(d.sizes.blocks() * d.block());
                    (vec![image, group], this.code.mul(group, filters))
                }
            };
            let high = this.code.mul(place.row, Index::constant(d.stride[0]));
            let (x, first) = match (&given, &scratch) {
                (_, Some((taken, scratch))) => {
                    this.fill_once(*taken, place.stripe, |this| match &d.bytes {
                        Some(bytes) => {
                            let input = (bytes, shift);
                            this.copy_groups(d, input, &outer, (high, under), scratch, (plane, pitch))
                        }
                        None => this.copy_stripe(d, &outer, (high, under), scratch, (plane, pitch)),
                    })?;
                    (scratch.clone(), Index::ZERO)
                }
                (Some(given), None) => {
                    let inner = [Index::ZERO, high, Index::ZERO];
                    let idx = outer.iter().copied().chain(inner).map(LaneIndex::uniform).collect::<Vec<_>>();
                    let first = this.code.offset(given, &idx).ix;
                    (given.clone(), first)
                }
                (None, None) => unreachable!("there is scratch memory where the input is not given"),
            };
            // Elements of the window are counted from its first one on, also where that reads nothing.
            let skipped = [0, 1].map(|at| d.live[at].0 * d.dilation[at]);
            let first = first.plus(-(skipped[0] * pitch + skipped[1]));
            let unit =
                Unit { w, minus_zero, outer, of_group, row: place.row, block: place.block, x, first, plane, pitch };
            this.tiles(plan, &unit, memories)
        })?;
        if let Some((taken, _)) = scratch {
            self.give(taken)?;
        }
        Ok(())
    }

    /// Rows `high` and the following of all channels, with padding.
    fn copy_stripe(
        &mut self,
        d: &Direct,
        outer: &[Index],
        (high, rows): (Index, i64),
        scratch: &Memory,
        (plane, pitch): (i64, i64),
    ) -> Supported<()> {
        let one = Index::constant(1);
        self.for_loop((Index::ZERO, Index::constant(d.sizes.channels), one), &[], |this, channel, _| {
            let to = this.code.mul(channel, Index::constant(plane));
            this.each_piece(d, (high, rows), (to, pitch), |this, row, column, to, mask| {
                let point = input_point(outer, [channel, row, column], mask);
                let value = this.materialize(d.x, &[point])?[0];
                this.code.store(scratch, &LaneIndex::from(to), value, mask);
                Ok(())
            })?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Goes through rows `high` and the following of a plane of the input, a vector after the other: `copy` has row, column, where it goes,
    /// and the mask of its lanes.
    pub(super) fn each_piece(
        &mut self,
        d: &Direct,
        (high, rows): (Index, i64),
        (to, pitch): (Index, i64),
        copy: impl Fn(&mut Self, Index, Index, Index, Option<Value>) -> Supported<()>,
    ) -> Supported<()> {
        self.for_loop((Index::ZERO, Index::constant(rows), Index::constant(1)), &[], |this, row, _| {
            let line = this.code.mul(row, Index::constant(pitch));
            let to = this.code.add(to, line);
            let row = this.code.add(high, row).plus(d.origin[0]);
            let lanes = this.code.lanes;
            for column in (0..d.input[1]).step_by(lanes as usize) {
                let mask = (column + lanes > d.input[1]).then(|| this.lane_mask(Index::constant(d.input[1] - column)));
                copy(this, row, Index::constant(column + d.origin[1]), to.plus(column), mask)?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }
}

/// Where lanes along a row of the input are, of an image (or of an image and a group).
pub(super) fn input_point(outer: &[Index], [channel, row, column]: [Index; 3], mask: Option<Value>) -> Point {
    let mut idx: Vec<LaneIndex> = outer.iter().copied().chain([channel, row]).map(LaneIndex::uniform).collect();
    idx.push(LaneIndex::from(column));
    Point { idx, mask, guard: None }
}
