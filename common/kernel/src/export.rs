//! The kernel ABI: arguments, constants, workgroups.
use super::arguments::Arguments;
use super::graph::{Graph, Kind, index_bits};
use super::index::Index;
use super::ir_builder::{IrBuilder, Supported};
use super::machine::Backend;
use super::memory::Memory;
use super::schedule::Choices;
use super::scratch::Scratch;
use super::{EmittedKernel, Emitter, MachineModel};
use crate::analysis::access::{NEST, Sym};
use halyard_ir::{Attr, Block, Builder, Op, Region, Type, Value, form::NestSchedule, names};
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
    let backend = target.backend;
    let bits = index_bits(backend, func)?;
    graph.check(backend)?;
    let arguments = Arguments::new(backend, func, &graph.signature.bindings, graph.signature.constants)?;
    let mut emitter = Emitter {
        code: IrBuilder::new(arguments.entry, func.loc(), backend, bits),
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
    let (family, workgroup_size) = if backend.is_gpu() {
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
    let made = emitter.function(name, arguments, &written, workgroup_size);
    let counter = emitter.counter(&kernel.workgroups, &constants);
    let block = func.block().ok_or("a function outside a module")?;
    block.insert_before(func, made);
    block.insert_before(func, counter);
    func.erase();
    Ok(Ok(kernel))
}

impl Emitter<'_> {
    /// The kernel, in no block: a function, or for Vulkan a `gpu.module` of that name around one.
    fn function(&mut self, name: &str, arguments: Arguments, written: &[Value], size: [i64; 3]) -> Op {
        let (context, loc) = (self.code.at.context(), self.code.at.loc);
        let region = Region::create();
        region.append(arguments.entry);
        let plain = ("function_type", Attr::ty(Type::function(context, &arguments.types, &[])));
        let name = ("sym_name", Attr::string(context, name));
        let (unit, threads) = (Attr::unit(context), Attr::i32s(context, &size.map(|n| n as i32)));
        if self.code.backend == Backend::Vulkan {
            self.code.at.op("gpu.return", &[], &[], &[]);
            let attrs = [name, plain, ("gpu.kernel", unit), ("known_block_size", threads)];
            let func = Builder::create(loc, "gpu.func", &[], &[], &attrs, vec![region]);
            let block = Block::create(&[], loc);
            block.append(func);
            let region = Region::create();
            region.append(block);
            return Builder::create(loc, "gpu.module", &[], &[], &[name], vec![region]);
        }
        let mut attrs =
            vec![("llvm.align", Attr::integer(self.code.i64(), 64)), ("llvm.noalias", unit), ("llvm.nonnull", unit)];
        let both = Attr::dict(context, &attrs);
        attrs.push(("llvm.readonly", unit));
        let read = if self.code.backend.is_gpu() { Attr::dict(context, &attrs) } else { both };
        let of = |binding: &Value| if written.contains(binding) { both } else { read };
        let mut each: Vec<Attr> = arguments.bindings.iter().map(of).collect();
        each.resize(arguments.types.len(), Attr::dict(context, &[]));
        let each = ("arg_attrs", Attr::array(context, &each));
        if !self.code.backend.is_gpu() {
            self.code.at.op("func.return", &[], &[], &[]);
            return Builder::create(loc, "func.func", &[], &[], &[name, plain, each], vec![region]);
        }
        self.code.at.op("llvm.return", &[], &[], &[]);
        let types: Vec<String> = arguments.types.iter().map(Type::to_string).collect();
        let text = format!("!llvm.func<void ({})>", types.join(", "));
        let ty = ("function_type", Attr::ty(Type::parse(context, &text).expect("types print as they parse")));
        // One workgroup on a multiprocessor is enough: else ptxas spills some registers to fit more.
        let least = Attr::integer(Type::integer(context, 32), 1);
        let mut attrs =
            vec![name, ty, each, ("nvvm.kernel", unit), ("nvvm.reqntid", threads), ("nvvm.minctasm", least)];
        if self.workspace > 0 {
            attrs.push((names::SHARED_MEMORY, Attr::integer(self.code.i64(), self.workspace)));
        }
        Builder::create(loc, "llvm.func", &[], &[], &attrs, vec![region])
    }

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
                self.nest(&super::nest::Nest { roots: vec![(ids[at], scratch)], held, shared: false, overlap: true })?;
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
                self.nest(&super::nest::Nest { roots, held, shared: true, overlap: true })?;
            }
        }
        if !late.is_empty() {
            // One workgroup does it all: the copies must come after everything else.
            self.alone = true;
        }
        for (id, memory, taken) in late {
            let held = vec![None; memory.dims.len()];
            self.nest(&super::nest::Nest { roots: vec![(id, memory)], held, shared: false, overlap: true })?;
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
