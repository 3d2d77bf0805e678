//! Which bodies are depthwise convolutions, of `f32`, of 16-bit floats that become `f32`, or of bytes less a zero point.
use super::bytes::ByteFactors;
use crate::analysis::access::{NEST, Sym};
use crate::families::forms::{dim, window};
use crate::families::roots::Root;
use crate::graph::{Input, Kind, Node, Symbolic};
use crate::schedule::planner::Planner;
use halyard_ir::AffineKind;
use std::collections::BTreeSet;

/// A convolution of this form.
pub(in crate::families) struct Depthwise {
    /// What is stored: the result or something computed from it point by point.
    pub(super) roots: Vec<Root>,
    /// Whether what follows is the same along the rows, so that lanes can go along the channels.
    pub(super) can_turn: bool,
    /// The result of the convolution.
    pub(super) y: usize,
    /// The filters in memory: `[channels, rows, columns]`.
    pub(super) w: usize,
    /// What input and filters are, if the convolution is one of bytes.
    pub(super) bytes: Option<ByteFactors>,
    /// The input without padding.
    pub(super) x: usize,
    /// Rows and columns of the input, if they are known, and of the padding before it.
    pub(super) image: Option<[i64; 2]>,
    pub(super) before: [i64; 2],
    /// Images (one, if their number is not known), channels, rows and columns of the result; of a tile of it, at most, where only a run knows
    /// rows and columns.
    pub(super) sizes: [i64; 4],
    /// Rows and columns of the window, from one place of it to the next, and from one element of it to the next.
    pub(super) window: [i64; 2],
    pub(super) stride: [i64; 2],
    pub(super) dilation: [i64; 2],
}

impl Depthwise {
    /// The rows or columns (`at`) of the padded input under so many of the result.
    pub(super) fn under(&self, at: usize, results: i64) -> i64 {
        (results - 1) * self.stride[at] + (self.window[at] - 1) * self.dilation[at] + 1
    }
}

impl Root {
    /// Whether its channels are side by side.
    pub(super) fn has_channels_inside(&self) -> bool {
        self.innermost() == Some(1)
    }
}

