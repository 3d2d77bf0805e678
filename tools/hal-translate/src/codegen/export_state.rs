//! The state of an export in any pipeline: its input, and what has been done to it.
use super::{
    Options, abi,
    grid::{self, Grid, Id, Threads, Workgroups},
    plain,
    workgroup_count::{given_workgroups, no_workgroups},
};
use crate::{
    clock::Clock,
    code_target::CodeTarget,
    layout,
    lowered::Lowered,
    schedule::{self, SentSchedule},
    target::Target,
};
use halyard_diag::{Diagnostic, Result};
use halyard_ir::{
    Module, Op, Session, Type, WeightLayout,
    form::{Export, Level, NestSchedule, PackedWeight},
};
use halyard_kernel::{self as kernel, EmitOutcome, Wanted};
use halyard_stages::Step;
use std::time::Duration;

/// The module that holds an export, and the state of its lowering.
pub(crate) struct ExportState<'a, 's> {
    pub session: &'s Session,
    pub module: &'a Module<'s>,
    pub target: &'a Target,
    /// Code generation for the target.
    pub code: &'a dyn CodeTarget,
    pub options: Options,
    /// The name of the export.
    pub name: &'a str,
    /// The export as it came, in its executable.
    pub original: Op,
    /// The function that counts workgroups, in no block, once there is one.
    pub count: Option<Op>,
    /// Since when, and how long it took to get to loops or vectors.
    start: Clock,
    generate: Option<Duration>,
    /// Set if the kernel compiler emitted it; holds the family, if it has a name.
    pub emitted: Option<Option<String>>,
    /// The reason why the kernel compiler refused it.
    pub refused: Option<String>,
    /// The schedule that was chosen for it.
    schedule: Option<SentSchedule>,
    /// The weights that the kernel takes packed.
    packed: Vec<PackedWeight>,
    /// Set if it was wrapped in the kernel signature; holds the level that it had.
    pub wrapped: Option<Level>,
    /// Set if its workgroups are loops of its body; describes them.
    pub grid: Option<String>,
    /// Warnings about it.
    pub warnings: Vec<Diagnostic>,
}

/// An export whose convolutions have been written in the forms of fast kernels.
struct Packing {
    export: Op,
    /// A detached copy of the original.
    source: Op,
    packed: Vec<PackedWeight>,
    /// Whether it is not worth it without a family of kernels that takes the layout.
    needs_family: bool,
}

/// Whether only a kernel that is made for packed weights is worth it: other kernels read matrices of f32, and filters of bytes, faster as
/// they were.
fn needs_family(export: Op, packed: &[PackedWeight]) -> bool {
    let arguments = export.body().map(|body| body.args()).unwrap_or_default();
    packed.iter().any(|weight| {
        weight.layout.group().is_some() && weight.layout != WeightLayout::BlockPanels
            || matches!(weight.layout, WeightLayout::RowPanels | WeightLayout::ColumnPanels)
                && arguments[weight.argument].ty().element() == Type::f32(export.context())
    })
}

/// The end of a pipeline, but for the module.
pub(crate) struct Finished<D> {
    workgroups: Op,
    explanation: String,
    schedule: Option<SentSchedule>,
    packed: Vec<PackedWeight>,
    warnings: Vec<Diagnostic>,
    generate: Duration,
    lower: Duration,
    details: D,
}

