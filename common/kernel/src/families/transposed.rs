//! Blocks of results that were computed with their lanes along the filters and transposed: what follows the
//! convolution is computed, and they are stored, filter after filter.
use super::roots::Root;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Lanes, Point};
use crate::emit::ir_builder::{Coder, IrBuilder, Supported};
use crate::graph::Memory;
use halyard_ir::Value;
use std::rc::Rc;

/// What a block is of.
pub(super) struct Block<'a> {
    /// The result of the convolution, and what is stored.
    pub(super) y: usize,
    pub(super) roots: &'a [Root],
    /// Image, or image and group; and the first filter.
    pub(super) outer: Vec<Index>,
    pub(super) k: Index,
    /// How many filters.
    pub(super) filters: i64,
    /// The pixels that count.
    pub(super) mask: Option<Value>,
    /// Of a product: how its rows are an image.
    pub(super) rows: Option<ProductRows>,
}

/// A square block of sums, transposed: a vector of pixels for each filter.
pub(super) struct Part {
    pub(super) rows: Vec<Value>,
    /// Row and column.
    pub(super) place: [LaneIndex; 2],
    /// The pixels that count.
    pub(super) mask: Option<Value>,
}

/// How the rows of a product's activations and result are an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProductRows {
    /// Their dimensions, before that of the channels or filters.
    pub(super) dims: usize,
    /// If the last of them is divided into rows of the image: how many points such a row has.
    pub(super) divided: Option<i64>,
}

impl ProductRows {
    /// The indices of a row of the product at a place of an image: its row and column.
    pub(super) fn at(self, code: &mut IrBuilder, outer: &[LaneIndex], place: [LaneIndex; 2]) -> Vec<LaneIndex> {
        let place = match self.divided {
            Some(width) => vec![joined(code, place, width)],
            None => place.to_vec(),
        };
        let mut all: Vec<LaneIndex> = outer.iter().cloned().chain(place).collect();
        all.split_off(all.len() - self.dims)
    }
}

/// The number of a point, in rows of so many.
fn joined(code: &mut IrBuilder, [row, column]: [LaneIndex; 2], width: i64) -> LaneIndex {
    let first = code.mul(row.ix, Index::constant(width));
    let ix = code.add(first, column.ix);
    match (row.lanes, column.lanes) {
        (Lanes::Uniform, lanes) => LaneIndex { ix, lanes },
        (Lanes::Constant(rows), Lanes::Constant(columns)) => {
            let numbers: Rc<[i64]> = rows.iter().zip(&*columns).map(|(row, column)| row * width + column).collect();
            match numbers.iter().enumerate().all(|(lane, number)| *number == numbers[0] + lane as i64) {
                true => LaneIndex::from(ix.plus(numbers[0])),
                false => LaneIndex { ix, lanes: Lanes::Constant(numbers) },
            }
        }
        _ => unreachable!("the lanes of a tile are known numbers, or go along a row"),
    }
}

/// The rows and columns of so many points, one row of `columns` after the other, from point `from` of a tile on that begins at a place.
pub(super) fn points_across_rows([row, column]: [Index; 2], (from, lanes): (i64, i64), columns: i64) -> [LaneIndex; 2] {
    // Relative to the first point, lanes are seen to be neighbours in memory.
    let lanes = |of: &dyn Fn(i64) -> i64| Lanes::Constant((from..from + lanes).map(|p| of(p) - of(from)).collect());
    let (down, right) = (|p: i64| p / columns, |p: i64| p % columns);
    [
        LaneIndex { ix: row.plus(down(from)), lanes: lanes(&down) },
        LaneIndex { ix: column.plus(right(from)), lanes: lanes(&right) },
    ]
}

