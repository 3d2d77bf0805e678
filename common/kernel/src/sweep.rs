//! Sweeps: large operands that are transposed. The blocks that are turned in registers go along the operand's rows, a band
//! of rows at a time, so that each row is read as a stream, whole lines at a time, and what is written is a long piece of a
//! line of the result. So many streams no hardware prefetcher follows: each block asks for its successor. This pays where
//! the result is stored around the caches, see [`super::stream`].
use super::Emitter;
use super::code::{Coder, Emitted};
use super::ix::{Idx, Ix};
use super::nest::{Neighbour, Nest};
use super::plan::Plan;
use crate::machine::memory::{SWEEP_LINES, SWEEP_ROWS, SWEEP_WIDEST};

/// A large transposition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep {
    /// The loop along the operand's rows.
    pub(crate) across: usize,
    /// The rows of a band.
    pub(crate) width: i64,
    /// The elements of a row that are read at once.
    pub(crate) step: i64,
}

/// The blocks of a row that are read at once.
fn blocks_of(vector_bits: u32) -> i64 {
    (SWEEP_LINES * 64 * 8 / i64::from(vector_bits)).max(1)
}

impl Emitter<'_> {
    /// The sweep of an outermost nest, if it transposes something large in blocks.
    pub(crate) fn choose_sweep(&mut self, plan: &Plan, dims: &[Ix]) -> Option<Sweep> {
        let (v, across) = (plan.vector?, plan.block?);
        let (n, m) = (dims[v].known()?, dims[across].known()?);
        let last = plan.order.iter().rev().take(2).copied().collect::<Vec<_>>();
        let alone = plan.items.is_empty() && plan.pack.is_none() && self.roots.is_empty();
        let step = blocks_of(self.target.vector_bits) * plan.lanes;
        if !plan.stream || !alone || m < step || !(last.contains(&v) && last.contains(&across)) {
            return None;
        }
        // The last band, too, has room for a whole block.
        let fits = |rows: i64| n % rows == 0 || n % rows >= plan.lanes;
        let most = (SWEEP_ROWS / plan.lanes).max(1);
        let legal = |rows: i64| rows % plan.lanes == 0 && n > rows && fits(rows) && rows <= SWEEP_WIDEST;
        let widths = (1..=most).rev().map(|k| k * plan.lanes);
        let ours = widths.filter(|_| m >= SWEEP_LINES * 64).find(|&rows| legal(rows)).unwrap_or(0);
        let width = self.choices.number("sweep", ours, |rows| rows == 0 || legal(rows));
        let all = (0..=SWEEP_WIDEST / plan.lanes).map(|k| k * plan.lanes).filter(|&rows| rows == 0 || legal(rows));
        self.choices.record_number("sweep", width, all);
        let step = if self.choices.wish("tile").is_some() { plan.jam[across] } else { step };
        (width > 0).then_some(Sweep { across, width, step })
    }

    /// Computes a band of the open nest from `from` on along the loop with the lanes; the loop across it is not open.
    pub(crate) fn sweep(
        &mut self,
        (nest, plan, dims): (&Nest, &Plan, &[Ix]),
        sweep: Sweep,
        open: &[Option<Vec<Neighbour>>],
        (from, width): (Ix, i64),
    ) -> Emitted<()> {
        let v = plan.vector.ok_or("a sweep without lanes")?;
        let lanes = plan.lanes;
        let line = (64 * 8 * lanes / i64::from(self.target.vector_bits)).max(lanes);
        for segment in self.segments(plan, sweep.across, dims[sweep.across], nest.overlap) {
            self.for_loop((segment.from, segment.to, Ix::constant(segment.step)), &[], |this, i, _| {
                let mut open = open.to_vec();
                // The blocks of a row one after the other: together they would not fit the registers.
                let mut blocks = |this: &mut Self, at: Ix, mask| {
                    for offsets in segment.offsets.chunks(lanes as usize) {
                        let neighbour = |&offset: &i64| Neighbour { idx: Idx::same(i.plus(offset)), mask: None };
                        open[sweep.across] = Some(offsets.iter().map(neighbour).collect());
                        open[v] = Some(vec![Neighbour { idx: Idx::from(this.code.add(from, at)), mask }]);
                        // A line is asked for once.
                        let asks = (offsets[0] - segment.offsets[0]) % line == 0;
                        let before = std::mem::replace(&mut this.ahead, asks.then_some(plan.jam[sweep.across]));
                        let done = this.code_scoped(|this| {
                            this.depth((nest, plan, dims, None), plan.order.len(), open.clone(), None)
                        });
                        this.ahead = before;
                        done?;
                    }
                    Emitted::Ok(())
                };
                let whole = Ix::constant(width / lanes * lanes);
                this.for_loop((Ix::ZERO, whole, Ix::constant(lanes)), &[], |this, j, _| {
                    blocks(this, j, None)?;
                    Ok(Vec::new())
                })?;
                match width % lanes {
                    0 => {}
                    _ if nest.overlap && width >= lanes => blocks(this, Ix::constant(width - lanes), None)?,
                    left => {
                        let mask = this.lane_mask(Ix::constant(left));
                        blocks(this, whole, Some(mask))?;
                    }
                }
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }
}
