//! Emits products of short numbers.
use super::form::Dots;
use super::pack::Packed;
use super::plan::{DotsPlan, Shared, Tile};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::Share;
use crate::families::dot_instructions::Short;
use crate::graph::Memory;
use crate::machine::memory::CACHE_LINE;
use halyard_ir::Value;

/// How the work is cut, and where things are.
pub(super) struct Work {
    pub(super) tile: Tile,
    /// Rows and vectors of columns of all.
    pub(super) rows: i64,
    pub(super) vectors: i64,
    /// Vectors of a line across.
    pub(super) line: i64,
    /// Groups from a row to the next.
    pub(super) pitch: i64,
    pub(super) shared: Shared,
    /// What the workgroup has of that, and its images if their number is not known.
    pub(super) share: (Index, Index),
    images: (Index, Index),
    pub(super) a: Packed,
    pub(super) b: Packed,
    /// What the sums of each row, and of each column of a panel, start from.
    pub(super) row_starts: Option<Memory>,
    pub(super) column_starts: Option<Packed>,
    /// What is added to the numbers of rows and columns, and the zero points that they have then, negated.
    pub(super) shifts: [Option<Value>; 2],
    pub(super) zeros: [Option<Value>; 2],
}

impl Emitter<'_> {
    /// Emits the kernel.
    pub(in crate::families) fn multiply_short(&mut self, plan: &DotsPlan, memories: &[Memory]) -> Supported<()> {
        let DotsPlan { form: d, lanes, tile, rows, vectors, line, shared, share } = plan;
        let (lanes, tile, rows, vectors, line, shared) = (*lanes, *tile, *rows, *vectors, *line, *shared);
        self.code.lanes = lanes;
        let (short, groups, wide) = (d.short(), d.groups(), tile.vectors);
        let corrects = short == Short::Byte;
        let mut shifts = [None; 2];
        let mut zeros = [None; 2];
        if corrects {
            for (at, factor) in [&d.rows, &d.columns].into_iter().enumerate() {
                (shifts[at], zeros[at]) =
                    self.correction(factor.raw, d.instruction.shift(at == 0, factor.raw.signed))?;
            }
        }
        // Whole lines, and not a power of two apart, which would compete for the same lines of the cache.
        let per_line = CACHE_LINE / 4;
        let mut pitch = (groups + per_line - 1) / per_line * per_line;
        if (pitch * 4) % 2048 == 0 {
            pitch += per_line;
        }
        let (images, share) = match d.images {
            None => ((Index::ZERO, Index::constant(1)), self.share_of(*share)),
            Some(_) => self.share_of_images(d, *share),
        };
        // The rows and what belongs to them are in one piece, so that a later workgroup finds both or neither.
        let a = self.packed(d, rows * (pitch + i64::from(zeros[1].is_some())))?;
        let b = d.window.as_ref().map_or(wide * lanes * groups, |w| w.count(d, lanes));
        let b = self.packed(d, b)?;
        let row_starts = zeros[1].map(|_| Memory { offset: Index::constant(rows * pitch), ..a.groups.clone() });
        let column_starts = zeros[0].map(|_| self.packed(d, wide * lanes)).transpose()?;
        let work = Work {
            tile,
            rows,
            vectors,
            line,
            pitch,
            shared,
            share,
            images,
            a,
            b,
            row_starts,
            column_starts,
            shifts,
            zeros,
        };
        let outer = self.roots.len();
        self.roots.extend(d.roots.iter().map(|root| root.tensor));
        self.images(d, &work, memories)?;
        self.roots.truncate(outer);
        for packed in [work.column_starts, Some(work.b), Some(work.a)].into_iter().flatten() {
            self.give(packed.taken)?;
        }
        Ok(())
    }

    /// The images of this workgroup, of a number that is not known, and its part of each: what is packed of an image is packed once if each
    /// workgroup has whole ones. A single image is divided.
    fn share_of_images(
        &mut self,
        d: &Dots,
        Share { units, workgroups, .. }: Share,
    ) -> ((Index, Index), (Index, Index)) {
        let count = self.tensors[d.y].dims[0];
        let alone = self.is_alone(count);
        let [units, one] = [units, 1].map(Index::constant);
        let choose = |this: &mut Self, [one, many]: [Index; 2]| {
            let [one, many] = [one, many].map(|n| this.code.ix(n));
            Index::value(this.code.select(alone, one, many))
        };
        let shared = choose(self, [units, count]);
        let (from, to) = self.share_of_units(shared, workgroups);
        let images = (choose(self, [Index::ZERO, from]), choose(self, [one, to]));
        let part = (choose(self, [from, Index::ZERO]), choose(self, [to, units]));
        (images, part)
    }

    /// Whether that is one image.
    fn is_alone(&mut self, count: Index) -> Value {
        let (all, one) = (self.code.ix(count), self.code.ix(Index::constant(1)));
        self.code.compare(0, all, one)
    }

    /// The images of the workgroup, one after the other, if their number is not known.
    fn images(&mut self, d: &Dots, w: &Work, memories: &[Memory]) -> Supported<()> {
        if d.images.is_none() {
            return self.batches(d, w, memories, None);
        }
        let alone = self.is_alone(self.tensors[d.y].dims[0]);
        self.for_loop((w.images.0, w.images.1, Index::constant(1)), &[], |this, image, _| {
            this.batches(d, w, memories, Some((image, alone))).map(|()| Vec::new())
        })?;
        Ok(())
    }

    /// What the workgroup does of an image, and whether that is the only one; of all that there is, if there are no images.
    fn batches(&mut self, d: &Dots, w: &Work, memories: &[Memory], image: Option<(Index, Value)>) -> Supported<()> {
        let only = image.map(|(_, alone)| alone);
        let all = (Index::ZERO, Index::constant(d.product(&d.batch)));
        let (from, to) = if w.shared == Shared::Batch { w.share } else { all };
        self.for_loop((from, to, Index::constant(1)), &[], |this, batch, _| {
            let mut batch = this.counted(d, &d.batch, batch);
            if let Some((image, _)) = image {
                batch[0] = LaneIndex::uniform(image);
            }
            let mut rows = (Index::ZERO, Index::constant(w.rows));
            if w.shared == Shared::Rows {
                let high = Index::constant(w.tile.rows);
                let (first, end) = (this.code.mul(w.share.0, high), this.code.mul(w.share.1, high));
                rows = (first, this.code.min(end, Index::constant(w.rows)));
            }
            let pack = |this: &mut Self| {
                this.pack_rows(d, &batch, rows, w.pitch, w.shifts[0], &w.a)?;
                this.start_rows(d, w, rows)
            };
            if d.has_no_batch() && w.shared == Shared::Panels {
                // What another workgroup has packed on this thread is there.
                this.fill_for_all(w.a.taken, only, pack)?;
            } else {
                pack(this)?;
            }
            if let Some(window) = &d.window {
                let pack = |this: &mut Self| this.pack_image(d, window, &batch, w.shifts[1], &w.b);
                if d.has_no_batch() {
                    this.fill_for_all(w.b.taken, only, pack)?;
                } else {
                    pack(this)?;
                }
            }
            this.panels(d, w, memories, &batch, rows)?;
            Ok(Vec::new())
        })?;
        Ok(())
    }
}
