//! The steps of the pipeline `cpu` that are done here, and what is known of an export on its way.
use super::{
    Options, abi, decompose, empties, fastmath, floats::Floats, functions, loops, quotients, route, small, tiles,
    widened, wrap_lowered,
};
use crate::clock::Clock;
use crate::schedule::{self, SentSchedule};
use crate::{llvm::Shape, target::Target};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Module, Op, Session,
    form::{self, Export, Level, NestSchedule, Signature},
};
use halyard_kernel::{self as kernel, EmitOutcome};
use halyard_stages::{Step, StepRunner};
use std::time::Duration;

/// An export on its way to the LLVM dialect: the module that holds it, and what happened to it.
pub(super) struct Lowering<'a, 's> {
    pub(super) session: &'s Session,
    pub(super) module: &'a Module<'s>,
    pub(super) target: &'a Target,
    pub(super) options: Options,
    pub(super) name: &'a str,
    /// The export as it came, in its executable.
    pub(super) original: Op,
    /// How far it had come then.
    pub(super) arrived: Level,
    /// The function that counts workgroups, in no block, once there is one.
    pub(super) count: Option<Op>,
    /// Since when, and how long it took to get to loops or vectors.
    pub(super) start: Clock,
    pub(super) generate: Option<Duration>,
    /// It is a kernel of the emitter; of which family, if that has a name.
    tiled: Option<Option<String>>,
    /// Why the emitter did not take it.
    untiled: Option<String>,
    /// The choices that were made for it.
    schedule: Option<SentSchedule>,
    /// It was given the kernel signature, at which level.
    wrapped: Option<Level>,
    stand_in: Option<wrap_lowered::WrappedExport>,
    floats: Option<Floats>,
}

impl<'a, 's> Lowering<'a, 's> {
    pub(super) fn new(
        session: &'s Session,
        module: &'a Module<'s>,
        (name, original, arrived): (&'a str, Op, Level),
        target: &'a Target,
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
            tiled: None,
            untiled: None,
            schedule: None,
            wrapped: None,
            stand_in: None,
            floats: None,
        }
    }

    /// Takes the count of workgroups out of the module, if it is there: no pass is to change it.
    pub(super) fn take_count(&mut self) {
        if let Some(count) = route::given_workgroups(self.module, self.name) {
            self.count = Some(count);
        }
    }

    /// The export as it is now. Errors: it is gone.
    fn export(&self) -> Result<Op> {
        let ops = Op::from(self.module).body().map(|b| b.ops()).unwrap_or_default();
        let found = ops.into_iter().find(|op| op.symbol().as_deref() == Some(self.name));
        found.ok_or_else(|| Error::input(format!("export `@{}` is gone", self.name)).code("no-export"))
    }

    /// How far it has come now. What was lowered on the way has the interface of what it was.
    fn signature(&self, export: Op) -> Result<Signature> {
        if self.arrived == Level::Tensors {
            form::adopt_interface(export, self.original);
        }
        route::signature(export)
    }

    fn tile(&mut self, step: &Step) -> Result<()> {
        if self.options.opt_level == 0 {
            self.untiled = Some("not optimised".into());
            return Ok(());
        }
        if self.arrived != Level::Tensors || self.wrapped.is_some() || form::is_lowered(self.export()?) {
            return Ok(());
        }
        let module = Op::from(self.module);
        let target = kernel_target(self.target, step, self.options);
        let given = self.asked()?;
        match kernel::emit(self.session, module, self.name, &target, given.as_deref())? {
            EmitOutcome::Emitted(kernel) => {
                debug_assert_eq!(kernel.workgroups, abi::workgroups_name(self.name));
                self.schedule = SentSchedule::new(&kernel.schedule);
                self.tiled = Some(kernel.family);
            }
            EmitOutcome::Unsupported(why) => self.untiled = Some(why),
            EmitOutcome::Refused(reasons) => return Err(schedule::refused(self.name, &reasons)),
        }
        Ok(())
    }

    fn kernel_signature(&mut self) -> Result<()> {
        if self.tiled.is_some() || self.wrapped.is_some() || self.arrived == Level::Kernel {
            return Ok(());
        }
        let export = self.export()?;
        let signature = self.signature(export)?;
        match signature.level {
            Level::Tensors => {
                self.count = Some(abi::single_workgroup(Export { op: export }));
                abi::wrap(Export { op: export })?;
            }
            // A stage has made it one.
            Level::Kernel => return Ok(()),
            _ => {
                let single = abi::single_workgroup(Export { op: export });
                let given = wrap_lowered::wrap(self.session, self.module, export, &signature)?;
                if let Some(count) = self.count.filter(|&c| !given.knows_workgroup && !route::is_one(c)) {
                    return Err(route::redundant_workgroups(self.session, count, self.name));
                }
                self.count.get_or_insert(single);
                self.stand_in = Some(given);
            }
        }
        self.wrapped = Some(signature.level);
        Ok(())
    }

    fn fast_math(&self, step: &Step) {
        let fast = step.flag("fast").unwrap_or(self.options.fast_math);
        // Kernels of the emitter contract by themselves, and those by hand are as they are.
        let as_it_is = self.tiled.is_some() || self.arrived == Level::Kernel;
        if !as_it_is || (fast && (self.tiled.is_some() || step.flag("fast").is_some())) {
            fastmath::set(Op::from(self.module), fast);
        }
    }

    fn lower_calls(&mut self) -> Result<()> {
        self.generate.get_or_insert(self.start.elapsed());
        functions::lower(self.session, self.module)?;
        self.floats = Some(Floats::of(Op::from(self.module)));
        Ok(())
    }

