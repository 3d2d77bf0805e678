//! The steps of the pipeline `vulkan` that are done here, and what is known of an export on its way.
use super::{
    distribute, environment, flatten, frame::Frame, iterations, legalize, loops_of_spirv, outline, push::Push, route,
    storage, temporary,
};
use crate::schedule::{self, SentSchedule};
use crate::{
    clock::Clock,
    codegen::{
        self, Options, abi, decompose, empties, loops,
        route::{given_workgroups, is_one, redundant_workgroups},
        writes,
    },
    target::VulkanTarget,
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Builder, Module, Op, Session, Value,
    form::{self, Export, Interface, Launch, Level, Signature},
    names,
};
use halyard_kernel::{self as kernel, Backend, EmitOutcome};
use halyard_stages::{Step, StepRunner};
use std::time::Duration;

/// An export on its way to a `spirv.module`: the module that holds it, and what happened to it.
pub(super) struct Lowering<'a, 's> {
    pub(super) session: &'s Session,
    pub(super) module: &'a Module<'s>,
    pub(super) target: &'a VulkanTarget,
    pub(super) options: Options,
    pub(super) name: &'a str,
    /// The export as it came, in its executable.
    pub(super) original: Op,
    /// How far it had come then; `None` if a `gpu.module` or `spirv.module` holds it.
    pub(super) arrived: Option<Level>,
    /// The function that counts workgroups, in no block, once there is one.
    pub(super) count: Option<Op>,
    /// Since when, and how long it took to get to loops.
    pub(super) start: Clock,
    pub(super) generate: Option<Duration>,
    /// It is a kernel of the emitter; of which family, if that has a name.
    emitted: Option<Option<String>>,
    /// Why the emitter did not take it.
    refused: Option<String>,
    /// The choices that were made for it.
    schedule: Option<SentSchedule>,
    /// It was given buffers and push constants as arguments, at which level.
    wrapped: Option<Level>,
    /// The count of workgroups is not given.
    own_count: bool,
    /// The threads of a workgroup in x, if loops were divided among them.
    threads: Option<i64>,
    /// The iterations of the loops of a thread.
    iterations: u64,
}

