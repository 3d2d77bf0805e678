//! Convolutions by Winograd's minimal filtering, as `hal-import` writes them: tiles of the input are transformed
//! (`V = Bᵀ d B`), multiplied with transformed filters (a matrix product for each point of a tile) and transformed back
//! (`Y = Aᵀ M A`).
//!
//! One kernel does all three, stripe by stripe: what a stripe of tile rows needs in between stays in the second-level
//! cache. The products have their lanes along the filters, so that no lane is lost whatever the image's size; the last
//! transform turns them back to rows of the image.
use super::super::Emitter;
use super::super::code::{Coder, Emitted};
use super::super::graph::Kind;
use super::super::ix::Ix;
use super::super::memory::Memory;
use super::forms::{dim, dims, over, rest};
use halyard_ir::AffineKind;

/// The filters of a block, side by side in memory.
pub(super) const BLOCK: i64 = 32;

/// A convolution of this form.
pub(super) struct Filtering {
    /// What is stored: the result or something computed from it point by point.
    pub(super) root: usize,
    /// The result of the convolution.
    pub(super) y: usize,
    /// Its input, with padding.
    pub(super) x: usize,
    /// The transformed filters: `[tile, tile, blocks, channels, BLOCK]`.
    pub(super) u: Memory,
    /// The matrices Bᵀ and Aᵀ, row-major.
    pub(super) input: Vec<f32>,
    pub(super) output: Vec<f32>,
    /// Outputs and inputs of a tile along a dimension.
    pub(super) m: i64,
    pub(super) tile: i64,
    /// Sizes of the result: images, filters, rows, columns.
    pub(super) n: i64,
    pub(super) filters: i64,
    pub(super) height: i64,
    pub(super) width: i64,
    pub(super) channels: i64,
    /// Tiles along rows and columns.
    pub(super) rows: i64,
    pub(super) columns: i64,
}

/// How the work is cut.
pub(super) struct Cut {
    /// Tile rows of a stripe.
    pub(super) rows: i64,
    /// Parts of the filters that are computed independently.
    pub(super) parts: i64,
    /// Blocks of filters of such a part.
    pub(super) blocks: i64,
}

/// What a unit of work is about, and its scratch memory.
pub(super) struct Unit {
    /// Image, first tile row, first block of filters.
    pub(super) image: Ix,
    pub(super) row: Ix,
    pub(super) block: Ix,
    /// Transformed input `[tile², channels, tiles]` and products `[tile², tiles, filters]`, each plane apart by `plane`.
    pub(super) v: Memory,
    pub(super) v_plane: i64,
    pub(super) m: Memory,
    pub(super) m_plane: i64,
}

