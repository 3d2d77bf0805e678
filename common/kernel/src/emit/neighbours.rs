//! Neighbouring lanes of vectors, of which it is known which they are: masks of them, loads and stores.
use super::index::{Index, Lanes};
use super::ir_builder::IrBuilder;
use halyard_ir::{Attr, Type, Value};
use std::ops::Range;

impl IrBuilder {
    /// The mask of the first `count` lanes.
    pub(crate) fn first_lanes(&mut self, count: Index) -> Value {
        let lanes = self.lane_vector(&Lanes::Strided(1));
        let end = self.ix(count);
        let end = self.splat(end);
        let mask = self.compare(2, lanes, end);
        if let Some(count) = count.known() {
            self.note_lanes(mask, 0..count);
        }
        mask
    }

    /// A mask has these lanes, and no others.
    pub(super) fn note_lanes(&mut self, mask: Value, lanes: Range<i64>) {
        self.mask_lanes.insert(mask, lanes);
    }

    /// The lanes of a mask, if they are known and neighbours.
    pub(super) fn noted_lanes(&self, mask: Value) -> Option<Range<i64>> {
        self.mask_lanes.get(&mask).cloned()
    }

    /// Stores some lanes of a vector in pieces of powers of two.
    pub(super) fn store_pieces(&mut self, ptr: Value, to: Index, (value, stored): (Value, Range<i64>)) {
        let elem = value.ty().element();
        let lanes = value.ty().shape().first().copied().flatten().unwrap_or(1);
        let (mut from, mut size, count) = (stored.start.max(0), lanes, stored.end.min(lanes));
        while from < count {
            if count - from >= size {
                let ptr = self.gep(ptr, to.plus(from), elem);
                let piece = self.piece(value, (from, size));
                self.at.op("llvm.store", &[piece, ptr], &[], &[self.alignment(elem)]);
                from += size;
            } else {
                size /= 2;
            }
        }
    }

    /// Loads some lanes of a vector in pieces of powers of two; the others are those of `other`.
    pub(super) fn load_pieces(&mut self, ptr: Value, (other, loaded): (Value, Range<i64>)) -> Value {
        let (ty, elem) = (other.ty(), other.ty().element());
        let lanes = ty.shape().first().copied().flatten().unwrap_or(1);
        let (mut result, mut from, mut size, count) = (other, loaded.start.max(0), lanes, loaded.end.min(lanes));
        while from < count {
            if count - from < size {
                size /= 2;
                continue;
            }
            let ptr = self.gep(ptr, Index::constant(from), elem);
            let piece = if size == 1 { elem } else { Type::vector(size, elem) };
            let piece = self.at.value("llvm.load", &[ptr], piece, &[self.alignment(elem)]);
            let inside = from..from + size;
            let wide = if size == 1 {
                self.splat(piece)
            } else {
                let picks = (0..lanes).map(|lane| if inside.contains(&lane) { lane - from } else { 0 });
                self.shuffled([piece, piece], ty, picks)
            };
            let picks = (0..lanes).map(|lane| if inside.contains(&lane) { lanes + lane } else { lane });
            result = self.shuffled([result, wide], ty, picks);
            from += size;
        }
        result
    }

    /// Lanes of two vectors, those of the second one after those of the first.
    pub(crate) fn shuffled(&mut self, from: [Value; 2], ty: Type, picks: impl Iterator<Item = i64>) -> Value {
        let picks = Attr::i64s(self.at.context(), &picks.collect::<Vec<_>>());
        self.pure("vector.shuffle", &from, ty, Some(("mask", picks)))
    }

    /// Some neighbouring lanes of a vector.
    fn piece(&mut self, value: Value, (from, size): (i64, i64)) -> Value {
        let elem = value.ty().element();
        if size == 1 {
            let at = Attr::i64s(self.at.context(), &[from]);
            return self.pure("vector.extract", &[value], elem, Some(("static_position", at)));
        }
        self.shuffled([value, value], Type::vector(size, elem), from..from + size)
    }
}
