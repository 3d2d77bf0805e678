//! Prefetching: operands that are read in short stretches of rows that lie far apart, which no hardware prefetcher follows.
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Lanes, Point};
use crate::emit::ir_builder::{IrBuilder, Supported};
use crate::graph::Memory;
use crate::graph::{Input, Kind};
use crate::machine::memory::CACHE_LINE;
use crate::schedule::reads::is_streamed;
use halyard_ir::Attr;
use std::collections::BTreeSet;

impl Emitter<'_> {
    /// Asks for the rows that the next steps of a reduction along `dim` will read at these points of its domain.
    pub(crate) fn prefetch(&mut self, node: usize, dim: usize, domains: &[Point]) -> Supported<()> {
        let n = self.nodes[node].clone();
        for (operand, input) in n.inputs.iter().enumerate() {
            let Input::Tensor(tensor) = *input else { continue };
            let Kind::Memory(memory) = self.tensors[tensor].kind.clone() else { continue };
            if !self.once.contains(&tensor) || self.code.buffer(tensor).is_some() || !is_streamed(&memory, self.target)
            {
                continue;
            }
            let mut offsets: Vec<LaneIndex> = Vec::new();
            for domain in domains {
                let idx = n.maps[operand].iter().map(|e| self.affine(e, &domain.idx)).collect::<Supported<Vec<_>>>()?;
                let offset = self.code.offset(&memory, &idx);
                if offset.lanes == Lanes::Strided(1) && !offsets.contains(&offset) {
                    offsets.push(offset);
                }
            }
            let Some(first) = domains.first() else { continue };
            let mut next = first.clone();
            next.idx[dim].ix = next.idx[dim].ix.plus(1);
            let mut at = |point: &Point| -> Supported<LaneIndex> {
                let idx = n.maps[operand].iter().map(|e| self.affine(e, &point.idx)).collect::<Supported<Vec<_>>>()?;
                Ok(self.code.offset(&memory, &idx))
            };
            let (here, there) = (at(first)?, at(&next)?);
            let bytes = memory.elem.byte_width() as i64;
            let step = self.code.sub(there.ix, here.ix);
            let Some(step) = step.known().filter(|s| s.abs() * bytes >= self.target.cpu.memory.prefetcher_reach) else {
                continue;
            };
            let row = offsets.len() as i64 * self.code.lanes * bytes;
            if row == 0 {
                continue;
            }
            let rows = (self.target.cpu.memory.prefetched_ahead / row).clamp(2, 64);
            let mut lines = BTreeSet::new();
            for offset in &offsets {
                // Offsets differ by constants from the first one; a line is asked for once.
                let away = self.code.sub(offset.ix, offsets[0].ix);
                if away.known().is_none_or(|a| lines.insert(a * bytes / CACHE_LINE)) {
                    self.code.prefetch(&memory, offset.ix.plus(step * rows));
                }
            }
        }
        Ok(())
    }

    /// Emits code that reads a part of each plane of an image, so many `together`, and prefetches the same part of the next planes: short stretches
    /// of many planes are beyond hardware prefetchers.
    pub(crate) fn with_next_planes<T>(
        &mut self,
        image: usize,
        together: i64,
        work: impl FnOnce(&mut Self) -> Supported<T>,
    ) -> Supported<T> {
        let before = self.next_rows.clone();
        let mut id = image;
        while let Kind::Pad { src, .. } = &self.tensors[id].kind {
            id = *src;
        }
        if let Kind::Memory(memory) = &self.tensors[id].kind
            && let Some(plane) = memory.strides.iter().rev().nth(2).and_then(|stride| stride.known())
            && plane * memory.elem.byte_width() as i64 >= self.target.cpu.memory.prefetcher_reach
        {
            self.next_rows.insert(id, plane * together);
        }
        let result = work(self);
        self.next_rows = before;
        result
    }

    /// Asks for what the next row has where this one is read.
    pub(crate) fn ask_next_rows(&mut self, id: usize, memory: &Memory, points: &[Point]) {
        let Some(&far) = self.next_rows.get(&id) else { return };
        for point in points {
            let offset = self.code.offset(memory, &point.idx);
            if offset.lanes == Lanes::Strided(1) {
                self.code.prefetch(memory, offset.ix.plus(far));
            }
        }
    }
}

impl IrBuilder {
    /// Brings the line of an element near; nothing happens if there is no such memory.
    pub(crate) fn prefetch(&mut self, memory: &Memory, offset: Index) {
        let i32 = self.int(32);
        let ptr = self.address(memory, offset);
        let number = |v: i64| Attr::integer(i32, v);
        // Read, into the second-level cache, data.
        let attrs = [("rw", number(0)), ("hint", number(2)), ("cache", number(1))];
        self.at.op("llvm.intr.prefetch", &[ptr], &[], &attrs);
    }
}
