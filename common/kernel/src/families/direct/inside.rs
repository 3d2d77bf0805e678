//! Where the image lies in the padded input of a dilated convolution, and what of the input is read.
use crate::graph::{Graph, Kind, Size};
use crate::schedule::planner::Planner;

/// Where the image lies along a dimension of its padded copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inside {
    /// Its first element.
    pub(super) low: i64,
    /// How many.
    pub(super) size: i64,
}

impl Inside {
    /// The elements of a window that lie on the image for any of its places: the first one, and the one after the last. Of a window
    /// that never meets the image, the first element, which reads padding.
    pub(super) fn live(self, places: i64, taps: i64, stride: i64, dilation: i64) -> (i64, i64) {
        let meets = |tap: &i64| {
            let read = |place: i64| place * stride + tap * dilation - self.low;
            (0..places).any(|place| (0..self.size).contains(&read(place)))
        };
        let first = (0..taps).find(meets).unwrap_or(0);
        (first, (first..taps).rev().find(meets).unwrap_or(first) + 1)
    }
}

/// What of the input of a convolution is read.
pub(super) struct Read {
    /// The input with its padding, or the image alone, where no padding is read.
    pub(super) tensor: usize,
    /// The first row and column.
    pub(super) origin: [i64; 2],
    /// Rows and columns.
    pub(super) sizes: [i64; 2],
}

impl Read {
    /// `parts` has first and count of the rows and columns, where they are not all; `None` if sizes are not known.
    pub(super) fn of(graph: &Graph, x: usize, parts: [Option<(i64, i64)>; 2]) -> Option<Self> {
        let &all: &[i64; 2] = graph.sizes_of_images(x)?.last_chunk()?;
        let [(top, rows), (left, columns)] = [0, 1].map(|at| parts[at].unwrap_or((0, all[at])));
        let read = Self { tensor: x, origin: [top, left], sizes: [rows, columns] };
        let Kind::Pad { src, low, .. } = &graph.tensors[x].kind else { return Some(read) };
        let rank = low.len();
        let only_the_image = (0..rank).all(|d| {
            let size = graph.tensors[*src].dims[d];
            match (d + 2).checked_sub(rank) {
                Some(at) => low[d].known() == Some(read.origin[at]) && size.known() == Some(read.sizes[at]),
                None => low[d].known() == Some(0) && size == graph.tensors[x].dims[d],
            }
        });
        let plain = matches!(graph.tensors[*src].kind, Kind::Memory(_));
        Some(if only_the_image && plain { Self { tensor: *src, origin: [0, 0], ..read } } else { read })
    }
}

impl Planner<'_> {
    /// The image of a padded input, if padding is better left out than copied (`taps.rs`). Rows of the result have so many columns.
    pub(super) fn image_without_padding(&self, x: usize, inside: [Option<Inside>; 2], columns: i64) -> Option<Read> {
        let Kind::Pad { src, .. } = &self.graph.tensors[x].kind else { return None };
        let (padded, image) = (self.graph.sizes_of_images(x)?, self.graph.sizes_of_images(*src)?);
        let differ = |at: &usize| padded[*at] != image[*at];
        let first = image.len().checked_sub(2)?;
        // Elements beside the image are known along both dimensions, and there are no others.
        let known = (first..first + 2).filter(differ).all(|at| inside[at - first].is_some());
        let others = (0..first).any(|at| differ(&at));
        let beside = inside.iter().any(Option::is_some);
        let sizes = [image[first], image[first + 1]];
        let numbers = &self.target.cpu.convolutions;
        let small = self.target.registers < 32 || 2 * columns <= self.points_in_registers();
        let pays = columns <= numbers.constant_columns && (!small || numbers.is_large_padding(&padded, sizes));
        let plain = matches!(self.graph.tensors[*src].kind, Kind::Memory(_));
        (known && !others && beside && pays && plain).then_some(Read { tensor: *src, origin: [0, 0], sizes })
    }
}

impl Graph {
    /// Where the image lies in a padded input, rows and columns, if windows of such a dilation can have elements beside it.
    pub(super) fn image_inside(&self, x: usize, dilation: [i64; 2]) -> [Option<Inside>; 2] {
        let Kind::Pad { src, low, region } = &self.tensors[x].kind else { return [None; 2] };
        let value = region.terminator().and_then(|end| end.operand(0).def());
        let zero = value.filter(|d| d.is("arith.constant")).and_then(|d| d.attr("value")?.as_float()) == Some(0.0);
        [0, 1].map(|at| {
            let of = |sizes: &[Size]| sizes[sizes.len().checked_sub(2)? + at].known();
            let (low, size, padded) = (of(low)?, of(&self.tensors[*src].dims)?, of(&self.tensors[x].dims)?);
            let step = dilation[at];
            (zero && step > 1 && (low >= step || padded - low - size >= step)).then_some(Inside { low, size })
        })
    }
}
