//! The first lanes of vectors: masks of them, loads and stores.
use super::index::{Index, Lanes};
use super::ir_builder::IrBuilder;
use halyard_ir::{Attr, Type, Value};

impl IrBuilder {
    /// The mask of the first `count` lanes.
    pub(crate) fn first_lanes(&mut self, count: Index) -> Value {
        let lanes = self.lane_vector(&Lanes::Strided(1));
        let end = self.ix(count);
        let end = self.splat(end);
        let mask = self.compare(2, lanes, end);
        if let Some(count) = count.known() {
            self.prefixes.insert(mask, count);
        }
        mask
    }

    /// How many lanes a mask has of the first ones, and no others; `None` if that is not known.
    pub(super) fn known_prefix(&self, mask: Value) -> Option<i64> {
        self.prefixes.get(&mask).copied()
    }

    /// Stores the first `count` lanes of a vector in pieces of powers of two.
    pub(super) fn store_pieces(&mut self, ptr: Value, to: Index, (value, count): (Value, i64)) {
        let elem = value.ty().element();
        let lanes = value.ty().shape().first().copied().flatten().unwrap_or(1);
        let (mut from, mut size, count) = (0, lanes, count.min(lanes));
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

    /// Loads the first `count` lanes of a vector in pieces of powers of two; the others are those of `other`.
    pub(super) fn load_pieces(&mut self, ptr: Value, (other, count): (Value, i64)) -> Value {
        let (ty, elem) = (other.ty(), other.ty().element());
        let lanes = ty.shape().first().copied().flatten().unwrap_or(1);
        let (mut result, mut from, mut size, count) = (other, 0, lanes, count.min(lanes));
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
    fn shuffled(&mut self, from: [Value; 2], ty: Type, picks: impl Iterator<Item = i64>) -> Value {
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
