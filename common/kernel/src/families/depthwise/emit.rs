//! Emits depthwise convolutions, stripe by stripe of a vector of channels.
use super::form::Depthwise;
use super::plan::DepthwisePlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::open_images::ImageTile;
use crate::families::roots::Root;
use crate::graph::Memory;
use halyard_ir::{Type, Value};

/// What a unit of work is about: an image, the first of its channels, and its first row and column, with their number.
pub(super) struct Unit {
    pub(super) image: Index,
    pub(super) channel: Index,
    pub(super) first: [Index; 2],
    pub(super) count: [Index; 2],
}

/// Scratch memory, a vector of channels for each element: the window, the pixels of the padded input, the pixels of each result.
struct Turned {
    filters: Memory,
    input: Memory,
    results: Vec<Memory>,
    /// Where the results go in the end.
    memories: Vec<Memory>,
}

impl Emitter<'_> {
    /// Emits the kernel.
    pub(in crate::families) fn convolve_depthwise(
        &mut self,
        plan: &DepthwisePlan,
        memories: &[Memory],
    ) -> Supported<()> {
        if let Some(dots) = &plan.row_dots {
            return self.convolve_byte_rows((plan, dots), memories);
        }
        let d = &plan.form;
        self.code.lanes = plan.lanes;
        let (columns, under) = (d.under(1, d.sizes[3]), d.under(0, plan.rows));
        // Of tiles of unknown size whole vectors of pixels are written.
        let beyond = if plan.tiles.is_some() { plan.lanes.max(plan.pixels) } else { 0 };
        let mut vectors = vec![d.window[0] * d.window[1], under * columns + beyond];
        let turned_back = |root: &Root| if root.has_channels_inside() { 0 } else { plan.rows * d.sizes[3] + beyond };
        vectors.extend(d.roots.iter().map(turned_back));
        let taken = self.take(Index::constant(vectors.iter().sum::<i64>() * plan.lanes), 4)?;
        let float = Type::f32(self.code.at.context());
        let elements = [float, float].into_iter().chain(d.roots.iter().map(|root| self.tensors[root.tensor].elem));
        let elements: Vec<Type> = elements.collect();
        let mut before = 0;
        let mut parts: Vec<Memory> = Vec::new();
        for (count, elem) in vectors.into_iter().zip(elements) {
            let (first, size) = (Index::constant(before * plan.lanes), Index::constant(count * plan.lanes));
            let ptr = self.code.gep(taken.ptr, first, float);
            parts.push(self.code.contiguous(ptr, elem, &[size]));
            before += count;
        }
        let results = parts.split_off(2);
        let [filters, input] = [parts[0].clone(), parts[1].clone()];
        let turned = Turned { filters, input, results, memories: memories.to_vec() };
        let (from, to) = self.share_of(plan.share);
        let outer = self.roots.len();
        self.roots.extend(d.roots.iter().map(|root| root.tensor));
        self.for_loop((from, to, Index::constant(1)), &[], |this, unit, _| {
            let unit = this.depthwise_unit(plan, unit);
            this.turn_filters(d, &unit, &turned.filters)?;
            this.turn_input(plan, &unit, columns, &turned.input)?;
            this.depthwise_rows(plan, &unit, columns, &turned)?;
            for (root, (from, to)) in turned.results.iter().zip(memories).enumerate() {
                if !d.roots[root].has_channels_inside() {
                    this.store_turned(plan, &unit, root, from, to)?;
                }
            }
            Ok(Vec::new())
        })?;
        self.roots.truncate(outer);
        self.give(taken)
    }

    /// What a unit is about: the stripes of a vector of channels come one after the other.
    fn depthwise_unit(&mut self, plan: &DepthwisePlan, unit: Index) -> Unit {
        if let Some(image) = plan.tiles {
            let [down, across] = self.image_tiles(image);
            let (tiles, blocks) = (self.code.mul(down, across), Index::constant(plan.blocks));
            let block = self.code.divide("arith.divui", unit, tiles);
            let number = self.code.divide("arith.remui", unit, tiles);
            let channel = self.code.divide("arith.remui", block, blocks);
            let ImageTile { first, count } = self.image_tile(image, number);
            return Unit {
                image: self.code.divide("arith.divui", block, blocks),
                channel: self.code.mul(channel, Index::constant(plan.lanes)),
                first,
                count,
            };
        }
        let (stripes, blocks) = (Index::constant(plan.stripes), Index::constant(plan.blocks));
        let block = self.code.divide("arith.divui", unit, stripes);
        let stripe = self.code.divide("arith.remui", unit, stripes);
        let row = self.code.mul(stripe, Index::constant(plan.rows));
        let channel = self.code.divide("arith.remui", block, blocks);
        Unit {
            image: self.code.divide("arith.divui", block, blocks),
            channel: self.code.mul(channel, Index::constant(plan.lanes)),
            first: [self.code.min(row, Index::constant(plan.form.sizes[2] - plan.rows)), Index::ZERO],
            count: [plan.rows, plan.form.sizes[3]].map(Index::constant),
        }
    }

    /// The results of a stripe.
    fn depthwise_rows(&mut self, plan: &DepthwisePlan, unit: &Unit, columns: i64, turned: &Turned) -> Supported<()> {
        let (one, width) = (Index::constant(1), plan.form.sizes[3]);
        let whole = width / plan.pixels * plan.pixels;
        self.for_loop((Index::ZERO, unit.count[0], one), &[], |this, row, _| {
            if plan.tiles.is_some() {
                // Pixels beyond the tile are overwritten by those of the next row.
                let covers = !plan.form.roots.iter().any(Root::has_channels_inside);
                this.in_open_tiles(unit.count[1], (plan.pixels, covers), |this, column, pixels| {
                    this.depthwise_tile(plan, unit, columns, (row, column, pixels), turned)
                })?;
                return Ok(Vec::new());
            }
            let (from, step) = (Index::ZERO, Index::constant(plan.pixels));
            this.for_loop((from, Index::constant(whole), step), &[], |this, column, _| {
                this.depthwise_tile(plan, unit, columns, (row, column, plan.pixels), turned).map(|()| Vec::new())
            })?;
            if width > whole {
                this.depthwise_tile(plan, unit, columns, (row, Index::constant(whole), width - whole), turned)?;
            }
            Ok(Vec::new())
        })
        .map(|_| ())
    }

    /// Some pixels of a row of a stripe, and what follows them.
    fn depthwise_tile(
        &mut self,
        plan: &DepthwisePlan,
        unit: &Unit,
        columns: i64,
        (row, column, pixels): (Index, Index, i64),
        turned: &Turned,
    ) -> Supported<()> {
        let (d, lanes) = (&plan.form, plan.lanes);
        let sums = self.depthwise_sums(d, columns, (row, column, pixels), turned);
        let mask = (d.sizes[1] % lanes != 0).then(|| {
            let left = self.code.sub(Index::constant(d.sizes[1]), unit.channel);
            self.lane_mask(left)
        });
        let line = self.code.add(unit.first[0], row);
        let left = self.code.add(unit.first[1], column);
        let points: Vec<Point> = (0..pixels)
            .map(|pixel| {
                let place = [line, left.plus(pixel)].map(LaneIndex::uniform);
                let mut idx = vec![LaneIndex::uniform(unit.image), LaneIndex::from(unit.channel)];
                idx.extend(place);
                Point { idx, mask, guard: None }
            })
            .collect();
        for (point, &sum) in points.iter().zip(&sums) {
            let sum = self.as_sums(d.bytes.as_ref(), sum);
            self.code.remember(d.y, point, sum);
        }
        let first = self.code.mul(row, unit.count[1]);
        let first = self.code.add(first, column);
        for (root, (to, memory)) in d.roots.iter().zip(turned.results.iter().zip(&turned.memories)) {
            let places: Vec<Point> = points.iter().map(|point| root.point(point)).collect();
            for (pixel, value) in self.materialize(root.tensor, &places)?.into_iter().enumerate() {
                let value = self.code.splat(value);
                if root.has_channels_inside() {
                    let at = self.code.offset(memory, &places[pixel].idx);
                    self.code.store(memory, &at, value, mask);
                } else {
                    let at = self.code.mul(first.plus(pixel as i64), Index::constant(lanes));
                    self.code.store(to, &LaneIndex::from(at), value, None);
                }
            }
        }
        Ok(())
    }

    /// The sums of some pixels of a row.
    fn depthwise_sums(
        &mut self,
        d: &Depthwise,
        columns: i64,
        (row, column, pixels): (Index, Index, i64),
        turned: &Turned,
    ) -> Vec<Value> {
        let lanes = self.code.lanes;
        let zero = self.code.number(Type::f32(self.code.at.context()), 0.0);
        let mut sums = vec![self.code.splat(zero); pixels as usize];
        let high = self.code.mul(row, Index::constant(d.stride[0] * columns));
        let left = self.code.mul(column, Index::constant(d.stride[1]));
        let first = self.code.add(high, left);
        let first = self.code.mul(first, Index::constant(lanes));
        for down in 0..d.window[0] {
            for across in 0..d.window[1] {
                let element = Index::constant((down * d.window[1] + across) * lanes);
                let filter = self.code.load(&turned.filters, &LaneIndex::from(element), None, None, None);
                for (pixel, sum) in sums.iter_mut().enumerate() {
                    let under = pixel as i64 * d.stride[1] + across * d.dilation[1];
                    let at = first.plus((down * d.dilation[0] * columns + under) * lanes);
                    let x = self.code.load(&turned.input, &LaneIndex::from(at), None, None, None);
                    *sum = self.multiply_add(filter, x, *sum);
                }
            }
        }
        sums
    }

    /// Stores a result of a stripe: its rows follow one another in memory.
    fn store_turned(
        &mut self,
        plan: &DepthwisePlan,
        unit: &Unit,
        root: usize,
        from: &Memory,
        to: &Memory,
    ) -> Supported<()> {
        let (d, lanes) = (&plan.form, plan.lanes);
        let places: Vec<Index> = (0..lanes)
            .map(|lane| {
                let idx = [unit.image, unit.channel.plus(lane), unit.first[0], unit.first[1]].map(LaneIndex::uniform);
                let idx = d.roots[root].place(&idx);
                self.code.offset(to, &idx).ix
            })
            .collect();
        if plan.tiles.is_some() {
            return self.store_open(d, unit, root, (from, to), &places);
        }
        let pixels = plan.rows * d.sizes[3];
        let block = |this: &mut Self, first: Index, count: i64| {
            let masked = (count < lanes).then_some(Index::constant(count));
            this.store_block_of_pixels(d, unit, (from, to, &places), [first; 2], (count, masked))
        };
        let whole = pixels / lanes * lanes;
        self.for_loop((Index::ZERO, Index::constant(whole), Index::constant(lanes)), &[], |this, first, _| {
            block(this, first, lanes)
        })?;
        if pixels > whole {
            block(self, Index::constant(whole), pixels - whole)?;
        }
        Ok(())
    }

    /// The same for a tile whose size only a run knows. Rows that are as long as those of the image follow one another in memory, too.
    fn store_open(
        &mut self,
        d: &Depthwise,
        unit: &Unit,
        root: usize,
        (from, to): (&Memory, &Memory),
        places: &[Index],
    ) -> Supported<()> {
        let [rows, columns] = unit.count;
        let width = self.tensors[d.roots[root].tensor].dims[3];
        let all = self.code.mul(rows, columns);
        let (has, of) = (self.code.ix(columns), self.code.ix(width));
        let whole = self.code.compare(0, has, of);
        let [runs, length] = [(Index::constant(1), rows), (all, columns)].map(|(yes, no)| {
            let (yes, no) = (self.code.ix(yes), self.code.ix(no));
            Index::value(self.code.select(whole, yes, no))
        });
        let (lanes, one) = (self.code.lanes, Index::constant(1));
        let rest = self.code.divide("arith.remui", length, Index::constant(lanes));
        let end = self.code.sub(length, rest);
        self.for_loop((Index::ZERO, runs, one), &[], |this, run, _| {
            let (before, below) = (this.code.mul(run, columns), this.code.mul(run, width));
            for (start, stop, masked) in [(Index::ZERO, end, false), (end, length, true)] {
                this.for_loop((start, stop, Index::constant(lanes)), &[], |this, first, _| {
                    let first = [this.code.add(before, first), this.code.add(below, first)];
                    this.store_block_of_pixels(d, unit, (from, to, places), first, (lanes, masked.then_some(rest)))
                })?;
            }
            Ok(Vec::new())
        })
        .map(|_| ())
    }

    /// Stores a vector of pixels of each channel: those from pixel `first` of the scratch memory on go `behind` elements after the channel's place. The
    /// scratch memory has `count` of them; if `masked` is given, only so many are stored.
    fn store_block_of_pixels(
        &mut self,
        d: &Depthwise,
        unit: &Unit,
        (from, to, places): (&Memory, &Memory, &[Index]),
        [first, behind]: [Index; 2],
        (count, masked): (i64, Option<Index>),
    ) -> Supported<Vec<Value>> {
        let lanes = self.code.lanes;
        let pixels = (0..lanes).map(|pixel| {
            // What lies beyond the last pixel of a stripe is not stored.
            let at = self.code.mul(first.plus(pixel.min(count - 1)), Index::constant(lanes));
            self.code.load(from, &LaneIndex::from(at), None, None, None)
        });
        let pixels = pixels.collect();
        let mask = masked.map(|count| self.lane_mask(count));
        for (lane, values) in self.transposed(pixels).into_iter().enumerate() {
            let at = self.code.add(places[lane], behind);
            let store = |this: &mut Self| {
                this.code.store(to, &LaneIndex::from(at), values, mask);
                Ok(Vec::new())
            };
            if d.sizes[1] % lanes == 0 {
                store(self)?;
            } else {
                let channel = self.code.ix(unit.channel.plus(lane as i64));
                let channels = self.code.ix(Index::constant(d.sizes[1]));
                let there = self.code.compare(6, channel, channels);
                self.if_else(there, &[], store, |_| Ok(Vec::new()))?;
            }
        }
        Ok(Vec::new())
    }
}
