//! Which bodies are products with matrices of floats that are packed in panels.
use crate::families::forms::{dim, factors, over, rest};
use crate::families::panels::ROWS;
use crate::families::roots::Root;
use crate::graph::{Input, Kind, Node, Symbolic};
use crate::schedule::planner::Planner;
use halyard_ir::AffineKind;

/// A product of this form.
pub(in crate::families) struct PanelProduct {
    /// What is stored: the product, or tensors computed from it point by point.
    pub(super) roots: Vec<Root>,
    /// The product: rows of the activations, columns of the matrix.
    pub(super) y: usize,
    /// The activations.
    pub(super) x: usize,
    /// The matrix, `[panels, steps, ROWS]`.
    pub(super) matrix: usize,
    /// The columns of the result, and the steps of each sum.
    pub(super) columns: i64,
    pub(super) steps: i64,
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
        (0..self.graph.tensors.len()).find_map(|y| self.panel_product_at(roots, y))
    }

    fn panel_product_at(&self, roots: &[usize], y: usize) -> Option<PanelProduct> {
        let graph = self.graph;
        let node = graph.node_of(y)?;
        if node.dims.len() != 3 || node.reduction.iter().filter(|r| **r).count() != 1 {
            return None;
        }
        let [AffineKind::Dim(m), AffineKind::Dim(n)] = *node.out_map(0) else { return None };
        let k = node.reductions()[0];
        let (left, right) = factors(node)?;
        let panels = [over(n, ROWS), dim(k), rest(n, ROWS)];
        let fits = |x: usize, w: usize| node.maps[x] == [dim(m), dim(k)] && node.maps[w] == panels;
        let (x, w) = [(left, right), (right, left)].into_iter().find(|&(x, w)| fits(x, w))?;
        let (Input::Tensor(x), Input::Tensor(matrix)) = (node.inputs[x], node.inputs[w]) else { return None };
        let Kind::Memory(_) = graph.tensors[matrix].kind else { return None };
        let (columns, sizes) = (graph.tensors[y].dims[1].known()?, graph.known_sizes(matrix)?);
        let of = |tensor: usize, bits: &[u32]| {
            let elem = graph.tensors[tensor].elem;
            elem.is_float() && bits.contains(&elem.bits())
        };
        let roots = self.roots_that_follow(roots, y)?;
        let found = PanelProduct { roots, y, x, matrix, columns, steps: *sizes.get(1)? };
        let floats = of(y, &[32]) && of(x, &[16, 32]) && of(matrix, &[16, 32]);
        let sums = floats && is_of_f32(node) && graph.is_zero(node.inits[0]);
        (sums && found.steps > 0 && columns > 0 && sizes == [found.panels(), found.steps, ROWS]).then_some(found)
    }
}

/// Whether what is added is of f32.
fn is_of_f32(node: &Node<Symbolic>) -> bool {
    node.body.terminator().is_some_and(|end| {
        let ty = end.operand(0).ty();
        ty.is_float() && ty.bits() == 32
    })
}
