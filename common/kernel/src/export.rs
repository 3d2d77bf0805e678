//! The kernel ABI: arguments, constants, workgroups.
use crate::analysis::access::{NEST, Sym};
use crate::emit::index::Index;
use crate::emit::ir_builder::{IrBuilder, Loads, Supported};
use crate::emit::memory::Memory;
use crate::emit::scratch::Scratch;
use crate::graph::{Graph, Kind, index_bits};
use crate::machine::code::KernelHead;
use crate::schedule::Choices;
use crate::{EmittedKernel, Emitter, MachineModel};
use halyard_ir::{Attr, Op, Value, form::NestSchedule};
use std::collections::{BTreeSet, HashMap};

/// Makes the kernel of `func` and puts it in its place, or says what of the given schedule cannot be.
pub(crate) fn export(
    module: Op,
    func: Op,
    name: &str,
    target: &MachineModel,
    given: Option<&[NestSchedule]>,
) -> Supported<Result<EmittedKernel, Vec<String>>> {
    // Nothing is emitted before what can be refused is.
    let graph = Graph::read(func)?;
    let bits = index_bits(target, func)?;
    graph.check(target)?;
    let device = target.code();
    let arguments = device.arguments(func, &graph.signature.bindings, graph.signature.constants)?;
    let loads = Loads { window_vectors: target.cpu.memory.window_vectors, arrays: device.arrays() };
    let mut emitter = Emitter {
        code: IrBuilder::new(arguments.entry, func.loc(), loads, bits),
        target,
        module,
        export: name.to_owned(),
        globals: 0,
        tensors: Vec::new(),
        nodes: Vec::new(),
        tensor_of: HashMap::new(),
        dense: HashMap::new(),
        scalar_of: HashMap::new(),
        workgroup_ptr: arguments.workgroup,
        workgroup: None,
        workgroups: Vec::new(),
        must_materialize: BTreeSet::new(),
        roots: Vec::new(),
        alone: false,
        once: BTreeSet::new(),
        next_rows: HashMap::new(),
        ahead: None,
        remarks: Vec::new(),
        transposing: None,
        choices: Choices::new(given),
        scratch: Scratch::default(),
        workspace: 0,
    };
    let (memories, constants) = emitter.begin(&graph, &arguments)?;
    let (returned, tied) = (graph.returned, graph.signature.tied);
    let (family, workgroup_size) = if target.gpu.is_some() {
        emitter.merge_reductions();
        let size = emitter.gpu(&returned, &memories, &tied)?;
        (None, size)
    } else {
        let is_tied = tied.iter().any(Option::is_some);
        let family = emitter.family(&returned, &memories, is_tied)?;
        if family.is_none() {
            emitter.im2col();
            emitter.merge_reductions();
            emitter.store_results(&returned, &memories, &tied)?;
        }
        (family, [1; 3])
    };
    let family = family.or_else(|| Some(emitter.remarks.join("; ")).filter(|remarks| !remarks.is_empty()));
    if emitter.alone {
        emitter.choices.forget(&["workgroups", "parallel_loop"]);
    }
    let schedule = match std::mem::take(&mut emitter.choices).finish() {
        Ok(schedule) => schedule,
        Err(refused) => return Ok(Err(refused)),
    };
    let workgroups = format!("{name}_workgroups");
    let kernel = EmittedKernel { function: name.to_owned(), workgroups, family, workgroup_size, schedule };
    let written: Vec<Value> = memories.iter().map(|m| m.ptr).collect();
    let made = device.function(&emitter, &KernelHead { name, written: &written, workgroup_size }, arguments);
    let counter = emitter.counter(&kernel.workgroups, &constants);
    let block = func.block().ok_or("a function outside a module")?;
    block.insert_before(func, made);
    block.insert_before(func, counter);
    func.erase();
    Ok(Ok(kernel))
}

