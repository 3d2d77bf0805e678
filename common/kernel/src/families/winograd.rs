//! Convolutions by Winograd's algorithm, as the layout pass of `hal-translate` writes them: tiles of the input are transformed
//! (`V = Bᵀ d B`), multiplied with transformed filters (a matrix product for each point of a tile) and transformed back
//! (`Y = Aᵀ M A`).
//!
//! One kernel does all three, stripe by stripe: what a stripe of tile rows needs in between stays in the second-level
//! cache. The products have their lanes along the filters, so that no lane is lost whatever the image's size; the last
//! transform turns them back to rows of the image.
use super::blocking::{Blocking, Sizes};
use super::forms::{dim, dims, over, rest};
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::Supported;
use crate::emit::memory::Memory;
use crate::graph::Kind;
use crate::machine::convolutions::FILTER_BLOCK;
use halyard_ir::AffineKind;

/// A convolution of this form.
pub(super) struct Winograd {
    /// What is stored: the result or something computed from it point by point.
    pub(super) root: usize,
    /// The result of the convolution.
    pub(super) y: usize,
    /// Its input, with padding.
    pub(super) x: usize,
    /// The transformed filters: `[tile, tile, blocks, channels, FILTER_BLOCK]`.
    pub(super) u: Memory,
    /// The matrices Bᵀ and Aᵀ, row-major.
    pub(super) input: Vec<f32>,
    pub(super) output: Vec<f32>,
    /// Outputs and inputs of a tile along a dimension.
    pub(super) m: i64,
    pub(super) tile: i64,
    pub(super) sizes: Sizes,
    /// Tiles along rows and columns.
    pub(super) rows: i64,
    pub(super) columns: i64,
}

/// What a unit of work is about, and its scratch memory.
pub(super) struct Unit {
    /// Image, first tile row, first block of filters.
    pub(super) image: Index,
    pub(super) row: Index,
    pub(super) block: Index,
    /// Transformed input `[tile², channels, tiles]` and products `[tile², tiles, filters]`, each plane apart by `plane`.
    pub(super) v: Memory,
    pub(super) v_plane: i64,
    pub(super) m: Memory,
    pub(super) m_plane: i64,
}

impl Emitter<'_> {
    /// Recognises the form.
    pub(super) fn winograd(&self, root: usize) -> Option<Winograd> {
        let y = (0..self.tensors.len()).find(|&t| {
            self.node_of(t).is_some_and(|n| n.inputs.len() == 3 && self.sums_products(n, 4, 2) && n.maps[1].len() == 2)
        })?;
        let back = self.node_of(y)?;
        let AffineKind::Mod(_, m) = &back.maps[1][0] else { return None };
        let AffineKind::Constant(m) = **m else { return None };
        let [products, a, a_again] = self.inputs_of(back)?[..] else { return None };
        let place = vec![dim(4), dim(5), dim(0), over(1, FILTER_BLOCK), rest(1, FILTER_BLOCK), over(2, m), over(3, m)];
        let maps = [place, vec![rest(2, m), dim(4)], vec![rest(3, m), dim(5)], dims(&[0, 1, 2, 3])];
        let product = self.node_of(products)?;
        let [u, v] = self.inputs_of(product)?[..] else { return None };
        let product_maps = [dims(&[0, 1, 3, 7, 4]), dims(&[0, 1, 2, 7, 5, 6]), dims(&[0, 1, 2, 3, 4, 5, 6])];
        let forth = self.node_of(v)?;
        let [x, b, b_again] = self.inputs_of(forth)?[..] else { return None };
        let slide = |o: usize, k: usize| {
            let scaled = AffineKind::Mul(Box::new(dim(o)), Box::new(AffineKind::Constant(m)));
            AffineKind::Add(Box::new(scaled), Box::new(dim(k)))
        };
        let forth_maps =
            [vec![dim(2), dim(3), slide(4, 6), slide(5, 7)], dims(&[0, 6]), dims(&[1, 7]), dims(&[0, 1, 2, 3, 4, 5])];
        let right = back.maps == maps
            && product.maps == product_maps
            && forth.maps == forth_maps
            && self.sums_products(product, 7, 1)
            && self.sums_products(forth, 6, 2)
            && a == a_again
            && b == b_again
            && self.follows(root, y);
        let Kind::Memory(filters) = self.tensors[u].kind.clone() else { return None };
        let [n, k, height, width] = self.sizes_of(y)?[..] else { return None };
        let [tile, _, _, channels, rows, columns] = self.sizes_of(v)?[..] else { return None };
        let (input, output) = (self.numbers(b)?, self.numbers(a)?);
        let f32s = [x, u, y].iter().all(|t| self.tensors[*t].elem.to_string() == "f32");
        let whole = rows * m - height < m && columns * m - width < m && tile == m + 2;
        let matrices = input.len() as i64 == tile * tile && output.len() as i64 == m * tile;
        let lanes = i64::from(self.target.vector_bits / 32);
        if !(right && f32s && whole && matrices && lanes >= m && lanes % m == 0 && 2 * lanes <= FILTER_BLOCK) {
            return None;
        }
        let u = filters;
        let sizes = Sizes { n, filters: k, height, width, channels };
        Some(Winograd { root, y, x, u, input, output, m, tile, sizes, rows, columns })
    }

    /// Emits the kernel; says how.
    pub(super) fn filter(&mut self, f: &Winograd, memory: &Memory) -> Supported<String> {
        self.code.lanes = i64::from(self.target.vector_bits / 32);
        let blocking = self.blocking(f);
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
        self.units(&blocking, f.root, |this, place| {
            let unit = Unit { image: place.image, row: place.row, block: place.block, v, v_plane, m, m_plane };
            this.fill_once(v_taken, place.stripe, |this| this.forth(f, &blocking, &unit))?;
            this.products(f, &blocking, &unit)?;
            this.back(f, &blocking, &unit, memory)
        })?;
        self.give(m_taken)?;
        self.give(v_taken)?;
        Ok(format!(
            "minimal filtering F({m}×{m}, 3×3), {rows} of {of} tile rows at a time{parts}",
            m = f.m,
            rows = blocking.rows,
            of = f.rows,
            parts = blocking.describe(),
        ))
    }

    /// Stripes whose scratch memory fits the second-level cache, unless reading all filters for each would cost more.
    fn blocking(&mut self, f: &Winograd) -> Blocking {
        let (blocks, points) = (f.sizes.blocks(), f.tile * f.tile);
        let row = points * f.columns * (f.sizes.channels + blocks * FILTER_BLOCK) * 4;
        let filters = points * f.sizes.channels * blocks * FILTER_BLOCK * 4;
        let budget = (self.target.l2 as i64 * 3 / 4).max(filters / 2);
        let again = filters <= self.target.l2 as i64 / 2;
        Blocking::new(
            &f.sizes,
            (f.rows, f.columns),
            again,
            budget,
            |rows| rows * row,
            (&mut self.choices, &self.target.cpu.convolutions),
        )
    }
}
