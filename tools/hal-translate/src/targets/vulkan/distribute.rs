//! Divides plain loops among threads: the iterations of a function's parallel loops, if no thread needs data that
//! another one writes.
//!
//! There are no barriers, so in each loop nest a thread must execute the iterations that access the same elements: all
//! accesses to memory that is written have each index of the parallel loops in a separate position, the same one
//! everywhere, and outside these loops there are only operations that every thread may execute.
use halyard_ir::{Attr, Block, Builder, Op, Region, Type, Value};
use std::collections::HashMap;

/// The number of threads of a workgroup.
pub(super) const THREADS: i64 = 64;
/// Workgroups in x, which every device has; more go on in y.
const FOLD: i64 = 65535;

/// Operations that may occur anywhere; of those on memory, the ones that are not accesses allocate it or make views.
const MEMORY: &[&str] = &[
    "memref.load",
    "memref.store",
    "memref.alloc",
    "memref.alloca",
    "memref.dealloc",
    "memref.get_global",
    "memref.dim",
    "memref.reinterpret_cast",
    "memref.cast",
    "memref.expand_shape",
    "memref.collapse_shape",
    "memref.subview",
];

/// An outermost parallel loop: its iterations in each dimension.
struct Nest {
    op: Op,
    sizes: Vec<i64>,
}

/// A read or write of an element: the nest that it is in, the memory, the indices.
struct Access {
    nest: Option<usize>,
    memory: Value,
    indices: Vec<Value>,
    writes: bool,
}

/// Divides a function among threads; returns the workgroup count in x and y. Returns `None` if the function is
/// unchanged.
pub(super) fn distribute(function: Op) -> Option<[i64; 2]> {
    let mut found = Found::default();
    function.regions().into_iter().flat_map(Region::blocks).try_for_each(|block| found.block(block, None))?;
    let total = found.nests.iter().map(|nest| nest.sizes.iter().product::<i64>()).max().filter(|&n| n > 1)?;
    if !found.threads_are_apart() {
        return None;
    }
    let groups = (total + THREADS - 1) / THREADS;
    let first = function.body()?.ops().first().copied()?;
    let at = Builder::before(first);
    let context = at.context();
    let id = |name: &str, dimension: &str| {
        let dimension =
            Attr::parse(context, &format!("#gpu<dim {dimension}>")).expect("an attribute of the gpu dialect");
        at.value(name, &[], Type::index(context), &[("dimension", dimension)])
    };
    let scaled = |x: Value, by: i64, more: Value| {
        let product = at.value("arith.muli", &[x, at.index(by)], x.ty(), &[]);
        at.value("arith.addi", &[product, more], x.ty(), &[])
    };
    let mut group = id("gpu.block_id", "x");
    if groups > FOLD {
        group = scaled(id("gpu.block_id", "y"), FOLD, group);
    }
    let thread = scaled(group, THREADS, id("gpu.thread_id", "x"));
    found.nests.iter().for_each(|nest| nest.give_to(thread));
    Some([groups.min(FOLD), (groups + FOLD - 1) / FOLD])
}

#[derive(Default)]
struct Found {
    nests: Vec<Nest>,
    accesses: Vec<Access>,
}

impl Found {
    /// Analyses a block in a nest. Returns `None` if an operation in it requires a single thread.
    fn block(&mut self, block: Block, nest: Option<usize>) -> Option<()> {
        for op in block.ops() {
            let name = op.name();
            let dialect = name.split('.').next().unwrap_or_default();
            let known = matches!(dialect, "arith" | "math" | "scf" | "ub") || MEMORY.contains(&&*name);
            if !known && name != "func.return" {
                return None;
            }
            let at = usize::from(name == "memref.store");
            if matches!(&*name, "memref.load" | "memref.store") {
                let operands = op.operands();
                let (memory, indices) = (operands[at], operands[at + 1..].to_vec());
                self.accesses.push(Access { nest, memory, indices, writes: at == 1 });
            }
            let mut inside = nest;
            if name == "scf.parallel" && nest.is_none() {
                self.nests.push(Nest { op, sizes: sizes(op)? });
                inside = Some(self.nests.len() - 1);
            }
            op.regions().into_iter().flat_map(Region::blocks).try_for_each(|block| self.block(block, inside))?;
        }
        Some(())
    }

