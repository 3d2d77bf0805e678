//! Which bodies are products with matrices that are quantised in blocks and packed in panels.
use super::GROUP;
use super::unpack::{Bits, Element, ScalePart, ZeroPart, element, indices};
use crate::families::forms::factors;
use crate::families::panels::ROWS;
use crate::families::roots::Root;
use crate::graph::{Graph, Input, Kind, Node, Symbolic};
use crate::schedule::planner::Planner;
use halyard_ir::{AffineKind, names};

/// The steps of a sum that have one scale of the activations, at most.
const STEP: i64 = 32;

/// A product of this form.
pub(in crate::families) struct BlockProduct {
    /// What is stored: the product, or tensors computed from it point by point.
    pub(super) roots: Vec<Root>,
    /// The product: rows of the activations, rows of the matrix.
    pub(super) y: usize,
    /// The activations.
    pub(super) x: usize,
    /// The rows of the matrix, and the steps of each sum.
    pub(super) columns: i64,
    pub(super) steps: i64,
    /// The bytes, `[panels, blocks, bytes/4, ROWS, 4]`, and how many bits a number has.
    pub(super) numbers: usize,
    pub(super) bits: i64,
    /// Steps of a block, and blocks of a row.
    pub(super) block: i64,
    pub(super) blocks: i64,
    pub(super) scale: Scale,
    pub(super) zero: Zero,
    /// Whether activations may be rounded to 8 bits.
    pub(super) short: bool,
    /// For each place of [`Self::step`] steps as they are unpacked, which step it is.
    pub(super) order: Vec<i64>,
}

/// The scales.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Scale {
    /// The same for all.
    Constant(f64),
    /// `[panels, blocks, ROWS]`.
    Floats(usize),
}

/// The zero points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Zero {
    /// The same for all.
    Constant(i64),
    /// Numbers, so many bits each: `[panels, bytes, ROWS]`.
    Packed(usize, i64),
    /// Floats: `[panels, blocks, ROWS]`.
    Floats(usize),
}

impl BlockProduct {
    /// The steps that have one scale of the activations.
    pub(super) fn step(&self) -> i64 {
        self.order.len() as i64
    }

    /// How many of them there are, the last one filled up with zeros.
    pub(super) fn count(&self) -> i64 {
        (self.steps + self.step() - 1) / self.step()
    }

    /// The panels.
    pub(super) fn panels(&self) -> i64 {
        (self.columns + ROWS - 1) / ROWS
    }

    /// The groups of bytes of a row in [`Self::step`] steps.
    pub(super) fn groups(&self) -> i64 {
        self.step() * self.bits / 8 / GROUP
    }
}

impl Planner<'_> {
    /// Recognises the form.
    pub(in crate::families) fn block_product(&self, roots: &[usize]) -> Option<BlockProduct> {
        (0..self.graph.tensors.len()).find_map(|y| self.block_product_at(roots, y))
    }

    fn block_product_at(&self, roots: &[usize], y: usize) -> Option<BlockProduct> {
        let graph = self.graph;
        let node = graph.node_of(y)?;
        let f32_sum = graph.tensors[y].elem.is_float() && graph.tensors[y].elem.bits() == 32;
        if node.dims.len() != 3 || node.reduction.iter().filter(|r| **r).count() != 1 || !f32_sum {
            return None;
        }
        let (left, right) = factors(node)?;
        let (m, n) = match node.out_map(0) {
            [AffineKind::Dim(m), AffineKind::Dim(n)] => (*m, *n),
            _ => return None,
        };
        let k = node.reductions()[0];
        let reads = |operand: usize, row: usize| node.maps[operand] == [AffineKind::Dim(row), AffineKind::Dim(k)];
        let (x, w) = match (reads(left, m) && reads(right, n), reads(right, m) && reads(left, n)) {
            (true, _) => (left, right),
            (_, true) => (right, left),
            _ => return None,
        };
        let (Input::Tensor(x), Input::Tensor(w)) = (node.inputs[x], node.inputs[w]) else { return None };
        let matrix = graph.node_of(w).filter(|d| d.dims.len() == 2 && !d.reduction.contains(&true))?;
        let plain = matrix.out_map(0) == [AffineKind::Dim(0), AffineKind::Dim(1)];
        let f32s = graph.tensors[w].elem.is_float() && graph.tensors[w].elem.bits() == 32;
        let short = graph.tensors[x].elem.is_float() && graph.tensors[x].elem.bits() <= 32;
        let [columns, steps] = graph.known_sizes(w)?[..] else { return None };
        if !plain || !f32s || !short || columns < 1 || steps < 1 || !graph.is_zero(node.inits[0]) {
            return None;
        }
        let roots = self.roots_that_follow(roots, y)?;
        let (parts, packing) = unpacked(graph, matrix, columns, steps)?;
        let tensor = |input: usize| matrix.inputs[input].tensor();
        Some(BlockProduct {
            roots,
            y,
            x,
            columns,
            steps,
            numbers: tensor(parts.number.input)?,
            bits: packing.bits,
            block: packing.block,
            blocks: packing.blocks,
            scale: match parts.scale {
                ScalePart::Constant(c) => Scale::Constant(c),
                ScalePart::Float(input) => Scale::Floats(tensor(input)?),
            },
            zero: packing.zero,
            short: node.body.parent().is_some_and(|op| op.has_attr(names::ACTIVATIONS)),
            order: packing.order,
        })
    }
}

