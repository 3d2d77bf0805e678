//! Columns in stretches: where few rows of an operand are long, the tiles of one workgroup read a stretch of them that stays in the first-level
//! cache, for one row of tiles after the other, and so store the results of each row in a stretch, too. Tile after tile down the columns,
//! they would store a line to each of many rows, all of them far apart: out of reach of the prefetchers, and of one set of the cache.
use crate::schedule::planned::Item;
use crate::schedule::planner::{NestRequest, Planner};
use crate::schedule::tile::{TileBudget, Tiling};

impl Planner<'_> {
    /// Exchanges the two innermost loops if stretches pay, and returns how many there are.
    pub(crate) fn stretches(
        &self,
        nest: &NestRequest,
        order: &mut [usize],
        items: &[Item],
        tiling: &Tiling,
        budget: &TileBudget<'_>,
        nanoseconds: Option<f64>,
    ) -> Option<i64> {
        let bytes = tiling.columns_bytes?;
        let at = order.len().checked_sub(2)?;
        let v = budget.vector.filter(|&v| order[at] == v)?;
        let tiles = |d: usize| {
            let tile = tiling.unroll_jam[d] * if d == v { budget.lanes } else { 1 };
            budget.dims[d].known().map(|n: i64| n.div_euclid(tile) + i64::from(n % tile > 0))
        };
        // The workgroups are the stretches: they share the loop of most tiles.
        let most = |d: &usize| *d == v || tiles(*d).is_some_and(|n| Some(n) < tiles(v));
        let shares = nest.shared && order.iter().all(most) && items.iter().all(|item| item.depth == 0);
        let free = self.choices.requested("parallel_loop").is_none() && self.choices.requested("loop_order").is_none();
        let stretches = bytes.div_euclid(self.target.l1 as i64) + 1;
        let affordable = stretches as f64 <= self.affordable_workgroups(items, nanoseconds);
        // Measured with 16 registers alone.
        if !shares || !free || !affordable || self.target.registers >= 32 {
            return None;
        }
        order.swap(at, at + 1);
        Some(stretches)
    }
}
