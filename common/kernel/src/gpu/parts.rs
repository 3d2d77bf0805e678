//! What the results are made of: tensors that are stored one by one.
//!
//! All workgroups run side by side, in no order. So a result in place, which stands in the memory of an operand, is
//! right only if nobody reads an element that another thread writes: each element of the operand is read by the
//! thread that writes it, before it does. Everything else is refused.
use crate::Emitter;
use crate::analysis::access::{NEST, Sym};
use crate::emit::index::Index;
use crate::emit::ir_builder::Supported;
use crate::emit::memory::Memory;
use crate::graph::Kind;
use std::collections::BTreeSet;

/// Tensors of the same sizes that are computed by the same threads, and where they go.
#[derive(Clone)]
pub(super) struct Part {
    /// The tensors and their memory.
    pub(super) roots: Vec<(usize, Memory)>,
    /// Their sizes.
    pub(super) dims: Vec<Index>,
    /// The neighbours that a thread computes together, where a schedule says it.
    pub(super) run: Option<i64>,
}

impl Emitter<'_> {
    /// The parts of the results. Errors: a result in place that others read.
    pub(super) fn parts(&mut self, ids: &[usize], memories: &[Memory], tied: &[Option<usize>]) -> Supported<Vec<Part>> {
        let mut roots = Vec::new();
        for (&id, memory) in ids.iter().zip(memories) {
            self.resolve(id, memory.clone(), &mut roots);
        }
        roots.retain(|(_, memory)| !memory.dims.iter().any(|d| d.known() == Some(0)));
        for memory in memories.iter().zip(tied).filter_map(|(m, tied)| tied.map(|_| m)) {
            self.check_in_place(memory, &roots)?;
        }
        let mut parts: Vec<Part> = Vec::new();
        for (id, memory) in roots {
            match parts.iter_mut().find(|p| p.dims == memory.dims) {
                Some(part) => part.roots.push((id, memory)),
                None => parts.push(Part { dims: memory.dims.clone(), roots: vec![(id, memory)], run: None }),
            }
        }
        Ok(parts)
    }

    /// Takes a tensor that is put together of others apart.
    fn resolve(&mut self, id: usize, memory: Memory, roots: &mut Vec<(usize, Memory)>) {
        match self.tensors[id].kind.clone() {
            Kind::Empty => {}
            Kind::Memory(_) if self.is_memory(id, &memory) => {}
            Kind::Concat { srcs, axis } => {
                let Ok(()) = self.each_joined(&srcs, axis, &memory, |this, src, part| {
                    this.resolve(src, part, roots);
                    Ok::<(), std::convert::Infallible>(())
                });
            }
            Kind::Insert { src, dst, offsets, strides, kept, .. }
                if matches!(self.tensors[dst].kind, Kind::Empty) || self.is_memory(dst, &memory) =>
            {
                let part = self.inserted_memory(src, &memory, (&offsets, &strides, &kept));
                self.resolve(src, part, roots);
            }
            Kind::Expand { src, .. } | Kind::Collapse { src, .. } if self.is_contiguous(&memory) => {
                let dims = self.tensors[src].dims.clone();
                let mut view = self.code.contiguous(memory.ptr, memory.elem, &dims);
                view.offset = memory.offset;
                self.resolve(src, view, roots);
            }
            _ => roots.push((id, memory)),
        }
    }

    /// Whether a result in place is only read where and when it is written.
    fn check_in_place(&self, memory: &Memory, roots: &[(usize, Memory)]) -> Supported<()> {
        if memory.ptr.has_uses() {
            // A scalar of the function, which every thread reads when it starts.
            return Err("a result in place of an operand of which a scalar is read".into());
        }
        let Some(writer) = roots.iter().find(|r| r.1.ptr == memory.ptr) else { return Ok(()) };
        for root in roots {
            let idx: Vec<Sym> = (0..root.1.dims.len()).map(|d| Sym::var((NEST, d))).collect();
            for u in self.uses(root.0, idx.clone(), &BTreeSet::new()) {
                let Kind::Memory(read) = &self.tensors[u.id].kind else { continue };
                if read.ptr != memory.ptr {
                    continue;
                }
                // The same element: through the same indices, from the same thread.
                let same = u.idx == idx
                    && u.inside.is_empty()
                    && root.1.dims == writer.1.dims
                    && (read.strides == writer.1.strides && read.offset == writer.1.offset);
                if !same {
                    return Err("a result in place of an operand of which other elements are read".into());
                }
            }
        }
        Ok(())
    }
}