/// How the numbers lie.
struct Packing {
    bits: i64,
    block: i64,
    blocks: i64,
    zero: Zero,
    order: Vec<i64>,
}

/// What the elements of a matrix are made of, if each is where panels have it.
fn unpacked(graph: &Graph, node: &Node<Symbolic>, columns: i64, steps: i64) -> Option<(Element, Packing)> {
    let sizes = |input: usize| {
        let tensor = node.inputs[input].tensor()?;
        let Kind::Memory(_) = graph.tensors[tensor].kind else { return None };
        graph.known_sizes(tensor)
    };
    let first = element(node, 0)?;
    let bits = first.number.count()?;
    let [panels, blocks, groups, ROWS, GROUP] = sizes(first.number.input)?[..] else { return None };
    let block = groups * GROUP * 8 / bits;
    let step = block.min(STEP);
    let whole = panels == (columns + ROWS - 1) / ROWS && block % step == 0 && step % (GROUP * 8 / bits) == 0;
    let scaled = match first.scale {
        ScalePart::Constant(_) => true,
        ScalePart::Float(input) => sizes(input)? == [panels, blocks, ROWS],
    };
    if !whole || steps > blocks * block || steps <= (blocks - 1) * block || !scaled {
        return None;
    }
    let zero = match first.zero {
        ZeroPart::Constant(c) if c.fract() == 0.0 && (0.0..256.0).contains(&c) => Zero::Constant(c as i64),
        ZeroPart::Constant(_) => return None,
        ZeroPart::Number(zero) => {
            let (tensor, per) = (node.inputs[zero.input].tensor()?, 8 / zero.count()?);
            let right = sizes(zero.input)? == [panels, (blocks + per - 1) / per, ROWS];
            right.then_some(Zero::Packed(tensor, 8 / per))?
        }
        ZeroPart::Float(input) => {
            let tensor = node.inputs[input].tensor()?;
            (sizes(input)? == [panels, blocks, ROWS]).then_some(Zero::Floats(tensor))?
        }
    };
    let mut order = vec![-1; step as usize];
    let rows = [0, 1, ROWS - 1, ROWS, columns - 1];
    for k in 0..steps {
        let at = element(node, k)?;
        let own = k / block;
        let by_block = |input: usize, row: i64, index: i64| {
            indices(&node.maps[input], [row, k]) == Some(vec![row / ROWS, index, row % ROWS])
        };
        let same = at.scale == first.scale && at.number.input == first.number.input && at.number.count() == Some(bits);
        let place = indices(&node.maps[at.number.input], [0, k])?;
        let (group, byte) = (place[2], place[4]);
        let inside = (0..groups).contains(&group) && (0..GROUP).contains(&byte);
        // Where it stands among the numbers of a block, group by group.
        let slot = (group * (8 / bits) + at.number.shift / bits) * GROUP + byte;
        if !same || !inside || slot / step != k % block / step {
            return None;
        }
        let slot = &mut order[(slot % step) as usize];
        if ![-1, k % step].contains(slot) {
            return None;
        }
        *slot = k % step;
        for &row in rows.iter().filter(|r| **r < columns) {
            let number = indices(&node.maps[at.number.input], [row, k])?;
            let zero_right = match (at.zero, first.zero) {
                (ZeroPart::Constant(a), ZeroPart::Constant(b)) => a == b,
                (ZeroPart::Float(a), ZeroPart::Float(b)) => a == b && by_block(a, row, own),
                (ZeroPart::Number(a), ZeroPart::Number(b)) => {
                    let per = 8 / b.count()?;
                    a == Bits { shift: own % per * (8 / per), ..b } && by_block(a.input, row, own / per)
                }
                _ => false,
            };
            let scale_right = match at.scale {
                ScalePart::Constant(_) => true,
                ScalePart::Float(input) => by_block(input, row, own),
            };
            if number != [row / ROWS, own, group, row % ROWS, byte] || !scale_right || !zero_right {
                return None;
            }
        }
    }
    // A short sum does not fill a block: the other places are of steps that are zero.
    let mut left: Vec<i64> = (0..step).filter(|k| !order.contains(k)).collect();
    order.iter_mut().filter(|k| **k < 0).for_each(|k| *k = left.pop().expect("as many as there are places"));
    Some((first, Packing { bits, block, blocks, zero, order }))
}
