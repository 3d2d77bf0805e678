//! Images whose rows and columns only a run knows. They are divided into tiles of about the same size, of at most so many rows and columns, for
//! which kernels have scratch memory; each tile is a unit of work.
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Graph;

/// The result of a kernel, divided into tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TiledImage {
    /// The tensor, with rows and columns last.
    pub(super) tensor: usize,
    /// Rows and columns of a tile, at most.
    pub(super) most: [i64; 2],
    /// Its points, at most: where it has few columns, it has more rows.
    pub(super) points: Option<i64>,
    /// What rows and columns of all tiles but the last are multiples of.
    pub(super) unit: i64,
}

/// A tile of an image.
#[derive(Clone, Copy)]
pub(super) struct ImageTile {
    /// Its first row and column.
    pub(super) first: [Index; 2],
    /// Its rows and columns.
    pub(super) count: [Index; 2],
}

impl Graph {
    /// The sizes of a tensor of images before rows and columns, with 1 for an unknown number of images, if only a run knows the rows or columns.
    pub(super) fn open_images(&self, tensor: usize) -> Option<Vec<i64>> {
        let (others, places) =
            self.tensors[tensor].dims.split_at_checked(self.tensors[tensor].dims.len().checked_sub(2)?)?;
        let (images, others) = others.split_first()?;
        let open = places.iter().any(|size| size.known().is_none());
        let all = [Some(images.known().unwrap_or(1))].into_iter().chain(others.iter().map(|size| size.known()));
        if open { all.collect() } else { None }
    }
}

impl Emitter<'_> {
    /// How many tiles an image has, down and across.
    pub(super) fn image_tiles(&mut self, image: TiledImage) -> [Index; 2] {
        self.tiling(image).map(|(tiles, _)| tiles)
    }

    /// The tile of this number.
    pub(super) fn image_tile(&mut self, image: TiledImage, number: Index) -> ImageTile {
        let tiling = self.tiling(image);
        let sizes = self.rows_and_columns(image.tensor);
        let (mut first, mut count) = ([Index::ZERO; 2], [Index::ZERO; 2]);
        for (at, name) in ["arith.divui", "arith.remui"].into_iter().enumerate() {
            let place = self.code.divide(name, number, tiling[1].0);
            first[at] = self.code.mul(place, tiling[at].1);
            let left = self.code.sub(sizes[at], first[at]);
            count[at] = self.code.min(left, tiling[at].1);
        }
        ImageTile { first, count }
    }

    /// The last two sizes of a tensor.
    fn rows_and_columns(&self, tensor: usize) -> [Index; 2] {
        let dims = &self.tensors[tensor].dims;
        [dims[dims.len() - 2], dims[dims.len() - 1]]
    }

    /// Down and across: how many tiles an image has, and the rows or columns of each but the last.
    fn tiling(&mut self, image: TiledImage) -> [(Index, Index); 2] {
        let [rows, columns] = self.rows_and_columns(image.tensor);
        let across = self.even_pieces(columns, Index::constant(image.most[1]), image.unit);
        let most = match image.points {
            None => Index::constant(image.most[0]),
            Some(points) => {
                let wide = self.code.max(across.1, Index::constant(image.unit));
                let rows = self.code.divide("arith.divui", Index::constant(points), wide);
                let rows = self.code.divide("arith.divui", rows, Index::constant(image.unit));
                let rows = self.code.max(rows, Index::constant(1));
                self.code.mul(rows, Index::constant(image.unit))
            }
        };
        [self.even_pieces(rows, most, image.unit), across]
    }

    /// How many pieces of at most `most` a size has, and the size of each but the last: about the same, a multiple of `unit`, as `most` is.
    fn even_pieces(&mut self, size: Index, most: Index, unit: i64) -> (Index, Index) {
        let up = |this: &mut Self, size: Index, by: Index| {
            let beyond = this.code.add(size, by).plus(-1);
            this.code.divide("arith.divui", beyond, by)
        };
        let pieces = up(self, size, most);
        // There may be none.
        let some = self.code.max(pieces, Index::constant(1));
        let each = up(self, size, some);
        let units = up(self, each, Index::constant(unit));
        (pieces, self.code.mul(units, Index::constant(unit)))
    }

    /// Loops over `count` points, a number that only a run knows, in tiles of at most `most`, and of some smaller sizes for what is left. If one
    /// tile is to take all that is left (`covers`), the last ones of its points may be beyond `count`.
    pub(super) fn in_open_tiles(
        &mut self,
        count: Index,
        (most, covers): (i64, bool),
        tile: impl Fn(&mut Self, Index, i64) -> Supported<()>,
    ) -> Supported<()> {
        let rest = self.code.divide("arith.remui", count, Index::constant(most));
        let mut from = self.code.sub(count, rest);
        let sizes = sizes_of_tiles(most, covers);
        for (at, &points) in sizes.iter().enumerate() {
            let bounds = if covers {
                let smaller = sizes.get(at + 1).copied().unwrap_or(0);
                let end = self.if_within(rest, (smaller, points), count, from);
                (if at == 0 { Index::ZERO } else { from }, end)
            } else if at == 0 {
                (Index::ZERO, from)
            } else {
                let left = self.code.sub(count, from);
                let left = self.code.divide("arith.remui", left, Index::constant(points));
                let start = from;
                from = self.code.sub(count, left);
                (start, from)
            };
            self.for_loop((bounds.0, bounds.1, Index::constant(points)), &[], |this, first, _| {
                tile(this, first, points).map(|()| Vec::new())
            })?;
        }
        Ok(())
    }

    /// One index where a number is above one bound and not above another, else another index.
    pub(crate) fn if_within(&mut self, number: Index, (low, high): (i64, i64), yes: Index, no: Index) -> Index {
        let number = self.code.ix(number);
        let [low, high] = [low, high].map(|bound| self.code.i64_constant(bound));
        // Unsigned: above, and at most.
        let (above, within) = (self.code.compare(8, number, low), self.code.compare(7, number, high));
        let both = self.code.math("arith.andi", &[above, within]);
        let (yes, no) = (self.code.ix(yes), self.code.ix(no));
        Index::value(self.code.select(both, yes, no))
    }
}

