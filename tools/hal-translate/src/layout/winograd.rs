//! Convolutions by 3×3 filters as Winograd's minimal filtering: tiles of the input are transformed, multiplied with
//! transformed filters (a matrix product for each point of a tile) and transformed back.
use super::site::{OPEN, USUAL, pads_with_zeros};
use super::{Convolution, Site, Weights};
use halyard_ir::{Attr, Filtering, Value, WeightLayout};

const BLOCK: i64 = WeightLayout::BLOCK as i64;

/// Fewer channels and filters than this do not pay for the transforms.
const CHANNELS: i64 = 8;
const FILTERS: i64 = 20;
/// Smaller images have too few tiles for the transformed filters that are read.
const OUTPUTS: i64 = 5;
/// How many times fewer products there are, at least, where whole blocks of filters and tiles are computed. With the numbers above: fits to 70
/// convolutions on AVX-512 and AVX2 (2026-11-28), of which two take the slower way, by 4 and 6 %.
const FEWER: f64 = 1.3;
/// From so many outputs along each dimension on, larger tiles pay: their filters are larger, too.
const LARGE: i64 = 25;

/// Rewrites one convolution, if it is of the kind and it pays with vectors of so many `lanes` of f32; in larger tiles, if these may cost exactness.
pub(super) fn rewrite(c: &Convolution, weights: &mut Weights, larger: bool, lanes: i64) -> Option<()> {
    let ones = |of: [i64; 2]| of == [1, 1];
    // Images of unknown size are usually large enough.
    let places = c.places().unwrap_or([USUAL; 2]);
    if c.grouped || c.filter[2..] != [3, 3] || !ones(c.stride) || !ones(c.dilation) || !pays(c, places, lanes) {
        return None;
    }
    let larger = larger && places.iter().all(|n| *n >= LARGE);
    let layout = if larger { WeightLayout::Winograd4 } else { WeightLayout::Winograd2 };
    let u = weights.pack(weights.packed(c.w, layout)?);
    c.becomes(convolved(c, layout, c.wide_input(), u));
    Some(())
}

/// A convolution of `x` with the packed filters `u`: of integers four times as large as it is.
pub(super) fn convolved(c: &Convolution, layout: WeightLayout, x: Value, u: Value) -> Value {
    let at = Place { site: c.site(), filtering: layout.filtering().expect("a layout of winograd") };
    let blocks = (c.filter[0] + BLOCK - 1) / BLOCK;
    at.filter(x, &c.input, u, blocks, &c.output)
}

/// Whether tiles of four by four save more than they cost.
fn pays(c: &Convolution, places: [i64; 2], lanes: i64) -> bool {
    let [filters, channels, ..] = c.filter;
    let filled = |to: i64| (filters + to - 1) / to * to;
    let tiles: i64 = places.iter().map(|n| (n + 1) / 2).product();
    let direct = (places[0] * places[1] * 9 * filled(lanes)) as f64;
    let enough = channels >= CHANNELS && filters >= FILTERS && places.iter().all(|n| *n >= OUTPUTS);
    enough && direct >= FEWER * (tiles * 16 * filled(BLOCK)) as f64
}

/// Where operations go, and which algorithm they make.
struct Place<'a> {
    site: Site,
    filtering: &'a Filtering,
}

