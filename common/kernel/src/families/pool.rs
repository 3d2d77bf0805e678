//! Pooling: the largest element, or the sum, of windows that slide over the planes of images. What follows (division by the
//! size, activation) is computed as each result is stored.
//!
//! Windows are taken apart: first the rows of a window are combined, with lanes along whole rows of the input, then the
//! columns of what came of that. Nothing is combined twice for windows that overlap, and padding costs nothing: rows outside
//! are left out, columns outside stand beside the combined rows.
use super::forms::{dim, dims, window};
use crate::Emitter;
use crate::emit::combiner::{Combiner, combiner};
use crate::emit::index::{Index, LaneIndex, Lanes, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::emit::memory::Memory;
use crate::graph::Kind;
use crate::machine::convolutions::MOST_POOLED_BYTES;
use halyard_ir::{Attr, Value};

/// A pooling.
pub(super) struct Pool {
    /// What is stored, computed from the result point by point.
    roots: Vec<usize>,
    y: usize,
    init: usize,
    /// The input, without padding.
    x: usize,
    combiner: Combiner,
    /// Sizes of the input and of the result: images, planes, rows, columns.
    from: [i64; 4],
    to: [i64; 4],
    /// Rows and columns of the window, from one place of it to the next, and of the padding before the image.
    window: [i64; 2],
    stride: [i64; 2],
    before: [i64; 2],
}

/// Combined rows of a plane.
struct Rows {
    memory: Memory,
    /// How many, and the elements from one to the next.
    count: i64,
    pitch: i64,
    /// The neutral element of the pooling, which stands for padding.
    neutral: Value,
}

impl Emitter<'_> {
    /// Recognises the form: results that all follow one pooling.
    pub(super) fn pooling(&self, roots: &[usize]) -> Option<Pool> {
        let pools =
            |t: &usize| self.node_of(*t).is_some_and(|n| n.reduction == [false, false, false, false, true, true]);
        let y = (0..self.tensors.len()).find(pools)?;
        let node = self.node_of(y)?;
        let (args, ops) = (node.body.args(), node.body.ops());
        let [combine, end] = ops.as_slice() else { return None };
        let (first, sum) = (args[0], *args.last()?);
        let pair = combine.operands() == [first, sum] || combine.operands() == [sum, first];
        let unused = args[1..args.len() - 1].iter().all(|a| !a.has_uses());
        let combiner = combiner(combine.result(0), sum).filter(|_| end.operand(0) == combine.result(0))?;
        let [n, c, high, wide] = &node.maps[0][..] else { return None };
        let (high, wide) = (window(high, 2, 4)?, window(wide, 3, 5)?);
        let places = (n, c) == (&dim(0), &dim(1)) && node.out_map(0) == dims(&[0, 1, 2, 3]);
        let padded = *self.inputs_of(node)?.first()?;
        let (x, before) = self.without_padding(padded, combiner)?;
        let kinds = [x, y].iter().all(|t| self.tensors[*t].elem.to_string() == "f32");
        let memory = matches!(self.tensors[x].kind, Kind::Memory(_));
        let (from, to) = (self.sizes_of(x)?.try_into().ok()?, self.sizes_of(y)?.try_into().ok()?);
        let [_, _, _, columns] = to;
        let known = |d: usize| node.dims[d].known();
        let right = pair && unused && places && kinds && memory && (high.1, wide.1) == (1, 1) && columns > 1;
        (right && roots.iter().all(|root| self.follows(*root, y))).then_some(Pool {
            roots: roots.to_vec(),
            y,
            init: node.inits[0],
            x,
            combiner,
            from,
            to,
            window: [known(4)?, known(5)?],
            stride: [high.0, wide.0],
            before,
        })
    }

    /// What is padded, and the rows and columns before it, if the padding changes no result.
    fn without_padding(&self, tensor: usize, combiner: Combiner) -> Option<(usize, [i64; 2])> {
        let Kind::Pad { src, low, region } = &self.tensors[tensor].kind else { return Some((tensor, [0, 0])) };
        let value = region.terminator()?.operand(0).def()?.attr("value").and_then(Attr::as_float)?;
        let low: Vec<i64> = low.iter().map(|l| l.known()).collect::<Option<_>>()?;
        let planes = low[..2] == [0, 0] && self.sizes_of(*src)?[..2] == self.sizes_of(tensor)?[..2];
        (planes && low.iter().all(|l| *l >= 0) && combiner.ignores(value)).then_some((*src, [low[2], low[3]]))
    }

    /// Emits the kernel; says how.
    pub(super) fn pool(&mut self, p: &Pool, memories: &[Memory]) -> Supported<String> {
        self.code.lanes = i64::from(self.target.vector_bits / 32);
        let lanes = self.code.lanes;
        let whole = |n: i64| (n + lanes - 1) / lanes * lanes;
        let elem = self.tensors[p.y].elem;
        // All that whole vectors of results read.
        let reach = (whole(p.to[3]) - 1) * p.stride[1] + p.window[1];
        let pitch = whole(reach.max(p.before[1] + whole(p.from[3])));
        let fits = (self.target.cpu.convolutions.pooled_bytes / (4 * pitch)).max(1);
        let divisors: Vec<i64> =
            (1..=p.to[2]).filter(|r| p.to[2] % r == 0 && r * pitch * 4 <= MOST_POOLED_BYTES).collect();
        let count = divisors.iter().copied().filter(|r| *r <= fits).max().unwrap_or(1);
        let count = self.choices.number("rows", count, |rows| divisors.contains(&rows));
        self.choices.record_number("rows", count, if divisors.is_empty() { vec![1] } else { divisors });
        let ptr = self.code.stack(elem, count * pitch);
        let memory = self.code.contiguous(ptr, elem, &[Index::constant(count * pitch)]);
        let neutral = p.combiner.neutral(&mut self.code, elem);
        let neutral = self.code.splat(neutral);
        let rows = Rows { memory, count, pitch, neutral };
        let all = (Index::ZERO, Index::constant(count * pitch), Index::constant(lanes));
        self.for_loop(all, &[], |this, at, _| {
            this.code.store(&rows.memory, &LaneIndex::from(at), neutral, None);
            Ok(Vec::new())
        })?;
        let (from, to) = self.share_of(p.to[0] * p.to[1]);
        self.roots.extend(&p.roots);
        self.for_loop((from, to, Index::constant(1)), &[], |this, plane, _| {
            let image = this.code.divide("arith.divui", plane, Index::constant(p.to[1]));
            let channel = this.code.divide("arith.remui", plane, Index::constant(p.to[1]));
            let stripes = (Index::ZERO, Index::constant(p.to[2]), Index::constant(count));
            this.for_loop(stripes, &[], |this, top, _| {
                this.combine_rows(p, &rows, (image, channel, top))?;
                this.combine_columns(p, &rows, (image, channel, top), memories)?;
                Ok(Vec::new())
            })?;
            Ok(Vec::new())
        })?;
        self.roots.truncate(self.roots.len() - p.roots.len());
        let [high, wide] = p.window;
        Ok(format!(
            "pooling, windows of {high} x {wide}, {count} of {} rows at a time with {lanes} lanes along them",
            p.to[2]
        ))
    }

    /// The rows of the windows of some rows of the result, each combined to one.
    fn combine_rows(&mut self, p: &Pool, rows: &Rows, (image, channel, top): (Index, Index, Index)) -> Supported<()> {
        let (lanes, one) = (self.code.lanes, Index::constant(1));
        self.for_loop((Index::ZERO, Index::constant(rows.count), one), &[], |this, row, _| {
            let y = this.code.add(top, row);
            let high = this.code.mul(y, Index::constant(p.stride[0]));
            let high = high.plus(-p.before[0]);
            let inside = p.before[0] == 0 && (p.to[2] - 1) * p.stride[0] + p.window[0] <= p.from[2];
            let (first, end) = if inside {
                (Index::ZERO, Index::constant(p.window[0]))
            } else {
                let above = this.code.sub(Index::ZERO, high);
                let below = this.code.sub(Index::constant(p.from[2]), high);
                (this.code.max(Index::ZERO, above), this.code.min(Index::constant(p.window[0]), below))
            };
            let line = this.code.mul(row, Index::constant(rows.pitch)).plus(p.before[1]);
            let width = this.target.cpu.convolutions.pooled_vectors * lanes;
            for left in (0..p.from[3]).step_by(width as usize) {
                let columns: Vec<i64> = (left..p.from[3].min(left + width)).step_by(lanes as usize).collect();
                let start = vec![rows.neutral; columns.len()];
                let combined = this.for_loop((first, end, one), &start, |this, i, sums| {
                    let high = this.code.add(high, i);
                    let mut next = Vec::new();
                    for (&column, &sum) in columns.iter().zip(sums) {
                        let left = p.from[3] - column;
                        let mask = (left < lanes).then(|| this.lane_mask(Index::constant(left)));
                        let idx = [image, channel, high].map(LaneIndex::uniform).into_iter();
                        let idx = idx.chain([LaneIndex::from(Index::constant(column))]).collect();
                        let value = this.materialize(p.x, &[Point { idx, mask, guard: None }])?[0];
                        let value = match mask {
                            Some(mask) => this.code.select(mask, value, rows.neutral),
                            None => value,
                        };
                        next.push(p.combiner.apply(&mut this.code, sum, value));
                    }
                    Ok(next)
                })?;
                for (&column, value) in columns.iter().zip(combined) {
                    this.code.store(&rows.memory, &LaneIndex::from(line.plus(column)), value, None);
                }
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// The columns of the windows, and what follows.
    fn combine_columns(
        &mut self,
        p: &Pool,
        rows: &Rows,
        (image, channel, top): (Index, Index, Index),
        memories: &[Memory],
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        self.for_loop((Index::ZERO, Index::constant(rows.count), Index::constant(1)), &[], |this, row, _| {
            let line = this.code.mul(row, Index::constant(rows.pitch));
            let y = this.code.add(top, row);
            let full = p.to[3] / lanes * lanes;
            for (from, to, some) in [(0, full, false), (full, p.to[3], true)] {
                let bounds = (Index::constant(from), Index::constant(to), Index::constant(lanes));
                this.for_loop(bounds, &[], |this, column, _| {
                    let left = this.code.mul(column, Index::constant(p.stride[1]));
                    let at = this.code.add(line, left);
                    let mut sum: Option<Value> = None;
                    for j in 0..p.window[1] {
                        let place = LaneIndex { ix: at.plus(j), lanes: Lanes::Strided(p.stride[1]) };
                        let value = this.code.load(&rows.memory, &place, None, None, None);
                        sum = Some(match sum {
                            Some(sum) => p.combiner.apply(&mut this.code, sum, value),
                            None => value,
                        });
                    }
                    let mask = some.then(|| this.lane_mask(Index::constant(p.to[3] - full)));
                    let idx = [image, channel, y]
                        .map(LaneIndex::uniform)
                        .into_iter()
                        .chain([LaneIndex::from(column)])
                        .collect();
                    let point = Point { idx, mask, guard: None };
                    let init = this.materialize(p.init, std::slice::from_ref(&point))?[0];
                    let init = this.code.splat(init);
                    let sum = p.combiner.apply(&mut this.code, init, sum.unwrap_or(rows.neutral));
                    this.code.remember(p.y, &point, sum);
                    for (root, memory) in p.roots.iter().zip(memories) {
                        let value = this.materialize(*root, std::slice::from_ref(&point))?[0];
                        let offset = this.code.offset(memory, &point.idx);
                        this.code.store(memory, &offset, value, mask);
                    }
                    Ok(Vec::new())
                })?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }
}
