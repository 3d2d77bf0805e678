//! The steps of the pipeline `vulkan` that this crate implements, and the state of an export in it.
use super::{
    distribute, environment, flatten, frame::Frame, iterations, legalize, loops_of_spirv, outline, push::Push, storage,
    temporary,
};
use crate::{
    codegen::{
        self, abi, decompose, empties,
        export_state::ExportState,
        grid::Id,
        loops,
        workgroup_count::{is_one, redundant_workgroups},
        writes,
    },
    target::VulkanTarget,
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Builder, Op, Session, Type, Value,
    form::{self, Export, Interface, Launch, Level, Signature},
    names,
};
use halyard_stages::{Step, StepRunner};

/// The state of an export in its lowering to a `spirv.module`.
pub(super) struct Lowering<'a, 's> {
    pub(super) state: ExportState<'a, 's>,
    target: &'a VulkanTarget,
    /// The level at which it arrived; `None` if a `gpu.module` or `spirv.module` holds it.
    arrived: Option<Level>,
    /// The count of workgroups is not given.
    own_count: bool,
    /// The threads of a workgroup in x, y and z, if loops were divided among them.
    threads: Option<[i64; 3]>,
    /// The iterations of the loops of a thread.
    iterations: u64,
}

impl<'a, 's> Lowering<'a, 's> {
    pub(super) fn new(state: ExportState<'a, 's>, target: &'a VulkanTarget, arrived: Option<Level>) -> Self {
        Self { state, target, arrived, own_count: false, threads: None, iterations: 0 }
    }

    /// Whether a thread's loops exceed the limit of some drivers.
    pub(super) fn runs_long(&self) -> bool {
        self.iterations > iterations::SHORT
    }

    fn ops(&self) -> Vec<Op> {
        Op::from(self.state.module).body_ops()
    }

    /// The function of the export, until it is a kernel of the gpu dialect.
    fn function(&self) -> Option<Op> {
        self.ops().into_iter().find(|op| op.is("func.func") && op.symbol().as_deref() == Some(self.state.name))
    }

    /// Returns the modules of kernels.
    fn gpu_modules(&self) -> Vec<Op> {
        self.ops().into_iter().filter(|op| op.is("gpu.module")).collect()
    }

    fn emit(&mut self, step: &Step) -> Result<()> {
        let on_tensors = self.function().is_some_and(|f| !form::is_lowered(f));
        self.state.emit(step, self.arrived == Some(Level::Tensors) && on_tensors)
    }

