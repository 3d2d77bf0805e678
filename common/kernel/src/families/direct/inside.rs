//! Where the image lies in the padded input of a dilated convolution.
use crate::graph::{Graph, Kind, Size};

/// Where the image lies along a dimension of its padded copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inside {
    /// Its first element.
    pub(super) low: i64,
    /// How many.
    pub(super) size: i64,
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
