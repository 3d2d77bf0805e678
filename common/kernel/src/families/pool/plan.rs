//! How a pooling is laid out: how many rows of a plane are combined at a time.
use super::form::Pool;
use crate::families::Share;
use crate::families::open_images::TiledImage;
use crate::machine::convolutions::MOST_POOLED_BYTES;
use crate::schedule::planner::Planner;

/// A pooling as it is emitted.
pub(crate) struct PoolPlan {
    pub(super) pool: Pool,
    pub(super) lanes: i64,
    /// The rows that are combined at a time, and the elements from one to the next.
    pub(super) rows: i64,
    pub(super) pitch: i64,
    /// Where only a run knows rows and columns: how the result is divided.
    pub(super) tiles: Option<TiledImage>,
    /// The planes, or those of one tile.
    pub(super) share: Share,
}

impl Planner<'_> {
    /// Lays out the kernel.
    pub(in crate::families) fn plan_pool(&mut self, pool: Pool) -> PoolPlan {
        let lanes = i64::from(self.target.vector_bits / 32);
        let whole = |n: i64| (n + lanes - 1) / lanes * lanes;
        // All that whole vectors of results read.
        let reach = (whole(pool.to[3]) - 1) * pool.stride[1] + pool.window[1];
        // Of tiles, up to a vector is written after the end of a row.
        let pitch = match pool.open {
            true => whole(reach) + lanes,
            false => whole(reach.max(pool.before[1] + whole(pool.from[3]))),
        };
        let fits = (self.target.cpu.convolutions.pooled_bytes / (4 * pitch)).max(1);
        let divisors: Vec<i64> = (1..=pool.to[2])
            .filter(|r| (pool.open || pool.to[2] % r == 0) && r * pitch * 4 <= MOST_POOLED_BYTES)
            .collect();
        let rows = divisors.iter().copied().filter(|r| *r <= fits).max().unwrap_or(1);
        let rows = self.choices.number("rows", rows, |rows| divisors.contains(&rows));
        self.choices.record_number("rows", rows, if divisors.is_empty() { vec![1] } else { divisors });
        let most = [pool.to[2], pool.to[3]];
        let tiles = pool.open.then_some(TiledImage { tensor: pool.y, most, points: None, unit: 1 });
        let planes = pool.to[0] * pool.to[1];
        let share = match tiles {
            Some(image) => self.share_tiles(planes, image),
            None => self.share(planes, pool.y),
        };
        PoolPlan { pool, lanes, rows, pitch, tiles, share }
    }
}

impl PoolPlan {
    /// For people.
    pub(in crate::families) fn describe(&self) -> String {
        let ([high, wide], of) = (self.pool.window, self.pool.to[2]);
        if let Some(TiledImage { most: [rows, columns], .. }) = self.tiles {
            return format!(
                "pooling, windows of {high} x {wide}, tiles of up to {rows} x {columns} places with {} lanes along their rows",
                self.lanes
            );
        }
        format!(
            "pooling, windows of {high} x {wide}, {} of {of} rows at a time with {} lanes along them",
            self.rows, self.lanes
        )
    }
}
