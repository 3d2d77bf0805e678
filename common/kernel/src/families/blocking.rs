//! How the work of a convolution is blocked: stripes of rows, so that what a stripe needs in between stays in a cache, and
//! parts of the filters, so that there is enough to share out. The parts of a stripe come one after the other: what a
//! thread has prepared for one of them (see [`crate::emit::scratch`]) serves the next.
use super::open_images::TiledImage;
use crate::machine::convolutions::{ConvolutionNumbers, FILTER_BLOCK};
use crate::schedule::Choices;

/// The squares of a tile, at most.
const MOST_SQUARES: i64 = 784;

/// The sizes of a convolution.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// Of the result: images, filters, rows, columns. Of a number of images that only a run knows, one.
    pub(super) n: i64,
    pub(super) filters: i64,
    pub(super) height: i64,
    pub(super) width: i64,
    /// Of the input.
    pub(super) channels: i64,
}

impl Sizes {
    /// Blocks of filters.
    pub(super) fn blocks(&self) -> i64 {
        (self.filters + FILTER_BLOCK - 1) / FILTER_BLOCK
    }
}

/// A way to cut.
pub(super) struct Blocking {
    /// Rows of a stripe.
    pub(super) rows: i64,
    /// Stripes of all images.
    pub(super) stripes: i64,
    /// Stripes of an image.
    pub(super) each: i64,
    /// Of images whose rows and columns only a run knows, how they are divided; then there is one stripe of each tile.
    pub(super) tiles: Option<TiledImage>,
    /// Parts of the filters.
    pub(super) parts: i64,
    /// Blocks of filters of a part.
    pub(super) blocks: i64,
}

impl Blocking {
    /// Stripes of the most rows, of `all` with so many points each, whose bytes are within a budget. Where that makes few
    /// units and filters may be read again, stripes are smaller.
    pub(super) fn new(
        sizes: &Sizes,
        (all, points): (i64, i64),
        again: bool,
        budget: i64,
        bytes: impl Fn(i64) -> i64,
        (choices, numbers): (&mut Choices, &ConvolutionNumbers),
    ) -> Self {
        let enough = numbers.enough_units();
        let units = |rows: i64| sizes.n * (all / rows) * sizes.blocks();
        let mut rows = stripe(all, budget, bytes);
        if again && units(rows) < enough {
            let mut smaller =
                (1..rows).rev().filter(|r| all % r == 0 && r * points >= numbers.stripe_points).peekable();
            while let Some(next) = smaller.next_if(|_| units(rows) < enough) {
                rows = next;
            }
        }
        let legal: Vec<i64> = (1..=all).filter(|r| all % r == 0).collect();
        let rows = choices.number("stripe", rows, |rows| legal.contains(&rows));
        choices.record_number("stripe", rows, legal);
        let each = all / rows;
        let (parts, blocks) = Self::filter_parts(sizes, sizes.n * each, (choices, numbers));
        Self { rows, stripes: sizes.n * each, each, tiles: None, parts, blocks }
    }

    /// The same for images whose rows and columns only a run knows: tiles of at most so many rows and columns (the first of those that leave
    /// enough rows), whose bytes are within a budget. All columns are multiples of `unit`.
    pub(super) fn of_tiles(
        sizes: &Sizes,
        (tensor, most, columns, unit): (usize, i64, &[i64], i64),
        bytes: impl Fn(i64, i64) -> i64,
        budget: i64,
        (choices, numbers): (&mut Choices, &ConvolutionNumbers),
    ) -> Self {
        let fitting = |columns: i64| (1..=most).rev().find(|rows| bytes(*rows, columns) <= budget).unwrap_or(1);
        let (rows, columns) = columns
            .iter()
            .map(|&columns| (fitting(columns), columns))
            .find(|(rows, columns)| rows * 4 >= *columns || *rows == most && bytes(most, *columns) <= budget)
            .unwrap_or_else(|| {
                let columns = columns.last().copied().unwrap_or(1);
                (fitting(columns), columns)
            });
        let rows = choices.number("stripe", rows, |rows| (1..=most).contains(&rows));
        choices.record_number("stripe", rows, 1..=most);
        let (parts, blocks) = Self::filter_parts(sizes, sizes.n, (choices, numbers));
        // A part of a row, rounded up, must fit the memory of the longest one.
        assert!(columns % unit == 0, "{columns} columns are no multiple of {unit}");
        let tiles = Some(TiledImage { tensor, most: [rows, columns], points: None, unit });
        Self { rows, stripes: sizes.n, each: 1, tiles, parts, blocks }
    }

