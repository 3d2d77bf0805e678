//! Whole tensors into memory: what is made of parts is written part by part.
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::Supported;
use crate::emit::memory::Memory;
use crate::emit::nest::Nest;
use crate::graph::Kind;

impl Emitter<'_> {
    /// For each tensor of a concatenation: the memory where it goes within that of the whole.
    pub(crate) fn each_joined<E>(
        &mut self,
        tensors: &[usize],
        axis: usize,
        whole: &Memory,
        mut each: impl FnMut(&mut Self, usize, Memory) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut start = Index::ZERO;
        for &tensor in tensors {
            let mut part = whole.clone();
            let move_by = self.code.mul(start, whole.strides[axis]);
            part.offset = self.code.add(whole.offset, move_by);
            part.dims = self.tensors[tensor].dims.clone();
            each(self, tensor, part)?;
            start = self.code.add(start, self.tensors[tensor].dims[axis]);
        }
        Ok(())
    }

    /// Computes a tensor into memory, by the form that writes least.
    pub(crate) fn store_tensor(&mut self, id: usize, memory: Memory, overlap: bool) -> Supported<()> {
        match self.tensors[id].kind.clone() {
            Kind::Empty => Ok(()),
            Kind::Concat { srcs, axis } => {
                self.each_joined(&srcs, axis, &memory, |this, src, part| this.store_tensor(src, part, overlap))
            }
            Kind::Insert { src, dst, offsets, strides, kept, .. }
                if matches!(self.tensors[dst].kind, Kind::Empty) || self.is_memory(dst, &memory) =>
            {
                let part = self.inserted_memory(src, &memory, (&offsets, &strides, &kept));
                self.store_tensor(src, part, overlap)
            }
            Kind::Expand { src, .. } | Kind::Collapse { src, .. } if self.is_contiguous(&memory) => {
                let dims = self.tensors[src].dims.clone();
                let mut view = self.code.contiguous(memory.ptr, memory.elem, &dims);
                view.offset = memory.offset;
                self.store_tensor(src, view, overlap)
            }
            _ => {
                let held = vec![None; memory.dims.len()];
                self.nest(&Nest { roots: vec![(id, memory)], held, shared: true, overlap })
            }
        }
    }

    /// The memory of what is inserted into a tensor: of its source as a slice of it.
    pub(crate) fn inserted_memory(
        &mut self,
        src: usize,
        memory: &Memory,
        (offsets, strides, kept): (&[Index], &[Index], &[usize]),
    ) -> Memory {
        let mut part = Memory { dims: Vec::new(), strides: Vec::new(), ..memory.clone() };
        for d in 0..offsets.len() {
            let move_by = self.code.mul(offsets[d], memory.strides[d]);
            part.offset = self.code.add(part.offset, move_by);
        }
        for (at, &d) in kept.iter().enumerate() {
            part.dims.push(self.tensors[src].dims[at]);
            part.strides.push(self.code.mul(strides[d], memory.strides[d]));
        }
        part
    }

    /// Whether a tensor already is that memory.
    pub(crate) fn is_memory(&self, id: usize, memory: &Memory) -> bool {
        matches!(&self.tensors[id].kind, Kind::Memory(m) if m.ptr == memory.ptr && m.offset == memory.offset && m.strides == memory.strides)
    }

    pub(crate) fn is_contiguous(&mut self, memory: &Memory) -> bool {
        let dims = memory.dims.clone();
        self.code.contiguous(memory.ptr, memory.elem, &dims).strides == memory.strides
    }
}
