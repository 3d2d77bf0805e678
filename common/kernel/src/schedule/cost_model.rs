//! The numbers of the plan: what loads cost, how large a register tile is.
use crate::analysis::access::Stride;
use crate::machine::{CpuNumbers, costs::OperationCosts};

/// What a vector load costs, in plain vector loads.
pub(crate) fn vector_cost(costs: &OperationCosts, stride: Stride, lanes: i64) -> f64 {
    match stride {
        // A broadcast.
        Stride::Known(0) => costs.broadcast,
        Stride::Known(1 | -1) => 1.0,
        // Whole vectors and shuffles.
        Stride::Known(s) if s.abs() <= costs.shuffled_stride => costs.shuffled * s.abs() as f64,
        // A gather.
        _ => costs.gathered_lane * lanes as f64,
    }
}

/// A tile of accumulators: `rows` of broadcast operands times `vectors` of loaded ones.
pub(crate) struct Reuse<'n> {
    /// What the CPU's operations cost, and the limits of tiles.
    pub(crate) numbers: &'n CpuNumbers,
    /// Vector registers.
    pub(crate) registers: i64,
    /// Rows that there are.
    pub(crate) rows: i64,
    /// Rows of a tile, at most, as caches have it.
    pub(crate) together: i64,
    /// Vectors that there are.
    pub(crate) vectors: i64,
    /// A tile has a multiple of so many vectors, unless there are fewer.
    pub(crate) vectors_together: i64,
    /// Whether rows have an operand that all vectors share.
    pub(crate) broadcast: bool,
}

impl Reuse<'_> {
    /// Rows and vectors of the tile with the lowest estimated time for all: per step of the reduction
    /// multiply-adds or loads, never less than the latency of the chain allows.
    pub(crate) fn tile(&self) -> (i64, i64) {
        let CpuNumbers { costs, loops, .. } = self.numbers;
        let mut best = (f64::INFINITY, 1, 1);
        // More vectors only for few rows: whole stretches of each row of the operand are read at once.
        let widest = if self.rows <= loops.few_rows { loops.widest_of_few } else { loops.widest_tile };
        for vectors in 1..=self.vectors.clamp(1, widest) {
            if vectors % self.vectors_together != 0 && vectors < self.vectors {
                continue;
            }
            for rows in 1..=loops.tallest_tile.min(self.together).min(self.rows.max(1)) {
                if rows * vectors + vectors + 1 > self.registers {
                    continue;
                }
                let loads = vectors + if self.broadcast { rows } else { 0 };
                let cycles = |r: i64, v: i64| {
                    ((r * v) as f64 / costs.fmas_a_cycle).max(loads as f64 / costs.loads_a_cycle).max(costs.fma_latency)
                        + costs.loop_step
                };
                let (full, rest) = (self.rows / rows, self.rows % rows);
                let column = |v: i64| full as f64 * cycles(rows, v) + if rest > 0 { cycles(rest, v) } else { 0.0 };
                let mut time = (self.vectors / vectors) as f64 * column(vectors);
                if self.vectors % vectors > 0 {
                    time += column(self.vectors % vectors);
                }
                if time < best.0 - 1e-9 {
                    best = (time, rows, vectors);
                }
            }
        }
        (best.1, best.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_fits_the_registers_and_divides_what_it_can() {
        let numbers = &CpuNumbers::default();
        let tile = Reuse {
            numbers,
            registers: 32,
            rows: 512,
            together: 64,
            vectors: 32,
            vectors_together: 1,
            broadcast: true,
        }
        .tile();
        assert!(tile.0 * tile.1 + tile.1 < 32 && tile.0 * tile.1 >= 16, "{tile:?}");
        let one =
            Reuse { numbers, registers: 16, rows: 1, together: 64, vectors: 1, vectors_together: 2, broadcast: true };
        assert_eq!(one.tile(), (1, 1));
        let low =
            Reuse { numbers, registers: 32, rows: 512, together: 4, vectors: 32, vectors_together: 1, broadcast: true }
                .tile();
        assert!(low.0 <= 4 && low.0 * low.1 >= 12, "{low:?}");
        let lines = Reuse {
            numbers,
            registers: 16,
            rows: 512,
            together: 64,
            vectors: 512,
            vectors_together: 2,
            broadcast: true,
        };
        assert_eq!(lines.tile(), (6, 2));
    }
}
