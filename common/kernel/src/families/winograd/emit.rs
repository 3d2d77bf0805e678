//! Emits convolutions by Winograd's algorithm, stripe by stripe.
use super::plan::WinogradPlan;
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::Supported;
use crate::graph::Memory;
use crate::machine::convolutions::FILTER_BLOCK;

/// What a unit of work is about, and its scratch memory.
pub(super) struct Unit {
    /// Image, first tile row, first block of filters.
    pub(super) image: Index,
    pub(super) row: Index,
    pub(super) block: Index,
    /// The transformed filters.
    pub(super) u: Memory,
    /// Transformed input `[tile², channels, tiles]` and products `[tile², tiles, filters]`, each plane apart by `plane`.
    pub(super) v: Memory,
    pub(super) v_plane: i64,
    pub(super) m: Memory,
    pub(super) m_plane: i64,
}

impl Emitter<'_> {
    /// Emits the kernel.
    pub(in crate::families) fn filter(&mut self, plan: &WinogradPlan, memories: &[Memory]) -> Supported<()> {
        let WinogradPlan { form: f, lanes, blocking, rows, share } = plan;
        self.code.lanes = *lanes;
        let u = self.memory(f.u)?;
        let tiles = blocking.rows * f.columns;
        let points = f.tile * f.tile;
        // Planes a power of two apart would compete for the same lines of the cache.
        let (v_plane, m_plane) = (f.sizes.channels * tiles + 16, tiles * blocking.blocks * FILTER_BLOCK + 16);
        let elem = self.tensors[f.y].elem;
        let scratch = |this: &mut Self, elements: i64| {
            let count = Index::constant(elements);
            let taken = this.take(count, 4)?;
            Supported::Ok((taken, this.code.contiguous(taken.ptr, elem, &[count])))
        };
        let (v_taken, v) = scratch(self, points * v_plane)?;
        let (m_taken, m) = scratch(self, points * m_plane)?;
        self.units(blocking, *share, &f.roots, |this, place| {
            let unit = Unit { u, image: place.image, row: place.row, block: place.block, v, v_plane, m, m_plane };
            this.fill_once(v_taken, place.stripe, |this| this.forth(f, blocking, &unit))?;
            this.products(f, blocking, *rows, &unit)?;
            this.back(f, blocking, &unit, memories)
        })?;
        self.give(m_taken)?;
        self.give(v_taken)?;
        Ok(())
    }
}