impl<'a, 's> Lowering<'a, 's> {
    pub(super) fn new(
        session: &'s Session,
        module: &'a Module<'s>,
        (name, original, arrived): (&'a str, Op, Option<Level>),
        target: &'a VulkanTarget,
        options: Options,
    ) -> Self {
        Self {
            session,
            module,
            target,
            options,
            name,
            original,
            arrived,
            count: None,
            start: Clock::start(),
            generate: None,
            emitted: None,
            refused: None,
            schedule: None,
            wrapped: None,
            own_count: false,
            threads: None,
            iterations: 0,
        }
    }

    /// Whether a thread's loops run longer than every driver lets them.
    pub(super) fn runs_long(&self) -> bool {
        self.iterations > iterations::SHORT
    }

    /// Takes the count of workgroups out of the module, if it is there: no pass is to change it.
    pub(super) fn take_count(&mut self) {
        if let Some(count) = given_workgroups(self.module, self.name) {
            self.count = Some(count);
        }
    }

    fn ops(&self) -> Vec<Op> {
        Op::from(self.module).body().map(|b| b.ops()).unwrap_or_default()
    }

    /// The function of the export, until it is a kernel of the gpu dialect.
    fn function(&self) -> Option<Op> {
        self.ops().into_iter().find(|op| op.is("func.func") && op.symbol().as_deref() == Some(self.name))
    }

    /// The modules of kernels.
    fn gpu_modules(&self) -> Vec<Op> {
        self.ops().into_iter().filter(|op| op.is("gpu.module")).collect()
    }

    fn emit(&mut self) -> Result<()> {
        if self.options.opt_level == 0 {
            self.refused = Some("not optimised".into());
            return Ok(());
        }
        let on_tensors = self.function().is_some_and(|f| !form::is_lowered(f));
        if self.arrived != Some(Level::Tensors) || self.wrapped.is_some() || !on_tensors {
            return Ok(());
        }
        let module = Op::from(self.module);
        let given = schedule::asked(self.original, &self.target.to_string(), "vulkan")?;
        match kernel::emit(
            self.session,
            module,
            self.name,
            &kernel::MachineModel::gpu(Backend::Vulkan),
            given.as_deref(),
        )? {
            EmitOutcome::Emitted(kernel) => {
                self.schedule = SentSchedule::new(&kernel.schedule);
                self.emitted = Some(kernel.family);
            }
            EmitOutcome::Unsupported(why) => self.refused = Some(why),
            EmitOutcome::Refused(reasons) => return Err(schedule::refused(self.name, &reasons)),
        }
        Ok(())
    }

    fn kernel_signature(&mut self) -> Result<()> {
        let Some(export) = self.function().filter(|_| self.emitted.is_none() && self.wrapped.is_none()) else {
            return Ok(());
        };
        if self.arrived == Some(Level::Tensors) {
            form::adopt_interface(export, self.original);
        }
        let signature = codegen::route::signature(export)?;
        match signature.level {
            Level::Tensors => {
                self.count = Some(abi::single_workgroup(Export { op: export }));
                self.own_count = true;
                let interface = Interface::of_kernel(export);
                let frame = Frame::open(export, &interface)?;
                abi::fill(export, &interface, frame.at, &frame.inputs, &frame.outputs)?;
                frame.close(export);
            }
            Level::Buffers => self.on_buffers(export, &signature)?,
            _ => return Err(route::llvm_code(self.session, export)),
        }
        self.wrapped = Some(signature.level);
        Ok(())
    }

    /// An export on memrefs: its body is put into the kernel.
    fn on_buffers(&mut self, export: Op, signature: &Signature) -> Result<()> {
        let interface = Interface::of_kernel(export);
        let refuse = |why: String, hint: &str| {
            let error = Error::input(format!("export `@{}` {why}", self.name)).code("unsupported-op").hint(hint);
            match self.session.span(export) {
                Some(span) => error.at(span),
                None => error,
            }
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
        if let Some(count) = self.count.filter(|&c| ids.is_empty() && !is_one(c)) {
            return Err(redundant_workgroups(self.session, count, self.name));
        }
        self.own_count = self.count.is_none();
        let single = abi::single_workgroup(Export { op: export });
        self.count.get_or_insert(single);
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

    /// Loops are divided among threads, if nobody has said how many there are.
    fn distribute(&mut self) {
        let function = self.function().filter(|_| self.wrapped.is_some() && self.own_count);
        let count = self.count.and_then(Op::body).and_then(|b| b.terminator());
        if let (Some(function), Some(end), Ok(None)) = (function, count, Launch::of(self.original))
            && let Some([x, y]) = distribute::distribute(function)
        {
            let at = Builder::before(end);
            end.set_operands(&[at.index(x), at.index(y), at.index(1)]);
            self.threads = Some(distribute::THREADS);
        }
    }

    /// Functions that are loops become kernels of the gpu dialect.
    fn outline(&mut self) -> Result<()> {
        self.generate.get_or_insert(self.start.elapsed());
        let Some(function) = self.function().filter(|_| self.wrapped.is_some()) else { return Ok(()) };
        let why = self.refused.as_deref().map(|why| format!("no kernel family supports it: {why}"));
        temporary::place(self.session, Op::from(self.module), function)
            .map_err(|e| why.into_iter().fold(e, Error::note))?;
        let push = Push::of(self.original)?;
        let launch =
            Launch::of(self.original).map_err(|why| Error::input(format!("export `@{}`: {why}", self.name)))?;
        let size = launch.map_or([self.threads.unwrap_or(1), 1, 1], |l| l.workgroup_size.map(i64::from));
        flatten::flatten(self.session, function)?;
        outline::outline(function, push.all > 0, size)?;
        Ok(())
    }

    fn environment(&mut self) -> Result<()> {
        self.generate.get_or_insert(self.start.elapsed());
        self.iterations = self.gpu_modules().into_iter().map(iterations::count).max().unwrap_or(0);
        self.gpu_modules().into_iter().try_for_each(|m| environment::set(self.session, m, self.target))
    }

    /// The choices that were made. Errors: some were asked for, and the emitter did not make the kernel.
    pub(super) fn schedule(&mut self) -> Result<Option<SentSchedule>> {
        let asked = || schedule::asked(self.original, &self.target.to_string(), "vulkan");
        if self.schedule.is_none() && asked()?.is_some() {
            return Err(schedule::unused(self.name, &self.explanation()));
        }
        Ok(self.schedule.take())
    }

    /// Which way it took, and why, for people.
    pub(super) fn explanation(&self) -> String {
        if let Some(family) = &self.emitted {
            let family = family.as_ref().map(|f| format!(": {f}")).unwrap_or_default();
            return format!("workgroups of threads{family}");
        }
        match (self.arrived, self.wrapped) {
            (Some(Level::Tensors), Some(Level::Tensors)) => {
                let why = self.refused.as_deref().unwrap_or("the pipeline does not make a kernel of it");
                let whose = if self.threads.is_some() { "by a thread for each iteration" } else { "in one thread" };
                format!("plain loops {whose}: {why}")
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
            "hal-emit-kernel" => self.emit(),
            "hal-inline-calls" => loops::inline_calls(self.session, self.module),
            "hal-decompose" => decompose::run(self.session, self.module),
            "hal-separate-empties" => {
                empties::separate(module);
                Ok(())
            }
            "hal-kernel-signature" => self.kernel_signature(),
            "hal-copies-to-linalg" => {
                loops::copies_to_linalg(module, true);
                Ok(())
            }
            "hal-distribute-loops" => {
                self.distribute();
                Ok(())
            }
            "hal-outline-kernel" => self.outline(),
            "hal-target-environment" => self.environment(),
            "hal-legalize-arithmetic" => {
                // What computes with doubles is not for every device.
                let exact = self.wrapped.is_some() && ["Float64", "Int64"].iter().all(|c| self.target.allows(c));
                self.gpu_modules().into_iter().try_for_each(|m| legalize::legalize(self.session, m, exact))
            }
            "hal-repair-loops" => {
                loops_of_spirv::repair(module);
                Ok(())
            }
            "hal-storage-classes" => self.gpu_modules().into_iter().try_for_each(|m| storage::place(self.session, m)),
            other => unreachable!("`{other}` is no step of the pipeline"),
        }
    }

    fn holds(&self, condition: &str, _: Op) -> bool {
        match condition {
            "tensors" => self.function().is_some_and(|f| !form::is_lowered(f)),
            "wrapped" => self.wrapped.is_some(),
            other => unreachable!("`{other}` is no condition of the pipeline"),
        }
    }

    fn before(&mut self, _: Op) {
        self.take_count();
    }
}
