//! Tiles of rows in registers, as the families of convolutions have them: how many rows fit, and loops over them.
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};
use crate::machine::convolutions::{FILTER_VECTORS, MOST_POINTS_BY_SCHEDULE};
use crate::schedule::planner::Planner;
use halyard_ir::Value;

/// Tiles of at most `most` rows that cover `count`, of two sizes that differ by one: the larger size and
/// how many have it.
fn balanced(count: i64, most: i64) -> (i64, i64) {
    let tiles = (count + most - 1) / most;
    let size = (count + tiles - 1) / tiles;
    // `larger` of `size`, the others of one less.
    let larger = count - (size - 1) * tiles;
    (size, larger)
}

/// The tiles of at most `most` that `count` is divided into: the first of each, and their sizes.
pub(super) fn tiles_of(count: i64, most: i64) -> impl Iterator<Item = (i64, i64)> {
    let (size, larger) = balanced(count, most);
    let whole = larger * size;
    let all = (0..whole).step_by(size as usize).map(move |at| (at, size));
    all.chain((whole..count).step_by((size - 1).max(1) as usize).map(move |at| (at, size - 1)))
}

impl Planner<'_> {
    /// How many rows of sums the registers hold, beside what they are made of, by our choice.
    pub(super) fn points_in_registers(&self) -> i64 {
        ((i64::from(self.target.registers) - FILTER_VECTORS - 1) / FILTER_VECTORS)
            .clamp(1, self.target.cpu.convolutions.tile_points)
    }

    /// How many rows of sums the registers hold, beside what they are made of; `whole` are rows that are better not divided.
    pub(super) fn rows_in_registers(&mut self, whole: Option<i64>) -> i64 {
        let costs = &self.target.cpu.costs;
        let fits = self.points_in_registers();
        // One more spills a register. Two halves would wait for the sums that they add to.
        let waits = |rows: i64| ((rows / 2 * FILTER_VECTORS) as f64) < costs.fmas_a_cycle * costs.fma_latency;
        let ours = whole.filter(|rows| *rows == fits + 1 && waits(*rows)).unwrap_or(fits);
        let rows = self.choices.number("rows", ours, |rows| (1..=MOST_POINTS_BY_SCHEDULE).contains(&rows));
        self.choices.record_number("rows", rows, 1..=MOST_POINTS_BY_SCHEDULE);
        rows
    }
}

impl Emitter<'_> {
    /// Loops over `count` rows in tiles of at most `most`, of two sizes that differ by one.
    pub(super) fn in_tiles(
        &mut self,
        count: i64,
        most: i64,
        tile: impl Fn(&mut Self, Index, i64) -> Supported<()>,
    ) -> Supported<()> {
        let (size, larger) = balanced(count, most);
        let whole = larger * size;
        for (from, to, rows) in [(0, whole, size), (whole, count, size - 1)] {
            if from == to {
                continue;
            }
            let bounds = (Index::constant(from), Index::constant(to), Index::constant(rows));
            self.for_loop(bounds, &[], |this, at, _| tile(this, at, rows).map(|()| Vec::new()))?;
        }
        Ok(())
    }

    /// A loop of `steps` steps per iteration that LLVM does not unroll. If the bounds are constants, the remaining steps follow the loop; else
    /// each iteration has one step. `body` gets the first step of an iteration, and their number.
    pub(super) fn in_steps(
        &mut self,
        (from, to): (Index, Index),
        steps: i64,
        carried: &[Value],
        body: impl Fn(&mut Self, Index, i64, &[Value]) -> Vec<Value>,
    ) -> Supported<Vec<Value>> {
        let (Some(first), Some(end)) = (from.known(), to.known()) else {
            let bounds = (from, to, Index::constant(1));
            return self.rolled_loop(bounds, carried, |this, at, sums| Ok(body(this, at, 1, sums)));
        };
        let whole = first + (end - first) / steps * steps;
        let bounds = (from, Index::constant(whole), Index::constant(steps));
        let carried = self.rolled_loop(bounds, carried, |this, at, sums| Ok(body(this, at, steps, sums)))?;
        if whole == end {
            return Ok(carried);
        }
        Ok(body(self, Index::constant(whole), end - whole, &carried))
    }

    /// `a·b + c`.
    pub(super) fn multiply_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        if self.target.fma {
            return self.code.at.value("math.fma", &[a, b, c], c.ty(), &[]);
        }
        let product = self.code.math("arith.mulf", &[a, b]);
        self.code.math("arith.addf", &[product, c])
    }
}

#[cfg(test)]
mod tests {
    use super::balanced;

    #[test]
    fn tiles_differ_by_one_row_at_most() {
        assert_eq!(balanced(49, 14), (13, 1));
        assert_eq!(balanced(28, 14), (14, 2));
        assert_eq!(balanced(16, 14), (8, 2));
        assert_eq!(balanced(5, 14), (5, 1));
        for count in 1..200 {
            let (size, larger) = balanced(count, 14);
            let rest = count - larger * size;
            assert!(size <= 14 && larger > 0 && (rest == 0 || rest % (size - 1) == 0), "{count}");
        }
    }
}
