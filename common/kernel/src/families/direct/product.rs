//! Products with a packed matrix whose results are stored transposed, as a model with channels first in memory has them between products: a
//! 1×1 convolution of an image that has its channels side by side already.
use super::form::Direct;
use super::plan::DirectPlan;
use super::stripe::{Part, Strides};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::blocking::Sizes;
use crate::families::transposed::row_of_product;
use crate::graph::{Kind, Memory};
use crate::schedule::planner::Planner;

impl Planner<'_> {
    /// Recognises the form. It was not measured with 32 registers.
    pub(in crate::families) fn transposed_product(&self, roots: &[usize]) -> Option<Direct> {
        if self.target.registers >= 32 {
            return None;
        }
        let found = (0..self.graph.tensors.len()).find_map(|y| self.product_with_panels(roots, y))?;
        let rows = self.graph.tensors[found.y].dims.len() - 1;
        let transposed = found.roots.iter().all(|root| root.innermost() == Some(rows - 1));
        if !transposed || found.bytes.is_some() || rows > 3 {
            return None;
        }
        let sizes = if rows == 3 { self.graph.sizes_of_images(found.y) } else { self.graph.known_sizes(found.y) }?;
        let (&filters, places) = sizes.split_last()?;
        let place = |back: usize| places.len().checked_sub(back).map_or(1, |at| places[at]);
        let (n, height, width) = (place(3), place(2), place(1));
        let bytes = self.graph.tensors[found.matrix].elem.byte_width() as i64;
        Some(Direct {
            roots: found.roots,
            y: found.y,
            x: found.x,
            w: found.matrix,
            bytes: None,
            w_bytes: bytes,
            open: false,
            rows: Some(rows),
            groups: None,
            sizes: Sizes { n, filters, height, width, channels: found.steps },
            window: [1, 1],
            stride: [1, 1],
            dilation: [1, 1],
            input: [height, width],
            origin: [0, 0],
            inside: [None; 2],
            live: [(0, 1); 2],
        })
    }

    /// Whether the activations of a product can be read where they are: rows that are one after the other, and do not compete for the same
    /// lines of the cache.
    pub(super) fn reads_rows(&self, d: &Direct) -> bool {
        let elem = self.graph.tensors[d.x].elem;
        let apart = d.sizes.channels * 4 % (self.target.l1 as i64 / 16) != 0;
        apart && elem.is_float() && elem.bits() == 32 && self.graph.is_in_rows(d.x, d.sizes.channels)
    }
}

impl Strides {
    /// Of rows that are one after the other.
    pub(super) fn of_rows(d: &Direct) -> Self {
        Self { channel: 1, row: d.sizes.width * d.sizes.channels, column: d.sizes.channels }
    }
}

impl Emitter<'_> {
    /// The activations, where they are read in place.
    pub(super) fn given_rows(&self, plan: &DirectPlan) -> Option<Memory> {
        match &self.tensors[plan.form.x].kind {
            Kind::Memory(memory) if plan.in_rows => Some(memory.clone()),
            _ => None,
        }
    }

    /// Copies some rows as f32.
    pub(super) fn copy_activations(
        &mut self,
        (d, rows): (&Direct, usize),
        outer: &[Index],
        part: Part,
        (scratch, at): (&Memory, Strides),
    ) -> Supported<()> {
        let (lanes, channels, one) = (self.code.lanes, d.sizes.channels, Index::constant(1));
        let whole = channels / lanes * lanes;
        self.for_loop((Index::ZERO, part.rows, one), &[], |this, row, _| {
            let line = this.code.mul(row, Index::constant(at.row));
            let row = this.code.add(part.first[0], row);
            this.for_loop((Index::ZERO, Index::constant(d.sizes.width), one), &[], |this, column, _| {
                let pixel = this.code.mul(column, Index::constant(at.column));
                let to = this.code.add(line, pixel);
                let copy = |this: &mut Self, channel: Index, mask| {
                    let place = row_of_product(rows, outer.iter().copied(), &[row, column]);
                    let mut idx: Vec<_> = place.into_iter().map(LaneIndex::uniform).collect();
                    idx.push(LaneIndex::from(channel));
                    let value = this.materialize(d.x, &[Point { idx, mask, guard: None }])?[0];
                    let value = this.code.splat(value);
                    let value = this.as_f32(value);
                    let to = this.code.add(to, channel);
                    this.code.store(scratch, &LaneIndex::from(to), value, mask);
                    Ok(Vec::new())
                };
                let bounds = (Index::ZERO, Index::constant(whole), Index::constant(lanes));
                this.for_loop(bounds, &[], |this, channel, _| copy(this, channel, None))?;
                if whole < channels {
                    let mask = this.lane_mask(Index::constant(channels - whole));
                    copy(this, Index::constant(whole), Some(mask))?;
                }
                Ok(Vec::new())
            })
        })
        .map(|_| ())
    }
}