    /// Whether each element of memory that is written belongs to one thread.
    fn threads_are_apart(&self) -> bool {
        let mut of_memory: HashMap<Value, Vec<&Access>> = HashMap::new();
        for access in &self.accesses {
            let memory = root(access.memory);
            // Memory that is allocated in an iteration belongs to it.
            let within = access.nest.is_some_and(|n| memory.def().is_some_and(|op| op.is_inside(self.nests[n].op)));
            if !within {
                of_memory.entry(memory).or_default().push(access);
            }
        }
        of_memory.values().filter(|accesses| accesses.iter().any(|a| a.writes)).all(|accesses| self.apart(accesses))
    }

    fn apart(&self, accesses: &[&Access]) -> bool {
        let Some(first) = accesses[0].nest.map(|n| &self.nests[n]) else { return false };
        // For each index of the nests: the places where it may stand.
        let mut places: Vec<Vec<usize>> = vec![(0..accesses[0].indices.len()).collect(); first.sizes.len()];
        for access in accesses {
            let Some(nest) = access.nest.map(|n| &self.nests[n]) else { return false };
            if nest.sizes != first.sizes || access.memory != accesses[0].memory {
                return false;
            }
            for (places, index) in places.iter_mut().zip(nest.indices()) {
                places.retain(|&place| access.indices[place] == index);
            }
        }
        places.iter().zip(&first.sizes).all(|(places, &size)| size == 1 || !places.is_empty())
    }
}

impl Nest {
    fn indices(&self) -> Vec<Value> {
        self.op.body().map(|b| b.args()).unwrap_or_default()
    }

    /// Replaces the loop by its body, for the indices that the thread's number selects.
    fn give_to(&self, thread: Value) {
        let at = Builder::before(self.op);
        let index = Type::index(at.context());
        let mut rest = thread;
        let mut values = Vec::new();
        for (i, &size) in self.sizes.iter().enumerate().rev() {
            let size = at.index(size);
            // The remaining conditions on the first one are checked below.
            let value = if i == 0 { rest } else { at.value("arith.remui", &[rest, size], index, &[]) };
            values.push(value);
            rest = if i == 0 { rest } else { at.value("arith.divui", &[rest, size], index, &[]) };
        }
        values.reverse();
        for (argument, value) in self.indices().into_iter().zip(values) {
            argument.replace_all_uses(value);
        }
        let total = at.index(self.sizes.iter().product());
        let below = Attr::integer(Type::integer(at.context(), 64), 6);
        let inside = at.value("arith.cmpi", &[thread, total], Type::integer(at.context(), 1), &[("predicate", below)]);
        let body = Block::create(&[], at.loc);
        let ops = self.op.body_ops();
        for op in ops.into_iter().filter(|op| !op.is("scf.reduce")) {
            op.detach();
            body.append(op);
        }
        Builder::at_end(body, at.loc).op("scf.yield", &[], &[], &[]);
        let (yes, no) = (Region::create(), Region::create());
        yes.append(body);
        at.op_with_regions("scf.if", &[inside], &[], &[], vec![yes, no]);
        self.op.erase();
    }
}

/// Returns the trip count of a parallel loop from zero in steps of one; `None` if it is unknown, or if the loop has
/// results.
fn sizes(op: Op) -> Option<Vec<i64>> {
    let operands = op.operands();
    let count = op.body()?.args().len();
    if op.result_count() > 0 || operands.len() != 3 * count {
        return None;
    }
    let plain = |i: usize| operands[i].constant() == Some(0) && operands[2 * count + i].constant() == Some(1);
    (0..count).map(|i| operands[count + i].constant().filter(|_| plain(i))).collect()
}

/// The memory that a memref is a view of.
fn root(memory: Value) -> Value {
    let view = |op: &Op| op.is_of("memref") && op.operand_count() > 0 && op.operand(0).ty().is_memref();
    memory.def().filter(view).map_or(memory, |op| root(op.operand(0)))
}
