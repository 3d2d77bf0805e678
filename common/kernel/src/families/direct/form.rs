//! Which bodies are convolutions whose filters are packed in blocks.
use super::inside::{Inside, Read};
use crate::families::blocking::Sizes;
use crate::families::byte_groups::ByteInput;
use crate::families::forms::{dim, dims, over, rest, window};
use crate::families::roots::Root;
use crate::families::transposed::ProductRows;
use crate::graph::{Kind, Node, Symbolic};
use crate::machine::convolutions::{
    FILTER_BLOCK, FILTER_VECTORS, LANES_OF_FAST_BROADCASTS, OPERATIONS_A_CYCLE, OPERATIONS_OF_DIVISION,
    OPERATIONS_OF_FUNCTION,
};
use crate::machine::dot_products::Instruction;
use crate::schedule::planner::Planner;
use halyard_ir::Op;
use std::collections::BTreeSet;

/// A convolution of this form.
pub(in crate::families) struct Direct {
    /// What is stored: the result or something computed from it point by point.
    pub(super) roots: Vec<Root>,
    /// The result of the convolution.
    pub(super) y: usize,
    /// Its input, with padding.
    pub(super) x: usize,
    /// The filters, of each group: `[blocks, channels, window, window, FILTER_BLOCK]` of f32, or of f16 that becomes f32; of bytes
    /// `[blocks, channels, window, window, FILTER_BLOCK, group]`.
    pub(super) w: usize,
    /// Of filters of bytes: whether they have taps before channels, `[blocks, window, window, channels, FILTER_BLOCK, group]`, as matrix tiles
    /// want them.
    pub(super) taps_first: bool,
    /// Where bytes are multiplied, what the input is. Then an element of input and filters is a group of bytes, and their channels count as one.
    pub(super) bytes: Option<ByteInput>,
    /// The bytes of one of their elements.
    pub(super) w_bytes: i64,
    /// Whether only a run knows rows and columns of the result. Then `sizes` and `input` have those of a tile of it, at most.
    pub(super) open: bool,
    /// Of a product: how its rows are an image (`product.rs`).
    pub(super) rows: Option<ProductRows>,
    /// How many groups of filters and channels there are, if the tensors have a dimension for them.
    pub(super) groups: Option<i64>,
    /// Of one group; `n` counts the groups of all images, or of one.
    pub(super) sizes: Sizes,
    /// Rows and columns of the window, from one place of it to the next, and from one element of it to the next.
    pub(super) window: [i64; 2],
    pub(super) stride: [i64; 2],
    /// Which rows and columns of the input a stripe has: each, or each second one, and so on. Steps between places are those of the stripe.
    pub(super) sampling: [i64; 2],
    pub(super) dilation: [i64; 2],
    /// Rows and columns of the input that are read, and the first of them; and what lies before them for the first element of a window at
    /// the first place.
    pub(super) input: [i64; 2],
    pub(super) origin: [i64; 2],
    pub(super) before: [i64; 2],
    /// Whether the image is read in place, without its padding: its elements are left out, pixel by pixel (`taps.rs`).
    pub(super) skips_padding: bool,
    /// Where the image lies in the input, if elements of a window can lie beside it altogether.
    pub(super) inside: [Option<Inside>; 2],
    /// The elements of the window that lie on the image for any place, rows and columns: the first one, and the one after the last.
    pub(super) live: [(i64, i64); 2],
    /// About how long a vector of results takes after its sums.
    pub(super) cycles_after: f64,
}

impl Direct {
    /// The weights of a block of filters, in elements.
    pub(super) fn block(&self) -> i64 {
        self.sizes.channels * self.window[0] * self.window[1] * FILTER_BLOCK
    }

    /// Whether the first result has filters side by side.
    pub(super) fn filters_inside(&self) -> bool {
        self.rows.is_none() && self.roots[0].innermost() == Some(1 + usize::from(self.groups.is_some()))
    }

