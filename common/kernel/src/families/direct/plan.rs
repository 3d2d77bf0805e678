//! How a convolution with packed filters is laid out.
use super::form::Direct;
use super::runs::Run;
use crate::families::Share;
use crate::families::blocking::Blocking;
use crate::families::byte_tiles::TILE;
use crate::families::open_images::{TiledImage, most_covered};
use crate::graph::Kind;
use crate::machine::convolutions::{ConvolutionNumbers, FILTER_VECTORS};
use crate::machine::costs::OperationCosts;
use crate::schedule::planner::Planner;

/// A convolution of this form as it is emitted.
pub(crate) struct DirectPlan {
    pub(super) form: Direct,
    pub(super) lanes: i64,
    pub(super) blocking: Blocking,
    /// Pixels in registers.
    pub(super) rows: i64,
    pub(super) share: Share,
    /// Whether stripes of the input are copied, with their padding, and with the channels of a pixel side by side.
    pub(super) copied: bool,
    pub(super) channels_last: bool,
    /// Whether the activations of a product, whose channels stand side by side, are read where they are.
    pub(super) in_rows: bool,
    /// With channels last, the channels of a chunk.
    pub(super) chunk: i64,
    /// The runs of points whose bytes are multiplied by matrix tiles, if they are (`matrix_tiles.rs`).
    pub(super) tiles: Option<Run>,
    /// Whether rows of the result are finished at once (`finish.rs`), not tile by tile.
    pub(super) finish_rows: bool,
}

