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

impl Emitter<'_> {
    /// Stores the pixels at some places (row and column) for each filter. The block goes through the stack, so that the
    /// code for one filter serves all of them.
    pub(super) fn store_block(
        &mut self,
        block: &Block<'_>,
        memories: &[Memory],
        parts: &[(Vec<Value>, [LaneIndex; 2])],
    ) -> Supported<()> {
        let (lanes, elem) = (self.code.lanes, self.tensors[block.y].elem);
        let size = Index::constant(lanes * lanes * parts.len() as i64);
        let ptr = self.transpose_buffer(size.add);
        let space = self.code.contiguous(ptr, elem, &[size]);
        for (part, (rows, _)) in parts.iter().enumerate() {
            for (number, &row) in rows.iter().enumerate().take(block.filters as usize) {
                let at = (part as i64 * lanes + number as i64) * lanes;
                self.code.store(&space, &LaneIndex::from(Index::constant(at)), row, None);
            }
        }
        let bounds = (Index::ZERO, Index::constant(block.filters), Index::constant(1));
        self.for_loop(bounds, &[], |this, number, _| {
            let k = this.code.add(block.k, number);
            let row = this.code.mul(number, Index::constant(lanes));
            for (part, (_, place)) in parts.iter().enumerate() {
                let at = row.plus(part as i64 * lanes * lanes);
                let values = this.code.load(&space, &LaneIndex::from(at), None, None, None);
                let mut idx: Vec<_> = block.outer.iter().map(|at| LaneIndex::uniform(*at)).collect();
                match block.rows {
                    Some(rows) => {
                        idx = rows.at(&mut this.code, &idx, place.clone());
                        idx.push(LaneIndex::uniform(k));
                    }
                    None => {
                        idx.push(LaneIndex::uniform(k));
                        idx.extend(place.iter().cloned());
                    }
                }
                let point = Point { idx, mask: block.mask, guard: None };
                this.store_roots(block.y, (block.roots, memories), &[point], &[values])?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
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
