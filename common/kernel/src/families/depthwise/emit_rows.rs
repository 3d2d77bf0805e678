//! Emits convolutions of bytes with lanes along the rows, stripe by stripe of a channel.
//!
//! The rows under a stripe are copied into scratch memory with their padding, which is what stands for zero among the bytes. There the
//! bytes under a vector of results are loaded at once, and those of each lane put side by side. A row of them serves several rows of
//! results.
use super::form::Depthwise;
use super::plan::DepthwisePlan;
use super::row_dots::{GROUP, LARGEST, RowDots};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Memory;
use crate::machine::dot_products::Instruction;
use halyard_ir::{Attr, Type, Value};

/// A unit of work: a stripe of a channel of an image.
struct Stripe {
    image: Index,
    channel: Index,
    /// The first row of results.
    first: Index,
    /// The bytes under it.
    bytes: Memory,
    /// For each row of the window its groups.
    filters: Vec<Vec<Value>>,
    /// What the sums start from.
    start: Value,
}

impl Emitter<'_> {
    /// Emits the kernel.
    pub(super) fn convolve_byte_rows(
        &mut self,
        (plan, dots): (&DepthwisePlan, &RowDots),
        memories: &[Memory],
    ) -> Supported<()> {
        let d = &plan.form;
        self.code.lanes = plan.lanes;
        // Vectors reach over the end.
        let size = Index::constant(d.under(0, plan.rows) * dots.pitch + 2 * LARGEST);
        let taken = self.take(size, 1)?;
        let byte = self.code.int(8);
        let bytes = self.code.contiguous(taken.ptr, byte, &[size]);
        let (from, to) = self.share_of(plan.share);
        let outer = self.roots.len();
        self.roots.extend(d.roots.iter().map(|root| root.tensor));
        let (shift, minus_zero) = self.correction(dots.input, Instruction::Bytes.shift(true, dots.input.signed))?;
        let padding = match shift {
            Some(zero) => self.code.pure("arith.trunci", &[zero], byte, None),
            None => self.code.number(byte, 0.0),
        };
        self.for_loop((from, to, Index::constant(1)), &[], |this, unit, _| {
            let (stripes, channels) = (Index::constant(plan.stripes), Index::constant(d.sizes[1]));
            let plane = this.code.divide("arith.divui", unit, stripes);
            let row = this.code.divide("arith.remui", unit, stripes);
            let row = this.code.mul(row, Index::constant(plan.rows));
            let image = this.code.divide("arith.divui", plane, channels);
            let channel = this.code.divide("arith.remui", plane, channels);
            let first = this.code.min(row, Index::constant(d.sizes[2] - plan.rows));
            let (filters, start) = this.byte_filters(d, channel, minus_zero)?;
            let stripe = Stripe { image, channel, first, bytes: bytes.clone(), filters, start };
            this.copy_image_rows((plan, dots), &stripe, padding)?;
            this.byte_rows((plan, dots), &stripe, memories)?;
            Ok(Vec::new())
        })?;
        self.roots.truncate(outer);
        self.give(taken)
    }

    /// The groups of a channel's filter in all lanes, and what the sums start from: the zero point of the input times the sum of the filter,
    /// negated.
    fn byte_filters(
        &mut self,
        d: &Depthwise,
        channel: Index,
        minus_zero: Option<Value>,
    ) -> Supported<(Vec<Vec<Value>>, Value)> {
        let int = self.code.int(32);
        let zero = self.code.number(int, 0.0);
        let (mut filters, mut sum) = (Vec::new(), zero);
        for down in 0..d.window[0] {
            let mut row = Vec::new();
            for first in (0..d.window[1]).step_by(GROUP as usize) {
                let mut group = zero;
                for across in first..(first + GROUP).min(d.window[1]) {
                    let idx = [channel, Index::constant(down), Index::constant(across)].map(LaneIndex::uniform);
                    let element = self.materialize(d.w, &[Point::new(idx.to_vec())])?[0];
                    if minus_zero.is_some() {
                        let wide = self.code.pure("arith.extsi", &[element], int, None);
                        sum = self.code.math("arith.addi", &[sum, wide]);
                    }
                    let wide = self.code.pure("arith.extui", &[element], int, None);
                    let by = self.code.number(int, (8 * (across - first)) as f64);
                    let placed = self.code.math("arith.shli", &[wide, by]);
                    group = self.code.math("arith.ori", &[group, placed]);
                }
                row.push(self.code.splat(group));
            }
            filters.push(row);
        }
        let start = match minus_zero {
            Some(minus) => self.code.math("arith.muli", &[sum, minus]),
            None => zero,
        };
        Ok((filters, self.code.splat(start)))
    }

    /// Copies the rows of the input under a stripe, with `padding` around the image.
    fn copy_image_rows(
        &mut self,
        (plan, dots): (&DepthwisePlan, &RowDots),
        stripe: &Stripe,
        padding: Value,
    ) -> Supported<()> {
        let (d, lanes) = (&plan.form, self.code.lanes);
        let (Some([height, width]), Some(input)) = (d.image, d.bytes.as_ref().and_then(|bytes| bytes.input.as_ref()))
        else {
            return Err("the bytes of an image of known size".into());
        };
        let tensor = input.tensor;
        self.code.lanes = GROUP * lanes;
        let (vector, flip) = (self.code.lanes, dots.input.signed);
        let padding = self.code.splat(padding);
        let high = self.code.mul(stripe.first, Index::constant(d.stride[0])).plus(-d.before[0]);
        let rows = Index::constant(d.under(0, plan.rows));
        self.for_loop((Index::ZERO, rows, Index::constant(1)), &[], |this, row, _| {
            let line = this.code.mul(row, Index::constant(dots.pitch));
            let at = this.code.add(high, row);
            // As unsigned numbers rows above the image are very large.
            let (place, limit) = (this.code.ix(at), this.code.ix(Index::constant(height)));
            let inside = this.code.compare(6, place, limit);
            let left = line.plus(d.before[1]);
            let image = |this: &mut Self| {
                this.code.store(&stripe.bytes, &LaneIndex::from(line), padding, None);
                let copy = |this: &mut Self, column: Index, mask: Option<Value>| -> Supported<()> {
                    let mut idx = [stripe.image, stripe.channel, at].map(LaneIndex::uniform).to_vec();
                    idx.push(LaneIndex::from(column));
                    let value = this.materialize(tensor, &[Point { idx, mask, guard: None }])?[0];
                    let value = if flip { this.flipped(value) } else { value };
                    let to = this.code.add(left, column);
                    this.code.store(&stripe.bytes, &LaneIndex::from(to), value, None);
                    Ok(())
                };
                if width < vector {
                    let mask = this.lane_mask(Index::constant(width));
                    copy(this, Index::ZERO, Some(mask))?;
                } else {
                    // The last vector may cover a part of the one before.
                    this.for_loop(
                        (Index::ZERO, Index::constant(width), Index::constant(vector)),
                        &[],
                        |this, column, _| {
                            let column = this.code.min(column, Index::constant(width - vector));
                            copy(this, column, None).map(|()| Vec::new())
                        },
                    )?;
                }
                this.code.store(&stripe.bytes, &LaneIndex::from(left.plus(width)), padding, None);
                Ok(Vec::new())
            };
            let outside = |this: &mut Self| {
                let bounds = (Index::ZERO, Index::constant(dots.pitch), Index::constant(vector));
                this.for_loop(bounds, &[], |this, column, _| {
                    let to = this.code.add(line, column);
                    this.code.store(&stripe.bytes, &LaneIndex::from(to), padding, None);
                    Ok(Vec::new())
                })
            };
            this.if_else(inside, &[], image, outside)
        })?;
        self.code.lanes = lanes;
        Ok(())
    }

    /// Signed bytes as unsigned ones that are greater by 128.
    fn flipped(&mut self, value: Value) -> Value {
        let byte = self.code.int(8);
        let top = self.code.number(byte, -128.0);
        let top = self.code.splat(top);
        self.code.math("arith.xori", &[value, top])
    }

    /// The results of a stripe.
    fn byte_rows(
        &mut self,
        (plan, dots): (&DepthwisePlan, &RowDots),
        stripe: &Stripe,
        memories: &[Memory],
    ) -> Supported<()> {
        let (d, lanes) = (&plan.form, self.code.lanes);
        let (width, pieces) = (d.sizes[3], (plan.rows + dots.together - 1) / dots.together);
        let together = (plan.rows + pieces - 1) / pieces;
        let [rows, step] = [plan.rows, together].map(Index::constant);
        self.for_loop((Index::ZERO, rows, step), &[], |this, row, _| {
            // The last rows and columns may be those of the vectors before, once more.
            let row = this.code.min(row, Index::constant(plan.rows - together));
            let columns = (Index::ZERO, Index::constant(width), Index::constant(lanes));
            this.for_loop(columns, &[], |this, column, _| {
                let column = this.code.min(column, Index::constant((width - lanes).max(0)));
                let mask = (width < lanes).then(|| this.lane_mask(Index::constant(width)));
                let sums = this.byte_sums((d, dots), stripe, (row, column, together));
                let line = this.code.add(stripe.first, row);
                let points: Vec<Point> = (0..together)
                    .map(|below| {
                        let uniform = [stripe.image, stripe.channel, line.plus(below)].map(LaneIndex::uniform);
                        let mut idx = uniform.to_vec();
                        idx.push(LaneIndex::from(column));
                        Point { idx, mask, guard: None }
                    })
                    .collect();
                this.store_roots(d.y, (&d.roots, memories), &points, &sums).map(|()| Vec::new())
            })
        })
        .map(|_| ())
    }

    /// The sums of a vector of columns of some rows.
    fn byte_sums(
        &mut self,
        (d, dots): (&Depthwise, &RowDots),
        stripe: &Stripe,
        (row, column, together): (Index, Index, i64),
    ) -> Vec<Value> {
        let mut sums = vec![stripe.start; together as usize];
        let line = self.code.mul(row, Index::constant(d.stride[0] * dots.pitch));
        let left = self.code.mul(column, Index::constant(d.stride[1]));
        let from = self.code.add(line, left);
        for under in 0..d.under(0, together) {
            // The row of results and the one of the window that a row of the input belongs to.
            let uses: Vec<(usize, usize)> = (0..together)
                .filter_map(|result| {
                    let down = under - result * d.stride[0];
                    let in_window = down >= 0 && down % d.dilation[0] == 0 && down / d.dilation[0] < d.window[0];
                    in_window.then_some((result as usize, (down / d.dilation[0]) as usize))
                })
                .collect();
            if uses.is_empty() {
                continue;
            }
            for group in 0..(d.window[1] + GROUP - 1) / GROUP {
                let at = from.plus(under * dots.pitch + group * GROUP * d.dilation[1]);
                let bytes = self.groups_along_row((d, dots), stripe, at, group);
                for &(result, down) in &uses {
                    let filter = stripe.filters[down][group as usize];
                    sums[result] = self.dot(Instruction::Bytes, sums[result], bytes, filter);
                }
            }
        }
        sums
    }

    /// For each lane the bytes under a group of elements of its window, from a place in scratch memory on.
    fn groups_along_row(&mut self, (d, dots): (&Depthwise, &RowDots), stripe: &Stripe, at: Index, group: i64) -> Value {
        let lanes = self.code.lanes;
        self.code.lanes = dots.loaded;
        let bytes = self.code.load(&stripe.bytes, &LaneIndex::from(at), None, None, None);
        self.code.lanes = lanes;
        // Beyond the window the filter has zeros.
        let elements = (d.window[1] - group * GROUP).min(GROUP);
        let element = |at: i64| if at < elements { at * d.dilation[1] } else { 0 };
        let picks: Vec<i64> = (0..lanes * GROUP).map(|at| at / GROUP * d.stride[1] + element(at % GROUP)).collect();
        let mask = Attr::i64s(self.code.at.context(), &picks);
        let (byte, int) = (self.code.int(8), self.code.int(32));
        let ty = Type::vector(lanes * GROUP, byte);
        let picked = self.code.pure("vector.shuffle", &[bytes, bytes], ty, Some(("mask", mask)));
        self.code.pure("vector.bitcast", &[picked], Type::vector(lanes, int), None)
    }
}
