//! Whole tensors into memory: what is made of parts is written part by part.
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};
use crate::emit::nest::Nest;
use crate::graph::Kind;
use crate::graph::Memory;
use crate::schedule::stores::{PlannedNests, ResultPlan, Store};

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

    /// Computes a tensor into memory.
    fn store_tensor(&mut self, id: usize, memory: Memory, overlap: bool, store: &Store) -> Supported<()> {
        match (store, self.tensors[id].kind.clone()) {
            (Store::Nothing, _) => Ok(()),
            (Store::Joined(parts), Kind::Concat { srcs, axis }) => {
                let mut parts = parts.iter();
                self.each_joined(&srcs, axis, &memory, |this, src, part| {
                    let store = parts.next().ok_or("a part that is not planned")?;
                    this.store_tensor(src, part, overlap, store)
                })
            }
            (Store::Inserted(store), Kind::Insert { src, offsets, strides, kept, .. }) => {
                let part = self.inserted_memory(src, &memory, (&offsets, &strides, &kept));
                self.store_tensor(src, part, overlap, store)
            }
            (Store::Reshaped(store), Kind::Expand { src, .. } | Kind::Collapse { src, .. }) => {
                let dims = self.tensors[src].dims.clone();
                let mut view = self.code.contiguous(memory.ptr, memory.elem, &dims);
                view.offset = memory.offset;
                self.store_tensor(src, view, overlap, store)
            }
            (Store::Nest(planned), _) => self.nest(&Nest::whole(vec![(id, memory)], overlap), planned),
            _ => Err("a result that is planned in another way".into()),
        }
    }

    /// Computes the results into their memory.
    pub(crate) fn store_results(&mut self, nests: &PlannedNests, memories: &[Memory]) -> Supported<()> {
        let ids: Vec<usize> = nests.computed.iter().map(|result| result.id).collect();
        let memories: Vec<Memory> =
            nests.computed.iter().zip(memories).map(|(result, memory)| result.memory(memory)).collect();
        let mut late = Vec::new();
        let is_shared = nests.results.iter().any(ResultPlan::is_divided);
        for plan in &nests.results {
            if is_shared && !plan.is_divided() {
                // Where others share their work, each of them would do all of this.
                let (number, _) = self.workgroup();
                let (number, first) = (self.code.ix(number), self.code.ix(Index::ZERO));
                let is_first = self.code.compare(0, number, first);
                let store = |this: &mut Self| this.store_stored(plan, &ids, &memories).map(|()| Vec::new());
                self.if_else(is_first, &[], store, |_| Ok(Vec::new()))?;
                continue;
            }
            match plan {
                ResultPlan::Waiting { result, id, compute, copy } => {
                    let Memory { elem, dims: sizes, .. } = memories[*result].clone();
                    let count = sizes.iter().fold(Index::constant(1), |n, &s| self.code.mul(n, s));
                    let taken = self.take(count, elem.byte_width() as i64)?;
                    let scratch = self.code.contiguous(taken.ptr, elem, &sizes);
                    self.tensors[*id].kind = Kind::Memory(scratch.clone());
                    if let Some(compute) = compute {
                        self.nest(&Nest::whole(vec![(ids[*result], scratch)], true), compute)?;
                    }
                    late.push((*id, memories[*result].clone(), taken, copy));
                }
                ResultPlan::Stored { .. } => self.store_stored(plan, &ids, &memories)?,
            }
        }
        self.alone = nests.one_workgroup();
        for (id, memory, taken, copy) in late {
            if let Some(copy) = copy {
                self.nest(&Nest::whole(vec![(id, memory)], true), copy)?;
            }
            self.give(taken)?;
        }
        self.give_kept()
    }

    /// Computes results that do not wait.
    fn store_stored(&mut self, plan: &ResultPlan, ids: &[usize], memories: &[Memory]) -> Supported<()> {
        let ResultPlan::Stored { results, store } = plan else { return Ok(()) };
        match (results.as_slice(), store) {
            (&[at], _) => {
                let overlap = self.graph.signature.tied[at].is_none();
                self.store_tensor(ids[at], memories[at].clone(), overlap, store)
            }
            (_, Store::Nest(planned)) => {
                let roots = results.iter().map(|&at| (ids[at], memories[at].clone())).collect();
                self.nest(&Nest::whole(roots, true), planned)
            }
            _ => Ok(()),
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