impl Planner<'_> {
    /// Lays out the kernel.
    pub(in crate::families) fn plan_direct(&mut self, mut form: Direct) -> DirectPlan {
        let lanes = i64::from(self.target.vector_bits / 32);
        let open = form.open.then(|| self.rows_in_registers(None));
        let blocking = match open {
            Some(points) => self.tiles_together(&mut form, points),
            None => self.rows_together(&form),
        };
        let share = match blocking.tiles {
            Some(image) => self.share_tiles(blocking.units(), image),
            None => self.share(blocking.units(), form.y),
        };
        let tiles = self.run_of_tiles(&mut form, blocking.rows);
        let channels_last = match form.rows {
            _ if tiles.is_some() => true,
            Some(_) => true,
            None if form.skips_padding => false,
            None => {
                let ours = self.wants_channels_last(&form);
                self.choices.recorded_flag("channels_last", ours)
            }
        };
        let in_rows = form.rows.is_some() && self.reads_rows(&form);
        // Of planes, a whole row of a narrow image uses more of each line.
        let whole = (form.window == [1, 1] && !channels_last).then_some(form.sizes.width);
        let rows = match tiles {
            Some(_) => 2 * TILE,
            None => open.unwrap_or_else(|| self.rows_in_registers(whole)),
        };
        let copied =
            form.open || channels_last && !in_rows || !matches!(self.graph.tensors[form.x].kind, Kind::Memory(_));
        let chunk = if tiles.is_some() { form.sizes.channels } else { self.chunk(&form, blocking.rows) };
        let finish_rows = tiles.is_none() && self.finish_rows(&form, rows);
        DirectPlan { form, lanes, blocking, rows, share, copied, channels_last, in_rows, chunk, tiles, finish_rows }
    }

    /// Stripes whose input fits half of the second-level cache, unless reading all filters for each would cost more.
    fn rows_together(&mut self, d: &Direct) -> Blocking {
        let (filters, half) = (d.sizes.blocks() * d.block() * d.w_bytes, self.target.l2 as i64 / 2);
        let place = (d.sizes.height, d.sizes.width);
        let bytes = |rows: i64| d.sizes.channels * d.under(rows) * d.input[1] * 4;
        let budget = self.bytes_of_stripe(d, filters, bytes);
        let choices = (&mut *self.choices, &self.target.cpu.convolutions);
        Blocking::new(&d.sizes, place, filters <= half, budget, bytes, choices)
    }

    /// The bytes that the input of a stripe may have; `bytes` are those of so many rows of the result, `filters` those of all filters.
    fn bytes_of_stripe(&self, d: &Direct, filters: i64, bytes: impl Fn(i64) -> i64) -> i64 {
        let l2 = self.target.l2 as i64;
        // Measured with 16 registers alone.
        if self.target.registers >= 32 || d.window == [1, 1] {
            return (l2 / 2).max(filters / 2);
        }
        // All filters stay in the cache, too, or else a stripe has so many points that reading them again takes little time.
        if filters <= l2 * 5 / 8 {
            return (l2 * 7 / 8 - filters).min(l2 / 2);
        }
        let enough = |rows: &i64| rows * d.sizes.width >= self.target.cpu.convolutions.points_for_all_filters;
        let rows = (1..=d.sizes.height).filter(|rows| d.sizes.height % rows == 0).find(enough);
        (l2 / 2).max(bytes(rows.unwrap_or(d.sizes.height)))
    }

    /// The points of a row that are whole tiles of registers for all filters, one or a multiple of `points`, which are in registers with two
    /// vectors of them.
    fn points_of_row(&self, d: &Direct, points: i64) -> i64 {
        let lanes = i64::from(self.target.vector_bits / 32);
        let last = d.sizes.filters % (lanes * FILTER_VECTORS);
        let vectors = if (1..=lanes).contains(&last) { 1 } else { FILTER_VECTORS };
        let most = pixels_of_tile(points, vectors, i64::from(self.target.registers));
        most - most % points
    }

    /// Tiles of an image whose rows and columns only a run knows, with input of the same size; `points` are in registers together.
    fn tiles_together(&mut self, d: &mut Direct, points: i64) -> Blocking {
        let filters = d.sizes.blocks() * d.block() * d.w_bytes;
        let budget = (self.target.l2 as i64 / 2).max(filters / 2);
        let whole = (self.target.cpu.convolutions.open_columns / points).max(1);
        // Rows and columns that are one have many columns.
        let [height, width] =
            self.graph.tensors[d.y].dims.last_chunk().map_or([None; 2], |sizes: &[_; 2]| sizes.map(|s| s.known()));
        // Where there are few filters to share out, there must be tiles.
        let fewest = (self.target.cpu.convolutions.open_rows_of_block * d.sizes.blocks())
            .min(self.target.cpu.convolutions.open_rows);
        let most = fewest.min(height.unwrap_or(i64::MAX)).max(1);
        let long = [8, 4, 2].into_iter().map(|times| whole * times);
        let mut columns: Vec<i64> =
            long.chain([whole, whole / 2, whole / 4]).map(|tiles| tiles.max(1) * points).collect();
        // Of one row all parts but the last are whole tiles of registers. No part may be longer than the longest of them.
        let unit = if height == Some(1) { self.points_of_row(d, points) } else { 1 };
        columns.retain(|&columns| columns % unit == 0);
        // Long rows that are known: enough tiles to share out, but none of which most is copied for its neighbours, too.
        if let (Some(height), Some(width)) = (height, width) {
            let units = |columns: i64| d.sizes.n * height * ((width + columns - 1) / columns) * d.sizes.blocks();
            let enough = |columns: i64| units(columns) >= self.target.cpu.convolutions.enough_units();
            let shortest = 2 * (d.window[1] - 1) * d.dilation[1] / d.stride[1];
            columns.retain(|&columns| columns >= shortest.min(whole * 8 * points));
            let last = columns.last().copied();
            columns.retain(|&columns| enough(columns) || Some(columns) == last);
        }
        let covered = |columns: i64| {
            let most =
                (1..=FILTER_VECTORS).map(|vectors| pixels_of_tile(points, vectors, i64::from(self.target.registers)));
            most.map(|most| most_covered(columns, most, self.target.has_masked_stores())).max().unwrap_or(columns)
        };
        let across = |columns: i64| (covered(columns) - 1) * d.stride[1] + (d.window[1] - 1) * d.dilation[1] + 1;
        let bytes = |rows: i64, columns: i64| d.sizes.channels * d.under(rows) * across(columns) * 4;
        let choices = (&mut *self.choices, &self.target.cpu.convolutions);
        let blocking = Blocking::of_tiles(&d.sizes, (d.y, most, &columns, unit), bytes, budget, choices);
        let most = blocking.tiles.map_or([1, 1], |image| image.most);
        (d.sizes.height, d.sizes.width) = (most[0], covered(most[1]));
        d.input = [d.under(most[0]), across(most[1])];
        blocking
    }
}

