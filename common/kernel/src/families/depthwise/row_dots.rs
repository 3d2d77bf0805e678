//! Convolutions of bytes with lanes along the rows: one instruction adds four products, of elements of a row of the window, to the sum of
//! each lane.
use super::form::Depthwise;
use crate::families::raw_bytes::{Raw, Zero};
use crate::machine::dot_products::Instruction;
use crate::schedule::planner::Planner;

/// Elements of a row of the window that are multiplied at once.
pub(super) const GROUP: i64 = 4;
/// The bytes of a vector that are put in order by one instruction, at most.
pub(super) const LARGEST: i64 = 64;

/// How the rows lie in scratch memory, and what is computed at once.
pub(super) struct RowDots {
    pub(super) input: Raw,
    /// Bytes that are loaded for a vector of results and a group of elements.
    pub(super) loaded: i64,
    /// Bytes from one row to the next.
    pub(super) pitch: i64,
    /// Rows of results, at most.
    pub(super) together: i64,
}

impl Planner<'_> {
    /// How the rows of bytes are multiplied, if this form applies and pays.
    pub(super) fn row_dots(&self, d: &Depthwise) -> Option<RowDots> {
        let bytes = d.bytes.as_ref()?;
        let (input, filters) = (bytes.input.as_ref()?.raw, bytes.filters.raw);
        let signed = filters.signed && matches!(filters.zero, Zero::None);
        let image = d.image?;
        let along_rows = d.roots.iter().all(|root| root.order.iter().copied().eq(0..4));
        if self.target.dots.bytes != Some(Instruction::Bytes) || !signed || !input.zero_is_a_byte() || !along_rows {
            return None;
        }
        let lanes = i64::from(self.target.vector_bits / 32);
        let span = (lanes - 1) * d.stride[1] + (GROUP - 1) * d.dilation[1] + 1;
        let loaded = u64::try_from(span).ok()?.next_power_of_two() as i64;
        let (columns, vector) = (d.under(1, d.sizes[3]), GROUP * lanes);
        let [left, right] = [d.before[1], columns - d.before[1] - image[1]];
        (loaded <= LARGEST && left <= vector && right <= vector && self.row_dots_pay(d)).then_some(RowDots {
            input,
            loaded,
            pitch: columns.max(d.before[1] + image[1]),
            together: self.target.cpu.depthwise.rows_together,
        })
    }

    /// Whether this form costs less than the alternatives, for all results of a channel.
    fn row_dots_pay(&self, d: &Depthwise) -> bool {
        let lanes = i64::from(self.target.vector_bits / 32);
        let [channel, element, vector, group] = self.target.cpu.depthwise.row_dots;
        let [rows, columns] = d.window;
        let groups = rows * ((columns + GROUP - 1) / GROUP);
        let vectors = (d.sizes[3] + lanes - 1) / lanes;
        let cost = channel + element * rows * columns + d.sizes[2] * vectors * (vector + group * groups);
        let nest = self.nest_cost(d);
        let other = if d.can_turn { nest.min(self.turned_cost(d)) } else { nest };
        cost * 100 * lanes <= other * d.sizes[2] * d.sizes[3]
    }
}
