//! The kernel ABI: arguments, constants, workgroups.
use super::arguments::Arguments;
use super::code::{Code, Emitted};
use super::graph::Kind;
use super::ix::Ix;
use super::machine::Machine;
use super::memory::Memory;
use super::scratch::Scratch;
use super::symbolic::{NEST, Sym};
use super::{Emitter, Kernel, Target};
use halyard_ir::{Attr, Block, Builder, Op, Region, Type, Value, names};
use std::collections::{BTreeSet, HashMap};

/// Makes the kernel of `func` and puts it in its place.
pub(crate) fn export(module: Op, func: Op, name: &str, target: &Target) -> Emitted<Kernel> {
    let signature = func.attr("function_type").and_then(Attr::as_type).ok_or("a function without a type")?;
    let (inputs, outputs) = (signature.inputs(), signature.results());
    for ty in inputs.iter().chain(&outputs) {
        let supported = if ty.is_ranked_tensor() { storable(ty.element()) } else { storable(*ty) };
        if !supported {
            return Err(format!("a value of type `{ty}`"));
        }
    }
    if outputs.iter().any(|t| !t.is_ranked_tensor()) {
        return Err("a result that is not a tensor".to_owned());
    }
    let result_attrs = func.attr("res_attrs").and_then(Attr::as_array).unwrap_or_default();
    let tied: Vec<Option<usize>> = (0..outputs.len())
        .map(|r| result_attrs.get(r).and_then(|a| a.get(names::TIED)?.as_int()).map(|n| n as usize))
        .collect();
    let unknown = |ty: &Type| ty.shape().iter().filter(|d| d.is_none()).count();
    let tensors = |types: &[Type]| types.iter().copied().filter(|t| t.is_ranked_tensor()).collect::<Vec<_>>();
    let untied = outputs.iter().zip(&tied).filter(|(_, tied)| tied.is_none()).map(|(&ty, _)| ty);
    let elements: Vec<Type> = tensors(&inputs).into_iter().chain(untied).map(Type::element).collect();
    let dims: usize = tensors(&inputs).iter().chain(&outputs).map(unknown).sum();
    let scalars = inputs.iter().filter(|t| !t.is_ranked_tensor()).count();
    let machine = target.machine;
    let arguments = Arguments::new(machine, func, &elements, dims + scalars)?;
    let bits = index_bits(machine, func)?;
    let mut emitter = Emitter {
        code: Code::new(arguments.entry, func.loc(), machine, bits),
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
        always: BTreeSet::new(),
        roots: Vec::new(),
        alone: false,
        once: BTreeSet::new(),
        next_rows: HashMap::new(),
        ahead: None,
        said: Vec::new(),
        turning: None,
        scratch: Scratch::default(),
        workspace: 0,
    };
    let mut binding = arguments.bindings.iter().copied();
    // The values of the constants as the workgroup count is made of them.
    let mut known: Vec<Value> = Vec::new();
    let mut sized = |emitter: &mut Emitter<'_>, ty: &Type| -> Vec<Ix> {
        let mut size = |d: Option<i64>| match d {
            Some(d) => Ix::constant(d),
            None => {
                known.push(arguments.size(&mut emitter.code, known.len()));
                Ix::value(known[known.len() - 1])
            }
        };
        ty.shape().into_iter().map(&mut size).collect()
    };
    let parameters = func.body().ok_or("a function without a body")?.args();
    let mut memory_of: HashMap<usize, Memory> = HashMap::new();
    for (at, (ty, &parameter)) in inputs.iter().zip(&parameters).enumerate().filter(|(_, (t, _))| t.is_ranked_tensor())
    {
        let sizes = sized(&mut emitter, ty);
        let memory = emitter.code.contiguous(binding.next().expect("counted"), ty.element(), &sizes);
        memory_of.insert(at, memory.clone());
        let id = emitter.tensor(ty.element(), sizes, Kind::Memory(memory));
        emitter.tensor_of.insert(parameter, id);
    }
    let result_sizes: Vec<Vec<Ix>> = outputs.iter().map(|ty| sized(&mut emitter, ty)).collect();
    for (ty, &parameter) in inputs.iter().zip(&parameters).filter(|(t, _)| !t.is_ranked_tensor()) {
        let value = arguments.scalar(&mut emitter.code, known.len(), *ty);
        known.push(arguments.argument(known.len()).unwrap_or(value));
        emitter.scalar_of.insert(parameter, value);
    }
    let returned = emitter.parse(func)?;
    let mut memories = Vec::new();
    for (result, sizes) in result_sizes.iter().enumerate() {
        let shared =
            tied[result].map(|t| memory_of.get(&t).cloned().ok_or("a result that is tied to no tensor")).transpose()?;
        memories.push(match shared {
            Some(memory) => memory,
            None => emitter.code.contiguous(binding.next().expect("counted"), outputs[result].element(), sizes),
        });
    }
    let (family, workgroup_size) = if machine.is_gpu() {
        emitter.merge_reductions();
        let size = emitter.gpu(&returned, &memories, &tied)?;
        (None, size)
    } else {
        let is_tied = tied.iter().any(Option::is_some);
        let family = emitter.family(&returned, &memories, is_tied)?;
        if family.is_none() {
            emitter.lay_out();
            emitter.merge_reductions();
            emitter.store_results(&returned, &memories, &tied)?;
        }
        (family, [1; 3])
    };
    let family = family.or_else(|| Some(emitter.said.join("; ")).filter(|said| !said.is_empty()));
    let kernel = Kernel { function: name.to_owned(), workgroups: format!("{name}_workgroups"), family, workgroup_size };
    let written: Vec<Value> = memories.iter().map(|m| m.ptr).collect();
    let made = emitter.function(name, arguments, &written, workgroup_size);
    let counter = emitter.counter(&kernel.workgroups, &known);
    let block = func.block().ok_or("a function outside a module")?;
    block.insert_before(func, made);
    block.insert_before(func, counter);
    func.erase();
    Ok(kernel)
}