impl Emitter<'_> {
    /// Stores the pixels at some places (row and column) for each filter. The block goes through the stack, so that the
    /// code for one filter serves all of them.
    pub(super) fn store_block(
        &mut self,
        block: &Block<'_>,
        memories: &[Memory],
        parts: &[(Vec<Value>, [LaneIndex; 2])],
    ) -> Supported<()> {
        let parts: Vec<_> = parts
            .iter()
            .map(|(rows, place)| Part { rows: rows.clone(), place: place.clone(), mask: block.mask })
            .collect();
        self.store_parts(block, memories, &parts, 1)
    }

    /// The same, with the parts whose results are computed side by side: what follows the sums is a long chain of operations, so that a CPU has
    /// none ready to do before it has several chains.
    pub(super) fn store_parts(
        &mut self,
        block: &Block<'_>,
        memories: &[Memory],
        parts: &[Part],
        together: usize,
    ) -> Supported<()> {
        let (lanes, elem) = (self.code.lanes, self.tensors[block.y].elem);
        let size = Index::constant(lanes * lanes * parts.len() as i64);
        let ptr = self.transpose_buffer(size.add);
        let space = self.code.contiguous(ptr, elem, &[size]);
        for (number, part) in parts.iter().enumerate() {
            for (filter, &row) in part.rows.iter().enumerate().take(block.filters as usize) {
                let at = (number as i64 * lanes + filter as i64) * lanes;
                self.code.store(&space, &LaneIndex::from(Index::constant(at)), row, None);
            }
        }
        let bounds = (Index::ZERO, Index::constant(block.filters), Index::constant(1));
        self.for_loop(bounds, &[], |this, number, _| {
            let k = this.code.add(block.k, number);
            let row = this.code.mul(number, Index::constant(lanes));
            for (chunk, some) in parts.chunks(together).enumerate() {
                let (mut points, mut values) = (Vec::new(), Vec::new());
                for (at, part) in some.iter().enumerate() {
                    let at = row.plus((chunk * together + at) as i64 * lanes * lanes);
                    values.push(this.code.load(&space, &LaneIndex::from(at), None, None, None));
                    points.push(this.point_of_filter(block, k, part));
                }
                this.store_roots(block.y, (block.roots, memories), &points, &values)?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// The elements of a filter at the place of a part.
    fn point_of_filter(&mut self, block: &Block<'_>, k: Index, part: &Part) -> Point {
        let place = part.place.clone();
        let mut idx: Vec<_> = block.outer.iter().map(|at| LaneIndex::uniform(*at)).collect();
        match block.rows {
            Some(rows) => {
                idx = rows.at(&mut self.code, &idx, place);
                idx.push(LaneIndex::uniform(k));
            }
            None => {
                idx.push(LaneIndex::uniform(k));
                idx.extend(place);
            }
        }
        Point { idx, mask: part.mask, guard: None }
    }

    /// Stores the first `count` pixels as they were computed, with their lanes along the filters: for results that have filters side by side.
    pub(super) fn store_pixels(
        &mut self,
        block: &Block<'_>,
        memories: &[Memory],
        (pixels, count): (&[Value], Index),
        place: impl Fn(&mut Self, Index) -> [Index; 2],
    ) -> Supported<()> {
        let (lanes, elem) = (self.code.lanes, self.tensors[block.y].elem);
        let size = Index::constant(lanes * pixels.len() as i64);
        let ptr = self.transpose_buffer(size.add);
        let space = self.code.contiguous(ptr, elem, &[size]);
        for (number, &pixel) in pixels.iter().enumerate() {
            self.code.store(&space, &LaneIndex::from(Index::constant(number as i64 * lanes)), pixel, None);
        }
        let bounds = (Index::ZERO, count, Index::constant(1));
        self.for_loop(bounds, &[], |this, number, _| {
            let at = this.code.mul(number, Index::constant(lanes));
            let values = this.code.load(&space, &LaneIndex::from(at), None, None, None);
            let place = place(this, number).map(LaneIndex::uniform);
            this.store_pixel(block, memories, values, place).map(|()| Vec::new())
        })?;
        Ok(())
    }

    /// Stores the filters of one pixel, which stand side by side.
    pub(super) fn store_pixel(
        &mut self,
        block: &Block<'_>,
        memories: &[Memory],
        values: Value,
        place: [LaneIndex; 2],
    ) -> Supported<()> {
        let mut idx: Vec<LaneIndex> = block.outer.iter().map(|at| LaneIndex::uniform(*at)).collect();
        idx.push(LaneIndex::from(block.k));
        idx.extend(place);
        let point = Point { idx, mask: block.mask, guard: None };
        self.store_roots(block.y, (block.roots, memories), &[point], &[values])
    }

    /// Stack memory of so many elements, the same for all blocks of a kernel.
    fn transpose_buffer(&mut self, size: i64) -> Value {
        match self.transposing {
            Some((ptr, known)) if known >= size => ptr,
            _ => {
                let elem = halyard_ir::Type::f32(self.code.at.context());
                let ptr = self.code.stack(elem, size);
                self.transposing = Some((ptr, size));
                ptr
            }
        }
    }
}
