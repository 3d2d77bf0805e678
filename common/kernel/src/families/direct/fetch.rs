//! Fetches into the cache, while a tile is computed: filters of the next block, and rows of the input.
use super::emit::Unit;
use super::form::Direct;
use super::pixels::Tile;
use super::plan::DirectPlan;
use crate::Emitter;
use crate::emit::index::Index;
use crate::families::open_images::ImageTile;
use crate::machine::convolutions::FILTER_BLOCK;
use crate::machine::memory::CACHE_LINE;

/// What a tile fetches of the next block of filters: a share as large as its own of the pixels.
pub(super) struct NextFilters {
    /// Where it begins.
    first: Index,
    /// From one row of the window to the next, in elements.
    pace: Index,
    /// The elements that are fetched for a row of the window.
    count: i64,
}

impl Emitter<'_> {
    /// What a tile fetches while the filters at `w` are used.
    pub(super) fn next_filters(
        &mut self,
        plan: &DirectPlan,
        unit: &Unit,
        w: Index,
        (tile, [row, column]): (Tile, [Index; 2]),
    ) -> NextFilters {
        let DirectPlan { form: d, blocking, .. } = plan;
        let (count, width, fewest) = match unit.tile {
            // Empty images have no tiles.
            Some(ImageTile { count, .. }) => {
                let points = self.code.mul(count[0], count[1]);
                (points, count[1], self.target.cpu.convolutions.fetching_points)
            }
            None => {
                let points = blocking.rows * d.sizes.width;
                (Index::constant(points), Index::constant(d.sizes.width), points)
            }
        };
        let before = self.code.mul(row, width);
        let before = self.code.add(before, column);
        let share = self.code.mul(before, Index::constant(d.block()));
        let share = self.code.divide("arith.divui", share, count);
        let first = self.code.add(w, share).plus(d.block());
        let elements = FILTER_BLOCK * d.window[1] * tile.pixels();
        let pace = self.code.add(Index::constant(elements - 1), count);
        let pace = self.code.divide("arith.divui", pace, count);
        NextFilters { first, pace, count: (elements + fewest - 1) / fewest }
    }

    /// Fetches what belongs to row `step` of the windows, counted through all channels.
    pub(super) fn fetch_filters(&mut self, d: &Direct, unit: &Unit, next: &NextFilters, step: Index) {
        let far = self.code.mul(step, next.pace);
        let far = self.code.add(next.first, far);
        let elements = CACHE_LINE / d.w_bytes;
        for line in 0..(next.count + elements - 1) / elements {
            self.code.prefetch(&unit.w, far.plus(line * elements));
        }
    }

    /// Fetches the row of the window below the one at `x`.
    pub(super) fn ask_next_row(&mut self, d: &Direct, unit: &Unit, tile: Tile, x: Index) {
        let elements = CACHE_LINE / 4;
        let width = (tile.columns - 1) * d.stride[1] + d.window[1];
        for row in 0..tile.rows {
            let below = self.code.mul(unit.at.row, Index::constant(row * d.stride[0] + d.dilation[0]));
            let below = self.code.add(x, below);
            for line in 0..(width + elements - 1) / elements {
                self.code.prefetch(&unit.x, below.plus(line * elements));
            }
        }
    }
}
