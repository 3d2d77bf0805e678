//! Streaming transposes: large operands that are transposed. The blocks that are transposed in registers go along the
//! operand's rows, a block of rows at a time, so that each row is read as a stream, whole lines at a time, and what is
//! written is a long piece of a line of the result. This pays where the result is stored around the caches.
//! [`crate::emit::streaming_transpose`] emits them.
use crate::graph::Size;
use crate::machine::memory::STREAMING_WIDEST;
use crate::schedule::planned::{Plan, StreamingTranspose};
use crate::schedule::planner::{NestRequest, Planner};

/// The blocks of a row that are read at once: so many cache lines.
fn blocks_of(lines: i64, vector_bits: u32) -> i64 {
    (lines * 64 * 8 / i64::from(vector_bits)).max(1)
}

impl Planner<'_> {
    /// The streaming transpose of an outermost nest, if it transposes something large in blocks.
    pub(crate) fn choose_streaming_transpose(
        &mut self,
        nest: &NestRequest,
        plan: &Plan,
        dims: &[Size],
    ) -> Option<StreamingTranspose> {
        let (v, across) = (plan.vector?, plan.block?);
        let (n, m) = (dims[v].known()?, dims[across].known()?);
        let last = plan.order.iter().rev().take(2).copied().collect::<Vec<_>>();
        let alone = plan.items.is_empty() && plan.pack.is_none() && nest.outermost;
        let step = blocks_of(self.target.cpu.memory.streaming_lines, self.target.vector_bits) * plan.lanes;
        if !plan.nontemporal || !alone || m < step || !(last.contains(&v) && last.contains(&across)) {
            return None;
        }
        // The last block of rows, too, has room for a whole block.
        let fits = |rows: i64| n % rows == 0 || n % rows >= plan.lanes;
        let most = (self.target.cpu.memory.streaming_rows / plan.lanes).max(1);
        let legal = |rows: i64| rows % plan.lanes == 0 && n > rows && fits(rows) && rows <= STREAMING_WIDEST;
        let widths = (1..=most).rev().map(|k| k * plan.lanes);
        let ours =
            widths.filter(|_| m >= self.target.cpu.memory.streaming_lines * 64).find(|&rows| legal(rows)).unwrap_or(0);
        let width = self.choices.number("sweep", ours, |rows| rows == 0 || legal(rows));
        let all = (0..=STREAMING_WIDEST / plan.lanes).map(|k| k * plan.lanes).filter(|&rows| rows == 0 || legal(rows));
        self.choices.record_number("sweep", width, all);
        let step = if self.choices.requested("tile").is_some() { plan.unroll_jam[across] } else { step };
        (width > 0).then_some(StreamingTranspose { across, width, step })
    }
}
