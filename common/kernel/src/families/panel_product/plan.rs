//! How a product with a packed matrix of floats is laid out.
use super::form::PanelProduct;
use crate::families::Share;
use crate::families::panels::ROWS;
use crate::machine::panel_products::TALLEST_TILE;
use crate::schedule::planner::Planner;

/// A product of this form as it is emitted.
pub(crate) struct PanelPlan {
    pub(super) form: PanelProduct,
    /// Columns of the result in a vector, and vectors side by side.
    pub(super) lanes: i64,
    pub(super) vectors: i64,
    /// Rows of the activations in registers, and in a cache.
    pub(super) rows: i64,
    pub(super) together: i64,
    /// Sums that are kept apart where there are few of them, so that each addition need not wait for the one before.
    pub(super) least_sums: i64,
    pub(super) share: Share,
}

impl Planner<'_> {
    /// Lays out the kernel.
    pub(in crate::families) fn plan_panel_product(&mut self, form: PanelProduct) -> PanelPlan {
        let numbers = &self.target.cpu.panel_products;
        let (together, least_sums) = (numbers.rows_together, numbers.least_sums);
        let (lanes, many) = (i64::from(self.target.vector_bits / 32), self.target.registers >= 32);
        let sums = numbers.sums[usize::from(many)];
        let known = self.graph.tensors[form.y].dims[0].known();
        let across = ROWS / lanes;
        // One row reads whole panels, from the first byte to the last.
        let vectors = if known == Some(1) { across.min(sums) } else { across.min(numbers.vectors) };
        let ours = known.unwrap_or(i64::MAX).clamp(1, sums / vectors);
        let rows = self.choices.number("rows", ours, |rows| (1..=TALLEST_TILE).contains(&rows));
        self.choices.record_number("rows", rows, 1..=TALLEST_TILE);
        // Rows that do not fit are prepared again by each workgroup.
        let units = form.panels();
        let again = known.is_none_or(|rows| rows > together);
        let few = (units / numbers.panels_a_workgroup).max(numbers.fewest_workgroups);
        let most = self.target.cpu.workgroups.most_of_family.min(if again { few } else { units });
        let share = Share { units, workgroups: self.choices.chosen_workgroups(units.min(most), Some(units)) };
        PanelPlan { form, lanes, vectors, rows, together, least_sums, share }
    }
}

impl PanelPlan {
    /// The heights of tiles: what is left of one is done by the next.
    pub(super) fn heights(&self) -> Vec<i64> {
        let lower = [4, 1].into_iter().filter(|height| *height < self.rows);
        [self.rows].into_iter().chain(lower).collect()
    }

    /// For people.
    pub(in crate::families) fn describe(&self) -> String {
        let rows = if self.rows == 1 { "a row".to_owned() } else { format!("{} rows", self.rows) };
        format!("product with a matrix in panels, {rows} at a time, {} lanes", self.lanes)
    }
}