impl Place<'_> {
    fn filter(&self, x: Value, input: &[i64], u: Value, blocks: i64, output: &[i64]) -> Value {
        let (m, tile, block) = (self.filtering.m as i64, self.filtering.tile() as i64, BLOCK);
        let (n, channels) = (input[0], input[1]);
        let tiles = |size: i64| if size == OPEN { OPEN } else { (size + m - 1) / m };
        let (rows, columns) = (tiles(output[2]), tiles(output[3]));
        let x = self.extended(x, input, [rows, columns]);
        let open = self.open_tiles(output);
        let b = self.matrix(self.filtering.input, [tile, tile]);
        let v = self.site.sum_of_products(
            &[x, b, b],
            &[&format!("d2, d3, d4 * {m} + d6, d5 * {m} + d7"), "d0, d6", "d1, d7", "d0, d1, d2, d3, d4, d5"],
            (6, 2),
            (&[tile, tile, n, channels, rows, columns], &open),
        );
        // Channels of integers are in pairs.
        let filters = match u.ty().rank() {
            6 => "d0, d1, d3, d7 floordiv 2, d4, d7 mod 2",
            _ => "d0, d1, d3, d7, d4",
        };
        let products = self.site.sum_of_products(
            &[u, v],
            &[filters, "d0, d1, d2, d7, d5, d6", "d0, d1, d2, d3, d4, d5, d6"],
            (7, 1),
            (&[tile, tile, n, blocks, block, rows, columns], &open),
        );
        let a = self.matrix(self.filtering.output, [m, tile]);
        let place = format!("d4, d5, d0, d1 floordiv {block}, d1 mod {block}, d2 floordiv {m}, d3 floordiv {m}");
        let (high, wide) = (format!("d2 mod {m}, d4"), format!("d3 mod {m}, d5"));
        self.site.sum_of_products(
            &[products, a, a],
            &[&place, &high, &wide, "d0, d1, d2, d3"],
            (4, 2),
            (output, &self.site.open),
        )
    }

    /// The sizes of the tiles of a result that only a run knows: of those of the result, rows and columns become tiles.
    fn open_tiles(&self, output: &[i64]) -> Vec<Value> {
        let at = &self.site.at;
        let dims = (0..output.len()).filter(|d| output[*d] == OPEN);
        let up = |size: Value| {
            let (beyond, by) = (at.index(self.filtering.m as i64 - 1), at.index(self.filtering.m as i64));
            let sum = at.value("arith.addi", &[size, beyond], size.ty(), &[]);
            at.value("arith.divui", &[sum, by], size.ty(), &[])
        };
        dims.zip(&self.site.open).map(|(d, &size)| if d < 2 { size } else { up(size) }).collect()
    }

    /// The input with zeros behind it, so that its last tiles are whole; where only a run knows how many there are, with the most that are needed.
    fn extended(&self, x: Value, input: &[i64], tiles: [i64; 2]) -> Value {
        let m = self.filtering.m as i64;
        let more = [0, 1].map(|at| match (tiles[at], input[2 + at]) {
            (OPEN, _) | (_, OPEN) => m - 1,
            (tiles, size) => tiles * m + 2 - size,
        });
        let padded = |at: usize| if input[2 + at] == OPEN { OPEN } else { input[2 + at] + more[at] };
        if more == [0, 0] {
            return x;
        }
        let (mut source, mut low, mut high) = (x, vec![0; 4], vec![0; 4]);
        if let Some(pad) = x.def().filter(|d| d.is("tensor.pad") && pads_with_zeros(*d)) {
            let amounts = |name: &str| pad.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
            (source, low, high) = (pad.operand(0), amounts("static_low"), amounts("static_high"));
        }
        high[2] += more[0];
        high[3] += more[1];
        self.site.padded(source, &low, &high, &[input[0], input[1], padded(0), padded(1)])
    }

    fn matrix(&self, numbers: &[f32], shape: [i64; 2]) -> Value {
        let number = |v: &f32| match self.site.elem.is_integer() {
            true => format!("{}", *v as i64),
            false => format!("{:?}", f64::from(*v)),
        };
        let row = |row: &[f32]| format!("[{}]", row.iter().map(number).collect::<Vec<_>>().join(", "));
        let rows: Vec<String> = numbers.chunks(shape[1] as usize).map(row).collect();
        let text = format!("dense<[{}]> : tensor<{}x{}x{}>", rows.join(", "), shape[0], shape[1], self.site.elem);
        self.site.at.constant(Attr::parse(self.site.at.context(), &text).expect("a dense attribute"))
    }
}