/// Tensors below this many elements have 32-bit indices, with room for the last workgroups to run beyond the end.
const LARGE: i64 = (1 << 31) - (1 << 24);

/// The bits of indices: GPUs are faster with 32, and Vulkan has no others.
fn index_bits(machine: Machine, func: Op) -> Emitted<u32> {
    if machine == Machine::Cpu {
        return Ok(64);
    }
    let mut huge = false;
    let mut unknown = false;
    func.walk(&mut |op| {
        for value in op.operands().into_iter().chain(op.results()).filter(|v| v.ty().is_ranked_tensor()) {
            match value.ty().shape().into_iter().try_fold(1i64, |n, d| Some(n.saturating_mul(d?))) {
                Some(count) => huge |= count >= LARGE,
                None => unknown = true,
            }
        }
    });
    match machine {
        Machine::Vulkan if huge => Err(format!("a tensor of {LARGE} elements or more")),
        Machine::Vulkan => Ok(32),
        _ => Ok(if huge || unknown { 64 } else { 32 }),
    }
}

fn storable(ty: Type) -> bool {
    (ty.is_integer() && matches!(ty.bits(), 1 | 8 | 16 | 32 | 64))
        || (ty.is_float() && matches!(ty.bits(), 16 | 32 | 64))
        || ty.is_index()
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
        if self.code.machine == Machine::Vulkan {
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
        let read = if self.code.machine.is_gpu() { Attr::dict(context, &attrs) } else { both };
        let of = |binding: &Value| if written.contains(binding) { both } else { read };
        let mut each: Vec<Attr> = arguments.bindings.iter().map(of).collect();
        each.resize(arguments.types.len(), Attr::dict(context, &[]));
        let each = ("arg_attrs", Attr::array(context, &each));
        if !self.code.machine.is_gpu() {
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
    fn store_results(&mut self, returned: &[Value], memories: &[Memory], tied: &[Option<usize>]) -> Emitted<()> {
        let ids = returned.iter().map(|&v| self.id(v)).collect::<Emitted<Vec<_>>>()?;
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
                let count = sizes.iter().fold(Ix::constant(1), |n, &s| self.code.mul(n, s));
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
    pub(crate) fn workgroup(&mut self) -> (Ix, Ix) {
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
            Ix::value(at.value("arith.extui", &[value], i64, &[]))
        };
        // `hal_workgroup_t`: id[3], then count[3].
        let pair = (load(0), load(3));
        self.workgroup = Some(pair);
        pair
    }
}