impl Emitter<'_> {
    /// Computes the results into their memory.
    fn store_results(&mut self, returned: &[Value], memories: &[Memory], tied: &[Option<usize>]) -> Supported<()> {
        let ids = returned.iter().map(|&v| self.id(v)).collect::<Supported<Vec<_>>>()?;
        let mut done = vec![false; ids.len()];
        let mut late = Vec::new();
        for at in 0..ids.len() {
            if done[at] {
                continue;
            }
            done[at] = true;
            if tied[at].is_some() && self.disturbs(at, &ids, memories) {
                // Others still read what this result replaces: it waits in scratch memory.
                let sizes = memories[at].dims.clone();
                let elem = memories[at].elem;
                let count = sizes.iter().fold(Index::constant(1), |n, &s| self.code.mul(n, s));
                let taken = self.take(count, elem.byte_width() as i64)?;
                let scratch = self.code.contiguous(taken.ptr, elem, &sizes);
                let id = self.tensor(elem, sizes, Kind::Memory(scratch.clone()));
                let held = vec![None; scratch.dims.len()];
                self.nest(&crate::emit::nest::Nest {
                    roots: vec![(ids[at], scratch)],
                    held,
                    shared: false,
                    overlap: true,
                })?;
                late.push((id, memories[at].clone(), taken));
                continue;
            }
            let mut roots = vec![(ids[at], memories[at].clone())];
            if let Kind::Result { .. } = self.tensors[ids[at]].kind {
                for other in at + 1..ids.len() {
                    let fits = matches!(self.tensors[ids[other]].kind, Kind::Result { .. })
                        && self.tensors[ids[other]].dims == self.tensors[ids[at]].dims;
                    if !done[other] && fits && tied[at].is_none() && tied[other].is_none() {
                        done[other] = true;
                        roots.push((ids[other], memories[other].clone()));
                    }
                }
            }
            if roots.len() == 1 {
                let (id, memory) = roots.remove(0);
                self.store_tensor(id, memory, tied[at].is_none())?;
            } else {
                let held = vec![None; roots[0].1.dims.len()];
                self.nest(&crate::emit::nest::Nest { roots, held, shared: true, overlap: true })?;
            }
        }
        if !late.is_empty() {
            // One workgroup does it all: the copies must come after everything else.
            self.alone = true;
        }
        for (id, memory, taken) in late {
            let held = vec![None; memory.dims.len()];
            self.nest(&crate::emit::nest::Nest { roots: vec![(id, memory)], held, shared: false, overlap: true })?;
            self.give(taken)?;
        }
        self.give_kept()
    }

    /// Whether writing a tied result could destroy what it or another result still reads.
    fn disturbs(&self, at: usize, ids: &[usize], memories: &[Memory]) -> bool {
        let same = |id: usize| matches!(&self.tensors[id].kind, Kind::Memory(m) if m.ptr == memories[at].ptr);
        ids.iter().enumerate().any(|(other, &id)| {
            let idx: Vec<Sym> = (0..self.tensors[id].dims.len()).map(|d| Sym::var((NEST, d))).collect();
            self.uses(id, idx.clone(), &BTreeSet::new())
                .iter()
                .any(|u| same(u.id) && (other != at || u.idx != idx || !u.inside.is_empty()))
        })
    }

    /// The number and the count of this workgroup.
    pub(crate) fn workgroup(&mut self) -> (Index, Index) {
        if let Some(known) = self.workgroup {
            return known;
        }
        let (i32, i64, ptr) = (self.code.int(32), self.code.i64(), self.code.ptr());
        let context = self.code.at.context();
        let ptr_to_it = self.workgroup_ptr.expect("kernels on CPUs have it");
        let load = |offset: i32| {
            let raw = Attr::parse(context, &format!("array<i32: {offset}>")).expect("an array");
            let at = self.code.entry();
            let field = at.value(
                "llvm.getelementptr",
                &[ptr_to_it],
                ptr,
                &[("rawConstantIndices", raw), ("elem_type", Attr::ty(i32))],
            );
            let value = at.value("llvm.load", &[field], i32, &[]);
            Index::value(at.value("arith.extui", &[value], i64, &[]))
        };
        // `hal_workgroup_t`: id[3], then count[3].
        let pair = (load(0), load(3));
        self.workgroup = Some(pair);
        pair
    }
}
