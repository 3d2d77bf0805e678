//! Emits convolutions with packed filters, stripe by stripe.
use super::form::Direct;
use super::plan::DirectPlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Kind;
use crate::graph::Memory;

/// What a unit of work is about.
pub(super) struct Unit {
    /// Image, or image and group; first row of the result, first block of filters.
    pub(super) outer: Vec<Index>,
    pub(super) row: Index,
    pub(super) block: Index,
    /// The filters, and where those of the group start.
    pub(super) w: Memory,
    pub(super) of_group: Index,
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
        let w = self.memory(d.w)?;
        let under = d.under(blocking.rows);
        let given = match &self.tensors[d.x].kind {
            Kind::Memory(memory) => Some(memory.clone()),
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
                    this.fill_once(*taken, place.stripe, |this| {
                        this.copy_stripe(d, &outer, (high, under), scratch, (plane, pitch))
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
            let unit = Unit { w, outer, of_group, row: place.row, block: place.block, x, first, plane, pitch };
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
            this.for_loop((Index::ZERO, Index::constant(rows), one), &[], |this, row, _| {
                let line = this.code.mul(row, Index::constant(pitch));
                let to = this.code.add(to, line);
                let row = this.code.add(high, row).plus(d.origin[0]);
                let lanes = this.code.lanes;
                for column in (0..d.input[1]).step_by(lanes as usize) {
                    let mask =
                        (column + lanes > d.input[1]).then(|| this.lane_mask(Index::constant(d.input[1] - column)));
                    let before = outer.iter().copied().chain([channel, row]);
                    let mut idx: Vec<LaneIndex> = before.map(LaneIndex::uniform).collect();
                    idx.push(LaneIndex::from(Index::constant(column + d.origin[1])));
                    let value = this.materialize(d.x, &[Point { idx, mask, guard: None }])?[0];
                    this.code.store(scratch, &LaneIndex::from(to.plus(column)), value, mask);
                }
                Ok(Vec::new())
            })?;
            Ok(Vec::new())
        })?;
        Ok(())
    }
}
