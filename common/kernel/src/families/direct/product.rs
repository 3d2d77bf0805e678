//! Products with a packed matrix whose results are stored transposed, as a model with channels first in memory has them between products: a
//! 1×1 convolution of an image that has its channels side by side already.
use super::form::Direct;
use super::plan::DirectPlan;
use super::stripe::{Part, Strides};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::blocking::Sizes;
use crate::families::transposed::ProductRows;
use crate::graph::{Kind, Memory};
use crate::schedule::planner::Planner;

impl Planner<'_> {
    /// Recognises the form.
    pub(in crate::families) fn transposed_product(&self, roots: &[usize]) -> Option<Direct> {
        let found = (0..self.graph.tensors.len()).find_map(|y| self.product_with_panels(roots, y))?;
        let dims = self.graph.tensors[found.y].dims.len() - 1;
        let transposed = found.roots.iter().all(|root| root.innermost() == Some(dims - 1));
        if !transposed || found.bytes.is_some() || dims > 3 {
            return None;
        }
        let sizes = if dims == 3 { self.graph.sizes_of_images(found.y) } else { self.graph.known_sizes(found.y) }?;
        let (&filters, places) = sizes.split_last()?;
        let place = |back: usize| places.len().checked_sub(back).map_or(1, |at| places[at]);
        let divided = if dims < 3 { self.divided_row(place(1)) } else { None };
        let (n, height, width) = match divided {
            Some(width) => (place(2), place(1) / width, width),
            None => (place(3), place(2), place(1)),
        };
        let bytes = self.graph.tensors[found.matrix].elem.byte_width() as i64;
        let direct = Direct {
            roots: found.roots,
            y: found.y,
            x: found.x,
            w: found.matrix,
            taps_first: false,
            bytes: None,
            w_bytes: bytes,
            open: false,
            rows: Some(ProductRows { dims, divided }),
            groups: None,
            sizes: Sizes { n, filters, height, width, channels: found.steps },
            window: [1, 1],
            stride: [1, 1],
            sampling: [1, 1],
            dilation: [1, 1],
            input: [height, width],
            origin: [0, 0],
            before: [0, 0],
            skips_padding: false,
            inside: [None; 2],
            live: [(0, 1); 2],
            cycles_after: 0.0,
        };
        // Of longer rows a copy would leave the cache before it is read. With 32 registers a nest is as fast as this where it need not copy, and
        // faster than copies of more rows than filters (measured with AVX-512, 2026-11-28).
        let fits = width * found.steps * 4 <= self.target.l2 as i64;
        let pays = self.target.registers < 32 || filters >= n * height * width;
        (fits && pays || self.reads_rows(&direct)).then_some(direct)
    }

    /// The points of each part that a long row is divided into, as stripes consist of whole rows: the number that leaves the fewest registers idle.
    fn divided_row(&self, points: i64) -> Option<i64> {
        let (together, most) = (self.points_in_registers(), self.target.cpu.convolutions.row_points);
        let tiles = |width: i64| (width + together - 1) / together;
        let idle = |width: i64| (tiles(width) * together - width) as f64 / width as f64;
        (together..=most)
            .filter(|width| points > most && points % width == 0)
            .min_by(|a, b| idle(*a).total_cmp(&idle(*b)).then(b.cmp(a)))
    }

    /// Whether the activations of a product can be read where they are: rows that are one after the other, and do not compete for the same
    /// lines of the cache.
    pub(super) fn reads_rows(&self, d: &Direct) -> bool {
        let elem = self.graph.tensors[d.x].elem;
        // Half of the first-level cache is left to the matrix.
        let apart = self.target.cpu.memory.rows_together(d.sizes.channels * 4) >= 2 * self.points_in_registers();
        apart && elem.is_float() && elem.bits() == 32 && self.graph.is_in_rows(d.x, d.sizes.channels)
    }
}

impl Strides {
    /// Of rows that are one after the other.
    pub(super) fn of_rows(d: &Direct) -> Self {
        let row = Index::constant(d.sizes.width * d.sizes.channels);
        Self { channel: Index::constant(1), row, column: d.sizes.channels }
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
        (d, rows): (&Direct, ProductRows),
        outer: &[Index],
        part: Part,
        (scratch, at): (&Memory, Strides),
    ) -> Supported<()> {
        let (lanes, channels, one) = (self.code.lanes, d.sizes.channels, Index::constant(1));
        let whole = channels / lanes * lanes;
        self.for_loop((Index::ZERO, part.rows, one), &[], |this, row, _| {
            let line = this.code.mul(row, at.row);
            let row = this.code.add(part.first[0], row);
            this.for_loop((Index::ZERO, Index::constant(d.sizes.width), one), &[], |this, column, _| {
                let pixel = this.code.mul(column, Index::constant(at.column));
                let to = this.code.add(line, pixel);
                let copy = |this: &mut Self, channel: Index, mask| {
                    let outer: Vec<_> = outer.iter().copied().map(LaneIndex::uniform).collect();
                    let mut idx = rows.at(&mut this.code, &outer, [row, column].map(LaneIndex::uniform));
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
