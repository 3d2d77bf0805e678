//! Kernels: turns one export on tensors into a function of the kernel ABI, for CPUs made of loops over vectors, for GPUs of
//! threads that each compute some elements ([`gpu`]).
//!
//! An export is brought into few operations ([`prepare`]) and read into a graph of tensors whose sizes are symbols ([`graph`]):
//! nothing is emitted, and what no kernel is made of is refused. What is done where is chosen on the accesses that
//! [`analysis`] finds and the numbers of [`machine`]: by a family that knows the form ([`families`]), or nest by nest
//! ([`schedule`]): which loop carries the vector lanes, how far the other loops are unrolled and jammed, and what is kept
//! in registers or scratch memory at which depth. [`mod@emit`] writes the kernel.
//!
//! What comes out has only operations that upstream passes lower: `scf`, `arith`, `math`, `vector`, `llvm`, `func`.
//! Scratch memory above 64 KiB is lent by the caller, see [`emit::scratch`].

mod analysis;
mod choose;
mod emit;
mod export;
mod families;
mod gpu;
mod graph;
mod machine;
mod math;
mod prepare;
mod schedule;
#[cfg(test)]
mod testing;

use choose::Refusal;
use emit::{index::Index, ir_builder::IrBuilder, scratch};
pub use gpu::EXACT as EXACT_ON_GPUS;
use graph::{Graph, Node, Tensor, Unsupported};
use halyard_diag::Result;
use halyard_ir::{Op, Session, Value, form::NestSchedule};
pub use machine::dot_products::DotProducts;
pub use machine::lookups::ByteLookups;
pub use machine::{MachineModel, gpu::GpuModel};
pub use math::expand_vector_math;
pub use schedule::{Choice, ChosenSchedule, Legal};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An emitted kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedKernel {
    /// The function of the kernel ABI: the export's name.
    pub function: String,
    /// The function that computes the workgroup count from the constants: `<export>_workgroups`.
    pub workgroups: String,
    /// The family that it is of and its parameters, for people; `None` if nothing is computed.
    pub family: Option<String>,
    /// The threads of a workgroup in x, y and z; ones on a CPU.
    pub workgroup_size: [i64; 3],
    /// The choices that were made.
    pub schedule: ChosenSchedule,
}

/// What came of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmitOutcome {
    /// The module holds the kernel in place of the export.
    Emitted(EmittedKernel),
    /// The emitter does not handle this body, and why (what it met).
    Unsupported(String),
    /// The schedule that was given asks for what cannot be, and what that is.
    Refused(Vec<String>),
}

/// What the caller wants of a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// A schedule that takes the place of the compiler's choices.
    pub schedule: Option<&'a [NestSchedule]>,
    /// Whether only a kernel of a family will do, not nests of loops.
    pub family: bool,
}

/// Turns the export of a module, which holds just the export, into a kernel. The module stays as it was unless there is
/// one. Errors: a pass that failed.
pub fn emit(
    session: &Session,
    module: Op,
    export: &str,
    target: &MachineModel,
    wanted: Wanted<'_>,
) -> Result<EmitOutcome> {
    // The export is prepared in a copy: who refuses it gets it back as it was.
    let copy = module.duplicate();
    let outcome = emit_in(session, copy, export, target, wanted);
    if let Ok(EmitOutcome::Emitted(_)) = outcome {
        adopt(module, copy);
    }
    copy.erase();
    outcome
}

fn emit_in(
    session: &Session,
    module: Op,
    export: &str,
    target: &MachineModel,
    wanted: Wanted<'_>,
) -> Result<EmitOutcome> {
    let func = match prepared(session, module, export, target)? {
        Ok(func) => func,
        Err(why) => return Ok(EmitOutcome::Unsupported(why)),
    };
    // Nothing is emitted before what can be refused is.
    let emitted = export::plan(func, target, wanted.schedule).and_then(|planned| {
        if wanted.family && planned.schedule.chosen.family().is_none() {
            return Err(Refusal::Unsupported(Unsupported("no family of kernels takes it".into())));
        }
        Ok(export::export((module, func, export), target, &planned)?)
    });
    Ok(match emitted {
        Ok(kernel) => EmitOutcome::Emitted(kernel),
        Err(Refusal::Schedule(reasons)) => EmitOutcome::Refused(reasons),
        Err(Refusal::Unsupported(Unsupported(reason))) => EmitOutcome::Unsupported(reason),
    })
}

/// The export of a module, brought into what a graph is read of; or that there is none.
fn prepared(
    session: &Session,
    module: Op,
    export: &str,
    target: &MachineModel,
) -> Result<std::result::Result<Op, String>> {
    prepare::prepare(session, module, target)?;
    let ops = module.body_ops();
    let func = ops.into_iter().find(|o| o.symbol().as_deref() == Some(export));
    Ok(func.ok_or_else(|| format!("no function `{export}`")))
}

/// Replaces what a module holds by what another one holds.
fn adopt(module: Op, from: Op) {
    let (Some(body), Some(new)) = (module.body(), from.body()) else { return };
    body.ops().into_iter().for_each(Op::erase);
    for op in new.ops() {
        op.detach();
        body.append(op);
    }
}

/// The state of one export.
struct Emitter<'t> {
    /// What it computes.
    graph: &'t Graph,
    code: IrBuilder,
    target: &'t MachineModel,
    module: Op,
    export: String,
    globals: usize,
    tensors: Vec<Tensor>,
    nodes: Vec<Node>,
    /// The graph's tensor of each tensor of the function.
    tensor_of: HashMap<Value, usize>,
    /// The kernel's value of each scalar of the graph.
    scalars: Vec<Value>,
    /// The kernel's value of each scalar of the function.
    scalar_of: HashMap<Value, Value>,
    /// The pointer to the workgroup's number and count, and what was loaded from it.
    workgroup_ptr: Option<Value>,
    workgroup: Option<(Index, Index)>,
    /// How many workgroups each nest can use.
    workgroups: Vec<Index>,
    /// What the nests that are open compute.
    roots: Vec<usize>,
    /// Tensors that the open nest reads once, see [`emit::prefetch`].
    once: BTreeSet<usize>,
    /// How far the next rows of tensors in memory are, in elements, which loads ask for on the way, see [`emit::prefetch`].
    next_rows: BTreeMap<usize, i64>,
    /// How far ahead blocks that are transposed ask for their successors, in elements, see [`emit::streaming_transpose`].
    ahead: Option<i64>,
    /// Whether one workgroup must do everything.
    alone: bool,
    /// What became of each nest, for people.
    remarks: Vec<String>,
    /// Stack memory where the families transpose blocks, and its elements.
    transposing: Option<(Value, i64)>,
    /// Scratch memory.
    scratch: scratch::Scratch,
    /// The bytes of shared memory that the launch gives to a workgroup.
    workspace: i64,
}

impl<'t> Emitter<'t> {
    /// What the GPU has that the kernel is for. Only kernels for GPUs ask.
    fn gpu_model(&self) -> &'t GpuModel {
        self.target.gpu.as_ref().expect("kernels of threads are for GPUs")
    }
}