/// The pixels of a tile with so many vectors of filters, where two of them leave room for `pixels`: with fewer filters there is room for more.
pub(super) fn pixels_of_tile(pixels: i64, vectors: i64, registers: i64) -> i64 {
    let registers = registers - vectors - 1;
    (pixels * FILTER_VECTORS / vectors).min(registers / vectors).max(pixels)
}

impl DirectPlan {
    /// Vectors of filters that are computed side by side. If rows are finished at once, tiles need not fill vectors.
    pub(super) fn filter_vectors(&self) -> i64 {
        if self.finish_rows || self.tiles.is_some() {
            FILTER_VECTORS
        } else {
            self.form.filter_vectors(self.rows, self.lanes)
        }
    }

    /// Whether the halves of a row wait for the sums that they add to, and all rows may as well be one: of points, which are copied at once.
    pub(in crate::families) fn rows_wait(&self, costs: &OperationCosts) -> bool {
        let Self { form: d, blocking, rows: most, .. } = self;
        let points = d.window == [1, 1] && d.stride == [1, 1] && !d.open && d.bytes.is_none() && d.rows.is_none();
        let tiles = (d.sizes.width + most - 1) / most;
        let shortest = d.sizes.width / tiles * FILTER_VECTORS;
        let waits = tiles > 1 && (shortest as f64) < costs.fmas_a_cycle * costs.fma_latency;
        points && waits && self.channels_last && blocking.rows == d.sizes.height && d.sizes.height > 1
    }

    /// Whether rows leave lanes empty where results are finished, and all rows may as well be one: of points, which are copied at once, while there
    /// are filters enough to share out.
    pub(in crate::families) fn rows_leave_lanes(&self, numbers: &ConvolutionNumbers) -> bool {
        let Self { form: d, blocking, tiles, .. } = self;
        let points = d.window == [1, 1] && d.stride == [1, 1] && blocking.rows == d.sizes.height && d.sizes.height > 1;
        let shared = d.sizes.n * d.sizes.blocks() >= numbers.enough_units();
        tiles.is_some() && points && shared && d.sizes.width % TILE != 0
    }

    /// For people.
    pub(in crate::families) fn describe(&self) -> String {
        let copied = match (self.copied, self.channels_last) {
            _ if self.in_rows => "",
            (_, true) => " of a copy with channels side by side",
            (true, false) => " of a padded copy",
            (false, false) if self.form.skips_padding => " without padding",
            (false, false) => "",
        };
        let (rows, of, parts) = (self.blocking.rows, self.form.sizes.height, self.blocking.describe());
        if let Some(TiledImage { most: [rows, columns], .. }) = self.blocking.tiles {
            return format!("packed filters, tiles of up to {rows} x {columns} places{copied}{parts}");
        }
        let kind =
            if self.form.rows.is_some() { "transposed product with a matrix in panels" } else { "packed filters" };
        let by_tiles = if self.tiles.is_some() { " by matrix tiles" } else { "" };
        let finished = if self.finish_rows { ", each row finished at once" } else { "" };
        format!("{kind}, {rows} of {of} rows at a time{copied}{by_tiles}{finished}{parts}")
    }
}
