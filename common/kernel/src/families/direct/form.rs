//! Which bodies are convolutions whose filters are packed in blocks.
use super::inside::{Inside, Read};
use crate::families::blocking::Sizes;
use crate::families::forms::{dim, dims, over, rest, window};
use crate::families::roots::Root;
use crate::graph::{Kind, Node, Symbolic};
use crate::machine::convolutions::{FILTER_BLOCK, FILTER_VECTORS};
use crate::schedule::planner::Planner;

/// A convolution of this form.
pub(in crate::families) struct Direct {
    /// What is stored: the result or something computed from it point by point.
    pub(super) roots: Vec<Root>,
    /// The result of the convolution.
    pub(super) y: usize,
    /// Its input, with padding.
    pub(super) x: usize,
    /// The filters: `[blocks, channels, window, window, FILTER_BLOCK]`, of each group; f32, or f16 that becomes f32.
    pub(super) w: usize,
    /// The bytes of one of their elements.
    pub(super) w_bytes: i64,
    /// How many groups of filters and channels there are, if the tensors have a dimension for them.
    pub(super) groups: Option<i64>,
    /// Of one group; `n` counts the groups of all images.
    pub(super) sizes: Sizes,
    /// Rows and columns of the window, from one place of it to the next, and from one element of it to the next.
    pub(super) window: [i64; 2],
    pub(super) stride: [i64; 2],
    pub(super) dilation: [i64; 2],
    /// Rows and columns of the input that are read, and the first of them.
    pub(super) input: [i64; 2],
    pub(super) origin: [i64; 2],
    /// Where the image lies in the input, if elements of a window can lie beside it altogether.
    pub(super) inside: [Option<Inside>; 2],
    /// The elements of the window that lie on the image for any place, rows and columns: the first one, and the one after the last.
    pub(super) live: [(i64, i64); 2],
}

impl Direct {
    /// The weights of a block of filters, in elements.
    pub(super) fn block(&self) -> i64 {
        self.sizes.channels * self.window[0] * self.window[1] * FILTER_BLOCK
    }

    /// Whether the first result has filters side by side.
    pub(super) fn filters_inside(&self) -> bool {
        self.roots[0].innermost() == Some(1 + usize::from(self.groups.is_some()))
    }

    /// Vectors of filters that are computed side by side, for the last `filters` of a block.
    pub(super) fn vectors(filters: i64, lanes: i64) -> i64 {
        ((filters + lanes - 1) / lanes).min(FILTER_VECTORS)
    }

    /// Whether more than one row or column of the window ever lies on the image.
    pub(super) fn has_several(&self, at: usize) -> bool {
        self.live[at].1 - self.live[at].0 > 1
    }

    /// Whether windows do not overlap, so that no element of the input is in the first-level cache when it is read.
    pub(super) fn reads_once(&self) -> bool {
        self.window[0] > 1 && (0..2).all(|at| self.stride[at] >= self.window[at] && self.dilation[at] == 1)
    }

    /// The rows of the input under so many rows of the result.
    pub(super) fn under(&self, rows: i64) -> i64 {
        let (from, to) = self.live[0];
        (rows - 1) * self.stride[0] + (to - 1 - from) * self.dilation[0] + 1
    }
}

impl Planner<'_> {
    /// Recognises the form.
    pub(in crate::families) fn direct(&self, roots: &[usize]) -> Option<Direct> {
        let convolves = |n: &Node<Symbolic>| {
            n.inputs.len() == 2 && [4, 5].iter().any(|&parallel| self.graph.sums_products(n, parallel, 3))
        };
        let y = (0..self.graph.tensors.len()).find(|&t| self.graph.node_of(t).is_some_and(convolves))?;
        let node = self.graph.node_of(y)?;
        let [x, w] = self.graph.inputs_of(node)?[..] else { return None };
        let grouped = usize::from(node.reduction.len() == 8);
        // Loops: image, group, filter, row, column; channel, row and column of the window.
        let [filter, row, column, channel, down, across] = [1, 2, 3, 4, 5, 6].map(|at| at + grouped);
        let (outer, [at, high, wide]) = node.maps[0].split_last_chunk()?;
        let (high, wide) = (window(high, row, down)?, window(wide, column, across)?);
        let block = [over(filter, FILTER_BLOCK), dim(channel), dim(down), dim(across), rest(filter, FILTER_BLOCK)];
        let filters: Vec<_> = dims(&[1])[..grouped].iter().cloned().chain(block).collect();
        let right = outer == dims(&[0, 1][..=grouped])
            && *at == dim(channel)
            && node.maps[1] == filters
            && node.maps[2] == (0..=column).map(dim).collect::<Vec<_>>();
        let w = self.widened(w)?;
        let (y_sizes, w_sizes) = (self.graph.known_sizes(y)?, self.graph.known_sizes(w)?);
        let (outer, &[k, height, width]) = y_sizes.split_last_chunk()?;
        let &[_, channels, rows, columns, block] = w_sizes.last_chunk()?;
        let f32s = [x, y].iter().all(|t| self.graph.tensors[*t].elem.to_string() == "f32");
        let lanes = i64::from(self.target.vector_bits / 32);
        let roots = self.roots_that_follow(roots, y)?;
        let (places, taps, stride, dilation) = ([height, width], [rows, columns], [high.0, wide.0], [high.1, wide.1]);
        let inside = self.graph.image_inside(x, dilation);
        let live = [0, 1]
            .map(|at| inside[at].map_or((0, taps[at]), |i| i.live(places[at], taps[at], stride[at], dilation[at])));
        let read = Read::of(
            self.graph,
            x,
            [0, 1].map(|at| {
                inside[at].map(|_| {
                    let (from, to) = live[at];
                    (from * dilation[at], (places[at] - 1) * stride[at] + (to - 1 - from) * dilation[at] + 1)
                })
            }),
        )?;
        (right && f32s && block == FILTER_BLOCK && 2 * lanes <= FILTER_BLOCK).then_some(Direct {
            roots,
            y,
            x: read.tensor,
            w,
            w_bytes: self.graph.tensors[w].elem.byte_width() as i64,
            groups: (grouped == 1).then(|| outer[1]),
            sizes: Sizes { n: outer.iter().product(), filters: k, height, width, channels },
            window: taps,
            stride,
            dilation,
            input: read.sizes,
            origin: read.origin,
            inside,
            live,
        })
    }

    /// A tensor of f32 in memory, or one of f16 in memory that is made f32.
    fn widened(&self, tensor: usize) -> Option<usize> {
        let elem = |t: usize| self.graph.tensors[t].elem.to_string();
        let memory = |t: usize| matches!(self.graph.tensors[t].kind, Kind::Memory(_));
        if memory(tensor) {
            return (elem(tensor) == "f32").then_some(tensor);
        }
        let node = self.graph.node_of(tensor)?;
        let ops = node.body.ops();
        let ([from], [wider, end]) = (&self.graph.inputs_of(node)?[..], ops.as_slice()) else { return None };
        let plain = !node.reduction.contains(&true)
            && node.maps[0] == (0..node.dims.len()).map(dim).collect::<Vec<_>>()
            && node.maps[0] == node.maps[1]
            && wider.is("arith.extf")
            && wider.operand(0) == node.body.args()[0]
            && end.operand(0) == wider.result(0);
        (plain && memory(*from) && elem(*from) == "f16" && elem(tensor) == "f32").then_some(*from)
    }
}
