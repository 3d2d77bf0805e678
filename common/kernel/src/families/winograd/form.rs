//! Which bodies are convolutions by Winograd's algorithm.
use super::word_input::{OUTPUTS, PAIR, Words};
use crate::families::blocking::Sizes;
use crate::families::forms::{dim, dims, over, rest};
use crate::families::roots::Root;
use crate::graph::Kind;
use crate::machine::convolutions::FILTER_BLOCK;
use crate::schedule::planner::Planner;
use halyard_ir::AffineKind;

/// A convolution of this form.
pub(in crate::families) struct Winograd {
    /// What is stored: the result or something computed from it point by point.
    pub(super) roots: Vec<Root>,
    /// The result of the convolution.
    pub(super) y: usize,
    /// Its input, with padding.
    pub(super) x: usize,
    /// The transformed filters: `[tile, tile, blocks, channels, FILTER_BLOCK]`; of words `[tile, tile, blocks, pairs, FILTER_BLOCK, 2]`.
    pub(super) u: usize,
    /// Where words are multiplied in pairs, what the input is. Then pairs of channels count as one.
    pub(super) words: Option<Words>,
    /// The matrices Bᵀ and Aᵀ, row-major.
    pub(super) input: Vec<f32>,
    pub(super) output: Vec<f32>,
    /// Outputs and inputs of a tile along a dimension.
    pub(super) m: i64,
    pub(super) tile: i64,
    pub(super) sizes: Sizes,
    /// Tiles along rows and columns, if they are known; then so are those of `sizes`.
    pub(super) tiles: Option<[i64; 2]>,
}

impl Planner<'_> {
    /// Recognises the form.
    pub(in crate::families) fn winograd(&self, roots: &[usize]) -> Option<Winograd> {
        let of = |integers| {
            let found = |&t: &usize| {
                self.graph.node_of(t).is_some_and(|n| {
                    n.inputs.len() == 3 && self.graph.sums_products(n, integers, 4, 2) && n.maps[1].len() == 2
                })
            };
            Some(((0..self.graph.tensors.len()).find(found)?, integers))
        };
        let (y, integers) = of(false).or_else(|| of(true))?;
        let back = self.graph.node_of(y)?;
        let AffineKind::Mod(_, m) = &back.maps[1][0] else { return None };
        let AffineKind::Constant(m) = **m else { return None };
        let [products, a, a_again] = self.graph.inputs_of(back)?[..] else { return None };
        let place = vec![dim(4), dim(5), dim(0), over(1, FILTER_BLOCK), rest(1, FILTER_BLOCK), over(2, m), over(3, m)];
        let maps = [place, vec![rest(2, m), dim(4)], vec![rest(3, m), dim(5)], dims(&[0, 1, 2, 3])];
        let product = self.graph.node_of(products)?;
        let [u, v] = self.graph.inputs_of(product)?[..] else { return None };
        let filters = match integers {
            true => [&dims(&[0, 1, 3])[..], &[over(7, PAIR), dim(4), rest(7, PAIR)]].concat(),
            false => dims(&[0, 1, 3, 7, 4]),
        };
        let product_maps = [filters, dims(&[0, 1, 2, 7, 5, 6]), dims(&[0, 1, 2, 3, 4, 5, 6])];
        let forth = self.graph.node_of(v)?;
        let [x, b, b_again] = self.graph.inputs_of(forth)?[..] else { return None };
        let slide = |o: usize, k: usize| {
            let scaled = AffineKind::Mul(Box::new(dim(o)), Box::new(AffineKind::Constant(m)));
            AffineKind::Add(Box::new(scaled), Box::new(dim(k)))
        };
        let forth_maps =
            [vec![dim(2), dim(3), slide(4, 6), slide(5, 7)], dims(&[0, 6]), dims(&[1, 7]), dims(&[0, 1, 2, 3, 4, 5])];
        let right = back.maps == maps
            && product.maps == product_maps
            && forth.maps == forth_maps
            && self.graph.sums_products(product, integers, 7, 1)
            && self.graph.sums_products(forth, integers, 6, 2)
            && a == a_again
            && b == b_again;
        let roots = self.roots_that_follow(roots, y)?;
        let u = if integers { self.widened(u, ("i16", "i32", "arith.extsi"))? } else { u };
        let Kind::Memory(_) = self.graph.tensors[u].kind else { return None };
        let open = self.graph.open_images(y);
        let sizes = match &open {
            Some(others) => [&others[..], &[1, 1]].concat(),
            None => self.graph.sizes_of_images(y)?,
        };
        let [n, k, height, width] = sizes[..] else { return None };
        let known = |d: usize| self.graph.tensors[v].dims.get(d)?.known();
        let (tile, channels) = (known(0)?, known(3)?);
        let tiles = if open.is_some() { None } else { Some([known(4)?, known(5)?]) };
        let (input, output) = (self.graph.numbers(b)?, self.graph.numbers(a)?);
        // So many elements of the input, at most, add up to one of a transformed tile.
        let together = input.chunks(tile.max(1) as usize).map(|row| row.iter().map(|f| f.abs()).sum::<f32>());
        let together = together.fold(1.0, f32::max).powi(2) as i64;
        let words = if integers { Some(self.words(x, y, channels, together)?) } else { None };
        let elem = if integers { "i32" } else { "f32" };
        let wide = [x, v, y].iter().all(|t| self.graph.tensors[*t].elem.to_string() == elem);
        let right = right && wide && (integers || self.graph.tensors[u].elem.to_string() == "f32");
        let channels = if integers { (channels + PAIR - 1) / PAIR } else { channels };
        let fit = tiles.is_none_or(|[rows, columns]| rows * m - height < m && columns * m - width < m);
        let whole = fit && tile == m + 2;
        let matrices = input.len() as i64 == tile * tile && output.len() as i64 == m * tile;
        let lanes = i64::from(self.target.vector_bits / 32);
        if !(right && whole && matrices && lanes >= m && lanes % m == 0 && 2 * lanes <= FILTER_BLOCK) {
            return None;
        }
        if integers && (tiles.is_none() || m != OUTPUTS || input.iter().chain(&output).any(|factor| factor.abs() > 1.0))
        {
            return None;
        }
        let sizes = Sizes { n, filters: k, height, width, channels };
        Some(Winograd { roots, y, x, u, words, input, output, m, tile, sizes, tiles })
    }
}
