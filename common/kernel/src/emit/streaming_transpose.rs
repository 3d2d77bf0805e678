//! Streaming transposes: large operands that are transposed. The blocks that are transposed in registers go along the
//! operand's rows, a block of rows at a time, so that each row is read as a stream, whole lines at a time, and what is
//! written is a long piece of a line of the result. So many streams no hardware prefetcher follows: each block asks for its
//! successor. This pays where the result is stored around the caches, see [`crate::emit::nontemporal`].
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::emit::nest::Nest;
use crate::emit::unrolled_lane::UnrolledLane;
use crate::machine::memory::STREAMING_WIDEST;
use crate::schedule::plan::Plan;

/// A large transposition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamingTranspose {
    /// The loop along the operand's rows.
    pub(crate) across: usize,
    /// The rows of a block.
    pub(crate) width: i64,
    /// The elements of a row that are read at once.
    pub(crate) step: i64,
}

/// The blocks of a row that are read at once: so many cache lines.
fn blocks_of(lines: i64, vector_bits: u32) -> i64 {
    (lines * 64 * 8 / i64::from(vector_bits)).max(1)
}

impl Emitter<'_> {
    /// The streaming transpose of an outermost nest, if it transposes something large in blocks.
    pub(crate) fn choose_streaming_transpose(&mut self, plan: &Plan, dims: &[Index]) -> Option<StreamingTranspose> {
        let (v, across) = (plan.vector?, plan.block?);
        let (n, m) = (dims[v].known()?, dims[across].known()?);
        let last = plan.order.iter().rev().take(2).copied().collect::<Vec<_>>();
        let alone = plan.items.is_empty() && plan.pack.is_none() && self.roots.is_empty();
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

    /// Computes a block of rows of the open nest from `from` on along the loop with the lanes; the loop across it is not
    /// open.
    pub(crate) fn streaming_transpose(
        &mut self,
        (nest, plan, dims): (&Nest, &Plan, &[Index]),
        streaming: StreamingTranspose,
        open: &[Option<Vec<UnrolledLane>>],
        (from, width): (Index, i64),
    ) -> Supported<()> {
        let v = plan.vector.ok_or("a sweep without lanes")?;
        let lanes = plan.lanes;
        let line = (64 * 8 * lanes / i64::from(self.target.vector_bits)).max(lanes);
        for segment in self.segments(plan, streaming.across, dims[streaming.across], nest.overlap) {
            self.for_loop((segment.from, segment.to, Index::constant(segment.step)), &[], |this, i, _| {
                let mut open = open.to_vec();
                // The blocks of a row one after the other: together they would not fit the registers.
                let mut blocks = |this: &mut Self, at: Index, mask| {
                    for offsets in segment.offsets.chunks(lanes as usize) {
                        let unrolled =
                            |&offset: &i64| UnrolledLane { idx: LaneIndex::uniform(i.plus(offset)), mask: None };
                        open[streaming.across] = Some(offsets.iter().map(unrolled).collect());
                        open[v] = Some(vec![UnrolledLane { idx: LaneIndex::from(this.code.add(from, at)), mask }]);
                        // A line is asked for once.
                        let asks = (offsets[0] - segment.offsets[0]) % line == 0;
                        let before =
                            std::mem::replace(&mut this.ahead, asks.then_some(plan.unroll_jam[streaming.across]));
                        let done = this.code_scoped(|this| {
                            this.depth((nest, plan, dims, None), plan.order.len(), open.clone(), None)
                        });
                        this.ahead = before;
                        done?;
                    }
                    Supported::Ok(())
                };
                let whole = Index::constant(width / lanes * lanes);
                this.for_loop((Index::ZERO, whole, Index::constant(lanes)), &[], |this, j, _| {
                    blocks(this, j, None)?;
                    Ok(Vec::new())
                })?;
                match width % lanes {
                    0 => {}
                    _ if nest.overlap && width >= lanes => blocks(this, Index::constant(width - lanes), None)?,
                    left => {
                        let mask = this.lane_mask(Index::constant(left));
                        blocks(this, whole, Some(mask))?;
                    }
                }
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }
}
