//! Stores around the caches: results that are far larger than the caches would push everything else out, and each line
//! would be read before it is written.
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Lanes};
use crate::emit::ir_builder::IrBuilder;
use crate::emit::memory::Memory;
use crate::emit::nest::Nest;
use crate::schedule::Legal;
use crate::schedule::plan::Plan;
use halyard_ir::{Attr, Value, form::ScheduleSetting};

impl Emitter<'_> {
    /// Whether a nest stores around the caches: whole aligned vectors of large results.
    pub(crate) fn stores_around_caches(&mut self, nest: &Nest, plan: &Plan, dims: &[Index]) -> bool {
        let Some(v) = plan.vector.filter(|_| nest.shared && nest.overlap && self.roots.is_empty()) else {
            return false;
        };
        let whole = |ix: Index| ix.known().is_some_and(|n| n % plan.lanes == 0);
        let fits = nest.roots.iter().all(|(_, memory)| {
            let bytes = memory.elem.byte_width() as i64;
            let rows = (0..dims.len()).all(|d| d == v || dims[d].known() == Some(1) || whole(memory.strides[d]));
            bytes * plan.lanes * 8 == i64::from(self.target.vector_bits)
                && memory.elem.is_float()
                && memory.strides[v].known() == Some(1)
                && whole(dims[v])
                && whole(memory.offset)
                && rows
        });
        if !fits {
            return false;
        }
        let large = nest.roots.iter().all(|(_, memory)| {
            let bytes = memory.elem.byte_width() as i64;
            let size = memory.dims.iter().try_fold(bytes, |n, d| n.checked_mul(d.known()?));
            size.is_some_and(|size| size >= self.target.cpu.memory.nontemporal_caches * self.target.l2 as i64)
        });
        let words = ["cached", "nontemporal"];
        let ours = words[usize::from(large)];
        let word = self.choices.word("store", |word| words.contains(&word)).unwrap_or(ours.to_owned());
        let nontemporal = word == words[1];
        self.choices.record("store", ScheduleSetting::Word(word), Legal::words(words));
        nontemporal
    }
}

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