impl<'a, 's> ExportState<'a, 's> {
    pub(crate) fn new(
        session: &'s Session,
        module: &'a Module<'s>,
        (name, original): (&'a str, Op),
        (target, code): (&'a Target, &'a dyn CodeTarget),
        options: Options,
        start: Clock,
    ) -> Self {
        let mut state = Self {
            session,
            module,
            target,
            code,
            options,
            name,
            original,
            count: None,
            start,
            generate: None,
            emitted: None,
            refused: None,
            schedule: None,
            packed: Vec::new(),
            wrapped: None,
            grid: None,
            warnings: Vec::new(),
        };
        state.take_count();
        state
    }

    /// Removes the workgroup count function from the module, if it is there, so that no pass changes it.
    pub(crate) fn take_count(&mut self) {
        if let Some(count) = given_workgroups(self.module, self.name) {
            self.count = Some(count);
        }
    }

    /// Has the emitter make a kernel of the export, if it is one on tensors still. Errors: a schedule that was asked for and
    /// cannot be.
    pub(crate) fn emit(&mut self, step: &Step, on_tensors: bool) -> Result<()> {
        if self.options.opt_level == 0 {
            self.refused = Some("not optimised".into());
            return Ok(());
        }
        if !on_tensors || self.wrapped.is_some() {
            return Ok(());
        }
        let machine = self.code.machine_model(step, self.options);
        let given = self.asked()?;
        let emit = |family| {
            let wanted = Wanted { schedule: given.as_deref(), family };
            kernel::emit(self.session, Op::from(self.module), self.name, &machine, wanted)
        };
        let packing = self.pack(step, &machine);
        let mut outcome = emit(packing.as_ref().is_some_and(|p| p.needs_family))?;
        if let Some((export, source)) = packing.as_ref().map(|p| (p.export, p.source)) {
            match outcome {
                EmitOutcome::Emitted(_) => {
                    source.erase();
                    self.packed = packing.map(|p| p.packed).unwrap_or_default();
                }
                // Only kernels of the emitter are worth it, and some only if they are made for the layout.
                _ => {
                    export.block().expect("it is in the module").insert_before(export, source);
                    export.erase();
                    outcome = emit(false)?;
                }
            }
        }
        match outcome {
            EmitOutcome::Emitted(kernel) => {
                debug_assert_eq!(kernel.workgroups, abi::workgroups_name(self.name));
                self.schedule = SentSchedule::new(&kernel.schedule);
                self.emitted = Some(kernel.family);
            }
            EmitOutcome::Unsupported(why) => self.refused = Some(why),
            EmitOutcome::Refused(reasons) => return Err(schedule::refused(self.name, &reasons)),
        }
        Ok(())
    }

    /// Writes the convolutions of the export in the forms of fast kernels, for a CPU, unless the step of the pipeline says
    /// `pack-weights=false`.
    fn pack(&self, step: &Step, machine: &kernel::MachineModel) -> Option<Packing> {
        self.target.cpu().filter(|_| step.flag("pack-weights") != Some(false))?;
        let ops = Op::from(self.module).body()?.ops();
        let export = ops.into_iter().find(|op| op.symbol().as_deref() == Some(self.name))?;
        let source = export.duplicate();
        let packed = layout::choose(export, self.options, machine);
        if packed.is_empty() {
            source.erase();
            return None;
        }
        let needs_family = needs_family(export, &packed);
        Some(Packing { export, source, packed, needs_family })
    }

    /// Finds the workgroups of an export on tensors, and the function that counts them. Errors: mappings of loops that cannot be.
    pub(crate) fn make_grid(&mut self, export: Op) -> Result<Option<Workgroups>> {
        match grid::find(self.session, export, &abi::workgroups_name(self.name))? {
            Grid::Loops(workgroups, count) => {
                self.count = Some(count);
                self.grid = Some(workgroups.describe());
                Ok(Some(workgroups))
            }
            Grid::Single(warning) => {
                self.count = Some(abi::single_workgroup(Export { op: export }));
                self.warnings.extend(warning);
                Ok(None)
            }
        }
    }

    /// Maps iterations to the threads of workgroups, on a GPU; returns their number in x, y and z, if there are any.
    /// `most` is the largest number of threads of a workgroup.
    pub(crate) fn map_threads(&mut self, kernel: Op, most: i64, id: Id<'_>) -> Option<[i64; 3]> {
        match grid::map_threads(self.session, kernel, most, id) {
            Threads::Are(sizes) => {
                if let Some(grid) = &mut self.grid {
                    *grid += &format!(" of {} threads", sizes.map(|n| n.to_string()).join(" x "));
                }
                return Some(sizes);
            }
            Threads::One(warning) => self.warnings.push(warning),
            Threads::None if self.grid.is_some() => {
                self.warnings.extend(plain::warning_of_one_thread(self.session, self.original));
            }
            Threads::None => {}
        }
        None
    }

    /// Describes how an export on tensors that the kernel compiler did not emit was lowered, with a warning where that
    /// is slow. `how` describes its plain loops.
    pub(crate) fn as_written(&mut self, how: &str) -> String {
        let vectors = plain::has_vectors(self.original);
        if self.grid.is_none() && !vectors {
            let why = self.refused.as_deref().unwrap_or("the pipeline does not make a kernel of it");
            // With `-O0` plain loops are requested, so there is no warning.
            if self.refused.is_some() && self.options.opt_level > 0 {
                self.warnings.extend(plain::warning(self.session, self.original, how, why));
            }
            return format!("plain loops {how}: {why}");
        }
        let left = plain::left_over(self.original);
        if self.options.opt_level > 0 {
            self.warnings.extend(plain::warning_of_rest(self.session, self.original));
        }
        let mut words = self.grid.clone().unwrap_or_else(|| "as written, in one workgroup".into());
        if vectors {
            words += ", with its vectors";
        }
        if let Some(left) = left {
            words += &format!(", `{}` as plain loops", left.name());
        }
        words
    }

    /// Notes that it is lowered to loops or vectors.
    pub(crate) fn generated(&mut self) {
        self.generate.get_or_insert(self.start.elapsed());
    }

    /// The schedule that the export asks for.
    fn asked(&self) -> Result<Option<Vec<NestSchedule>>> {
        let [target, device] = schedule::names_of(self.target);
        schedule::asked(self.original, &target, &device)
    }

    /// Returns the result. `explanation` describes the lowering. Fails if there is no workgroup count, or if a
    /// schedule was requested and the kernel compiler did not emit the kernel.
    pub(crate) fn finish<D>(mut self, explanation: String, details: D) -> Result<Finished<D>> {
        let workgroups = self.count.ok_or_else(|| no_workgroups(self.name, "came out of the pipeline, but there"))?;
        if self.schedule.is_none() && self.asked()?.is_some() {
            return Err(schedule::unused(self.name, &explanation));
        }
        let generate = self.generate.unwrap_or_default();
        let lower = self.start.elapsed().saturating_sub(generate);
        let (schedule, packed, warnings) = (self.schedule.take(), self.packed, self.warnings);
        Ok(Finished { workgroups, explanation, schedule, packed, warnings, generate, lower, details })
    }
}

impl<D> Finished<D> {
    /// Combines the export with its module.
    pub(crate) fn of(self, module: Module<'_>) -> Lowered<'_, D> {
        let Self { workgroups, explanation, schedule, packed, warnings, generate, lower, details } = self;
        Lowered { module, workgroups, explanation, schedule, packed, warnings, generate, lower, details }
    }
}
