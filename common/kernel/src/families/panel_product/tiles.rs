//! Products with packed matrices of bytes by matrix tiles: 32 rows by a panel at a time, whose sums go through the stack to what follows them.
use super::emit::Work;
use super::plan::TILE_ROWS;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::byte_tiles::{TILE, TileProduct};
use crate::families::panels::{PanelResults, ROWS, SumTile};
use crate::graph::Memory;
use halyard_ir::Value;

/// Rows whose results are computed side by side.
const FINISHED: i64 = 4;

impl Emitter<'_> {
    /// Memory for the sums of some rows with a panel.
    pub(super) fn memory_of_tiles(&mut self) -> Memory {
        let int = self.code.int(32);
        let ptr = self.code.stack(int, TILE_ROWS * ROWS);
        self.code.contiguous(ptr, int, &[Index::constant(TILE_ROWS * ROWS)])
    }

    /// Some rows of the activations with a panel, of which `chunk` is the first one's number in the result, and what follows the sums.
    pub(super) fn panel_by_tiles(
        &mut self,
        w: &Work<'_>,
        (results, space): (&PanelResults<'_>, &Memory),
        (panel, short, starts): (Index, bool, &[Value]),
        (chunk, count): (Index, Index),
    ) -> Supported<()> {
        let form = &w.plan.form;
        let across = if short { 1 } else { ROWS / TILE };
        let product = |down: i64| TileProduct {
            rows: (&w.activations, w.pitch),
            columns: (&w.matrix, ROWS),
            tiles: [down, across],
        };
        let matrix = self.code.mul(panel, Index::constant(form.steps * ROWS));
        let mut done = Index::ZERO;
        for down in [2, 1] {
            let high = Index::constant(down * TILE);
            // The last tile may have fewer rows.
            let up = if down == 1 { count.plus(TILE - 1) } else { count };
            let left = self.code.sub(up, done);
            let tiles = self.code.divide("arith.divui", left, high);
            let whole = self.code.mul(tiles, high);
            let end = self.code.add(done, whole);
            self.for_loop((done, end, high), &[], |this, row, _| {
                let product = product(down);
                this.clear_tiles(product.tiles);
                let x = this.code.mul(row, Index::constant(w.pitch));
                this.tile_steps(form.steps, |this, group, step| {
                    let columns = this.code.mul(group, Index::constant(ROWS));
                    let at = [this.code.add(x, group), this.code.add(matrix, columns)];
                    this.add_step(&product, at, step);
                    Ok(())
                })?;
                this.store_tiles(product.tiles, (space, Index::ZERO, ROWS));
                let left = this.code.sub(count, row);
                let count = this.code.min(left, high);
                let first = this.code.add(chunk, row);
                this.finish_panel(w, (results, space), (panel, &starts[..across as usize]), (first, count))?;
                Ok(Vec::new())
            })?;
            done = end;
        }
        Ok(())
    }

    /// What follows the sums of some rows.
    fn finish_panel(
        &mut self,
        w: &Work<'_>,
        (results, space): (&PanelResults<'_>, &Memory),
        (panel, starts): (Index, &[Value]),
        (first, count): (Index, Index),
    ) -> Supported<()> {
        let vectors: Vec<i64> = (0..starts.len() as i64).collect();
        let mut done = Index::ZERO;
        for rows in [FINISHED, 1] {
            let left = self.code.sub(count, done);
            let pieces = self.code.divide("arith.divui", left, Index::constant(rows));
            let whole = self.code.mul(pieces, Index::constant(rows));
            let end = self.code.add(done, whole);
            self.for_loop((done, end, Index::constant(rows)), &[], |this, row, _| {
                let mut sums = Vec::new();
                for at in 0..rows {
                    let from = this.code.mul(row.plus(at), Index::constant(ROWS));
                    for (vector, start) in starts.iter().enumerate() {
                        let from = LaneIndex::from(from.plus(vector as i64 * TILE));
                        let sum = this.code.load(space, &from, None, None, None);
                        // Without a zero point sums start from zero.
                        sums.push(match w.minus_zero {
                            Some(_) => this.code.math("arith.addi", &[sum, *start]),
                            None => sum,
                        });
                    }
                }
                let row = this.code.add(first, row);
                let tile = SumTile { row, rows, panel, vectors: &vectors };
                this.store_panel_tile(results, &tile, &sums)?;
                Ok(Vec::new())
            })?;
            done = end;
        }
        Ok(())
    }
}