impl Planner<'_> {
    /// Recognises the form.
    pub(in crate::families) fn depthwise(&self, roots: &[usize]) -> Option<Depthwise> {
        let graph = self.graph;
        if self.target.vector_bits < 256 {
            return None;
        }
        let sums = |node: &Node<Symbolic>, integers: bool| graph.sums_products(node, integers, 4, 2);
        let convolves = |node: &Node<Symbolic>| {
            let products = sums(node, false) || sums(node, true) || graph.sums_products_of_halves(node, 4, 2);
            node.inputs.len() == 2 && products
        };
        let y = (0..graph.tensors.len()).find(|&t| graph.node_of(t).is_some_and(convolves))?;
        let node = graph.node_of(y)?;
        let [AffineKind::Dim(image), AffineKind::Dim(channel), AffineKind::Dim(row), AffineKind::Dim(column)] =
            *node.out_map(0)
        else {
            return None;
        };
        let [down, across] = node.reductions()[..] else { return None };
        let inputs = graph.inputs_of(node)?;
        let filters = [dim(channel), dim(down), dim(across)];
        let w = (0..2).find(|&at| node.maps[at] == filters)?;
        let [n, c, high, wide] = &node.maps[1 - w][..] else { return None };
        let (high, wide) = (window(high, row, down)?, window(wide, column, across)?);
        let (w, padded) = (inputs[w], inputs[1 - w]);
        let (x, before) = self.zero_padded(padded)?;
        let all = |tensors: &[usize], elems: &[&str]| {
            tensors.iter().all(|t| elems.contains(&&*graph.tensors[*t].elem.to_string()))
        };
        let &[_, rows, columns] = &graph.known_sizes(w)?[..] else { return None };
        let bytes = if all(&[w, x], &["f32", "f16", "bf16"]) && all(&[y], &["f32"]) {
            None
        } else if all(&[w, x, y], &["i32"]) {
            Some(self.byte_factors(x, w, rows * columns)?)
        } else {
            return None;
        };
        let w = bytes.as_ref().map_or(w, |bytes| bytes.filters.tensor);
        let given = matches!(graph.tensors[w].kind, Kind::Memory(_)) && self.is_cheap(x);
        let storable = |t: &usize| matches!(graph.tensors[*t].elem.bits(), 8 | 16 | 32);
        let open = graph.open_images(y);
        let numbers = &self.target.cpu.convolutions;
        let (sizes, whole) = match &open {
            Some(others) => ([others, &[numbers.open_rows, numbers.open_columns][..]].concat(), graph.open_images(x)?),
            None => (graph.sizes_of_images(y)?, graph.sizes_of_images(x)?),
        };
        let sizes: [i64; 4] = sizes.try_into().ok()?;
        let (&[images, channels], places) = whole.split_first_chunk()?;
        let stored = self.roots_that_follow(roots, y)?;
        let kept = stored.iter().all(|root| self.is_kept(root));
        let can_turn = stored.iter().all(|root| self.depends_on_channels(root, y));
        let right = (n, c) == (&dim(image), &dim(channel)) && roots.iter().all(storable) && given && kept;
        // Larger windows would be written out at length.
        let small = rows * columns <= self.target.cpu.depthwise.largest_window;
        let sized = [images, channels] == sizes[..2] && sizes.iter().all(|size| *size > 0);
        if !right || !small || !sized {
            return None;
        }
        let found = Depthwise {
            roots: stored,
            can_turn,
            y,
            w,
            bytes,
            x,
            image: places.try_into().ok(),
            before,
            sizes,
            window: [rows, columns],
            stride: [high.0, wide.0],
            dilation: [high.1, wide.1],
        };
        // Nests with lanes along rows of unknown length were measured to be slower, too, but for windows of one element.
        let turns = can_turn && (open.is_some() && rows * columns > 1 || self.turning_pays(&found));
        (turns || self.row_dots(&found).is_some()).then_some(found)
    }

    /// Whether lanes along the channels cost less than a nest of loops.
    fn turning_pays(&self, d: &Depthwise) -> bool {
        self.turned_cost(d) <= self.nest_cost(d)
    }

    /// What a vector of results costs in a nest of loops with lanes along the rows, in thousandths of a cycle.
    pub(super) fn nest_cost(&self, d: &Depthwise) -> i64 {
        let (numbers, lanes) = (&self.target.cpu.depthwise, i64::from(self.target.vector_bits / 32));
        let (elements, many) = (d.window[0] * d.window[1], usize::from(self.target.registers >= 32));
        let bytes = d.bytes.is_some();
        let lost = if d.roots.iter().all(Root::has_channels_inside) { numbers.channels_inside[1] } else { 0 };
        let steps = d.stride[1] > 1;
        let along_rows = if bytes { numbers.bytes_along_rows[many] } else { numbers.along_rows };
        let [vector, element] = along_rows[usize::from(steps)];
        let long = !bytes && !steps && elements > numbers.long_window;
        let element = if long { numbers.long_element[many] } else { element };
        let alone = if !steps && d.sizes[3] <= lanes { 100 + numbers.single_vector } else { 100 };
        (vector + lost + element * elements) * self.filled(d.sizes[3]) * alone / 100
    }

    /// What a vector of results costs with lanes along the channels, in thousandths of a cycle.
    pub(super) fn turned_cost(&self, d: &Depthwise) -> i64 {
        let (numbers, elements) = (&self.target.cpu.depthwise, d.window[0] * d.window[1]);
        let [vector, element, further] = if d.bytes.is_some() { numbers.turned_bytes } else { numbers.turned };
        let saved = if d.roots.iter().all(Root::has_channels_inside) { numbers.channels_inside[0] } else { 0 };
        let cost = vector - saved + element * elements + further * (d.stride[0] * d.stride[1] - 1);
        cost * self.filled(d.sizes[1])
    }

    /// Vectors for so many numbers, for one that is full, in hundredths.
    fn filled(&self, count: i64) -> i64 {
        let lanes = i64::from(self.target.vector_bits / 32);
        (count + lanes - 1) / lanes * lanes * 100 / count
    }

    /// What is padded with zeros, and the rows and columns before it; the tensor itself, if it is not padded.
    fn zero_padded(&self, tensor: usize) -> Option<(usize, [i64; 2])> {
        let Kind::Pad { src, low, region } = &self.graph.tensors[tensor].kind else { return Some((tensor, [0, 0])) };
        let value = region.terminator()?.operand(0).def()?;
        let number = value.attr("value").filter(|_| value.is("arith.constant"))?;
        let zero = number.as_float() == Some(0.0) || number.as_int() == Some(0);
        let low: Vec<i64> = low.iter().map(|l| l.known()).collect::<Option<_>>()?;
        let &[0, 0, top, left] = &low[..] else { return None };
        let (inner, outer) = (&self.graph.tensors[*src].dims, &self.graph.tensors[tensor].dims);
        (zero && top >= 0 && left >= 0 && inner[..2] == outer[..2]).then_some((*src, [top, left]))
    }

    /// Whether a tensor is in memory, or computed point by point from such: rows that two stripes need are computed twice.
    fn is_cheap(&self, tensor: usize) -> bool {
        let memory = |t: usize| matches!(self.graph.tensors[t].kind, Kind::Memory(_));
        let point_by_point = || {
            let node = self.graph.node_of(tensor)?;
            // Operands in another order would be read number by number.
            let image_and_channel = &node.out_map(0)[..2];
            let in_order =
                |map: &Vec<AffineKind>| map == node.out_map(0) || map.iter().all(|at| image_and_channel.contains(at));
            let given = node.inputs.iter().zip(&node.maps).all(|(input, map)| match input {
                Input::Tensor(t) => in_order(map) && memory(*t),
                Input::Scalar(_) => true,
            });
            Some(!node.reduction.contains(&true) && given)
        };
        memory(tensor) || point_by_point().unwrap_or(false)
    }

    /// Whether a result is stored as the convolution is, plane by plane, or has channels side by side.
    fn is_kept(&self, root: &Root) -> bool {
        root.order.iter().copied().eq(0..4) || root.has_channels_inside()
    }

    /// Whether a result has, beside the convolution, nothing but operands for each image and channel: others lie across the lanes.
    fn depends_on_channels(&self, root: &Root, y: usize) -> bool {
        if root.tensor == y {
            return true;
        }
        let idx: Vec<Sym> = (0..4).map(|d| Sym::var((NEST, d))).collect();
        let kept = [idx[root.order[0]].clone(), idx[root.order[1]].clone(), Sym::default()];
        let uses = self.graph.uses(root.tensor, idx, &BTreeSet::from([y]));
        uses.iter().filter(|u| u.id != y && !matches!(self.graph.tensors[u.id].kind, Kind::Result { .. })).all(|u| {
            u.idx.iter().all(|at| kept.contains(at)) || matches!(self.graph.tensors[u.id].kind, Kind::Splat(_))
        })
    }
}
