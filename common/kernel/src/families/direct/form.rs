//! Which bodies are convolutions whose filters are packed in blocks.
use super::inside::Inside;
use crate::families::blocking::Sizes;
use crate::families::forms::{dim, dims, over, rest, window};
use crate::graph::Kind;
use crate::machine::convolutions::FILTER_BLOCK;
use crate::schedule::planner::Planner;

/// A convolution of this form.
pub(in crate::families) struct Direct {
    /// What is stored: the result or something computed from it point by point.
    pub(super) root: usize,
    /// The result of the convolution.
    pub(super) y: usize,
    /// Its input, with padding.
    pub(super) x: usize,
    /// The filters: `[blocks, channels, window, window, FILTER_BLOCK]`.
    pub(super) w: usize,
    pub(super) sizes: Sizes,
    /// Rows and columns of the window, from one place of it to the next, and from one element of it to the next.
    pub(super) window: [i64; 2],
    pub(super) stride: [i64; 2],
    pub(super) dilation: [i64; 2],
    /// Rows and columns of the input.
    pub(super) input: [i64; 2],
    /// Where the image lies in the input, if elements of a window can lie beside it altogether.
    pub(super) inside: [Option<Inside>; 2],
}

impl Direct {
    /// The weights of a block of filters, in elements.
    pub(super) fn block(&self) -> i64 {
        self.sizes.channels * self.window[0] * self.window[1] * FILTER_BLOCK
    }

    /// The rows of the input under so many rows of the result.
    pub(super) fn under(&self, rows: i64) -> i64 {
        (rows - 1) * self.stride[0] + (self.window[0] - 1) * self.dilation[0] + 1
    }
}

impl Planner<'_> {
    /// Recognises the form.
    pub(in crate::families) fn direct(&self, root: usize) -> Option<Direct> {
        let y = (0..self.graph.tensors.len()).find(|&t| {
            self.graph.node_of(t).is_some_and(|n| n.inputs.len() == 2 && self.graph.sums_products(n, 4, 3))
        })?;
        let node = self.graph.node_of(y)?;
        let [x, w] = self.graph.inputs_of(node)?[..] else { return None };
        let [image, channel, high, wide] = &node.maps[0][..] else { return None };
        let (high, wide) = (window(high, 2, 5)?, window(wide, 3, 6)?);
        let filters = vec![over(1, FILTER_BLOCK), dim(4), dim(5), dim(6), rest(1, FILTER_BLOCK)];
        let right = (image, channel) == (&dim(0), &dim(4))
            && node.maps[1] == filters
            && node.maps[2] == dims(&[0, 1, 2, 3])
            && self.graph.follows(root, y);
        let Kind::Memory(_) = self.graph.tensors[w].kind else { return None };
        let [n, k, height, width] = self.graph.known_sizes(y)?[..] else { return None };
        let [_, channels, rows, columns, block] = self.graph.known_sizes(w)?[..] else { return None };
        let [_, _, input_rows, input_columns] = self.graph.known_sizes(x)?[..] else { return None };
        let f32s = [x, w, y].iter().all(|t| self.graph.tensors[*t].elem.to_string() == "f32");
        let lanes = i64::from(self.target.vector_bits / 32);
        (right && f32s && block == FILTER_BLOCK && 2 * lanes <= FILTER_BLOCK).then_some(Direct {
            root,
            y,
            x,
            w,
            sizes: Sizes { n, filters: k, height, width, channels },
            window: [rows, columns],
            stride: [high.0, wide.0],
            dilation: [high.1, wide.1],
            input: [input_rows, input_columns],
            inside: self.graph.image_inside(x, [high.1, wide.1]),
        })
    }
}
