//! Runs of points whose bytes matrix tiles multiply, and how their filters lie in memory.
use super::form::Direct;
use crate::families::byte_tiles::TILE;
use crate::machine::convolutions::{FILTER_BLOCK, FILTER_VECTORS};
use crate::machine::dot_products::Instruction;
use crate::schedule::planner::Planner;

/// The points of a run, at most: their sums take 32 KiB.
const MOST_POINTS: i64 = 256;
/// The extra cost of a tile of points that is multiplied alone, in tiles. By hand, 2026-12-01.
const SINGLE: f64 = 0.25;
/// Vectors of points of several rows, at most: each has its own code.
const MOST_VECTORS: i64 = 8;

/// Points whose sums are computed before the first of them is finished: so many rows and columns, and the points from a row to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) rows: i64,
    pub(super) columns: i64,
    pub(super) pitch: i64,
}

impl Run {
    /// The points of a number of its columns, those between rows included, in whole tiles.
    pub(super) fn points(self, columns: i64) -> i64 {
        ((self.rows - 1) * self.pitch + columns + TILE - 1) / TILE * TILE
    }

    /// The elements of sums that wait.
    pub(super) fn waiting(self) -> i64 {
        self.points(self.columns) * FILTER_VECTORS * TILE
    }

    /// The elements of a stripe beyond its end that its last tile may read, or vectors that are copied may fill.
    pub(super) fn beyond(d: &Direct, column: i64) -> i64 {
        TILE * (d.stride[1] + 1) * column
    }

    /// Whether vectors of points should go on from one row to the next: where rows are so narrow that lanes stay empty.
    pub(super) fn joins_rows(self) -> bool {
        let pieces = |points: i64| (points + TILE - 1) / TILE;
        let (apart, joined) = (self.rows * pieces(self.columns), pieces(self.rows * self.columns));
        joined * 4 <= apart * 3 && joined <= MOST_VECTORS
    }
}

/// How many elements the weights of one channel, row or column of the window are from those of the next.
pub(super) struct Apart {
    pub(super) channel: i64,
    pub(super) row: i64,
    pub(super) column: i64,
}

impl Direct {
    pub(super) fn weights_apart(&self) -> Apart {
        let [rows, columns] = self.window;
        if self.taps_first {
            let column = self.sizes.channels * FILTER_BLOCK;
            return Apart { channel: FILTER_BLOCK, row: columns * column, column };
        }
        Apart { channel: rows * columns * FILTER_BLOCK, row: columns * FILTER_BLOCK, column: FILTER_BLOCK }
    }

    /// Whether the elements of a row of the window are one sum for matrix tiles, as their pixels are neighbours in a stripe: where channels alone do
    /// not fill tiles.
    pub(super) fn joins_taps(&self) -> bool {
        self.taps_first && self.sizes.channels % TILE != 0 && self.dilation[1] == 1
    }

    /// The groups of bytes that matrix tiles add up in one go.
    pub(super) fn groups_of_sum(&self) -> i64 {
        if self.joins_taps() { self.sizes.channels * self.window[1] } else { self.sizes.channels }
    }
}

impl Planner<'_> {
    /// The runs of a stripe of so many rows, if matrix tiles multiply its bytes. Of convolutions of points, stripes have nothing else then.
    pub(super) fn run_of_tiles(&mut self, d: &mut Direct, rows: i64) -> Option<Run> {
        let bytes = d.bytes.as_ref().is_some_and(|bytes| bytes.instruction == Instruction::Bytes);
        let possible = self.target.dots.tiles && bytes && !d.open && d.rows.is_none();
        assert!(possible || !d.taps_first, "nothing but matrix tiles reads filters tap by tap");
        let pays = self.target.has_tiles_for(4 * d.sizes.channels, d.window);
        if !possible || !d.taps_first && !self.choices.recorded_flag("matrix_tiles", pays) {
            return None;
        }
        if d.window == [1, 1] {
            (d.sampling, d.stride, d.input) = (d.stride, [1, 1], [d.sizes.height, d.sizes.width]);
        }
        let (width, pitch) = (d.sizes.width, d.input[1]);
        if d.stride != [1, 1] || pitch > MOST_POINTS {
            return Some(Run { rows: 1, columns: width.min(MOST_POINTS), pitch: width });
        }
        let run = |rows: i64| Run { rows, columns: width, pitch };
        // The fewest tiles for each row; of those the longest runs. The columns of a single tile are loaded for half as many products.
        let cost = |run: &Run| {
            let tiles = run.points(width) / TILE;
            (tiles as f64 + SINGLE * (tiles % 2) as f64) / run.rows as f64
        };
        (1..=rows)
            .filter(|some| rows % some == 0)
            .map(run)
            .filter(|run| run.rows == 1 || run.points(width) <= MOST_POINTS)
            .rev()
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }
}
