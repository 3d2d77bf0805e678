//! Stores around the caches: results that are far larger than the caches would push everything else out, and each line
//! would be read before it is written.
use crate::emit::index::{LaneIndex, Lanes};
use crate::emit::ir_builder::IrBuilder;
use crate::graph::Memory;
use halyard_ir::{Attr, Value};

impl IrBuilder {
    /// Stores a whole aligned vector around the caches.
    pub(crate) fn store_nontemporal(&mut self, memory: &Memory, offset: &LaneIndex, value: Value) {
        if offset.lanes != Lanes::Strided(1) {
            return self.store(memory, offset, value, None);
        }
        let value = self.splat(value);
        let ptr = self.address(memory, offset.ix);
        let bytes = self.lanes * memory.elem.byte_width() as i64;
        let alignment = Attr::integer(self.int(64), bytes);
        let attrs = [("alignment", alignment), ("nontemporal", Attr::unit(self.at.context()))];
        self.at.op("llvm.store", &[value, ptr], &[], &attrs);
    }

    /// What was stored around the caches comes before what follows, also for other threads.
    pub(crate) fn settle(&mut self) {
        // Sequentially consistent.
        let ordering = Attr::integer(self.int(64), 7);
        self.at.op("llvm.fence", &[], &[], &[("ordering", ordering)]);
    }
}