    /// Vectors of filters that are computed side by side, with `points` pixels. Sums of bytes are short, so that what follows them counts:
    /// one vector of filters leaves room for whole vectors of pixels, which is worth it where the result is a quarter fewer of them.
    pub(super) fn filter_vectors(&self, points: i64, lanes: i64) -> i64 {
        let Sizes { height, width, .. } = self.sizes;
        // Narrow images take whole rows together.
        let pieces = |size: i64| {
            let (down, across) = ((size / width).max(1), size.min(width));
            (height + down - 1) / down * ((width + across - 1) / across)
        };
        let fuller = points < lanes && pieces(lanes) * 4 <= pieces(points) * 3;
        // With words in short vectors, loading a pixel for each product would cost more.
        let one = self.bytes.as_ref().is_some_and(|bytes| {
            fuller && (bytes.instruction != Instruction::WordsThenAdd || lanes >= LANES_OF_FAST_BROADCASTS)
        });
        if one && !self.open && !self.filters_inside() { 1 } else { FILTER_VECTORS }
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
        let convolves = |n: &Node<Symbolic>, integers| {
            n.inputs.len() == 2 && [4, 5].iter().any(|&parallel| self.graph.sums_products(n, integers, parallel, 3))
        };
        let of = |integers| {
            let found = |&t: &usize| self.graph.node_of(t).is_some_and(|n| convolves(n, integers));
            Some(((0..self.graph.tensors.len()).find(found)?, integers))
        };
        let (y, integers) = of(false).or_else(|| of(true))?;
        let node = self.graph.node_of(y)?;
        let [x, w] = self.graph.inputs_of(node)?[..] else { return None };
        let grouped = usize::from(node.reduction.len() == 8);
        // Loops: image, group, filter, row, column; channel, row and column of the window.
        let [filter, row, column, channel, down, across] = [1, 2, 3, 4, 5, 6].map(|at| at + grouped);
        let (outer, [at, high, wide]) = node.maps[0].split_last_chunk()?;
        let (high, wide) = (window(high, row, down)?, window(wide, column, across)?);
        let block = [over(filter, FILTER_BLOCK), dim(channel), dim(down), dim(across), rest(filter, FILTER_BLOCK)];
        let mut filters: Vec<_> = dims(&[1])[..grouped].iter().cloned().chain(block).collect();
        let group = if integers { self.target.dots.bytes_together()? } else { 1 };
        if integers {
            filters[1 + grouped] = over(channel, group);
            filters.push(rest(channel, group));
        }
        let mut by_tap = filters.clone();
        by_tap[1 + grouped..4 + grouped].rotate_left(1);
        let taps_first = integers && self.target.dots.tiles && node.maps[1] == by_tap;
        let right = outer == dims(&[0, 1][..=grouped])
            && *at == dim(channel)
            && (taps_first || node.maps[1] == filters)
            && node.maps[2] == (0..=column).map(dim).collect::<Vec<_>>();
        let bytes = if integers { Some(self.byte_input(x, y, node.dims[channel].known()?)?) } else { None };
        let w = if integers { self.widened(w, ("i8", "i32", "arith.extsi"))? } else { self.widened_float(w)? };
        let w_sizes = self.graph.known_sizes(w)?;
        let w_sizes = if integers { w_sizes.strip_suffix(&[group])? } else { &w_sizes };
        let &[_, mut inner @ .., block] = w_sizes.last_chunk::<5>()?;
        if taps_first {
            inner.rotate_right(1);
        }
        let [channels, rows, columns] = inner;
        let under_a_row = channels * ((rows - 1) * high.1 + 1) * 4;
        let filters = w_sizes.iter().product::<i64>() * 4;
        let reach = (wide.0, (columns - 1) * wide.1 + 1);
        let open = match self.graph.open_images(y) {
            // Nothing but matrix tiles reads filters tap by tap, and they take whole rows, however long.
            Some(_) if taps_first => return None,
            None if taps_first => None,
            open => open.or_else(|| self.images_of_long_rows(x, y, (under_a_row, filters), reach)),
        };
        let numbers = &self.target.cpu.convolutions;
        let y_sizes = match &open {
            Some(others) => [others, &[numbers.open_rows, numbers.open_columns][..]].concat(),
            None => self.graph.sizes_of_images(y)?,
        };
        let open = open.is_some();
        let (outer, &[k, height, width]) = y_sizes.split_last_chunk()?;
        let elem = if integers { "i32" } else { "f32" };
        let words = [x, y].iter().all(|t| self.graph.tensors[*t].elem.to_string() == elem);
        let lanes = i64::from(self.target.vector_bits / 32);
        let roots = self.roots_that_follow(roots, y)?;
        let (places, taps, stride, dilation) = ([height, width], [rows, columns], [high.0, wide.0], [high.1, wide.1]);
        // Padding of bytes stands for their zero point: it is multiplied like anything else.
        let inside = if integers || open { [None; 2] } else { self.graph.image_inside(x, dilation) };
        let live = [0, 1]
            .map(|at| inside[at].map_or((0, taps[at]), |i| i.live(places[at], taps[at], stride[at], dilation[at])));
        let under =
            |at: usize, (from, to): (i64, i64)| (places[at] - 1) * stride[at] + (to - 1 - from) * dilation[at] + 1;
        let image = if integers || open { None } else { self.image_without_padding(x, inside, width) };
        let image_in_place = image.is_some();
        let read = if let Some(image) = image {
            image
        } else if open {
            Read { tensor: x, origin: [0, 0], sizes: [0, 1].map(|at| under(at, (0, taps[at]))) }
        } else {
            let part = |at: usize| inside[at].map(|_| (live[at].0 * dilation[at], under(at, live[at])));
            Read::of(self.graph, x, [0, 1].map(part))?
        };
        let cycles_after = self.cycles_after(&roots, y);
        (right && words && block == FILTER_BLOCK && 2 * lanes <= FILTER_BLOCK).then_some(Direct {
            roots,
            y,
            x: read.tensor,
            w,
            taps_first,
            w_bytes: if integers { group } else { self.graph.tensors[w].elem.byte_width() as i64 },
            bytes,
            open,
            rows: None,
            groups: (grouped == 1).then(|| outer[1]),
            sizes: Sizes { n: outer.iter().product(), filters: k, height, width, channels },
            window: taps,
            stride,
            sampling: [1, 1],
            dilation,
            input: read.sizes,
            origin: read.origin,
            before: match image_in_place {
                true => inside.map(|i| i.map_or(0, |i| i.low)),
                false => [0, 1].map(|at| live[at].0 * dilation[at]),
            },
            skips_padding: image_in_place,
            inside,
            live,
            cycles_after,
        })
    }

