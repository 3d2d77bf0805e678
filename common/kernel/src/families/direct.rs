//! Convolutions whose filters are packed in blocks, as the layout pass of `hal-translate` writes them: any window, stride and dilation, without
//! groups.
//!
//! Lanes go along the filters, so that none is lost whatever the image's size, and steps along the image cost nothing.
//! Padding is copied together with a stripe of the input; blocks of the result are transposed in registers to rows of
//! the image.
use super::blocking::{Blocking, Sizes};
use super::forms::{dim, dims, over, rest, window};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::emit::memory::Memory;
use crate::graph::Kind;
use crate::machine::convolutions::FILTER_BLOCK;

/// A convolution of this form.
pub(super) struct Direct {
    /// What is stored: the result or something computed from it point by point.
    pub(super) root: usize,
    /// The result of the convolution.
    pub(super) y: usize,
    /// Its input, with padding.
    pub(super) x: usize,
    /// The filters: `[blocks, channels, window, window, FILTER_BLOCK]`.
    pub(super) w: Memory,
    pub(super) sizes: Sizes,
    /// Rows and columns of the window, from one place of it to the next, and from one element of it to the next.
    pub(super) window: [i64; 2],
    pub(super) stride: [i64; 2],
    pub(super) dilation: [i64; 2],
    /// Rows and columns of the input.
    pub(super) input: [i64; 2],
}

impl Direct {
    /// The weights of a block of filters, in elements.
    pub(super) fn block(&self) -> i64 {
        self.sizes.channels * self.window[0] * self.window[1] * FILTER_BLOCK
    }

    /// The rows of the input under so many rows of the result.
    fn under(&self, rows: i64) -> i64 {
        (rows - 1) * self.stride[0] + (self.window[0] - 1) * self.dilation[0] + 1
    }
}

/// What a unit of work is about.
pub(super) struct Unit {
    /// Image, first row of the result, first block of filters.
    pub(super) image: Index,
    pub(super) row: Index,
    pub(super) block: Index,
    /// The input of the stripe: where its first element is, and the elements from a channel and a row to the next.
    pub(super) x: Memory,
    pub(super) first: Index,
    pub(super) plane: i64,
    pub(super) pitch: i64,
}

impl Emitter<'_> {
    /// Recognises the form.
    pub(super) fn direct(&self, root: usize) -> Option<Direct> {
        let y = (0..self.tensors.len())
            .find(|&t| self.node_of(t).is_some_and(|n| n.inputs.len() == 2 && self.sums_products(n, 4, 3)))?;
        let node = self.node_of(y)?;
        let [x, w] = self.inputs_of(node)?[..] else { return None };
        let [image, channel, high, wide] = &node.maps[0][..] else { return None };
        let (high, wide) = (window(high, 2, 5)?, window(wide, 3, 6)?);
        let filters = vec![over(1, FILTER_BLOCK), dim(4), dim(5), dim(6), rest(1, FILTER_BLOCK)];
        let right = (image, channel) == (&dim(0), &dim(4))
            && node.maps[1] == filters
            && node.maps[2] == dims(&[0, 1, 2, 3])
            && self.follows(root, y);
        let Kind::Memory(memory) = self.tensors[w].kind.clone() else { return None };
        let [n, k, height, width] = self.sizes_of(y)?[..] else { return None };
        let [_, channels, rows, columns, block] = self.sizes_of(w)?[..] else { return None };
        let [_, _, input_rows, input_columns] = self.sizes_of(x)?[..] else { return None };
        let f32s = [x, w, y].iter().all(|t| self.tensors[*t].elem.to_string() == "f32");
        let lanes = i64::from(self.target.vector_bits / 32);
        (right && f32s && block == FILTER_BLOCK && 2 * lanes <= FILTER_BLOCK).then_some(Direct {
            root,
            y,
            x,
            w: memory,
            sizes: Sizes { n, filters: k, height, width, channels },
            window: [rows, columns],
            stride: [high.0, wide.0],
            dilation: [high.1, wide.1],
            input: [input_rows, input_columns],
        })
    }

    /// Emits the kernel; says how.
    pub(super) fn convolve(&mut self, d: &Direct, memory: &Memory) -> Supported<String> {
        self.code.lanes = i64::from(self.target.vector_bits / 32);
        let blocking = self.rows_together(d);
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
        self.units(&blocking, d.root, |this, place| {
            let high = this.code.mul(place.row, Index::constant(d.stride[0]));
            let (x, first) = match (&given, &scratch) {
                (_, Some((taken, scratch))) => {
                    this.fill_once(*taken, place.stripe, |this| {
                        this.copy_stripe(d, (place.image, high, under), scratch, (plane, pitch))
                    })?;
                    (scratch.clone(), Index::ZERO)
                }
                (Some(given), None) => {
                    let idx = [place.image, Index::ZERO, high, Index::ZERO].map(LaneIndex::uniform);
                    let first = this.code.offset(given, &idx).ix;
                    (given.clone(), first)
                }
                (None, None) => unreachable!("there is scratch memory where the input is not given"),
            };
            let unit = Unit { image: place.image, row: place.row, block: place.block, x, first, plane, pitch };
            this.tiles(d, &blocking, &unit, memory)
        })?;
        let copied = if scratch.is_some() { " of a padded copy" } else { "" };
        if let Some((taken, _)) = scratch {
            self.give(taken)?;
        }
        let (rows, of, parts) = (blocking.rows, d.sizes.height, blocking.describe());
        Ok(format!("packed filters, {rows} of {of} rows at a time{copied}{parts}"))
    }

    /// Stripes whose input fits half of the second-level cache, unless reading all filters for each would cost more.
    fn rows_together(&mut self, d: &Direct) -> Blocking {
        let (filters, half) = (d.sizes.blocks() * d.block() * 4, self.target.l2 as i64 / 2);
        let place = (d.sizes.height, d.sizes.width);
        let bytes = |rows: i64| d.sizes.channels * d.under(rows) * d.input[1] * 4;
        Blocking::new(
            &d.sizes,
            place,
            filters <= half,
            half.max(filters / 2),
            bytes,
            (&mut self.choices, &self.target.cpu.convolutions),
        )
    }

    /// Rows `high` and the following of all channels, with padding.
    fn copy_stripe(
        &mut self,
        d: &Direct,
        (image, high, rows): (Index, Index, i64),
        scratch: &Memory,
        (plane, pitch): (i64, i64),
    ) -> Supported<()> {
        let one = Index::constant(1);
        self.for_loop((Index::ZERO, Index::constant(d.sizes.channels), one), &[], |this, channel, _| {
            let to = this.code.mul(channel, Index::constant(plane));
            this.for_loop((Index::ZERO, Index::constant(rows), one), &[], |this, row, _| {
                let line = this.code.mul(row, Index::constant(pitch));
                let to = this.code.add(to, line);
                let row = this.code.add(high, row);
                let lanes = this.code.lanes;
                for column in (0..d.input[1]).step_by(lanes as usize) {
                    let mask =
                        (column + lanes > d.input[1]).then(|| this.lane_mask(Index::constant(d.input[1] - column)));
                    let mut idx = [image, channel, row].map(LaneIndex::uniform).to_vec();
                    idx.push(LaneIndex::from(Index::constant(column)));
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
