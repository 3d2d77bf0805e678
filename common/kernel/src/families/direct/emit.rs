//! Emits convolutions with packed filters, stripe by stripe.
use super::plan::DirectPlan;
use super::runs::Run;
use super::stripe::{BETWEEN_PLANES, Strides};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::Supported;
use crate::families::open_images::ImageTile;
use crate::graph::Kind;
use crate::graph::Memory;
use halyard_ir::Value;

/// What a unit of work is about.
pub(super) struct Unit {
    /// Image, or image and group; first row of the result, first block of filters.
    pub(super) outer: Vec<Index>,
    pub(super) row: Index,
    pub(super) block: Index,
    /// Where only a run knows rows and columns: the tile of the result.
    pub(super) tile: Option<ImageTile>,
    /// The filters, and where those of the group start.
    pub(super) w: Memory,
    pub(super) of_group: Index,
    /// Of bytes: the zero point of the input, negated, if it has one.
    pub(super) minus_zero: Option<Value>,
    /// The input of the stripe, and where its first element is.
    pub(super) x: Memory,
    pub(super) first: Index,
    pub(super) at: Strides,
    /// Where sums wait for the next chunk of channels.
    pub(super) waiting: Option<Memory>,
    /// Where sums wait for the rest of their rows.
    pub(super) unfinished: Option<Memory>,
}

impl Emitter<'_> {
    /// Emits the kernel.
    pub(in crate::families) fn convolve(&mut self, plan: &DirectPlan, memories: &[Memory]) -> Supported<()> {
        let DirectPlan { form: d, lanes, blocking, share, .. } = plan;
        self.code.lanes = *lanes;
        let mut w = self.memory(d.w)?;
        let (mut shift, mut minus_zero) = (None, None);
        if let Some(bytes) = &d.bytes {
            w = self.as_groups(&w, bytes.instruction);
            (shift, minus_zero) = self.correction_of(bytes)?;
        }
        let under = d.under(blocking.rows);
        let planes = match &self.tensors[d.x].kind {
            Kind::Memory(memory) if d.bytes.is_none() && !plan.copied => Some(memory.clone()),
            _ => None,
        };
        let elem = self.tensors[d.y].elem;
        let rows = self.given_rows(plan);
        let at = match planes {
            _ if rows.is_some() => Strides::of_rows(d),
            Some(_) => Strides::of_planes(d, d.input[0] * d.input[1]),
            None if plan.channels_last => Strides::of_pixels(d),
            None => Strides::of_planes(d, under * d.input[1] + BETWEEN_PLANES),
        };
        let given = rows.or(planes);
        let scratch = match &given {
            Some(_) => None,
            None => {
                // Of open rows whole vectors are copied.
                let beyond = match plan.tiles {
                    Some(_) => Run::beyond(d, at.column),
                    None if d.open => lanes * at.column,
                    None => 0,
                };
                let (number, each) = if plan.channels_last { (under, at.row) } else { (d.sizes.channels, at.channel) };
                let count = self.code.mul(each, Index::constant(number)).plus(beyond);
                let taken = self.take(count, 4)?;
                Some((taken, self.code.contiguous(taken.ptr, elem, &[count])))
            }
        };
        let mut take = |count: Option<i64>| -> Supported<Option<_>> {
            let Some(count) = count.map(Index::constant) else { return Ok(None) };
            let taken = self.take(count, 4)?;
            Ok(Some((taken, self.code.contiguous(taken.ptr, elem, &[count]))))
        };
        let (waiting, unfinished) = (take(plan.waiting())?, take(plan.unfinished())?);
        if plan.tiles.is_some() {
            self.set_tiles(d.groups_of_sum());
        }
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
            let part = this.part_of_input(d, place, under);
            let high = part.first[0];
            let at = this.strides_of(part, at);
            let (x, first) = match (&given, &scratch) {
                (_, Some((taken, scratch))) => {
                    let group = d.bytes.as_ref().map_or(1, |bytes| bytes.short().group());
                    let planes = if plan.channels_last { this.code.lanes * group } else { group };
                    this.fill_once(*taken, place.stripe, |this| match d.rows {
                        Some(rows) => this.copy_activations((d, rows), &outer, part, (scratch, at)),
                        None => this.with_next_planes(d.x, planes, |this| match &d.bytes {
                            _ if plan.channels_last => this.copy_channels_last(d, shift, &outer, part, (scratch, at)),
                            Some(bytes) => this.copy_groups(d, (bytes, shift), &outer, part, (scratch, at)),
                            None => this.copy_stripe(d, &outer, part, (scratch, at)),
                        }),
                    })?;
                    (scratch.clone(), Index::ZERO)
                }
                (Some(given), None) => {
                    let mut idx: Vec<_> = outer.iter().copied().map(LaneIndex::uniform).collect();
                    let (zero, high) = (LaneIndex::constant(0), LaneIndex::uniform(high));
                    match d.rows {
                        Some(rows) => {
                            idx = rows.at(&mut this.code, &idx, [high, zero.clone()]);
                            idx.push(zero);
                        }
                        None => idx.extend([zero.clone(), high, zero]),
                    }
                    let first = this.code.offset(given, &idx).ix;
                    (given.clone(), first)
                }
                (None, None) => unreachable!("there is scratch memory where the input is not given"),
            };
            // Elements of the window are counted from its first one on, also where that reads nothing.
            let before = this.code.mul(at.row, Index::constant(d.before[0])).plus(d.before[1] * at.column);
            let first = this.code.sub(first, before);
            let [waiting, unfinished] =
                [&waiting, &unfinished].map(|taken| taken.as_ref().map(|(_, memory)| memory.clone()));
            let unit = Unit {
                w,
                minus_zero,
                outer,
                of_group,
                row: place.row,
                block: place.block,
                tile: place.tile,
                x,
                first,
                at,
                waiting,
                unfinished,
            };
            this.tiles(plan, &unit, memories)
        })?;
        if plan.tiles.is_some() {
            self.release_tiles();
        }
        for (taken, _) in unfinished.into_iter().chain(waiting).chain(scratch) {
            self.give(taken)?;
        }
        Ok(())
    }
}
