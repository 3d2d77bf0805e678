//! The kernel ABI: arguments, constants, workgroups.
use crate::choose::{Refusal, Schedule, Work, choose};
use crate::emit::ir_builder::{Accesses, IrBuilder, Supported};
use crate::emit::scratch::Scratch;
use crate::graph::{Graph, check_numbers, index_bits};
use crate::machine::code::KernelHead;
use crate::schedule::Choices;
use crate::schedule::planner::Planner;
use crate::{EmittedKernel, Emitter, MachineModel};
use halyard_ir::{Op, Value, form::NestSchedule};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is chosen for `func`, before anything of it is emitted.
pub(crate) fn plan(func: Op, target: &MachineModel, given: Option<&[NestSchedule]>) -> Result<Planned, Refusal> {
    check_numbers(func)?;
    let mut graph = Graph::read(func)?;
    let bits = index_bits(target, func)?;
    graph.check(target)?;
    if target.gpu.is_none() {
        graph.merge_open_rows();
        // Families want to see images and channels apart.
        let family = Planner::new(&graph, target, &mut Choices::new(None)).family()?;
        match family {
            None => graph.merge_open_loops(),
            Some(family) if family.wants_one_row(&target.cpu) => graph.merge_rows(),
            Some(_) => {}
        }
    }
    let schedule = choose(&graph, target, given)?;
    Ok(Planned { graph, bits, schedule })
}

/// A kernel that is to be emitted.
pub(crate) struct Planned {
    graph: Graph,
    /// The bits of indices.
    bits: u32,
    pub(crate) schedule: Schedule,
}

/// Makes the kernel of `func` as it is planned and puts it in its place.
pub(crate) fn export(
    (module, func, name): (Op, Op, &str),
    target: &MachineModel,
    planned: &Planned,
) -> Supported<EmittedKernel> {
    let Planned { graph, bits, schedule: Schedule { work, remarks, chosen } } = planned;
    let device = target.code();
    let arguments = device.arguments(func, &graph.signature.bindings, graph.signature.constants)?;
    let accesses = Accesses {
        window_vectors: target.cpu.memory.window_vectors,
        arrays: device.arrays(),
        store_pieces: !target.has_masked_stores(),
        masked_load_bits: target.masked_load_bits(),
    };
    let mut emitter = Emitter {
        graph,
        code: IrBuilder::new(arguments.entry, func.loc(), accesses, *bits),
        target,
        module,
        export: name.to_owned(),
        globals: 0,
        tensors: Vec::new(),
        nodes: Vec::new(),
        tensor_of: HashMap::new(),
        scalars: Vec::new(),
        scalar_of: HashMap::new(),
        workgroup_ptr: arguments.workgroup,
        workgroup: None,
        workgroups: Vec::new(),
        roots: Vec::new(),
        alone: false,
        once: BTreeSet::new(),
        next_rows: BTreeMap::new(),
        ahead: None,
        remarks: Vec::new(),
        transposing: None,
        scratch: Scratch::default(),
        workspace: 0,
    };
    let (memories, values) = emitter.begin(graph, &arguments)?;
    let mut workgroup_size = [1; 3];
    let mut family = remarks.clone();
    match work {
        Work::Family(family) => emitter.located(graph.reduction_loc(), |this| this.family(family, &memories))?,
        Work::Nests(nests) => {
            emitter.adopt(&nests.graph, &values);
            emitter.store_results(nests, &memories)?;
        }
        Work::Threads(threads) => {
            emitter.adopt(&threads.graph, &values);
            emitter.located(graph.reduction_loc(), |this| this.gpu(threads, &memories))?;
            workgroup_size = [threads.threads, 1, 1];
            family = Some(emitter.remarks.join("; ")).filter(|remarks| !remarks.is_empty());
        }
    }
    let workgroups = format!("{name}_workgroups");
    let kernel =
        EmittedKernel { function: name.to_owned(), workgroups, family, workgroup_size, schedule: chosen.clone() };
    let written: Vec<Value> = memories.iter().map(|m| m.ptr).collect();
    let made = device.function(&emitter, &KernelHead { name, written: &written, workgroup_size }, arguments);
    let counter = emitter.counter(&kernel.workgroups, &values.given);
    let block = func.block().ok_or("a function outside a module")?;
    block.insert_before(func, made);
    block.insert_before(func, counter);
    func.erase();
    Ok(kernel)
}
