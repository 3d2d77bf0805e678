//! Loads under masks. CPUs have none, or not for narrow elements: LLVM writes a branch for each lane then, which is a last resort.
use super::index::LaneIndex;
use super::ir_builder::{Coder, IrBuilder};
use crate::graph::Memory;
use halyard_ir::{Type, Value};

impl IrBuilder {
    /// Loads the lanes of a mask; where that takes a branch for each lane, known ones in pieces, or a whole vector if all are in the mask.
    pub(super) fn masked_load(&mut self, ptr: Value, mask: Value, other: Value) -> Value {
        let (ty, elem) = (other.ty(), other.ty().element());
        let (whole, masked) = (self.alignment(elem), self.alignment32(elem));
        let load = |this: &mut Self| this.at.value("llvm.intr.masked.load", &[ptr, mask, other], ty, &[masked]);
        if elem.bits() >= self.accesses.masked_load_bits {
            return load(self);
        }
        if let Some(lanes) = self.noted_lanes(mask) {
            return self.load_pieces(ptr, (other, lanes));
        }
        let all = self.are_all(mask);
        let yes = |this: &mut Self| Ok(vec![this.at.value("llvm.load", &[ptr], ty, &[whole])]);
        let loaded = self.if_else(all, &[ty], yes, |this| Ok(vec![load(this)]));
        loaded.expect("neither side fails")[0]
    }

    /// [`Self::windows`] where a mask takes a branch for each lane: without it, if all lanes are in the mask. The others are those of `other`, or
    /// zero.
    pub(super) fn narrow_windows(
        &mut self,
        memory: &Memory,
        offset: &LaneIndex,
        ty: Type,
        mask: Value,
        other: Option<Value>,
    ) -> Value {
        let stored = ty.element();
        let all = self.are_all(mask);
        let whole = |this: &mut Self| Ok(vec![this.windows(memory, offset, stored, ty, None)]);
        let some = |this: &mut Self| {
            let value = this.windows(memory, offset, stored, ty, Some(mask));
            Ok(vec![other.map_or(value, |other| this.select(mask, value, other))])
        };
        self.if_else(all, &[ty], whole, some).expect("neither side fails")[0]
    }

    /// Whether a mask has all lanes.
    fn are_all(&mut self, mask: Value) -> Value {
        self.at.value("llvm.intr.vector.reduce.and", &[mask], self.int(1), &[])
    }
}