    /// About how long a vector of results takes after its sums, in cycles.
    fn cycles_after(&self, roots: &[Root], y: usize) -> f64 {
        let (mut open, mut seen) = (roots.iter().map(|root| root.tensor).collect::<Vec<_>>(), BTreeSet::from([y]));
        let mut operations = 0.0;
        while let Some(tensor) = open.pop() {
            let Some(node) = self.graph.node_of(tensor).filter(|_| seen.insert(tensor)) else { continue };
            open.extend(self.graph.inputs_of(node).into_iter().flatten());
            operations += node.body.ops().iter().map(operations_of).sum::<f64>();
        }
        operations / OPERATIONS_A_CYCLE
    }

    /// The sizes of a result before its rows and columns, if not even the input of one row fits the cache, or there is one row and there are few
    /// filters to share out: then tiles of the image are parts of rows, as they are where only a run knows its sizes.
    /// `column` has the bytes of the input in one column under a row, `filters` those of the filters; `reach` the columns of a window.
    fn images_of_long_rows(
        &self,
        x: usize,
        y: usize,
        (column, filters): (i64, i64),
        (step, reach): (i64, i64),
    ) -> Option<Vec<i64>> {
        let &input = self.graph.sizes_of_images(x)?.last()?;
        let sizes = self.graph.sizes_of_images(y)?;
        let (outer, &[rows, width]) = sizes.split_last_chunk()?;
        let (budget, numbers) = ((self.target.l2 as i64 / 2).max(filters / 2), &self.target.cpu.convolutions);
        let large = (column * input) as f64 > budget as f64 * numbers.long_rows;
        // Of narrower tiles too much is copied.
        let wide = column * ((numbers.open_columns - 1) * step + reach) <= budget;
        let (filters, images) = outer.split_last()?;
        let blocks = (filters + FILTER_BLOCK - 1) / FILTER_BLOCK;
        let few = rows == 1 && images.iter().product::<i64>() * blocks < numbers.enough_units();
        ((large || few) && wide && width > numbers.constant_columns).then(|| outer.to_vec())
    }

    /// A tensor of f32 in memory, or one of f16 in memory that is made f32.
    pub(super) fn widened_float(&self, tensor: usize) -> Option<usize> {
        let singles = self.graph.tensors[tensor].elem.to_string() == "f32";
        match self.graph.tensors[tensor].kind {
            Kind::Memory(_) => singles.then_some(tensor),
            _ => self.widened(tensor, ("f16", "f32", "arith.extf")),
        }
    }
}

/// The vector operations that an operation of a body takes, about.
fn operations_of(op: &Op) -> f64 {
    match op.name().as_str() {
        "math.roundeven" => 1.0,
        "arith.divf" => OPERATIONS_OF_DIVISION,
        name if name.starts_with("math.") => OPERATIONS_OF_FUNCTION,
        _ => 1.0,
    }
}