    fn kernel_signature(&mut self) -> Result<()> {
        let Some(export) = self.function().filter(|_| self.state.emitted.is_none() && self.state.wrapped.is_none())
        else {
            return Ok(());
        };
        if self.arrived == Some(Level::Tensors) {
            form::adopt_interface(export, self.state.original);
        }
        let signature = codegen::level::signature(export)?;
        match signature.level {
            Level::Tensors => {
                let workgroups = self.state.make_grid(export)?;
                self.own_count = workgroups.is_none();
                let interface = Interface::of_kernel(export);
                let frame = Frame::open(export, &interface)?;
                let workgroups = workgroups.as_ref().map(|w| (w, &block_id as Id<'_>));
                abi::fill(export, &interface, frame.at, &frame.inputs, &frame.outputs, workgroups)?;
                frame.close(export);
            }
            Level::Buffers => self.on_buffers(export, &signature)?,
            _ => return Err(llvm_code(self.state.session, export)),
        }
        self.state.wrapped = Some(signature.level);
        Ok(())
    }

    /// An export on memrefs: its body is put into the kernel.
    fn on_buffers(&mut self, export: Op, signature: &Signature) -> Result<()> {
        let interface = Interface::of_kernel(export);
        let refuse = |why: String, hint: &str| {
            let error = Error::input(format!("export `@{}` {why}", self.state.name)).code("unsupported-op").hint(hint);
            error.at(self.state.session.span(export))
        };
        if !signature.returned.is_empty() {
            return Err(refuse(
                "returns buffers that it makes".into(),
                "a kernel for a GPU writes its results to arguments",
            ));
        }
        if signature.outputs.iter().any(|&r| interface.tied[r].is_some()) {
            return Err(refuse(
                "has an argument of its own for a tied result".into(),
                "leave it out: the buffer is that of the argument",
            ));
        }
        let body = export.body().expect("an export of a source has a body");
        let has_interface = export.has_attr(names::INTERFACE);
        for i in interface.tensor_inputs() {
            if has_interface && !interface.tied.contains(&Some(i)) && writes::may_write(body.args()[i]) {
                return Err(refuse(
                    format!("may write into argument {i}, which is only read"),
                    "copy it first, or tie a result to it",
                ));
            }
        }
        let mut ids = Vec::new();
        export.walk(&mut |op| {
            if matches!(&*op.name(), "gpu.block_id" | "gpu.grid_dim" | "gpu.thread_id" | "gpu.global_id") {
                ids.push(op);
            }
        });
        if let Some(count) = self.state.count.filter(|&c| ids.is_empty() && !is_one(c)) {
            return Err(redundant_workgroups(self.state.session, count, self.state.name));
        }
        self.own_count = self.state.count.is_none();
        let single = abi::single_workgroup(Export { op: export });
        self.state.count.get_or_insert(single);
        let frame = Frame::open(export, &interface)?;
        let outputs = signature.outputs.iter().map(|&r| frame.outputs[r]);
        let values: Vec<Value> = frame.inputs.iter().copied().chain(outputs).collect();
        let at = frame.at;
        for (argument, value) in body.args().into_iter().zip(values) {
            let same = argument.ty() == value.ty();
            let value = if same { value } else { at.value("memref.cast", &[value], argument.ty(), &[]) };
            argument.replace_all_uses(value);
        }
        for op in body.ops() {
            op.detach();
            at.insert(op);
        }
        frame.close(export);
        Ok(())
    }

    /// Divides loops among threads, unless their number is given.
    fn distribute(&mut self) {
        let function = self.function().filter(|_| self.state.wrapped.is_some() && self.own_count);
        let count = self.state.count.and_then(Op::body).and_then(|b| b.terminator());
        if let (Some(function), Some(end), Ok(None)) = (function, count, Launch::of(self.state.original))
            && let Some([x, y]) = distribute::distribute(function)
        {
            let at = Builder::before(end);
            end.set_operands(&[at.index(x), at.index(y), at.index(1)]);
            self.threads = Some([distribute::THREADS, 1, 1]);
        }
    }

    /// Loops that are mapped to threads are theirs.
    fn map_threads(&mut self) {
        let mapped = self.state.wrapped == Some(Level::Tensors) && self.state.grid.is_some();
        if let (Some(function), Ok(None)) = (self.function().filter(|_| mapped), Launch::of(self.state.original)) {
            self.threads = self.state.map_threads(function, THREADS, &thread_id);
        }
    }

    /// Functions that are loops become kernels of the gpu dialect.
    fn outline(&mut self) -> Result<()> {
        self.state.generated();
        let Some(function) = self.function().filter(|_| self.state.wrapped.is_some()) else { return Ok(()) };
        let why = self.state.refused.as_deref().map(|why| format!("no kernel family supports it: {why}"));
        temporary::place(self.state.session, Op::from(self.state.module), function)
            .map_err(|e| why.into_iter().fold(e, Error::note))?;
        let push = Push::of(self.state.original)?;
        let launch = Launch::of(self.state.original)
            .map_err(|why| Error::input(format!("export `@{}`: {why}", self.state.name)))?;
        let size = launch.map_or(self.threads.unwrap_or([1; 3]), |l| l.workgroup_size.map(i64::from));
        flatten::flatten(self.state.session, function)?;
        outline::outline(function, push.all > 0, size)?;
        Ok(())
    }

    fn environment(&mut self) -> Result<()> {
        self.state.generated();
        self.iterations = self.gpu_modules().into_iter().map(iterations::count).max().unwrap_or(0);
        self.gpu_modules().into_iter().try_for_each(|m| environment::set(self.state.session, m, self.target))
    }

    /// Describes how it was lowered, and why.
    pub(super) fn explanation(&mut self) -> String {
        if let Some(family) = &self.state.emitted {
            let family = family.as_ref().map(|f| format!(": {f}")).unwrap_or_default();
            return format!("workgroups of threads{family}");
        }
        match (self.arrived, self.state.wrapped) {
            (Some(Level::Tensors), Some(Level::Tensors)) => {
                let how = if self.threads.is_some() { "by a thread for each iteration" } else { "in one thread" };
                self.state.as_written(how)
            }
            (Some(Level::Tensors), _) => "lowered by the stages of the pipeline".into(),
            (Some(_), _) => "given on buffers".into(),
            (None, _) => "given as a kernel of the gpu dialect or of SPIR-V".into(),
        }
    }
}

impl StepRunner for Lowering<'_, '_> {
    fn step(&mut self, step: &Step, module: Op) -> Result<()> {
        match step.name() {
            "hal-emit-kernel" => self.emit(step),
            "hal-inline-calls" => loops::inline_calls(self.state.session, self.state.module),
            "hal-decompose" => decompose::run(self.state.session, self.state.module),
            "hal-separate-empties" => {
                empties::separate(module);
                Ok(())
            }
            "hal-kernel-signature" => self.kernel_signature(),
            "hal-copies-to-linalg" => {
                loops::copies_to_linalg(module, true);
                Ok(())
            }
            "hal-map-threads" => {
                self.map_threads();
                Ok(())
            }
            "hal-distribute-loops" => {
                self.distribute();
                Ok(())
            }
            "hal-outline-kernel" => self.outline(),
            "hal-target-environment" => self.environment(),
            "hal-legalize-arithmetic" => {
                // Functions in double precision do not run on every device.
                let exact = self.state.wrapped.is_some() && ["Float64", "Int64"].iter().all(|c| self.target.allows(c));
                self.gpu_modules().into_iter().try_for_each(|m| legalize::legalize(self.state.session, m, exact))
            }
            "hal-repair-loops" => {
                loops_of_spirv::repair(module);
                Ok(())
            }
            "hal-storage-classes" => {
                self.gpu_modules().into_iter().try_for_each(|m| storage::place(self.state.session, m))
            }
            other => unreachable!("`{other}` is no step of the pipeline"),
        }
    }

    fn holds(&self, condition: &str, _: Op) -> bool {
        match condition {
            "tensors" => self.function().is_some_and(|f| !form::is_lowered(f)),
            "wrapped" => self.state.wrapped.is_some(),
            other => unreachable!("`{other}` is no condition of the pipeline"),
        }
    }

    fn before(&mut self, _: Op) {
        self.state.take_count();
    }
}

/// The most threads of a workgroup that devices have nearly everywhere, which those of our own kernels keep to as well.
const THREADS: i64 = 256;

/// The number of a workgroup in x, y or z.
fn block_id(at: &Builder, axis: usize) -> Value {
    number(at, "gpu.block_id", axis)
}

/// The number of a thread in x, y or z.
fn thread_id(at: &Builder, axis: usize) -> Value {
    number(at, "gpu.thread_id", axis)
}

fn number(at: &Builder, name: &str, axis: usize) -> Value {
    let context = at.context();
    let axis = ["x", "y", "z"][axis];
    let dimension = Attr::parse(context, &format!("#gpu<dim {axis}>")).expect("an attribute of the gpu dialect");
    at.value(name, &[], Type::index(context), &[("dimension", dimension)])
}

/// Makes the error for an export in the LLVM dialect.
pub(super) fn llvm_code(session: &Session, export: Op) -> Error {
    let error = Error::input(format!(
        "export `@{}` is code for a CPU, this target is Vulkan",
        export.symbol().unwrap_or_default()
    ))
    .code("unsupported-op")
    .hint("give it on tensors or memrefs, as a `gpu.module`, or as a `spirv.module`");
    error.at(session.span(export))
}
