//! Which bodies are products with matrices of floats or bytes that are packed in panels.
use crate::families::byte_groups::ByteInput;
use crate::families::forms::{dim, factors, over, rest};
use crate::families::panels::ROWS;
use crate::families::roots::Root;
use crate::graph::{Graph, Input, Kind, Node, Symbolic};
use crate::schedule::planner::Planner;
use halyard_ir::AffineKind;

/// A product of this form.
pub(in crate::families) struct PanelProduct {
    /// What is stored: the product, or tensors computed from it point by point.
    pub(in crate::families) roots: Vec<Root>,
    /// The product: rows of the activations, in one dimension or several, and columns of the matrix.
    pub(in crate::families) y: usize,
    /// The activations.
    pub(in crate::families) x: usize,
    /// The matrix, `[panels, steps, ROWS]`; of bytes `[panels, steps, ROWS, group]`.
    pub(in crate::families) matrix: usize,
    /// Where bytes are multiplied, what the activations are. Then a group of bytes counts as one element.
    pub(in crate::families) bytes: Option<ByteInput>,
    /// The columns of the result, and the steps of each sum.
    pub(super) columns: i64,
    pub(in crate::families) steps: i64,
    /// Whether the activations can be read where they are: they are rows of f32 in memory, one after the other.
    pub(super) in_place: bool,
}

impl PanelProduct {
    /// The panels.
    pub(super) fn panels(&self) -> i64 {
        (self.columns + ROWS - 1) / ROWS
    }
}

impl Planner<'_> {
    /// Recognises the form.
    pub(in crate::families) fn panel_product(&self, roots: &[usize]) -> Option<PanelProduct> {
        let found = (0..self.graph.tensors.len()).find_map(|y| self.product_with_panels(roots, y))?;
        // Results in another order would be stored number by number; short floats are worth it.
        let last = self.graph.tensors[found.y].dims.len() - 1;
        let in_order = found.roots.iter().all(|root| root.innermost() == Some(last));
        (in_order || self.graph.tensors[found.matrix].elem.bits() == 16).then_some(found)
    }

    /// A product that gives `y`, from which all results follow, stored in any order.
    pub(in crate::families) fn product_with_panels(&self, roots: &[usize], y: usize) -> Option<PanelProduct> {
        let graph = self.graph;
        let node = graph.node_of(y)?;
        let [rows @ .., AffineKind::Dim(n)] = node.out_map(0) else { return None };
        if rows.is_empty() || node.dims.len() != rows.len() + 2 || node.reductions().len() != 1 {
            return None;
        }
        let k = node.reductions()[0];
        let (left, right) = factors(node)?;
        let integers = graph.tensors[y].elem.is_integer();
        let mut panels = vec![over(*n, ROWS), dim(k), rest(*n, ROWS)];
        let group = if integers { self.target.dots.bytes_together()? } else { 1 };
        if integers {
            panels[1] = over(k, group);
            panels.push(rest(k, group));
        }
        let row_by_row: Vec<AffineKind> = rows.iter().cloned().chain([dim(k)]).collect();
        let fits = |x: usize, w: usize| node.maps[x] == row_by_row && node.maps[w] == panels;
        let (x, w) = [(left, right), (right, left)].into_iter().find(|&(x, w)| fits(x, w))?;
        let (Input::Tensor(x), Input::Tensor(matrix)) = (node.inputs[x], node.inputs[w]) else { return None };
        if integers {
            let matrix = self.widened(matrix, ("i8", "i32", "arith.extsi"))?;
            return self.byte_product(roots, node, (y, x, matrix), (node.dims[k].known()?, group));
        }
        let Kind::Memory(_) = graph.tensors[matrix].kind else { return None };
        let (columns, sizes) = (graph.tensors[y].dims.last()?.known()?, graph.known_sizes(matrix)?);
        let of = |tensor: usize, bits: &[u32]| {
            let elem = graph.tensors[tensor].elem;
            elem.is_float() && bits.contains(&elem.bits())
        };
        let roots = self.roots_that_follow(roots, y)?;
        let steps = *sizes.get(1)?;
        let in_place = of(x, &[32]) && graph.is_in_rows(x, steps);
        let found = PanelProduct { roots, y, x, matrix, bytes: None, columns, steps, in_place };
        let floats = of(y, &[32]) && of(x, &[16, 32]) && of(matrix, &[16, 32]);
        let sums = floats && is_of_f32(node) && graph.is_zero(node.inits[0]);
        (sums && found.steps > 0 && columns > 0 && sizes == [found.panels(), found.steps, ROWS]).then_some(found)
    }

    /// A product of so many steps with a matrix of bytes in groups.
    fn byte_product(
        &self,
        roots: &[usize],
        node: &Node<Symbolic>,
        (y, x, matrix): (usize, usize, usize),
        (steps, group): (i64, i64),
    ) -> Option<PanelProduct> {
        let graph = self.graph;
        let roots = self.roots_that_follow(roots, y)?;
        let (columns, groups) = (graph.tensors[y].dims.last()?.known()?, (steps + group - 1) / group);
        let bytes = Some(self.byte_input(x, y, steps)?);
        let found = PanelProduct { roots, y, x, matrix, bytes, columns, steps: groups, in_place: false };
        let sizes = graph.known_sizes(matrix)? == [found.panels(), groups, ROWS, group];
        (sizes && steps > 0 && columns > 0 && graph.is_zero(node.inits[0])).then_some(found)
    }
}

/// Whether what is added is of f32.
fn is_of_f32(node: &Node<Symbolic>) -> bool {
    node.body.terminator().is_some_and(|end| {
        let ty = end.operand(0).ty();
        ty.is_float() && ty.bits() == 32
    })
}

impl Graph {
    /// Whether a tensor is in memory as rows of so many elements, one after the other.
    pub(in crate::families) fn is_in_rows(&self, tensor: usize, steps: i64) -> bool {
        let Kind::Memory(memory) = &self.tensors[tensor].kind else { return false };
        let (dims, strides) = (&memory.dims, &memory.strides);
        let Some((step, strides)) = strides.split_last() else { return false };
        let mut next = Some(steps);
        // From the last dimension of the rows to the first. Those of one element are not gone along.
        step.known() == Some(1)
            && strides.iter().zip(dims).rev().filter(|(_, size)| size.known() != Some(1)).all(|(stride, size)| {
                let follows = next.is_some() && stride.known() == next;
                next = next.and_then(|next| size.known()?.checked_mul(next));
                follows
            })
    }
}
