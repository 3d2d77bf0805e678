//! Emits products with packed matrices of floats: rows together, panel by panel.
use super::plan::PanelPlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::panels::{PanelResults, ROWS, SumTile};
use crate::graph::Memory;
use halyard_ir::{Type, Value};

/// Steps of the sum in the body of a loop.
const UNROLLED: i64 = 8;

/// Where things are.
struct Work<'p> {
    plan: &'p PanelPlan,
    /// The floats from a row of activations to the next.
    pitch: i64,
    /// The activations: those of a chunk of rows in scratch memory, or all of them where they are.
    activations: Memory,
    matrix: Memory,
}

/// A tile: some rows of [`Work::activations`] with some vectors of a panel.
struct Tile<'v> {
    panel: Index,
    row: Index,
    rows: i64,
    vectors: &'v [i64],
}

impl Emitter<'_> {
    /// Emits the kernel.
    pub(in crate::families) fn multiply_panels(&mut self, plan: &PanelPlan, memories: &[Memory]) -> Supported<()> {
        let form = &plan.form;
        self.code.lanes = plan.lanes;
        let rows = self.rows_of_product(form.y);
        let (taken, pitch, activations) = if form.in_place {
            (None, form.steps, self.memory(form.x)?)
        } else {
            let pitch = (form.steps + plan.lanes - 1) / plan.lanes * plan.lanes;
            let together = Index::constant(plan.grid.together);
            let most = self.code.min(rows, together);
            let count = self.code.mul(most, Index::constant(pitch));
            let taken = self.take(count, 4)?;
            let float = Type::f32(self.code.at.context());
            (Some(taken), pitch, self.code.contiguous(taken.ptr, float, &[count]))
        };
        let work = Work { plan, pitch, activations, matrix: self.memory(form.matrix)? };
        let results = PanelResults { y: form.y, columns: form.columns, roots: &form.roots, memories };
        self.roots.extend(form.roots.iter().map(|root| root.tensor));
        let prepare = |this: &mut Self, first, count| this.widen_activations(&work, first, count);
        self.rows_with_panels(rows, &plan.grid, taken, prepare, |this, panel, first, count, short| {
            let mut done = Index::ZERO;
            for height in plan.heights() {
                let high = Index::constant(height);
                let left = this.code.sub(count, done);
                let tiles = this.code.divide("arith.divui", left, high);
                let whole = this.code.mul(tiles, high);
                let end = this.code.add(done, whole);
                this.for_loop((done, end, high), &[], |this, row, _| {
                    this.panel_tiles(&work, &results, (panel, short), (first, row, height)).map(|()| Vec::new())
                })?;
                done = end;
            }
            Ok(())
        })?;
        self.roots.truncate(self.roots.len() - form.roots.len());
        taken.map_or(Ok(()), |taken| self.give(taken))
    }

    /// Rows `from` and so many more as f32, into scratch memory.
    fn widen_activations(&mut self, w: &Work<'_>, from: Index, rows: Index) -> Supported<()> {
        let (form, lanes, one) = (&w.plan.form, w.plan.lanes, Index::constant(1));
        self.for_loop((Index::ZERO, rows, one), &[], |this, row, _| {
            let (line, start) = (this.code.add(from, row), this.code.mul(row, Index::constant(w.pitch)));
            this.for_loop((Index::ZERO, Index::constant(w.pitch), Index::constant(lanes)), &[], |this, k, _| {
                let left = this.code.sub(Index::constant(form.steps), k);
                let mask = (form.steps % lanes != 0).then(|| this.lane_mask(left));
                let mut idx = this.place_of_row(form.y, line);
                idx.push(LaneIndex::from(k));
                let point = Point { idx, mask, guard: None };
                let x = this.materialize(form.x, &[point])?[0];
                let x = this.code.splat(x);
                let x = this.as_f32(x);
                let to = this.code.add(start, k);
                this.code.store(&w.activations, &LaneIndex::from(to), x, None);
                Ok(Vec::new())
            })
        })
        .map(|_| ())
    }

    /// The sums of some rows with a panel, and what follows them. A short panel lacks whole vectors of columns.
    fn panel_tiles(
        &mut self,
        w: &Work<'_>,
        results: &PanelResults<'_>,
        (panel, short): (Index, bool),
        (chunk, row, rows): (Index, Index, i64),
    ) -> Supported<()> {
        let columns = if short { w.plan.form.columns % ROWS } else { ROWS };
        let all: Vec<i64> = (0..(columns + self.code.lanes - 1) / self.code.lanes).collect();
        let side = if rows == 1 { w.plan.vectors.max(4) } else { w.plan.vectors };
        for vectors in all.chunks(side as usize) {
            let line = self.code.add(chunk, row);
            let held = if w.plan.form.in_place { line } else { row };
            let sums = self.panel_sums(w, &Tile { panel, row: held, rows, vectors })?;
            let row = line;
            self.store_panel_tile(results, &SumTile { row, rows, panel, vectors }, &sums)?;
        }
        Ok(())
    }

    /// The sums of a tile, row by row.
    fn panel_sums(&mut self, w: &Work<'_>, tile: &Tile<'_>) -> Supported<Vec<Value>> {
        let (steps, count) = (w.plan.form.steps, tile.rows * tile.vectors.len() as i64);
        // Each addition to a sum waits for the one before: few sums are kept in several parts.
        let parts = (w.plan.least_sums / count).clamp(1, UNROLLED);
        let zero = self.code.number(Type::f32(self.code.at.context()), 0.0);
        let start = vec![self.code.splat(zero); (count * parts) as usize];
        let whole = steps / UNROLLED * UNROLLED;
        let bounds = (Index::ZERO, Index::constant(whole), Index::constant(UNROLLED));
        let mut sums = self.for_loop(bounds, &start, |this, k, sums| {
            let mut sums = sums.to_vec();
            (0..UNROLLED).for_each(|at| this.panel_step(w, tile, k.plus(at), at % parts, &mut sums));
            Ok(sums)
        })?;
        (whole..steps).for_each(|k| self.panel_step(w, tile, Index::constant(k), k % parts, &mut sums));
        let (first, others) = sums.split_at(count as usize);
        let mut total = first.to_vec();
        for part in others.chunks(count as usize) {
            for (sum, more) in total.iter_mut().zip(part) {
                *sum = self.code.math("arith.addf", &[*sum, *more]);
            }
        }
        Ok(total)
    }

    /// One step of all sums of a tile, in one of their parts.
    fn panel_step(&mut self, w: &Work<'_>, tile: &Tile<'_>, k: Index, part: i64, sums: &mut [Value]) {
        let (lanes, steps) = (self.code.lanes, w.plan.form.steps);
        let start = self.code.mul(tile.panel, Index::constant(steps * ROWS));
        let own = self.code.mul(k, Index::constant(ROWS));
        let line = self.code.add(start, own);
        let weights: Vec<Value> = tile
            .vectors
            .iter()
            .map(|vector| {
                let weight = self.code.load(&w.matrix, &LaneIndex::from(line.plus(vector * lanes)), None, None, None);
                self.as_f32(weight)
            })
            .collect();
        let first = self.code.mul(tile.row, Index::constant(w.pitch));
        let first = self.code.add(w.activations.offset, first);
        for row in 0..tile.rows {
            let at = self.code.add(first.plus(row * w.pitch), k);
            let x = self.code.load(&w.activations, &LaneIndex::uniform(at), None, None, None);
            let x = self.code.splat(x);
            for (of, &weight) in weights.iter().enumerate() {
                let at = ((part * tile.rows + row) * weights.len() as i64) as usize + of;
                sums[at] = self.multiply_add(weight, x, sums[at]);
            }
        }
    }
}