    /// The same for tiles whose points are divided into squares of `unit` by `unit`: of so many squares.
    pub(super) fn of_squares(
        sizes: &Sizes,
        (image, squares): (TiledImage, i64),
        (choices, numbers): (&mut Choices, &ConvolutionNumbers),
    ) -> Self {
        let most = image.most[1] / image.unit;
        let legal = most..=MOST_SQUARES;
        let squares = choices.number("stripe", squares.clamp(most, MOST_SQUARES), |squares| legal.contains(&squares));
        choices.record_number("stripe", squares, legal);
        let image = TiledImage { points: Some(squares * image.unit * image.unit), ..image };
        let (parts, blocks) = Self::filter_parts(sizes, sizes.n, (choices, numbers));
        Self { rows: image.most[0], stripes: sizes.n, each: 1, tiles: Some(image), parts, blocks }
    }

    /// Parts of the filters, where there are so many stripes, and the blocks of a part.
    fn filter_parts(
        sizes: &Sizes,
        stripes: i64,
        (choices, numbers): (&mut Choices, &ConvolutionNumbers),
    ) -> (i64, i64) {
        let blocks = sizes.blocks();
        let parts = (1..=blocks)
            .find(|p| blocks % p == 0 && (stripes * p >= numbers.wanted_units || *p == blocks))
            .unwrap_or(1);
        let legal: Vec<i64> = (1..=blocks).filter(|p| blocks % p == 0).collect();
        let parts = choices.number("filter_parts", parts, |parts| legal.contains(&parts));
        choices.record_number("filter_parts", parts, legal);
        (parts, blocks / parts)
    }

    /// The units of work; of images whose rows and columns only a run knows, those of one tile of each.
    pub(super) fn units(&self) -> i64 {
        self.stripes * self.parts
    }

    /// What it comes to, for people.
    pub(super) fn describe(&self) -> String {
        match self.parts {
            1 => String::new(),
            parts => format!(", filters in {parts} parts"),
        }
    }
}

/// The most rows, a divisor of all, whose bytes are within a budget. Where the next larger divisor is far away, as for a
/// prime number of rows, all of them may need twice as much.
fn stripe(all: i64, budget: i64, bytes: impl Fn(i64) -> i64) -> i64 {
    let rows = (1..=all).filter(|r| all % r == 0 && bytes(*r) <= budget).max().unwrap_or(1);
    if rows * 4 <= all && bytes(all) <= 2 * budget { all } else { rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stripes_divide_and_fit() {
        assert_eq!(stripe(28, 1000, |r| r * 100), 7);
        assert_eq!(stripe(7, 1000, |r| r * 200), 7);
        assert_eq!(stripe(7, 1000, |r| r * 500), 1);
        assert_eq!(stripe(5, 10, |r| r * 100), 1);
    }

    #[test]
    fn there_are_units_for_two_threads_where_filters_allow() {
        let numbers = &ConvolutionNumbers::default();
        let sizes = Sizes { n: 1, filters: 512, height: 14, width: 14, channels: 512 };
        for (rows, all, parts) in [(100, 7, 16), (1, 7, 4), (1, 100, 1)] {
            let blocking = Blocking::new(&sizes, (all, 7), true, rows, |r| r, (&mut Choices::default(), numbers));
            assert_eq!((blocking.parts, blocking.parts * blocking.blocks), (parts, 16), "{rows} of {all}");
        }
        let odd = Sizes { filters: 208, ..sizes };
        assert_eq!(Blocking::new(&odd, (7, 7), true, 100, |r| r, (&mut Choices::default(), numbers)).parts, 7);
        // Three blocks of filters; 14 rows of 14 tiles.
        let few = Sizes { filters: 96, ..sizes };
        let rows = |again| Blocking::new(&few, (14, 14), again, 100, |r| r, (&mut Choices::default(), numbers)).rows;
        assert_eq!((rows(true), rows(false)), (2, 14));
    }
}
