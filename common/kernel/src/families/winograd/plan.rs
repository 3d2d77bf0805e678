//! How a convolution by Winograd's algorithm is laid out.
use super::form::Winograd;
use crate::families::Share;
use crate::families::blocking::Blocking;
use crate::machine::convolutions::FILTER_BLOCK;
use crate::schedule::planner::Planner;

/// A convolution of this form as it is emitted.
pub(crate) struct WinogradPlan {
    pub(super) form: Winograd,
    pub(super) lanes: i64,
    pub(super) blocking: Blocking,
    /// Rows of sums in registers.
    pub(super) rows: i64,
    pub(super) share: Share,
}

impl Planner<'_> {
    /// Lays out the kernel.
    pub(in crate::families) fn plan_winograd(&mut self, form: Winograd) -> WinogradPlan {
        let lanes = i64::from(self.target.vector_bits / 32);
        let blocking = self.stripes(&form);
        let rows = self.rows_in_registers(None);
        let share = self.share(blocking.units(), form.y);
        WinogradPlan { form, lanes, blocking, rows, share }
    }

    /// Stripes whose scratch memory fits the second-level cache, unless reading all filters for each would cost more.
    fn stripes(&mut self, f: &Winograd) -> Blocking {
        let (blocks, points) = (f.sizes.blocks(), f.tile * f.tile);
        let row = points * f.columns * (f.sizes.channels + blocks * FILTER_BLOCK) * 4;
        let filters = points * f.sizes.channels * blocks * FILTER_BLOCK * 4;
        let budget = (self.target.l2 as i64 * 3 / 4).max(filters / 2);
        let again = filters <= self.target.l2 as i64 / 2;
        Blocking::new(
            &f.sizes,
            (f.rows, f.columns),
            again,
            budget,
            |rows| rows * row,
            (&mut *self.choices, &self.target.cpu.convolutions),
        )
    }
}

impl WinogradPlan {
    /// For people.
    pub(in crate::families) fn describe(&self) -> String {
        format!(
            "minimal filtering F({m}×{m}, 3×3), {rows} of {of} tile rows at a time{parts}",
            m = self.form.m,
            rows = self.blocking.rows,
            of = self.form.rows,
            parts = self.blocking.describe(),
        )
    }
}
