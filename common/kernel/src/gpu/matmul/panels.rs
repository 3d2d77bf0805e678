//! Panels of the operands in shared memory: where elements are, and how threads load them.
use super::super::contraction::{Product, Side};
use super::super::tile::Tile;
use super::Work;
use crate::{
    Emitter,
    emit::index::{Index, Point},
    emit::ir_builder::Supported,
    machine::tensor_cores::Cores,
};
use halyard_ir::{Type, Value};

/// Panels of an operand in shared memory, those of each slice `depth` rows of `row` elements.
#[derive(Clone, Copy)]
pub(in crate::gpu) struct OperandPanel {
    pub(in crate::gpu) place: Value,
    pub(in crate::gpu) row: i64,
    pub(in crate::gpu) elem: Type,
}

impl Emitter<'_> {
    /// Memory for the panels of both operands.
    pub(super) fn panels_of(&mut self, product: &Product, tile: Tile, cores: Option<Cores>) -> [OperandPanel; 2] {
        let elem = cores.map_or(self.factor_type(product), |cores| cores.elem);
        let bytes = elem.byte_width() as i64;
        let padding = if cores.is_some() { 0 } else { tile.padding(self.gpu_model(), bytes) };
        let rows = [0, 1].map(|s| tile.block[s] + padding);
        let counts = rows.map(|row| tile.stages * tile.slices * tile.depth * row);
        if !self.gpu_model().launch_memory {
            return [0, 1].map(|s| OperandPanel { place: self.shared(elem, counts[s]), row: rows[s], elem });
        }
        let kept = (tile.slices - 1) * tile.slice() * tile.thread[0] * tile.thread[1];
        let sums = self.factor_type(product).byte_width() as i64;
        let place = self.workspace((bytes * (counts[0] + counts[1])).max(sums * kept));
        let second = self.code.gep(place, Index::constant(counts[0]), elem);
        [OperandPanel { place, row: rows[0], elem }, OperandPanel { place: second, row: rows[1], elem }]
    }

    /// What a thread loads of a panel from step `from` of the sum on.
    pub(super) fn fetch(&mut self, work: &Work<'_>, s: usize, from: Index) -> Supported<Vec<Value>> {
        self.shares(work, s).into_iter().map(|share| self.fetch_one(work, s, share, from, true)).collect()
    }

    /// An element of a panel: row or column within the block, and step from `from` on; zero beyond the end of the sum.
    /// As it is multiplied, or as it is.
    pub(in crate::gpu) fn fetch_one(
        &mut self,
        work: &Work<'_>,
        s: usize,
        (own, step): (Index, Index),
        from: Index,
        cast: bool,
    ) -> Supported<Value> {
        let side = &work.product.sides[s];
        let together = work.tile.depth * work.tile.slices;
        let whole = work.sum.known().is_some_and(|n| n % together == 0);
        let at = self.code.add(work.first[s], own);
        let (at, _) = self.bounded(at, work.sizes[s], work.tile.block[s]);
        let at = self.spread(work.product.node, &side.dims, at);
        let step = self.code.add(from, step);
        let (step, inside) = if whole { (step, None) } else { self.bounded(step, work.sum, together) };
        let step = self.spread(work.product.node, &work.product.sum, step);
        let domain = self.loops_at(work, &[&at, &step]);
        let value = self.factor(work, side, &domain, cast)?;
        Ok(match inside {
            Some(inside) => {
                let zero = self.code.number(value.ty(), 0.0);
                self.code.select(inside, value, zero)
            }
            None => value,
        })
    }

    /// Which elements of a panel a thread loads: row or column within the block, and step. Neighbouring threads load
    /// neighbours in memory.
    pub(super) fn shares(&mut self, work: &Work<'_>, s: usize) -> Vec<(Index, Index)> {
        let (block, depth, threads) = (work.tile.block[s], work.tile.depth, work.tile.slice());
        let run = if work.product.sides[s].along_sum { depth } else { block };
        let fast = self.code.divide("arith.remui", work.thread, Index::constant(run));
        let slow = self.code.divide("arith.divui", work.thread, Index::constant(run));
        (0..block * depth / threads)
            .map(|r| {
                let slow = slow.plus(r * (threads / run));
                if work.product.sides[s].along_sum { (slow, fast) } else { (fast, slow) }
            })
            .collect()
    }

    /// An element of an operand, as it is multiplied if that is wanted.
    fn factor(&mut self, work: &Work<'_>, side: &Side, domain: &Point, cast: bool) -> Supported<Value> {
        let maps = self.nodes[work.product.node].maps[side.input].clone();
        let idx = maps.iter().map(|e| self.affine(e, &domain.idx)).collect::<Supported<Vec<_>>>()?;
        let point = domain.at(idx);
        let mut value = self.materialize(side.tensor, std::slice::from_ref(&point))?[0];
        if !cast {
            return Ok(value);
        }
        for cast in &side.casts {
            value = self.scalar_op(*cast, &[value], &point)?[0];
        }
        let wide = self.factor_type(work.product);
        Ok(if value.ty() == wide { value } else { self.code.pure("arith.extf", &[value], wide, None) })
    }

    /// Where a panel begins.
    pub(super) fn panel_at(&mut self, work: &Work<'_>, s: usize, which: Value) -> Index {
        let size = work.tile.depth * work.panels[s].row;
        let panel = self.code.mul(Index::value(which), Index::constant(size));
        let slice = self.code.mul(work.slice, Index::constant(work.tile.stages * size));
        self.code.add(slice, panel)
    }
}