    fn lower_floats(&mut self) -> Result<()> {
        let module = Op::from(self.module);
        quotients::rewrite(module);
        let mut found = Floats::of(module);
        found.add(self.floats.take().unwrap_or_default());
        let passes = found.passes(self.target);
        self.floats = Some(found);
        match passes.trim_end_matches(',') {
            "" => {}
            passes => self.session.run_pipeline_on(module, &format!("builtin.module({passes})"), false)?,
        }
        if matches!(self.target, Target::Cpu(_)) {
            widened::rewrite(module);
        }
        small::rewrite(module);
        Ok(())
    }

    /// Whether it computes with floats of 16 bits or less.
    pub(super) fn narrow(&self) -> bool {
        self.floats.as_ref().map_or_else(|| Floats::of(Op::from(self.module)).narrow(), Floats::narrow)
    }

    /// What its code looks like.
    pub(super) fn shape(&self) -> Shape {
        let vectors = self.tiled.is_some() || self.arrived == Level::Kernel;
        if vectors { Shape::Vectors } else { Shape::Loops }
    }

    /// The end of the pipeline: what was put off.
    pub(super) fn finish(&mut self) {
        self.take_count();
        if let Some(given) = &self.stand_in {
            wrap_lowered::resolve(self.module, given);
        }
    }

    /// The schedule that the export asks for.
    fn asked(&self) -> Result<Option<Vec<NestSchedule>>> {
        let [target, device] = schedule::names_of(self.target);
        schedule::asked(self.original, &target, &device)
    }

    /// The choices that were made. Errors: some were asked for, and the emitter did not make the kernel.
    pub(super) fn schedule(&mut self) -> Result<Option<SentSchedule>> {
        if self.schedule.is_none() && self.asked()?.is_some() {
            return Err(schedule::unused(self.name, &self.explanation()));
        }
        Ok(self.schedule.take())
    }

    /// Which way it took, and why, for people.
    pub(super) fn explanation(&self) -> String {
        if let Some(family) = &self.tiled {
            return format!("tiled and vectorised{}", family.as_ref().map(|f| format!(": {f}")).unwrap_or_default());
        }
        let how = match (self.arrived, self.wrapped) {
            (Level::Tensors, Some(Level::Tensors)) => {
                let why = self.untiled.as_deref().unwrap_or("the pipeline does not tile it");
                return format!("plain loops in one workgroup: {why}");
            }
            (Level::Tensors, _) => "lowered by the stages of the pipeline",
            (Level::Kernel, _) => "given with the kernel signature",
            (Level::Buffers, _) => "given on buffers",
            (Level::Descriptors, _) => "given in the LLVM dialect with memref descriptors",
            (Level::BarePointers, _) => "given in the LLVM dialect with bare pointers",
        };
        let remarks = self.stand_in.iter().flat_map(|g| &g.remarks).map(String::as_str);
        std::iter::once(how).chain(remarks).collect::<Vec<_>>().join("; ")
    }
}

impl StepRunner for Lowering<'_, '_> {
    fn step(&mut self, step: &Step, module: Op) -> Result<()> {
        match step.name() {
            "hal-tile-and-vectorize" => self.tile(step),
            "hal-inline-calls" => loops::inline_calls(self.session, self.module),
            "hal-decompose" => decompose::run(self.session, self.module),
            "hal-separate-empties" => {
                empties::separate(module);
                Ok(())
            }
            "hal-lower-tile-calls" => tiles::lower(self.session, module),
            "hal-kernel-signature" => self.kernel_signature(),
            "hal-copies-to-linalg" => {
                loops::copies_to_linalg(module, false);
                Ok(())
            }
            "hal-fast-math" => {
                self.fast_math(step);
                Ok(())
            }
            "hal-lower-calls" => self.lower_calls(),
            "hal-lower-floats" => self.lower_floats(),
            other => unreachable!("`{other}` is no step of the pipeline"),
        }
    }

    fn holds(&self, condition: &str, _: Op) -> bool {
        match condition {
            "tensors" => self.export().is_ok_and(|e| !form::is_lowered(e)),
            "tiled" => self.tiled.is_some(),
            "wrapped" => self.wrapped.is_some(),
            other => unreachable!("`{other}` is no condition of the pipeline"),
        }
    }

    fn before(&mut self, _: Op) {
        self.take_count();
    }
}

fn kernel_target(target: &Target, step: &Step, options: Options) -> kernel::MachineModel {
    let target = match target {
        Target::Cpu(cpu) => cpu,
        Target::Cuda(cuda) => {
            let gpu = kernel::MachineModel::gpu(kernel::Backend::Cuda { capability: cuda.capability() });
            return kernel::MachineModel { tf32: options.tf32, ..gpu };
        }
        Target::Vulkan(_) => return kernel::MachineModel::gpu(kernel::Backend::Vulkan),
    };
    let (l1, l2) = target.caches();
    let small = |name: &str| step.number(name).and_then(|n| u32::try_from(n).ok());
    let vector_bits = small("vector-bits").unwrap_or(target.vector_bits());
    kernel::MachineModel {
        vector_bits,
        registers: small("registers").unwrap_or(target.vector_registers()),
        l1: step.number("l1").unwrap_or(l1),
        l2: step.number("l2").unwrap_or(l2),
        fma: target.has_fma(),
        dots: kernel::DotProducts::of(target.arch(), vector_bits, options.fast_math, |feature| target.has(feature)),
        tf32: false,
        backend: kernel::Backend::Cpu,
    }
}
