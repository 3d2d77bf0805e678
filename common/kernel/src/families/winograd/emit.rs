//! Emits convolutions by Winograd's algorithm, stripe by stripe.
use super::plan::WinogradPlan;
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::Supported;
use crate::families::open_images::ImageTile;
use crate::graph::Memory;
use crate::machine::convolutions::FILTER_BLOCK;

/// What a unit of work is about, and its scratch memory. A tile is one of Winograd's.
pub(super) struct Unit {
    /// Image, first tile row, first block of filters.
    pub(super) image: Index,
    pub(super) row: Index,
    pub(super) block: Index,
    /// Tile rows, tiles in a row, and their product.
    pub(super) rows: Index,
    pub(super) columns: Index,
    pub(super) tiles: Index,
    /// Where only a run knows rows and columns: the part of the image; `row` is its first row then.
    pub(super) part: Option<ImageTile>,
    /// The transformed filters.
    pub(super) u: Memory,
    /// Transformed input `[tile², channels, tiles]`, of words in pairs, and products `[tile², tiles, filters]`, each plane apart by `plane`.
    pub(super) v: Memory,
    pub(super) v_plane: i64,
    pub(super) m: Memory,
    pub(super) m_plane: i64,
    /// Of words: where rows of the input are copied.
    pub(super) input_rows: Option<Memory>,
}

impl Emitter<'_> {
    /// Emits the kernel.
    pub(in crate::families) fn filter(&mut self, plan: &WinogradPlan, memories: &[Memory]) -> Supported<()> {
        let WinogradPlan { form: f, lanes, blocking, rows, share } = plan;
        self.code.lanes = *lanes;
        let mut u = self.memory(f.u)?;
        if f.words.is_some() {
            let (ptr, int) = (self.code.address(&u, u.offset), self.code.int(32));
            let count = f.tile * f.tile * f.sizes.blocks() * f.sizes.channels * FILTER_BLOCK;
            u = self.code.contiguous(ptr, int, &[Index::constant(count)]);
        }
        let tiles = plan.tiles_together();
        let points = f.tile * f.tile;
        // A block of registers may have tiles beyond the last one, if a run alone knows how many there are.
        let beyond = if f.tiles.is_none() { *rows } else { 0 };
        // Planes a power of two apart would compete for the same lines of the cache.
        let v_plane = f.sizes.channels * tiles + 16;
        let m_plane = (tiles + beyond) * blocking.blocks * FILTER_BLOCK + 16;
        let elem = self.tensors[f.y].elem;
        let scratch = |this: &mut Self, elements: i64| {
            let count = Index::constant(elements);
            let taken = this.take(count, 4)?;
            Supported::Ok((taken, this.code.contiguous(taken.ptr, elem, &[count])))
        };
        let (v_taken, v) = scratch(self, points * v_plane + beyond)?;
        let (m_taken, m) = scratch(self, points * m_plane)?;
        let copied = match (&f.words, f.tiles) {
            (Some(words), Some([_, columns])) => Some(scratch(self, words.elements([blocking.rows, columns], *lanes))?),
            _ => None,
        };
        let input_rows = copied.as_ref().map(|(_, rows)| rows.clone());
        self.units(blocking, *share, &f.roots, |this, place| {
            let (image, row, block, part) = (place.image, place.row, place.block, place.tile);
            let [tile_rows, columns] = match (f.tiles, part) {
                (None, Some(ImageTile { count, .. })) => count.map(|places| {
                    let up = places.plus(f.m - 1);
                    this.code.divide("arith.divui", up, Index::constant(f.m))
                }),
                (tiles, _) => [blocking.rows, tiles.map_or(1, |[_, columns]| columns)].map(Index::constant),
            };
            let tiles = this.code.mul(tile_rows, columns);
            let input_rows = input_rows.clone();
            let unit = Unit {
                image,
                row,
                block,
                rows: tile_rows,
                columns,
                tiles,
                part,
                u,
                v,
                v_plane,
                m,
                m_plane,
                input_rows,
            };
            this.fill_once(v_taken, place.stripe, |this| {
                // All of a small plane lies together.
                let part = plan.blocking.each > 1 || f.tiles.is_none();
                if part { this.with_next_planes(f.x, 1, |this| this.forth(f, &unit)) } else { this.forth(f, &unit) }
            })?;
            this.products(f, blocking, *rows, &unit)?;
            this.back(f, blocking, &unit, memories)
        })?;
        if let Some((taken, _)) = copied {
            self.give(taken)?;
        }
        self.give(m_taken)?;
        self.give(v_taken)?;
        Ok(())
    }
}
