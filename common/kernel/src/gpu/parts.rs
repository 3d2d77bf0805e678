//! What the results are made of: tensors that are stored one by one, in parts that the same threads compute.
use super::choose::{PlannedPart, ThreadsPlan};
use super::part::Part;
use crate::Emitter;
use crate::emit::ir_builder::Supported;
use crate::graph::Kind;
use crate::graph::Memory;

impl Emitter<'_> {
    /// The parts of the results, as they are planned.
    pub(super) fn parts(&mut self, plan: &ThreadsPlan, memories: &[Memory]) -> Supported<Vec<Part>> {
        let mut roots = Vec::new();
        for (&value, memory) in self.graph.returned.iter().zip(memories) {
            self.resolve(self.graph.id(value)?, memory.clone(), &mut roots);
        }
        roots.retain(|(_, memory)| !memory.dims.iter().any(|d| d.known() == Some(0)));
        if !roots.iter().map(|root| root.0).eq(plan.stored.iter().copied()) {
            return Err("results that are planned in another way".into());
        }
        let part = |part: &PlannedPart| {
            let roots: Vec<(usize, Memory)> = part.stored.iter().map(|&at| roots[at].clone()).collect();
            Part { dims: roots[0].1.dims.clone(), roots, run: part.run, inner_sums: part.inner_sums }
        };
        Ok(plan.parts.iter().map(part).collect())
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
}
