//! The kernel ABI: arguments, constants, workgroups.
use super::code::{Code, Emitted};
use super::graph::Kind;
use super::ix::Ix;
use super::memory::Memory;
use super::symbolic::{NEST, Sym};
use super::{Emitter, Kernel, Target};
use halyard_ir::{Attr, Block, Builder, Op, Region, Type, Value, names};
use std::collections::{BTreeSet, HashMap};

/// Makes the kernel of `func` and puts it in its place.
pub(crate) fn export(module: Op, func: Op, name: &str, target: &Target) -> Emitted<Kernel> {
    let context = func.context();
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
    let (ptr, i64) = (Type::parse(context, "!llvm.ptr").expect("a type of LLVM's dialect"), Type::integer(context, 64));
    let dynamic = |t: &&Type| t.is_ranked_tensor();
    let unknown = |ty: &Type| ty.shape().iter().filter(|d| d.is_none()).count();
    let bindings = inputs.iter().filter(|t| t.is_ranked_tensor()).count() + tied.iter().filter(|t| t.is_none()).count();
    let dims: usize = inputs.iter().chain(&outputs).filter(dynamic).map(unknown).sum();
    let scalars = inputs.iter().filter(|t| !t.is_ranked_tensor()).count();
    let mut types = vec![ptr; bindings];
    types.extend(std::iter::repeat_n(i64, dims + scalars));
    types.push(ptr);
    let entry = Block::create(&types, func.loc());
    let args = entry.args();
    let mut emitter = Emitter {
        code: Code::new(entry, func.loc()),
        target,
        module,
        export: name.to_owned(),
        globals: 0,
        tensors: Vec::new(),
        nodes: Vec::new(),
        tensor_of: HashMap::new(),
        dense: HashMap::new(),
        scalar_of: HashMap::new(),
        workgroup_ptr: args[bindings + dims + scalars],
        workgroup: None,
        workgroups: Vec::new(),
        always: BTreeSet::new(),
        roots: Vec::new(),
        alone: false,
        once: BTreeSet::new(),
        said: Vec::new(),
        turning: None,
        allocates: false,
    };
    let mut binding = args[..bindings].iter().copied();
    let mut constant = args[bindings..].iter().copied();
    let mut sized = |ty: &Type| -> Vec<Ix> {
        ty.shape()
            .into_iter()
            .map(|d| d.map_or_else(|| Ix::value(constant.next().expect("counted")), Ix::constant))
            .collect()
    };
    let parameters = func.body().ok_or("a function without a body")?.args();
    let mut memory_of: HashMap<usize, Memory> = HashMap::new();
    for (at, (ty, &parameter)) in inputs.iter().zip(&parameters).enumerate().filter(|(_, (t, _))| t.is_ranked_tensor())
    {
        let sizes = sized(ty);
        let memory = emitter.code.contiguous(binding.next().expect("counted"), ty.element(), &sizes);
        memory_of.insert(at, memory.clone());
        let id = emitter.tensor(ty.element(), sizes, Kind::Memory(memory));
        emitter.tensor_of.insert(parameter, id);
    }
    let result_sizes: Vec<Vec<Ix>> = outputs.iter().map(&mut sized).collect();
    for (ty, &parameter) in inputs.iter().zip(&parameters).filter(|(t, _)| !t.is_ranked_tensor()) {
        let bits = constant.next().expect("counted");
        let value = scalar(&mut emitter.code, bits, *ty);
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
    let is_tied = tied.iter().any(Option::is_some);
    let family = emitter.family(&returned, &memories, is_tied)?;
    if family.is_none() {
        emitter.lay_out();
        emitter.merge_reductions();
        emitter.store_results(&returned, &memories, &tied)?;
    }
    emitter.code.at.op("func.return", &[], &[], &[]);
    let family = family.or_else(|| Some(emitter.said.join("; ")).filter(|said| !said.is_empty()));
    let kernel = Kernel { function: name.to_owned(), workgroups: format!("{name}_workgroups"), family };
    let noalias = Attr::dict(
        context,
        &[
            ("llvm.align", Attr::integer(i64, 64)),
            ("llvm.noalias", Attr::unit(context)),
            ("llvm.nonnull", Attr::unit(context)),
        ],
    );
    let none = Attr::dict(context, &[]);
    let arg_attrs: Vec<Attr> = (0..types.len()).map(|a| if a < bindings { noalias } else { none }).collect();
    let region = Region::create();
    region.append(entry);
    let attrs = [
        ("sym_name", Attr::string(context, name)),
        ("function_type", Attr::ty(Type::function(context, &types, &[]))),
        ("arg_attrs", Attr::array(context, &arg_attrs)),
    ];
    let made = Builder::create(func.loc(), "func.func", &[], &[], &attrs, vec![region]);
    let counter = emitter.counter(&kernel.workgroups, &args[bindings..bindings + dims + scalars]);
    let block = func.block().ok_or("a function outside a module")?;
    block.insert_before(func, made);
    block.insert_before(func, counter);
    func.erase();
    Ok(kernel)
}

fn storable(ty: Type) -> bool {
    (ty.is_integer() && matches!(ty.bits(), 1 | 8 | 16 | 32 | 64))
        || (ty.is_float() && matches!(ty.bits(), 16 | 32 | 64))
        || ty.is_index()
}

/// A scalar argument from the 64 bits that carry it.
fn scalar(code: &mut Code, bits: Value, ty: Type) -> Value {
    if ty.is_index() {
        return code.pure("arith.index_cast", &[bits], ty, None);
    }
    let integer = code.int(ty.bits());
    let narrow = if ty.bits() == 64 { bits } else { code.pure("arith.trunci", &[bits], integer, None) };
    if ty.is_float() { code.pure("arith.bitcast", &[narrow], ty, None) } else { narrow }
}

impl Emitter<'_> {
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
                let ptr = self.allocate(count, elem.byte_width() as i64);
                let scratch = self.code.contiguous(ptr, elem, &sizes);
                let id = self.tensor(elem, sizes, Kind::Memory(scratch.clone()));
                let held = vec![None; scratch.dims.len()];
                self.nest(&super::nest::Nest { roots: vec![(ids[at], scratch)], held, shared: false, overlap: true })?;
                late.push((id, memories[at].clone(), ptr));
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
        for (id, memory, ptr) in late {
            let held = vec![None; memory.dims.len()];
            self.nest(&super::nest::Nest { roots: vec![(id, memory)], held, shared: false, overlap: true })?;
            self.free(ptr);
        }
        Ok(())
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
        let load = |offset: i32| {
            let raw = Attr::parse(context, &format!("array<i32: {offset}>")).expect("an array");
            let at = self.code.entry();
            let field = at.value(
                "llvm.getelementptr",
                &[self.workgroup_ptr],
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

    /// `aligned_alloc` of elements.
    pub(crate) fn allocate(&mut self, count: Ix, bytes: i64) -> Value {
        self.declare_allocator();
        let size = self.code.mul(count, Ix::constant(bytes));
        // `aligned_alloc` wants a multiple of the alignment; never nothing.
        let blocks = self.code.divide("arith.divui", size.plus(63), Ix::constant(64));
        let size = self.code.mul(blocks.plus(1), Ix::constant(64));
        let size = self.code.ix(size);
        let align = self.code.i64_constant(64);
        let (context, ptr) = (self.code.at.context(), self.code.ptr());
        self.code
            .at
            .op("func.call", &[align, size], &[ptr], &[("callee", Attr::symbol(context, "aligned_alloc"))])
            .result(0)
    }

    /// `free`.
    pub(crate) fn free(&mut self, ptr: Value) {
        let context = self.code.at.context();
        self.code.at.op("func.call", &[ptr], &[], &[("callee", Attr::symbol(context, "free"))]);
    }

    fn declare_allocator(&mut self) {
        if std::mem::replace(&mut self.allocates, true) {
            return;
        }
        let (context, i64, ptr) = (self.code.at.context(), self.code.i64(), self.code.ptr());
        for (name, inputs, results) in [("aligned_alloc", vec![i64, i64], vec![ptr]), ("free", vec![ptr], vec![])] {
            let attrs = [
                ("sym_name", Attr::string(context, name)),
                ("function_type", Attr::ty(Type::function(context, &inputs, &results))),
                ("sym_visibility", Attr::string(context, "private")),
            ];
            let op = Builder::create(self.code.at.loc, "func.func", &[], &[], &attrs, vec![Region::create()]);
            self.module.body().expect("a module has a body").prepend(op);
        }
    }

    /// The function that computes how many workgroups there are: of all nests, the most that one can use.
    fn counter(&mut self, name: &str, constants: &[Value]) -> Op {
        let context = self.code.at.context();
        let index = Type::index(context);
        let block = Block::create(&vec![index; constants.len()], self.code.at.loc);
        let at = Builder::at_end(block, self.code.at.loc);
        let mut map: HashMap<Value, Value> = HashMap::new();
        for (&constant, arg) in constants.iter().zip(block.args()) {
            map.insert(constant, at.value("arith.index_cast", &[arg], self.code.i64(), &[]));
        }
        let mut most: Option<Value> = None;
        for &count in &self.workgroups {
            // A count that needs more than the constants is left to the others; one workgroup always does.
            let Some(count) = copy_ix(&at, count, &mut map) else { continue };
            most = Some(match most {
                Some(most) => at.value("arith.maxsi", &[most, count], count.ty(), &[]),
                None => count,
            });
        }
        let one = at.index(1);
        let x = match most.filter(|_| !self.alone) {
            Some(most) => at.value("arith.index_cast", &[most], index, &[]),
            None => one,
        };
        at.op("func.return", &[x, one, one], &[], &[]);
        let region = Region::create();
        region.append(block);
        let ty = Type::function(context, &vec![index; constants.len()], &[index; 3]);
        let attrs = [("sym_name", Attr::string(context, name)), ("function_type", Attr::ty(ty))];
        Builder::create(self.code.at.loc, "func.func", &[], &[], &attrs, vec![region])
    }
}

fn copy_ix(at: &Builder, ix: Ix, map: &mut HashMap<Value, Value>) -> Option<Value> {
    let add = at.constant(Attr::integer(Type::integer(at.context(), 64), ix.add));
    let Some(base) = ix.base else { return Some(add) };
    let base = copy(at, base, map)?;
    Some(at.value("arith.addi", &[base, add], add.ty(), &[]))
}

/// Copies arithmetic on the constants.
fn copy(at: &Builder, value: Value, map: &mut HashMap<Value, Value>) -> Option<Value> {
    if let Some(&known) = map.get(&value) {
        return Some(known);
    }
    let op = value.def().filter(|o| o.name().starts_with("arith.") && o.result_count() == 1)?;
    let operands = op.operands().into_iter().map(|v| copy(at, v, map)).collect::<Option<Vec<_>>>()?;
    let copied = op.duplicate();
    copied.set_operands(&operands);
    let result = at.insert(copied).result(0);
    map.insert(value, result);
    Some(result)
}
