//! Who wrote memory last.
use halyard_runtime::commands::{Base, Buffer, Operand};
use std::collections::{BTreeMap, BTreeSet};

/// The last writers of ranges of buffers. Ranges that are known at run time only count as the whole buffer.
#[derive(Debug, Default)]
pub(super) struct Writers {
    ranges: BTreeMap<Base, Vec<(u64, u64, usize)>>,
    /// What a slot is a view of, from which byte on.
    views: BTreeMap<u32, (Base, Option<u64>)>,
}

impl Writers {
    /// Makes a slot a view.
    pub(super) fn view(&mut self, slot: u32, source: &Buffer) {
        let (base, offset) = self.real(source.base);
        let start = offset.zip(immediate(source.offset)).map(|(a, b)| a.saturating_add(b));
        self.views.insert(slot, (base, start));
    }

    /// Gives a slot memory of its own, without contents.
    pub(super) fn fresh(&mut self, slot: u32) {
        self.views.remove(&slot);
        self.ranges.remove(&Base::Slot(slot));
    }

    /// The memory that a buffer is part of, views followed.
    pub(super) fn base(&self, buffer: &Buffer) -> Base {
        self.real(buffer.base).0
    }

    /// The nodes that wrote what a buffer holds.
    pub(super) fn of(&self, buffer: &Buffer) -> BTreeSet<usize> {
        let (base, start, end) = self.range(buffer);
        let all = self.ranges.get(&base).map_or(&[][..], Vec::as_slice);
        all.iter().filter(|(s, e, _)| *s < end && start < *e).map(|r| r.2).collect()
    }

    /// Notes that a node writes a buffer.
    pub(super) fn write(&mut self, buffer: &Buffer, node: usize) {
        let (base, start, end) = self.range(buffer);
        let all = self.ranges.entry(base).or_default();
        if end != u64::MAX {
            all.retain(|(s, e, _)| !(start <= *s && *e <= end));
        }
        all.push((start, end, node));
    }

    fn real(&self, base: Base) -> (Base, Option<u64>) {
        match base {
            Base::Slot(slot) => self.views.get(&slot).copied().unwrap_or((base, Some(0))),
            _ => (base, Some(0)),
        }
    }

    fn range(&self, buffer: &Buffer) -> (Base, u64, u64) {
        let (base, offset) = self.real(buffer.base);
        match (offset, immediate(buffer.offset), immediate(buffer.bytes)) {
            (Some(from), Some(offset), Some(bytes)) => {
                let start = from.saturating_add(offset);
                (base, start, start.saturating_add(bytes))
            }
            _ => (base, 0, u64::MAX),
        }
    }
}

/// The value of an operand that does not depend on the call.
pub(super) fn immediate(operand: Operand) -> Option<u64> {
    match operand {
        Operand::Immediate(value) => Some(value),
        Operand::Register(_) => None,
    }
}
