//! Blocks of results that were computed with their lanes along the filters and transposed: what follows the
//! convolution is computed, and they are stored, filter after filter.
use super::roots::Root;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Memory;
use halyard_ir::Value;

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
    /// Of a product: how many dimensions of rows the result has before that of the filters.
    pub(super) rows: Option<usize>,
}

/// The last `rows` indices of image, row and column.
pub(super) fn row_of_product<I: Clone>(rows: usize, outer: impl IntoIterator<Item = I>, place: &[I]) -> Vec<I> {
    let mut all: Vec<I> = outer.into_iter().chain(place.iter().cloned()).collect();
    all.split_off(all.len() - rows)
}

impl Emitter<'_> {
    /// Stores the pixels at some places (row and column) for each filter. The block goes through the stack, so that the
    /// code for one filter serves all of them.
    pub(super) fn store_block(
        &mut self,
        block: &Block<'_>,
        memories: &[Memory],
        parts: &[(Vec<Value>, Vec<LaneIndex>)],
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
                        idx = row_of_product(rows, idx, place);
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
            let mut idx: Vec<LaneIndex> = block.outer.iter().map(|at| LaneIndex::uniform(*at)).collect();
            idx.push(LaneIndex::from(block.k));
            idx.extend(place(this, number).map(LaneIndex::uniform));
            let point = Point { idx, mask: block.mask, guard: None };
            this.store_roots(block.y, (block.roots, memories), &[point], &[values])?;
            Ok(Vec::new())
        })?;
        Ok(())
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
