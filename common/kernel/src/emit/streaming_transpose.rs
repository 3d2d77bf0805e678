//! Streaming transposes: large operands that are transposed. The blocks that are transposed in registers go along the
//! operand's rows, a block of rows at a time, so that each row is read as a stream, whole lines at a time, and what is
//! written is a long piece of a line of the result. So many streams no hardware prefetcher follows: each block asks for its
//! successor. This pays where the result is stored around the caches, see [`crate::emit::nontemporal`].
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::emit::nest::Nest;
use crate::emit::unrolled_lane::UnrolledLane;
use crate::schedule::planned::{PlannedNest, StreamingTranspose};

impl Emitter<'_> {
    /// Computes a block of rows of the open nest from `from` on along the loop with the lanes; the loop across it is not
    /// open.
    pub(crate) fn streaming_transpose(
        &mut self,
        (nest, planned, dims): (&Nest, &PlannedNest, &[Index]),
        streaming: StreamingTranspose,
        open: &[Option<Vec<UnrolledLane>>],
        (from, width): (Index, i64),
    ) -> Supported<()> {
        let plan = &planned.plan;
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
                            this.depth((nest, planned, dims, None), plan.order.len(), open.clone(), None)
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
