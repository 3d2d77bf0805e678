//! The loop indices of the elements that a thread of a tiled product has.
use super::super::tile::Tile;
use super::Work;
use crate::{
    Emitter,
    emit::index::{Index, LaneIndex, Point},
};
use halyard_ir::Value;

impl Emitter<'_> {
    /// The indices of several loops from that of all of them.
    pub(in crate::gpu) fn spread(&mut self, node: usize, dims: &[usize], at: Index) -> Vec<(usize, LaneIndex)> {
        let sizes: Vec<Index> = dims.iter().map(|&d| self.nodes[node].dims[d]).collect();
        let idx = self.unrolled(at, &sizes);
        dims.iter().copied().zip(idx).collect()
    }

    /// A point of the reduction's loops.
    pub(in crate::gpu) fn loops_at(&self, work: &Work<'_>, sets: &[&[(usize, LaneIndex)]]) -> Point {
        let mut idx = vec![LaneIndex::constant(0); self.nodes[work.product.node].dims.len()];
        for (d, at) in sets.iter().copied().flatten().chain(&work.batch) {
            idx[*d] = at.clone();
        }
        Point::new(idx)
    }

    /// The row or column of a thread's `i`-th element within the block.
    pub(in crate::gpu) fn own(&mut self, tile: Tile, thread: Index, side: usize, i: i64) -> Index {
        let lane = self.lane_of(tile, thread, side);
        let lanes = tile.block[side] / tile.thread[side];
        // Where loads are scalar, neighbours belong to neighbouring threads.
        let run = tile.thread[side].min(self.gpu_model().shared_run);
        let base = self.code.mul(lane, Index::constant(run));
        base.plus(i / run * run * lanes + i % run)
    }

    /// The row or column of a thread among those of its slice.
    fn lane_of(&mut self, tile: Tile, thread: Index, side: usize) -> Index {
        let [down, across] = [0, 1].map(|s| tile.block[s] / tile.thread[s]);
        let name = if side == 0 { "arith.divui" } else { "arith.remui" };
        if self.gpu_model().shared_run == 1 || down % 4 != 0 || across % 8 != 0 {
            return self.code.divide(name, thread, Index::constant(across));
        }
        // A warp has four times eight threads. All eight columns of neighbours, 16 bytes each, are all banks once; eight
        // neighbours that load together have two of the four rows.
        let warp = self.code.divide("arith.divui", thread, Index::constant(32));
        let warp = self.code.divide(name, warp, Index::constant(across / 8));
        let bits = |this: &mut Self, from: i64, count: i64| {
            let bits = this.code.divide("arith.divui", thread, Index::constant(from));
            this.code.divide("arith.remui", bits, Index::constant(count))
        };
        let lane = if side == 0 {
            let (low, high) = (bits(self, 1, 2), bits(self, 16, 2));
            let high = self.code.mul(high, Index::constant(2));
            self.code.add(low, high)
        } else {
            bits(self, 2, 8)
        };
        let first = self.code.mul(warp, Index::constant(if side == 0 { 4 } else { 8 }));
        self.code.add(first, lane)
    }

    /// An index of the result that is within bounds, and whether it was.
    pub(in crate::gpu) fn bounded(&mut self, at: Index, size: Index, block: i64) -> (Index, Option<Value>) {
        if size.known().is_some_and(|n| n % block == 0) {
            return (at, None);
        }
        let (a, b) = (self.code.ix(at), self.code.ix(size));
        let inside = self.code.compare(2, a, b);
        (self.code.min(at, size.plus(-1)), Some(inside))
    }

    /// The indices of a thread's rows and columns, and whether they exist.
    pub(super) fn own_indices(
        &mut self,
        work: &Work<'_>,
        side: usize,
    ) -> Vec<(Vec<(usize, LaneIndex)>, Option<Value>)> {
        work.own[side]
            .iter()
            .map(|&own| {
                let at = self.code.add(work.first[side], own);
                let (at, inside) = self.bounded(at, work.sizes[side], work.tile.block[side]);
                (self.spread(work.product.node, &work.product.sides[side].dims, at), inside)
            })
            .collect()
    }
}
