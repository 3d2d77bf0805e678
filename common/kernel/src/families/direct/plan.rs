//! How a convolution with packed filters is laid out.
use super::form::Direct;
use crate::families::Share;
use crate::families::blocking::Blocking;
use crate::graph::Kind;
use crate::schedule::planner::Planner;

/// A convolution of this form as it is emitted.
pub(crate) struct DirectPlan {
    pub(super) form: Direct,
    pub(super) lanes: i64,
    pub(super) blocking: Blocking,
    /// Pixels in registers.
    pub(super) rows: i64,
    pub(super) share: Share,
    /// Whether stripes of the input are copied, with their padding.
    pub(super) copied: bool,
}

impl Planner<'_> {
    /// Lays out the kernel.
    pub(in crate::families) fn plan_direct(&mut self, form: Direct) -> DirectPlan {
        let lanes = i64::from(self.target.vector_bits / 32);
        let blocking = self.rows_together(&form);
        let share = self.share(blocking.units(), form.y);
        let rows = self.rows_in_registers((form.window == [1, 1]).then_some(form.sizes.width));
        let copied = !matches!(self.graph.tensors[form.x].kind, Kind::Memory(_));
        DirectPlan { form, lanes, blocking, rows, share, copied }
    }

    /// Stripes whose input fits half of the second-level cache, unless reading all filters for each would cost more.
    fn rows_together(&mut self, d: &Direct) -> Blocking {
        let (filters, half) = (d.sizes.blocks() * d.block() * d.w_bytes, self.target.l2 as i64 / 2);
        let place = (d.sizes.height, d.sizes.width);
        let bytes = |rows: i64| d.sizes.channels * d.under(rows) * d.input[1] * 4;
        Blocking::new(
            &d.sizes,
            place,
            filters <= half,
            half.max(filters / 2),
            bytes,
            (&mut *self.choices, &self.target.cpu.convolutions),
        )
    }
}

impl DirectPlan {
    /// For people.
    pub(in crate::families) fn describe(&self) -> String {
        let copied = if self.copied { " of a padded copy" } else { "" };
        let (rows, of, parts) = (self.blocking.rows, self.form.sizes.height, self.blocking.describe());
        format!("packed filters, {rows} of {of} rows at a time{copied}{parts}")
    }
}
