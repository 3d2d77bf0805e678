//! Emits products with packed matrices of floats: rows together, panel by panel.
use super::plan::{PanelPlan, TILE_ROWS};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::byte_groups::ByteInput;
use crate::families::panels::{PanelResults, ROWS, SumTile};
use crate::graph::Memory;
use halyard_ir::{Type, Value};

/// Steps of the sum in the body of a loop.
const UNROLLED: i64 = 8;

/// Where things are.
pub(super) struct Work<'p> {
    pub(super) plan: &'p PanelPlan,
    /// The floats from a row of activations to the next.
    pub(super) pitch: i64,
    /// The activations: those of a chunk of rows in scratch memory, or all of them where they are.
    pub(super) activations: Memory,
    pub(super) matrix: Memory,
    /// Of bytes: what is added to the activations to have bytes, and their zero point then, negated.
    shift: Option<Value>,
    pub(super) minus_zero: Option<Value>,
}

/// A tile: some rows of [`Work::activations`] with some vectors of a panel.
struct Tile<'v> {
    panel: Index,
    row: Index,
    rows: i64,
    vectors: &'v [i64],
    /// What the sums with each vector start from.
    starts: &'v [Value],
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
            // Tiles read whole registers of rows.
            let most = if plan.tiles { most.plus(TILE_ROWS - 1) } else { most };
            let count = self.code.mul(most, Index::constant(pitch));
            let taken = self.take(count, 4)?;
            let elem = if form.bytes.is_some() { self.code.int(32) } else { Type::f32(self.code.at.context()) };
            (Some(taken), pitch, self.code.contiguous(taken.ptr, elem, &[count]))
        };
        let mut work =
            Work { plan, pitch, activations, matrix: self.memory(form.matrix)?, shift: None, minus_zero: None };
        if let Some(bytes) = &form.bytes {
            work.matrix = self.as_groups(&work.matrix, bytes.instruction);
            (work.shift, work.minus_zero) = self.correction_of(bytes)?;
        }
        let space = plan.tiles.then(|| {
            self.set_tiles(form.steps);
            self.memory_of_tiles()
        });
        let results = PanelResults { y: form.y, columns: form.columns, roots: &form.roots, memories };
        self.roots.extend(form.roots.iter().map(|root| root.tensor));
        let prepare = |this: &mut Self, first, count| match &form.bytes {
            Some(bytes) => this.copy_bytes(&work, bytes, first, count),
            None => this.widen_activations(&work, first, count),
        };
        self.rows_with_panels(rows, &plan.grid, taken, prepare, |this, panel, first, count, short| {
            let mut done = Index::ZERO;
            let starts = this.panel_starts(&work, panel)?;
            if let Some(space) = &space {
                return this.panel_by_tiles(&work, (&results, space), (panel, short, &starts), (first, count));
            }
            for height in plan.heights() {
                let high = Index::constant(height);
                let left = this.code.sub(count, done);
                let tiles = this.code.divide("arith.divui", left, high);
                let whole = this.code.mul(tiles, high);
                let end = this.code.add(done, whole);
                this.for_loop((done, end, high), &[], |this, row, _| {
                    this.panel_tiles(&work, &results, (panel, short, &starts), (first, row, height))
                        .map(|()| Vec::new())
                })?;
                done = end;
            }
            Ok(())
        })?;
        self.roots.truncate(self.roots.len() - form.roots.len());
        if plan.tiles {
            self.release_tiles();
        }
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

    /// Rows `from` and so many more as an instruction multiplies them, into scratch memory.
    fn copy_bytes(&mut self, w: &Work<'_>, input: &ByteInput, from: Index, rows: Index) -> Supported<()> {
        let (form, lanes, steps) = (&w.plan.form, w.plan.lanes, input.channels);
        let (group, elem) = (input.short().group(), self.code.int(input.short().bits()));
        let numbers = Memory { elem, ..w.activations.clone() };
        let width = lanes * group;
        self.code.lanes = width;
        let result = self.for_loop((Index::ZERO, rows, Index::constant(1)), &[], |this, row, _| {
            let (line, start) = (this.code.add(from, row), this.code.mul(row, Index::constant(w.pitch * group)));
            let piece = |this: &mut Self, k: Index, mask: Option<Value>| -> Supported<()> {
                let mut idx = this.place_of_row(form.y, line);
                idx.push(LaneIndex::from(k));
                let value = this.materialize(form.x, &[Point { idx, mask, guard: None }])?[0];
                let mut value = this.code.splat(value);
                if let Some(shift) = w.shift {
                    let shift = this.code.splat(shift);
                    value = this.code.math("arith.addi", &[value, shift]);
                }
                let value = this.narrow(value, elem);
                let to = this.code.add(start, k);
                this.code.store(&numbers, &LaneIndex::from(to), value, mask);
                Ok(())
            };
            let whole = steps / width * width;
            let bounds = (Index::ZERO, Index::constant(whole), Index::constant(width));
            this.for_loop(bounds, &[], |this, k, _| piece(this, k, None).map(|()| Vec::new()))?;
            if whole < steps {
                // What the last group has beside them is multiplied with zeros.
                let mask = this.lane_mask(Index::constant(steps - whole));
                piece(this, Index::constant(whole), Some(mask))?;
            }
            Ok(Vec::new())
        });
        self.code.lanes = lanes;
        result.map(|_| ())
    }

    /// What the sums with each vector of a panel start from.
    fn panel_starts(&mut self, w: &Work<'_>, panel: Index) -> Supported<Vec<Value>> {
        let (form, vectors) = (&w.plan.form, ROWS / w.plan.lanes);
        let Some(bytes) = &form.bytes else {
            let zero = self.code.number(Type::f32(self.code.at.context()), 0.0);
            return Ok(vec![self.code.splat(zero); vectors as usize]);
        };
        let first = self.code.mul(panel, Index::constant(form.steps * ROWS));
        self.starts_of_sums(bytes.instruction, w.minus_zero, &w.matrix, (first, vectors, form.steps))
    }

    /// The sums of some rows with a panel, and what follows them. A short panel lacks whole vectors of columns.
    fn panel_tiles(
        &mut self,
        w: &Work<'_>,
        results: &PanelResults<'_>,
        (panel, short, starts): (Index, bool, &[Value]),
        (chunk, row, rows): (Index, Index, i64),
    ) -> Supported<()> {
        let columns = if short { w.plan.form.columns % ROWS } else { ROWS };
        let all: Vec<i64> = (0..(columns + self.code.lanes - 1) / self.code.lanes).collect();
        let side = if rows == 1 { w.plan.vectors.max(4) } else { w.plan.vectors };
        for vectors in all.chunks(side as usize) {
            let line = self.code.add(chunk, row);
            let held = if w.plan.form.in_place { line } else { row };
            let starts = &starts[vectors[0] as usize..][..vectors.len()];
            let sums = self.panel_sums(w, &Tile { panel, row: held, rows, vectors, starts })?;
            let row = line;
            self.store_panel_tile(results, &SumTile { row, rows, panel, vectors }, &sums)?;
        }
        Ok(())
    }

    /// The sums of a tile, row by row.
    fn panel_sums(&mut self, w: &Work<'_>, tile: &Tile<'_>) -> Supported<Vec<Value>> {
        let (steps, count) = (w.plan.form.steps, tile.rows * tile.vectors.len() as i64);
        // Each addition to a sum waits for the one before: few sums are kept in several parts. All columns are added up in one order, also
        // those of a narrow last tile: equal columns have equal sums.
        let parts = (w.plan.least_sums / (tile.rows * w.plan.vectors)).clamp(1, UNROLLED);
        let zero = self.code.number(w.activations.elem, 0.0);
        let mut start = vec![self.code.splat(zero); (count * parts) as usize];
        for row in start[..count as usize].chunks_mut(tile.starts.len()) {
            row.copy_from_slice(tile.starts);
        }
        let add = if w.plan.form.bytes.is_some() { "arith.addi" } else { "arith.addf" };
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
                *sum = self.code.math(add, &[*sum, *more]);
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
                let at = line.plus(vector * lanes);
                if let Some(bytes) = &w.plan.form.bytes {
                    return self.load_groups(&w.matrix, at, bytes.instruction);
                }
                let weight = self.code.load(&w.matrix, &LaneIndex::from(at), None, None, None);
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
                sums[at] = match &w.plan.form.bytes {
                    Some(bytes) => self.dot(bytes.instruction, sums[at], x, weight),
                    None => self.multiply_add(weight, x, sums[at]),
                };
            }
        }
    }
}