/// The sizes of tiles, larger ones first. Smaller ones cover what is left, each alone (`covers`) or together.
fn sizes_of_tiles(most: i64, covers: bool) -> Vec<i64> {
    let mut sizes = if covers {
        [14, 10, 8, 7, 4].map(|part| (most * part + 13) / 14).to_vec()
    } else {
        let powers = (0..).map(|bit| 1 << bit).take_while(|size| *size < most).collect::<Vec<i64>>();
        [most].into_iter().chain(powers.into_iter().rev()).collect()
    };
    sizes.dedup();
    sizes
}

/// The points that tiles of at most `most` cover, where there are up to `count`.
pub(super) fn most_covered(count: i64, most: i64, covers: bool) -> i64 {
    if !covers {
        return count;
    }
    let sizes = sizes_of_tiles(most, covers);
    let rest = |rest: i64| sizes.iter().copied().filter(|&size| size >= rest && rest > 0).min().unwrap_or(0);
    (1..=count).map(|n| n / most * most + rest(n % most)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{most_covered, sizes_of_tiles};

    #[test]
    fn rests_have_tiles_of_about_their_size() {
        assert_eq!(sizes_of_tiles(14, true), [14, 10, 8, 7, 4]);
        assert_eq!(sizes_of_tiles(6, true), [6, 5, 4, 3, 2]);
        assert_eq!(sizes_of_tiles(6, false), [6, 4, 2, 1]);
        assert_eq!([true, false].map(|covers| sizes_of_tiles(1, covers)), [[1], [1]]);
        assert_eq!((most_covered(56, 14, true), most_covered(13, 14, true), most_covered(55, 6, true)), (56, 14, 56));
        assert_eq!(most_covered(55, 6, false), 55);
    }
}
