//! Copies of rows of an image whose columns only a run knows, with their padding. Where the padding lies is computed once for each row, not for
//! each lane; the image between is loaded and stored in whole vectors.
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::{Kind, Memory};
use halyard_ir::Value;

/// An image in memory, with padding around its rows and columns.
pub(super) struct PaddedImage {
    memory: Memory,
    /// Rows and columns of padding before the image, and of the image.
    low: [Index; 2],
    size: [Index; 2],
    /// The constant in the padding.
    outside: Value,
}

/// Part of a row, with padding.
#[derive(Clone, Copy)]
pub(super) struct PartOfRow {
    /// The row and its first column, counted with padding.
    pub(super) row: Index,
    pub(super) first: Index,
    /// How many columns.
    pub(super) columns: Index,
}

impl Emitter<'_> {
    /// A tensor as an image in memory, if its columns are neighbours there and nothing but rows and columns is padded.
    pub(super) fn padded_image(&mut self, tensor: usize) -> Option<PaddedImage> {
        let kind = self.tensors[tensor].kind.clone();
        let (source, low, value) = match kind {
            Kind::Pad { src, low, region } => (src, low, Some(region.terminator()?.operand(0).def()?.attr("value")?)),
            _ => (tensor, vec![Index::ZERO; self.tensors[tensor].dims.len()], None),
        };
        let Kind::Memory(memory) = self.tensors[source].kind.clone() else { return None };
        let (others, low) = low.split_last_chunk()?;
        let &size = self.tensors[source].dims.last_chunk()?;
        let planes = others.iter().all(|low| low.known() == Some(0))
            && self.tensors[source].dims[..others.len()] == self.tensors[tensor].dims[..others.len()];
        if !planes || memory.strides.last()?.known() != Some(1) || self.code.buffer(source).is_some() {
            return None;
        }
        let outside = match value {
            Some(value) => self.code.at.constant(value),
            None => self.code.number(memory.elem, 0.0),
        };
        let outside = self.code.splat(outside);
        Some(PaddedImage { memory, low: *low, size, outside })
    }

    /// The columns of part of a row that lie on an image, which begins at `begin` (or before) and has `width` of them: the first one, the end of
    /// those in whole vectors, and the end of all.
    pub(super) fn on_image(&mut self, begin: Index, width: Index, columns: Index) -> [Index; 3] {
        let end = self.code.add(begin, width);
        let [begin, end] = [begin, end].map(|at| {
            let at = self.code.max(at, Index::ZERO);
            self.code.min(at, columns)
        });
        let lanes = Index::constant(self.code.lanes);
        let count = self.code.sub(end, begin);
        let whole = self.code.divide("arith.divui", count, lanes);
        let whole = self.code.mul(whole, lanes);
        [begin, self.code.add(begin, whole), end]
    }

    /// Copies part of a row, the one of `outer` planes, to `to`, in whole vectors: up to a vector less one element is written after its end.
    pub(super) fn copy_padded_row(
        &mut self,
        image: &PaddedImage,
        outer: &[Index],
        part: PartOfRow,
        (scratch, to): (&Memory, Index),
    ) -> Supported<()> {
        let PartOfRow { row, first, columns } = part;
        let row = self.code.sub(row, image.low[0]);
        let (at, rows) = (self.code.ix(row), self.code.ix(image.size[0]));
        // Unsigned: rows above are large.
        let inside = self.code.compare(6, at, rows);
        let fill = |this: &mut Self, from: Index, to_column: Index| {
            let bounds = (from, to_column, Index::constant(this.code.lanes));
            this.for_loop(bounds, &[], |this, column, _| {
                let at = this.code.add(to, column);
                this.code.store(scratch, &LaneIndex::from(at), image.outside, None);
                Ok(Vec::new())
            })
        };
        let copy = |this: &mut Self| {
            let lanes = this.code.lanes;
            let begin = this.code.sub(image.low[1], first);
            let [begin, whole, end] = this.on_image(begin, image.size[1], columns);
            fill(this, Index::ZERO, begin)?;
            let source = this.code.sub(first, image.low[1]);
            let load = |this: &mut Self, column: Index, mask: Option<Value>| {
                let column = this.code.add(source, column);
                let mut idx: Vec<_> = outer.iter().copied().chain([row]).map(LaneIndex::uniform).collect();
                idx.push(LaneIndex::from(column));
                let offset = this.code.offset(&image.memory, &idx);
                this.code.load(&image.memory, &offset, mask, None, mask.map(|_| image.outside))
            };
            for (from, until, masked) in [(begin, whole, false), (whole, columns, true)] {
                this.for_loop((from, until, Index::constant(lanes)), &[], |this, column, _| {
                    let mask = masked.then(|| {
                        let left = this.code.sub(end, column);
                        this.lane_mask(left)
                    });
                    let value = load(this, column, mask);
                    let at = this.code.add(to, column);
                    this.code.store(scratch, &LaneIndex::from(at), value, None);
                    Ok(Vec::new())
                })?;
            }
            Ok(Vec::new())
        };
        let pad = |this: &mut Self| fill(this, Index::ZERO, columns).map(|_| Vec::new());
        self.if_else(inside, &[], copy, pad)?;
        Ok(())
    }
}
