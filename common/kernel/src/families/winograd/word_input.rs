//! Inputs of bytes whose transforms are words.
use crate::families::byte_groups::ByteInput;
use crate::families::dot_instructions::Short;
use crate::graph::{Graph, Kind};
use crate::schedule::planner::Planner;

/// Channels of words that stand side by side.
pub(super) const PAIR: i64 = 2;
/// Outputs of a tile along a dimension: larger tiles have transforms with fractions.
pub(super) const OUTPUTS: i64 = 2;

/// An input of bytes that become words.
pub(super) struct Words {
    pub(super) input: ByteInput,
    /// The image without its padding, and how many rows and columns it has.
    pub(super) image: usize,
    pub(super) sizes: [i64; 2],
    /// The rows and columns of padding before it.
    pub(super) low: [i64; 2],
}

impl Words {
    /// The elements from a row of a copy to the next, of so many tiles: whole vectors are stored and read.
    pub(super) fn pitch(&self, columns: i64, lanes: i64) -> i64 {
        let read = OUTPUTS * (columns + lanes) + 2 * lanes;
        read.max(self.low[1] + self.sizes[1] + 2 * lanes)
    }

    /// The elements of the copy of so many rows and columns of tiles.
    pub(super) fn elements(&self, [rows, columns]: [i64; 2], lanes: i64) -> i64 {
        (OUTPUTS * rows + 2) * self.pitch(columns, lanes)
    }
}

impl Planner<'_> {
    /// An input of so many channels as words whose transforms are words, too: sums of so many of them.
    pub(super) fn words(&self, x: usize, y: usize, channels: i64, together: i64) -> Option<Words> {
        let input = self.byte_input(x, y, channels)?;
        let most = i64::from(i16::MAX) / together;
        let fits = self.interval_of(x).is_some_and(|(least, greatest)| least.abs().max(greatest) <= most);
        let (image, low) = self.graph.padded_image(x)?;
        let sizes = *self.graph.sizes_of_images(image)?.last_chunk()?;
        (fits && input.short() == Short::Word && input.is_exact()).then_some(Words { input, image, sizes, low })
    }
}

impl Graph {
    /// An image with known padding around it, rows and columns alone, or none: the image, and the padding before it.
    fn padded_image(&self, x: usize) -> Option<(usize, [i64; 2])> {
        let Kind::Pad { src, low, .. } = &self.tensors[x].kind else { return Some((x, [0, 0])) };
        let (outer, [rows, columns]) = low.split_last_chunk()?;
        let same = |d: usize| self.tensors[*src].dims[d] == self.tensors[x].dims[d];
        let others = outer.iter().enumerate().all(|(d, low)| low.known() == Some(0) && same(d));
        others.then_some((*src, [rows.known()?, columns.known()?]))
    }
}
