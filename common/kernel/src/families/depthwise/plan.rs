//! How a depthwise convolution is laid out.
use super::form::Depthwise;
use super::row_dots::RowDots;
use crate::families::Share;
use crate::families::open_images::TiledImage;
use crate::schedule::planner::Planner;

/// A convolution of this form as it is emitted.
pub(crate) struct DepthwisePlan {
    pub(super) form: Depthwise,
    /// With lanes along the rows: bytes are multiplied four at once.
    pub(super) row_dots: Option<RowDots>,
    /// Channels (or columns) in a vector, and vectors of channels (or channels).
    pub(super) lanes: i64,
    pub(super) blocks: i64,
    /// Rows of a stripe, and stripes of an image. The last stripe may share rows with the one before.
    pub(super) rows: i64,
    pub(super) stripes: i64,
    /// Where only a run knows rows and columns: how the result is divided; then there is one stripe of each tile.
    pub(super) tiles: Option<TiledImage>,
    /// Pixels in registers.
    pub(super) pixels: i64,
    pub(super) share: Share,
}

impl Planner<'_> {
    /// Lays out the kernel.
    pub(in crate::families) fn plan_depthwise(&mut self, form: Depthwise) -> DepthwisePlan {
        let numbers = &self.target.cpu.depthwise;
        let [images, channels, height, width] = form.sizes;
        let lanes = i64::from(self.target.vector_bits / 32);
        let row_dots = self.row_dots(&form);
        let blocks = if row_dots.is_some() { channels } else { (channels + lanes - 1) / lanes };
        let (columns, budget) = (form.under(1, width), self.target.l2 as i64 / 4);
        let results = form.roots.len() as i64 * width;
        let bytes = |rows: i64| match &row_dots {
            Some(dots) => form.under(0, rows) * dots.pitch,
            None => (form.under(0, rows) * columns + rows * results) * lanes * 4,
        };
        let within = |budget: i64| (1..=height).rev().find(|&rows| bytes(rows) <= budget).unwrap_or(1);
        let fitting = within(budget);
        // Rows under several stripes are transposed for each: with large dilation less of them in the cache costs less than that.
        let again = form.under(0, fitting) > 2 * fitting * form.stride[0];
        let fitting = if again { within(3 * budget) } else { fitting };
        // As many rows in each stripe, and enough stripes to share out, as long as they are no lower than a window.
        let ours = if form.image.is_some() {
            let enough = (numbers.wanted_units + images * blocks - 1) / (images * blocks);
            let most = height / form.under(0, 1);
            let stripes = ((height + fitting - 1) / fitting).max(enough.min(most)).max(1);
            (height + stripes - 1) / stripes
        } else {
            fitting
        };
        let rows = self.choices.number("rows", ours, |rows| (1..=height).contains(&rows));
        self.choices.record_number("rows", rows, 1..=height);
        let stripes = (height + rows - 1) / rows;
        let tiles =
            form.image.is_none().then_some(TiledImage { tensor: form.y, most: [rows, width], points: None, unit: 1 });
        let stripes = if tiles.is_some() { 1 } else { stripes };
        let many = usize::from(self.target.registers >= 32);
        let most = numbers.pixels[many].min(width);
        let pieces = (width + most - 1) / most;
        let pixels = (width + pieces - 1) / pieces;
        let share = match tiles {
            Some(image) => self.share_tiles(images * blocks, image),
            None => self.share(images * blocks * stripes, form.y),
        };
        DepthwisePlan { form, row_dots, lanes, blocks, rows, stripes, tiles, pixels, share }
    }
}

impl DepthwisePlan {
    /// For people.
    pub(in crate::families) fn describe(&self) -> String {
        let (rows, of) = (self.rows, self.form.sizes[2]);
        if let Some(TiledImage { most: [rows, columns], .. }) = self.tiles {
            let lanes = self.lanes;
            return format!(
                "depthwise convolution, {lanes} channels side by side, tiles of up to {rows} x {columns} places"
            );
        }
        if self.row_dots.is_some() {
            let lanes = self.lanes;
            return format!(
                "depthwise convolution, {lanes} columns side by side, four bytes of a row at once, {rows} of {of} rows at a time"
            );
        }
        format!("depthwise convolution, {} channels side by side, {rows} of {of} rows at a time", self.lanes)
    }
}
