//! How a convolution by Winograd's algorithm is laid out.
use super::form::Winograd;
use crate::families::Share;
use crate::families::blocking::Blocking;
use crate::families::open_images::TiledImage;
use crate::machine::convolutions::FILTER_BLOCK;
use crate::schedule::planner::Planner;

/// A convolution of this form as it is emitted.
pub(crate) struct WinogradPlan {
    pub(super) form: Winograd,
    pub(super) lanes: i64,
    pub(super) blocking: Blocking,
    /// Rows of sums in registers.
    pub(super) rows: i64,
    pub(super) share: Share,
}

impl Planner<'_> {
    /// Lays out the kernel.
    pub(in crate::families) fn plan_winograd(&mut self, form: Winograd) -> WinogradPlan {
        let lanes = i64::from(self.target.vector_bits / 32);
        let blocking = self.stripes(&form);
        let rows = self.rows_in_registers(None);
        let share = match blocking.tiles {
            Some(image) => self.share_tiles(blocking.units(), image),
            None => self.share(blocking.units(), form.y),
        };
        WinogradPlan { form, lanes, blocking, rows, share }
    }

    /// Stripes whose scratch memory fits the second-level cache, unless reading all filters for each would cost more.
    fn stripes(&mut self, f: &Winograd) -> Blocking {
        let (blocks, points) = (f.sizes.blocks(), f.tile * f.tile);
        let tile = points * (f.sizes.channels + blocks * FILTER_BLOCK) * 4;
        let filters = points * f.sizes.channels * blocks * FILTER_BLOCK * 4;
        let budget = (self.target.l2 as i64 * 3 / 4).max(filters / 2);
        let again = filters <= self.target.l2 as i64 / 2;
        let numbers = &self.target.cpu.convolutions;
        let Some([rows, columns]) = f.tiles else {
            let most = numbers.open_columns / f.m;
            let most = [numbers.open_rows / f.m * f.m, most * f.m];
            let image = TiledImage { tensor: f.y, most, points: None, unit: f.m };
            return Blocking::of_squares(&f.sizes, (image, budget / tile), (&mut *self.choices, numbers));
        };
        Blocking::new(
            &f.sizes,
            (rows, columns),
            again,
            budget,
            |rows| rows * tile * columns,
            (&mut *self.choices, numbers),
        )
    }
}

impl WinogradPlan {
    /// For people.
    pub(in crate::families) fn describe(&self) -> String {
        let (m, parts) = (self.form.m, self.blocking.describe());
        let rows = self.blocking.rows;
        let stripes = match self.form.tiles {
            Some([of, _]) => format!("{rows} of {of} tile rows at a time"),
            None => format!("up to {} tiles at a time", self.tiles_together()),
        };
        let words = if self.form.words.is_some() { " of words" } else { "" };
        format!("minimal filtering F({m}×{m}, 3×3){words}, {stripes}{parts}")
    }

    /// The tiles of a stripe, at most.
    pub(super) fn tiles_together(&self) -> i64 {
        match (self.form.tiles, self.blocking.tiles) {
            (None, Some(TiledImage { points: Some(points), .. })) => points / (self.form.m * self.form.m),
            (tiles, _) => self.blocking.rows * tiles.map_or(1, |[_, columns]| columns),
        }
    }
}
