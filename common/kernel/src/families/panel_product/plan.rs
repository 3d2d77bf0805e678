//! How a product with a packed matrix of floats is laid out.
use super::form::PanelProduct;
use crate::families::byte_tiles::TILE;
use crate::families::panels::{PanelGrid, ROWS};
use crate::machine::dot_products::Instruction;
use crate::machine::panel_products::TALLEST_TILE;
use crate::schedule::planner::Planner;

/// The rows that matrix tiles take together, which activations must have room for.
pub(super) const TILE_ROWS: i64 = 2 * TILE;

/// A product of this form as it is emitted.
pub(crate) struct PanelPlan {
    pub(super) form: PanelProduct,
    /// Columns of the result in a vector, and vectors side by side.
    pub(super) lanes: i64,
    pub(super) vectors: i64,
    /// Rows of the activations in registers.
    pub(super) rows: i64,
    /// Whether bytes are multiplied by matrix tiles (`tiles.rs`).
    pub(super) tiles: bool,
    /// All rows, if their number is known.
    pub(super) known: Option<i64>,
    /// Sums that are kept apart where there are few of them, so that each addition need not wait for the one before.
    pub(super) least_sums: i64,
    pub(super) grid: PanelGrid,
}

impl Planner<'_> {
    /// Lays out the kernel.
    pub(in crate::families) fn plan_panel_product(&mut self, form: PanelProduct) -> PanelPlan {
        let numbers = &self.target.cpu.panel_products;
        let (together, least_sums) = (numbers.rows_together, numbers.least_sums);
        let (lanes, many) = (i64::from(self.target.vector_bits / 32), self.target.registers >= 32);
        let sums = numbers.sums[usize::from(many)];
        let (_, rows) = self.graph.tensors[form.y].dims.split_last().expect("a product has columns");
        let known = rows.iter().try_fold(1i64, |product, size| product.checked_mul(size.known()?));
        let across = ROWS / lanes;
        // One row reads whole panels, from the first byte to the last.
        let vectors = if known == Some(1) { across.min(sums) } else { across.min(numbers.vectors) };
        let width = if form.bytes.is_some() { 4 } else { self.graph.tensors[form.x].elem.byte_width() as i64 };
        let highest = (sums / vectors).min(self.target.cpu.memory.rows_together(form.steps * width));
        let tiles = self.wants_tiles(&form, known);
        let rows = if tiles {
            TILE_ROWS
        } else {
            let ours = known.map_or(highest, |rows| evenly(rows, highest));
            let rows = self.choices.number("rows", ours, |rows| (1..=TALLEST_TILE).contains(&rows));
            self.choices.record_number("rows", rows, 1..=TALLEST_TILE);
            rows
        };
        // Whole tiles, so that what is left of one is left once; and fewer of them where there are few panels to share out.
        let panels = form.panels();
        let high = known.map_or(together / rows, |known| (known + rows - 1) / rows);
        let together = (high * panels / numbers.least_units).clamp(1, together / rows) * rows;
        let units = known.map(|known| (known + together - 1) / together * panels);
        let most = self.target.cpu.workgroups.most_of_family.min(units.unwrap_or(i64::MAX)).max(1);
        let workgroups = self.choices.chosen_workgroups(most, units);
        let vectors_of_last = (form.columns - (panels - 1) * ROWS + lanes - 1) / lanes;
        let whole = panels - i64::from(vectors_of_last < across);
        let grid = PanelGrid { together, panels, whole, workgroups };
        PanelPlan { form, lanes, vectors, rows, tiles, known, least_sums, grid }
    }

    /// Whether bytes are multiplied by matrix tiles. An unknown number of rows can be one, which takes as long as its matrix takes to load.
    fn wants_tiles(&mut self, form: &PanelProduct, known: Option<i64>) -> bool {
        let bytes = form.bytes.as_ref().is_some_and(|bytes| bytes.instruction == Instruction::Bytes);
        let pays = known.is_none_or(|rows| rows >= self.target.cpu.panel_products.rows_for_tiles);
        bytes && self.target.dots.tiles && self.choices.recorded_flag("matrix_tiles", pays)
    }
}

impl PanelPlan {
    /// The heights of tiles: what is left of one is done by the next.
    pub(super) fn heights(&self) -> Vec<i64> {
        let lower = match self.known {
            Some(known) => vec![known % self.rows],
            None => vec![4, 1],
        };
        let lower = lower.into_iter().filter(|height| (1..self.rows).contains(height));
        [self.rows].into_iter().chain(lower).collect()
    }

    /// For people.
    pub(in crate::families) fn describe(&self) -> String {
        if self.tiles {
            return "product with a matrix of bytes in panels by matrix tiles, 32 rows at a time".to_owned();
        }
        let rows = if self.rows == 1 { "a row".to_owned() } else { format!("{} rows", self.rows) };
        format!("product with a matrix in panels, {rows} at a time, {} lanes", self.lanes)
    }
}

/// The height of tiles of at most `most` rows that leaves the last of them as little lower as it can be.
fn evenly(rows: i64, most: i64) -> i64 {
    let tiles = (rows.max(1) + most - 1) / most;
    (rows.max(1) + tiles - 1) / tiles
}
