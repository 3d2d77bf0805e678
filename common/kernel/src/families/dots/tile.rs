//! Panels of columns and tiles of registers: the sums themselves, and what is made of them.
use super::emit::Work;
use super::form::Dots;
use super::pack::Columns;
use super::plan::Shared;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Memory;
use halyard_ir::Value;

impl Emitter<'_> {
    /// All panels of the workgroup, with some rows.
    pub(super) fn panels(
        &mut self,
        d: &Dots,
        w: &Work,
        memories: &[Memory],
        batch: &[LaneIndex],
        rows: (Index, Index),
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let last = d.sizes[*d.across.last().expect("columns")];
        // A panel of whole vectors of one line needs no masks.
        let ragged = last % lanes != 0;
        let full = if ragged && d.across.len() == 1 { last / lanes } else { w.vectors };
        let whole = full / w.tile.vectors;
        let (from, to) = match w.shared {
            Shared::Panels => w.share,
            _ => (Index::ZERO, Index::constant((w.vectors + w.tile.vectors - 1) / w.tile.vectors)),
        };
        let end = self.code.min(to, Index::constant(whole));
        let masks = ragged && d.across.len() > 1;
        self.for_loop((from, end, Index::constant(1)), &[], |this, panel, _| {
            let first = this.code.mul(panel, Index::constant(w.tile.vectors));
            this.panel(d, w, memories, (batch, rows), (first, w.tile.vectors, masks))?;
            Ok(Vec::new())
        })?;
        let left = w.vectors - whole * w.tile.vectors;
        if left > 0 {
            let from = self.code.max(from, Index::constant(whole));
            self.for_loop((from, to, Index::constant(1)), &[], |this, _, _| {
                let first = Index::constant(whole * w.tile.vectors);
                this.panel(d, w, memories, (batch, rows), (first, left, ragged))?;
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }

    /// So many vectors of columns from the first one on.
    fn panel(
        &mut self,
        d: &Dots,
        w: &Work,
        memories: &[Memory],
        (batch, (from, to)): (&[LaneIndex], (Index, Index)),
        (first, count, masks): (Index, i64, bool),
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let (outer, last) = d.across.split_at(d.across.len() - 1);
        let size = d.sizes[last[0]];
        let columns: Columns = (0..count)
            .map(|k| {
                let vector = first.plus(k);
                let (line, within) = if outer.is_empty() {
                    (Index::ZERO, vector)
                } else {
                    let by = Index::constant(w.line);
                    (self.code.divide("arith.divui", vector, by), self.code.divide("arith.remui", vector, by))
                };
                let mut idx = self.counted(d, outer, line);
                let start = self.code.mul(within, Index::constant(lanes));
                idx.push(LaneIndex::from(start));
                let left = self.code.sub(Index::constant(size), start);
                let needed = masks && left.known().is_none_or(|n| n < lanes);
                (idx, needed.then(|| self.lane_mask(left)))
            })
            .collect();
        if d.window.is_none() {
            self.pack_columns(d, batch, &columns, w.shifts[1], &w.b)?;
        }
        self.start_columns(d, w, &columns)?;
        let high = w.tile.rows;
        let whole = w.rows / high * high;
        let end = self.code.min(to, Index::constant(whole));
        self.for_loop((from, end, Index::constant(high)), &[], |this, row, _| {
            this.dot_tile(d, w, memories, batch, &columns, (row, high))?;
            Ok(Vec::new())
        })?;
        if whole < w.rows {
            let from = self.code.max(from, Index::constant(whole));
            self.for_loop((from, to, Index::constant(w.rows - whole)), &[], |this, row, _| {
                this.dot_tile(d, w, memories, batch, &columns, (row, w.rows - whole))?;
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }

    /// What the sums of some rows start from because the columns have a zero point: `-q·(Σ u - n·p)`.
    pub(super) fn start_rows(&mut self, d: &Dots, w: &Work, (from, to): (Index, Index)) -> Supported<()> {
        let (Some(starts), Some(minus)) = (&w.row_starts, w.zeros[1]) else { return Ok(()) };
        let lanes = i64::from(self.target.vector_bits / 32);
        let outer = std::mem::replace(&mut self.code.lanes, lanes);
        let int = self.code.int(32);
        let ones = self.code.number(int, f64::from(0x0101_0101));
        let ones = self.code.splat(ones);
        let zero = self.code.number(int, 0.0);
        let none = self.code.splat(zero);
        // `n·p` is part of every row's sum.
        let all = self.code.number(int, d.product(&d.sums) as f64);
        let all = w.zeros[0].map_or(zero, |p| self.code.math("arith.muli", &[p, all]));
        let result = self.for_loop((from, to, Index::constant(1)), &[], |this, row, _| {
            let start = this.code.mul(row, Index::constant(w.pitch));
            let bounds = (Index::ZERO, Index::constant(w.pitch), Index::constant(lanes));
            let sums = this.for_loop(bounds, &[none], |this, k, sums| {
                let at = this.code.add(start, k);
                let bytes = this.code.load(&w.a.groups, &LaneIndex::from(at), None, None, None);
                Ok(vec![this.dot(d.instruction, sums[0], bytes, ones)])
            })?;
            let this_row = this.code.add(starts.offset, row);
            let sum = this.code.total(sums[0]);
            let sum = this.code.math("arith.addi", &[sum, all]);
            let sum = this.code.math("arith.muli", &[sum, minus]);
            this.code.store(starts, &LaneIndex::uniform(this_row), sum, None);
            Ok(Vec::new())
        });
        self.code.lanes = outer;
        result.map(|_| ())
    }

    /// What the sums of a panel's columns start from because the rows have a zero point: `-p·Σ s`.
    fn start_columns(&mut self, d: &Dots, w: &Work, columns: &Columns) -> Supported<()> {
        let (Some(starts), Some(minus)) = (&w.column_starts, w.zeros[0]) else { return Ok(()) };
        let (lanes, int) = (self.code.lanes, self.code.int(32));
        let ones = self.code.number(int, f64::from(0x0101_0101));
        let ones = self.code.splat(ones);
        let zero = self.code.number(int, 0.0);
        let zero = self.code.splat(zero);
        let minus = self.code.splat(minus);
        let sums = self.each_step(d, columns, &w.b, &vec![zero; columns.len()], |this, _, b, sums| {
            Ok(sums.iter().zip(b).map(|(&sum, &b)| this.dot(d.instruction, sum, ones, b)).collect())
        })?;
        for (at, sum) in sums.into_iter().enumerate() {
            let start = self.code.math("arith.muli", &[sum, minus]);
            self.code.store(&starts.groups, &LaneIndex::from(Index::constant(at as i64 * lanes)), start, None);
        }
        Ok(())
    }

    /// A tile of sums, and what follows them.
    fn dot_tile(
        &mut self,
        d: &Dots,
        w: &Work,
        memories: &[Memory],
        batch: &[LaneIndex],
        columns: &Columns,
        (row, rows): (Index, i64),
    ) -> Supported<()> {
        let count = columns.len() as i64;
        let points = self.results(d, batch, columns, (row, rows));
        let start = self.starts(d, w, &points, (row, rows, count))?;
        let first = self.code.mul(row, Index::constant(w.pitch));
        let sums = self.each_step(d, columns, &w.b, &start, |this, k, b, sums| {
            let a = this.code.add(first, k);
            let mut next = Vec::with_capacity(sums.len());
            for row in 0..rows {
                let value = this.code.load(&w.a.groups, &LaneIndex::uniform(a.plus(row * w.pitch)), None, None, None);
                let value = this.code.splat(value);
                for (c, &b) in b.iter().enumerate() {
                    next.push(this.dot(d.instruction, sums[row as usize * columns.len() + c], value, b));
                }
            }
            Ok(next)
        })?;
        self.store_roots(d.y, (&d.roots, memories), &points, &sums)
    }

    /// Where the sums of a tile are in the result, row by row.
    fn results(&mut self, d: &Dots, batch: &[LaneIndex], columns: &Columns, (row, rows): (Index, i64)) -> Vec<Point> {
        let node = self.nodes[d.node].clone();
        let rank = self.tensors[d.y].dims.len();
        let mut points = Vec::new();
        for row in (0..rows).map(|r| row.plus(r)) {
            let down = self.counted(d, &d.down, row);
            for (across, mask) in columns {
                let mut idx = vec![LaneIndex::constant(0); rank];
                for (loops, at) in [(&d.batch, batch), (&d.down, &*down), (&d.across, &**across)] {
                    for (&l, at) in loops.iter().zip(at) {
                        idx[node.place[l].expect("a parallel loop")] = at.clone();
                    }
                }
                points.push(Point { idx, mask: *mask, guard: None });
            }
        }
        points
    }

    /// What the sums of a tile start from.
    fn starts(
        &mut self,
        d: &Dots,
        w: &Work,
        points: &[Point],
        (row, rows, count): (Index, i64, i64),
    ) -> Supported<Vec<Value>> {
        let elem = self.tensors[d.y].elem;
        let zero = self.code.number(elem, 0.0);
        let zero = self.code.splat(zero);
        let init = self.nodes[d.node].inits[0];
        let add = if elem.is_float() { "arith.addf" } else { "arith.addi" };
        let mut all: Vec<Option<Value>> = vec![None; points.len()];
        if !self.graph.is_zero(init) {
            for (start, value) in all.iter_mut().zip(self.materialize(init, points)?) {
                *start = Some(self.code.splat(value));
            }
        }
        let lanes = self.code.lanes;
        for row_at in 0..rows {
            let of_row = w.row_starts.as_ref().map(|starts| {
                let place = self.code.add(starts.offset, row).plus(row_at);
                let value = self.code.load(starts, &LaneIndex::uniform(place), None, None, None);
                self.code.splat(value)
            });
            for c in 0..count {
                let of_column = w.column_starts.as_ref().map(|starts| {
                    self.code.load(&starts.groups, &LaneIndex::from(Index::constant(c * lanes)), None, None, None)
                });
                let start = &mut all[(row_at * count + c) as usize];
                for more in [of_row, of_column].into_iter().flatten() {
                    *start = Some(start.map_or(more, |start| self.code.at.value(add, &[start, more], more.ty(), &[])));
                }
            }
        }
        Ok(all.into_iter().map(|start| start.unwrap_or(zero)).collect())
    }
}

impl crate::emit::ir_builder::IrBuilder {
    /// The sum of all lanes.
    fn total(&mut self, value: Value) -> Value {
        let kind = halyard_ir::Attr::parse(self.at.context(), "#vector.kind<add>").expect("an attribute of vector");
        self.at.value("vector.reduction", &[value], value.ty().element(), &[("kind", kind)])
    }
}
