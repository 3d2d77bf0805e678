//! The first lanes of vectors: masks of them, and stores.
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

    /// Some neighbouring lanes of a vector.
    fn piece(&mut self, value: Value, (from, size): (i64, i64)) -> Value {
        let elem = value.ty().element();
        let context = self.at.context();
        if size == 1 {
            let at = Attr::i64s(context, &[from]);
            return self.pure("vector.extract", &[value], elem, Some(("static_position", at)));
        }
        let picks: Vec<i64> = (from..from + size).collect();
        let picks = Attr::i64s(context, &picks);
        self.pure("vector.shuffle", &[value, value], Type::vector(size, elem), Some(("mask", picks)))
    }
}
