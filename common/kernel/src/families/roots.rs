//! What a family stores: its result, or tensors computed from it point by point, with their dimensions in any order.
use crate::Emitter;
use crate::emit::index::{LaneIndex, Point};
use crate::emit::ir_builder::Supported;
use crate::graph::Memory;
use crate::schedule::planner::Planner;
use halyard_ir::Value;

/// A result of the kernel.
pub(super) struct Root {
    pub(super) tensor: usize,
    /// For each dimension of what it is computed from, the one of the result that stands for it.
    pub(super) order: Vec<usize>,
}

impl Planner<'_> {
    /// All results, if each follows `from` point by point.
    pub(super) fn roots_that_follow(&self, roots: &[usize], from: usize) -> Option<Vec<Root>> {
        let follows = |&tensor: &usize| Some(Root { tensor, order: self.graph.follows_permuted(tensor, from)? });
        roots.iter().map(follows).collect()
    }
}

impl Root {
    /// Where the element of this result is that is computed from one at a point.
    pub(super) fn point(&self, from: &Point) -> Point {
        from.at(self.place(&from.idx))
    }

    /// The same for indices.
    pub(super) fn place(&self, from: &[LaneIndex]) -> Vec<LaneIndex> {
        let mut idx = from.to_vec();
        for (&at, value) in self.order.iter().zip(from) {
            idx[at] = value.clone();
        }
        idx
    }

    /// The dimension of what it is computed from whose neighbours are neighbours in this result.
    pub(super) fn innermost(&self) -> Option<usize> {
        self.order.iter().position(|&at| at + 1 == self.order.len())
    }
}

impl Emitter<'_> {
    /// Stores the results of a kernel whose elements follow from `values`, the elements of tensor `from` at some points.
    pub(super) fn store_roots(
        &mut self,
        from: usize,
        results: (&[Root], &[Memory]),
        points: &[Point],
        values: &[Value],
    ) -> Supported<()> {
        self.store_all_roots(from, results, (points, values), false)
    }

    /// The same for squares of points with lanes across the rows of memory, which are stored transposed.
    pub(super) fn store_roots_transposed(
        &mut self,
        from: usize,
        results: (&[Root], &[Memory]),
        points: &[Point],
        values: &[Value],
    ) -> Supported<()> {
        self.store_all_roots(from, results, (points, values), true)
    }

    fn store_all_roots(
        &mut self,
        from: usize,
        (roots, memories): (&[Root], &[Memory]),
        (points, values): (&[Point], &[Value]),
        transposed: bool,
    ) -> Supported<()> {
        for (point, &value) in points.iter().zip(values) {
            self.code.remember(from, point, value);
        }
        for (root, memory) in roots.iter().zip(memories) {
            let mut points: Vec<Point> = points.iter().map(|point| root.point(point)).collect();
            let mut values = self.materialize(root.tensor, &points)?;
            if transposed {
                (points, values) = self.store_blocks(memory, points, values);
            }
            for (point, value) in points.iter().zip(values) {
                let offset = self.code.offset(memory, &point.idx);
                self.code.store(memory, &offset, value, point.mask);
            }
        }
        Ok(())
    }
}