impl Emitter<'_> {
    /// Recognises the form.
    pub(super) fn filtering(&self, root: usize) -> Option<Filtering> {
        let y = (0..self.tensors.len()).find(|&t| {
            self.node_of(t).is_some_and(|n| n.inputs.len() == 3 && self.sums_products(n, 4, 2) && n.maps[1].len() == 2)
        })?;
        let back = self.node_of(y)?;
        let AffineKind::Mod(_, m) = &back.maps[1][0] else { return None };
        let AffineKind::Constant(m) = **m else { return None };
        let [products, a, a_again] = self.inputs_of(back)?[..] else { return None };
        let place = vec![dim(4), dim(5), dim(0), over(1, BLOCK), rest(1, BLOCK), over(2, m), over(3, m)];
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
        if !(right && f32s && whole && matrices && lanes >= m && lanes % m == 0 && 2 * lanes <= BLOCK) {
            return None;
        }
        let u = filters;
        Some(Filtering { root, y, x, u, input, output, m, tile, n, filters: k, height, width, channels, rows, columns })
    }

    /// Emits the kernel; says how.
    pub(super) fn filter(&mut self, f: &Filtering, memory: &Memory) -> Emitted<String> {
        self.code.lanes = i64::from(self.target.vector_bits / 32);
        let cut = self.cut(f);
        let tiles = cut.rows * f.columns;
        let points = f.tile * f.tile;
        // Planes a power of two apart would compete for the same lines of the cache.
        let (v_plane, m_plane) = (f.channels * tiles + 16, tiles * cut.blocks * BLOCK + 16);
        let elem = self.tensors[f.y].elem;
        let scratch = |this: &mut Self, elements: i64| {
            let count = Ix::constant(elements);
            let ptr = this.allocate(count, 4);
            this.code.contiguous(ptr, elem, &[count])
        };
        let (v, m) = (scratch(self, points * v_plane), scratch(self, points * m_plane));
        let stripes = f.rows / cut.rows;
        let units = f.n * stripes * cut.parts;
        let (from, to) = self.share_of(units);
        self.roots.push(f.root);
        self.for_loop((from, to, Ix::constant(1)), &[], |this, unit, _| {
            let part = this.code.divide("arith.remui", unit, Ix::constant(cut.parts));
            let whole = this.code.divide("arith.divui", unit, Ix::constant(cut.parts));
            let stripe = this.code.divide("arith.remui", whole, Ix::constant(stripes));
            let unit = Unit {
                image: this.code.divide("arith.divui", whole, Ix::constant(stripes)),
                row: this.code.mul(stripe, Ix::constant(cut.rows)),
                block: this.code.mul(part, Ix::constant(cut.blocks)),
                v: v.clone(),
                v_plane,
                m: m.clone(),
                m_plane,
            };
            this.forth(f, &cut, &unit)?;
            this.products(f, &cut, &unit)?;
            this.back(f, &cut, &unit, memory)?;
            Ok(Vec::new())
        })?;
        self.roots.pop();
        self.free(m.ptr);
        self.free(v.ptr);
        Ok(format!(
            "minimal filtering F({m}×{m}, 3×3), {rows} of {of} tile rows at a time{parts}",
            m = f.m,
            rows = cut.rows,
            of = f.rows,
            parts = if cut.parts > 1 { format!(", filters in {} parts", cut.parts) } else { String::new() },
        ))
    }

    /// Stripes whose scratch memory fits the second-level cache, unless reading all filters for each would cost more.
    fn cut(&self, f: &Filtering) -> Cut {
        let blocks = (f.filters + BLOCK - 1) / BLOCK;
        let points = f.tile * f.tile;
        let row = points * f.columns * (f.channels + blocks * BLOCK) * 4;
        let filters = points * f.channels * blocks * BLOCK * 4;
        let budget = (self.target.l2 as i64 * 3 / 4).max(filters / 2);
        let rows = stripe(f.rows, budget, |rows| rows * row);
        let alone = f.rows == rows && f.n == 1;
        let parts = if alone && f.filters % (2 * BLOCK) == 0 { 2 } else { 1 };
        Cut { rows, parts, blocks: blocks / parts }
    }
}

/// The most rows, a divisor of all, whose bytes are within a budget. Where the next larger divisor is far away, as for a
/// prime number of rows, all of them may need twice as much.
pub(super) fn stripe(all: i64, budget: i64, bytes: impl Fn(i64) -> i64) -> i64 {
    let rows = (1..=all).filter(|r| all % r == 0 && bytes(*r) <= budget).max().unwrap_or(1);
    if rows * 4 <= all && bytes(all) <= 2 * budget { all } else { rows }
}

#[cfg(test)]
mod tests {
    use super::stripe;

    #[test]
    fn stripes_divide_and_fit() {
        assert_eq!(stripe(28, 1000, |r| r * 100), 7);
        assert_eq!(stripe(7, 1000, |r| r * 200), 7);
        assert_eq!(stripe(7, 1000, |r| r * 500), 1);
        assert_eq!(stripe(5, 10, |r| r * 100), 1);
    }
}
