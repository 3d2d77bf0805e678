//! Runs the steps of a plan with the tools' libraries.
mod dump;
mod kept_link;
mod stages;
mod substitute;

use crate::{
    hook::Hook,
    plan::{Plan, Step},
    preprocess,
};
use hal_import::{Hooks, ImportPipelines, ImportRequest, ImportedProgram, WeightsPlace};
use hal_link::{Link, Linker, ProgramInput};
use hal_translate::{Plugged, PluginTarget, Targets, Translation, translate_plugged};
use halyard_cli::{Input, Printer, folder_of, write_pieces_atomically};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Module, Op, Session,
    form::{Program, load_program, verify, write},
};
use halyard_plugins::Active;
use halyard_preprocess::Preprocess;
use halyard_stages::{Matching, PipelineOptions, Reproducers, Stages, Watch};
use kept_link::LinkCache;
use stages::{ExecutableHistories, Watching};
use std::{collections::BTreeMap, path::PathBuf};

/// The program during its compilation.
pub(crate) struct Work<'s, 'a> {
    pub(crate) session: &'s Session,
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) printer: &'a Printer,
    pub(crate) translation: Translation,
    /// The user stages; checked before anything runs.
    pub(crate) stages: BTreeMap<Hook, Stages>,
    /// The preprocessors; checked before anything runs.
    preprocess: Preprocess,
    /// The actions of plugins; checked before anything runs.
    hooks: Preprocess,
    /// Targets of plugins.
    vendors: Vec<PluginTarget>,
    /// The linker, which loads while the program is compiled.
    linker: Option<Linker>,
    pipelines: ImportPipelines,
    input: Input,
    module: Option<Module<'s>>,
    /// The report of the translation, once it has run.
    pub(crate) report: Option<hal_translate::TranslationReport>,
    watch: Watch<'a>,
    /// What steps change in executables.
    histories: ExecutableHistories,
    /// The warnings of the import.
    warned: Vec<Diagnostic>,
}

impl<'s, 'a> Work<'s, 'a> {
    /// Starts with an input; one that is a program beyond phase `input` is loaded at once. Errors: malformed targets and
    /// stages.
    pub(crate) fn new(
        session: &'s Session,
        plan: &'a Plan<'a>,
        input: Input,
        plugins: &Active,
        printer: &'a Printer,
    ) -> Result<Self> {
        let args = plan.args;
        let Targets { own, vendors } = Targets::parse(&args.target, plugins, &args.plugins.chosen)?;
        args.pipeline_choices.check(&plan.pipelines(), "this compilation")?;
        let pipelines = ImportPipelines::parse(session, &args.stage_args, &args.pipeline_choices)?;
        let options = args.translation();
        if args.debug.debug_info && !plan.steps.contains(&Step::Translate) {
            return Err(Error::usage("`-g` has no effect: no code is generated on the way"));
        }
        let debug = args.debug.debug_info(plan.output, &own, &vendors)?;
        let translation = Translation {
            pipelines: hal_translate::pipelines(session, &args.stage_args, &args.pipeline_choices, options, &own)?
                .into(),
            targets: own,
            options,
            jobs: args.jobs.jobs,
            containment: args.containment.clone(),
            strip_source: false,
            verify: args.verify.verify.map(hal_translate::Verify::new),
            object_path: args.kernels.executable_object_search_path.clone(),
            tuning: args.tuning.tuning()?,
            cache: args.cache.choice()?,
            debug,
            launcher: args.launcher.launcher()?,
            printer: Some(printer.clone()),
        };
        args.substitute.check(plan)?;
        // Where it was linked before, the cache may have it.
        let may_be_kept = translation.cache.is_some() && halyard_diag::may_exist(plan.output);
        let starts = plan.steps.contains(&Step::Link) && !may_be_kept;
        let linker = starts.then(Linker::start).transpose()?;
        let mut stages = BTreeMap::new();
        for hook in Hook::ALL {
            let texts = plan.stages(hook);
            if !plan.steps.contains(&Step::Stages(hook)) && !texts.is_empty() {
                return Err(Error::usage(format!(
                    "a stage at `{hook}` would never run: the program is not in that phase on its way"
                )));
            }
            stages.insert(
                hook,
                Stages::parse_with(session, &args.stage_args, "--stage", &texts)?
                    .matching(Matching { whole: true, ..args.kernels.matching() }),
            );
        }
        let reproducers = args.containment.reproducers_to.as_ref().filter(|_| stages.values().any(|s| !s.is_empty()));
        let tool = concat!("hal-compile ", env!("CARGO_PKG_VERSION"));
        let flags = args.kernels.match_words().filter(|w| w == "--require-match");
        let flags: Vec<String> = flags.chain(halyard_ir::plugin_words()).collect();
        let reproducers = reproducers.map(|folder| Reproducers::new(folder, tool, flags));
        let watch = Watch::new(&args.watch, printer).reproducing(reproducers);
        let preprocess = preprocess::parse(session, plan)?.cached(translation.cache.clone());
        let hooks = plugins.hooks(session, &args.stage_args, &preprocess::targets(args), args.jobs.jobs)?;
        let hooks = hooks.with(args.kernels.matching(), PipelineOptions::default());
        let hooks = hooks.objects_in(&args.kernels.executable_object_search_path).cached(translation.cache.clone());
        args.watch.check(stages.values(), &preprocess.stages().chain(hooks.stages()).collect::<Vec<_>>())?;
        let module = match plan.steps.first() {
            Some(Step::Import { .. } | Step::Preprocess(halyard_preprocess::Hook::Input)) => None,
            _ => {
                args.expect_import()?;
                Some(load_program(session, &input.bytes, &input.name)?.0)
            }
        };
        Ok(Self {
            session,
            plan,
            printer,
            translation,
            stages,
            preprocess,
            hooks,
            vendors,
            linker,
            pipelines,
            input,
            module,
            report: None,
            watch,
            histories: ExecutableHistories::new(&args.dump),
            warned: Vec::new(),
        })
    }

    fn op(&self) -> Op {
        Op::from(self.module.as_ref().expect("a step before has made the module"))
    }

    /// Returns the program so far.
    pub(crate) fn program(&self) -> Program {
        Program { op: self.op() }
    }

    /// Prints warnings but for those of the import, such as that of a cache that cannot be used.
    fn warn(&self, warnings: &[Diagnostic]) {
        warnings.iter().filter(|w| !self.warned.contains(w)).for_each(|w| self.printer.diagnostic(w));
    }

    /// Notes what a step changed in executables.
    fn note(&mut self, step: &str) {
        let module = self.module.as_ref().expect("a step before has made the module");
        self.histories.note(step, Program { op: Op::from(module) });
    }

    /// Reports what was observed of the watched stages.
    pub(crate) fn watched(&self) -> Result<()> {
        self.watch.finish()
    }

    /// Runs a step.
    pub(crate) fn step(&mut self, step: &Step) -> Result<()> {
        let changes = matches!(
            step,
            Step::Substitute(hal_substitute::Only::Sources)
                | Step::Preprocess(halyard_preprocess::Hook::Executable)
                | Step::Stages(Hook::Executables)
                | Step::Translate
        );
        if changes {
            self.keep_originals();
        }
        match step {
            Step::Import { to_input } => {
                self.import(*to_input)?;
                if !*to_input {
                    self.note("hal-import");
                }
                Ok(())
            }
            Step::Stages(hook) => {
                verify(self.session, self.program())?;
                let (module, name) = (self.op(), hook.to_string());
                let stages = (&self.stages[hook], Some(name.as_str()));
                let mut also = Watching(&mut self.histories);
                self.watch.run(stages, self.session, module, PipelineOptions::default(), &mut also)?;
                self.session.take_diagnostics().iter().for_each(|d| self.printer.diagnostic(d));
                verify(self.session, self.program())
            }
            Step::Preprocess(hook) => self.preprocess(*hook),
            Step::Dump(when) => dump::dump(self, *when),
            Step::Substitute(only) => {
                substitute::run(self, *only)?;
                self.note("substituted sources");
                Ok(())
            }
            Step::Translate => self.translate(),
            Step::Link => self.link(),
        }
    }

    /// Keeps executables as formed, for `--verify`: kernels must agree with them, whatever tools change.
    fn keep_originals(&mut self) {
        let executables = self.program().executables();
        if let Some(verify) = self.translation.verify.as_mut().filter(|v| v.originals.is_empty()) {
            verify.originals = executables.into_iter().map(|e| (e.name(), e.op.duplicate())).collect();
        }
    }

    /// Runs external tools on the program, or on a model that is not imported yet.
    fn preprocess(&mut self, hook: halyard_preprocess::Hook) -> Result<()> {
        let imported = self.module.take();
        let is_model = imported.is_none();
        let (session, bytes, name) = (self.session, &self.input.bytes, &self.input.name);
        let read = || session.parse(bytes, name).map(Into::into);
        let model = imported.map_or_else(read, |module| Ok(module.into()));
        let model = model.or_else(|e| self.preprocess.convert(session, self.printer, (bytes, name), e))?;
        let histories = &mut self.histories;
        let mut note = |task: &halyard_preprocess::Task, module| {
            Program::view(module).into_iter().for_each(|program| histories.note(&task.title(), program));
        };
        let module = self.preprocess.run_noting(hook, session, self.printer, model, &mut note)?;
        self.session.take_diagnostics().iter().for_each(|d| self.printer.diagnostic(d));
        if is_model {
            self.input.bytes = write(Op::from(&module), true).into();
        } else {
            self.module = Some(module);
            verify(self.session, self.program())?;
        }
        Ok(())
    }

    fn import(&mut self, to_input: bool) -> Result<()> {
        let first = self.module.is_none();
        let args = self.plan.args;
        // Resuming a program is a separate import, as in a pipe.
        let again = self.module.take().map(|module| write(Op::from(&module), true).into());
        let none = hal_import::InputArgs::default();
        let what = ImportRequest {
            bytes: again.unwrap_or_else(|| self.input.bytes.clone()),
            name: &self.input.name,
            folder: folder_of(self.input.path.as_deref().unwrap_or(".".as_ref())),
            kind: None,
            to: if to_input { hal_import::ImportPhase::Input } else { hal_import::ImportPhase::Executables },
            weights: self.plan.weights_place().filter(|_| first).unwrap_or(WeightsPlace::Embed),
            beside: false,
            files: if first { args.weights.open()? } else { None },
            functions: if first { &args.function } else { &[] },
            object_path: &args.kernels.executable_object_search_path,
            bounds: args.bounds.bounds,
            sizes: &args.sizes,
            inputs: if first { &args.inputs } else { &none },
            states: if first { &args.states.states } else { &[] },
            onnx: &args.onnx,
            pipelines: &self.pipelines,
            again: !first,
            hooks: Some(Hooks { tasks: &self.hooks, printer: self.printer }),
            history: self.histories.of_import(),
        };
        let cache = self.translation.cache.as_ref();
        let imported = hal_import::import_cached(self.session, &what, cache, self.printer)?;
        let ImportedProgram { module, archive, warnings } = imported;
        self.warn(&warnings);
        self.warned.extend(warnings);
        if let Some(archive) = archive {
            write_pieces_atomically(&archive.path, archive.pieces())?;
        }
        self.module = Some(module);
        Ok(())
    }

    fn translate(&mut self) -> Result<()> {
        let module = self.module.take().expect("a step before has made the module");
        let plugged = Plugged { hooks: &self.hooks, vendors: &self.vendors, printer: self.printer };
        let (session, histories) = (self.session, &mut self.histories);
        histories.note_change("the input", Program { op: Op::from(&module) });
        let missing =
            |module| hal_translate::missing(session, &Program { op: module }.executables(), &self.translation);
        let missing = histories.is_on().then(|| missing(Op::from(&module)));
        let (module, report) = translate_plugged(session, module, &self.translation, plugged)?;
        if let Some(missing) = missing {
            let program = Program { op: Op::from(&module) };
            histories.note_change("plugins and the tuning database", program);
            let made = (&*missing, &report);
            let lowered = hal_translate::stages(session, &program.executables(), made, &self.translation)?;
            histories.write(&self.plan.args.dump, &lowered)?;
        }
        self.module = Some(module);
        self.printer.stderr(report.tool_output());
        report.details().iter().for_each(|detail| self.printer.verbose(detail));
        self.warn(report.warnings());
        report.tuned().iter().for_each(|note| self.printer.diagnostic(note));
        report.verified().iter().for_each(|note| self.printer.diagnostic(note));
        self.plan.args.explain.tell(&report, self.printer)?;
        self.report = Some(report);
        Ok(())
    }

    /// Returns the folders that are searched for objects that the program names.
    pub(crate) fn object_path(&self) -> Vec<PathBuf> {
        let mut folders = self.plan.args.kernels.executable_object_search_path.clone();
        folders.push(folder_of(self.input.path.as_deref().unwrap_or(".".as_ref())).to_owned());
        folders
    }

    fn link(&mut self) -> Result<()> {
        let module = self.module.take().expect("a step before has made the module");
        self.module = Some(hal_link::run_stages(self.session, &self.hooks, module, self.printer)?);
        self.plan.args.merge.apply(self.session, self.program(), &self.input.name, self.printer)?;
        let named = (self.program(), &*self.input.name);
        let output = (self.plan.output, self.plan.weights_home());
        let mut cache = LinkCache::of(self.session, named, self.translation.cache.as_ref(), output);
        if let Some(linked) = cache.as_mut().and_then(|cache| cache.find(self.printer)) {
            return hal_link::write_linked(&linked, self.plan.output, self.printer);
        }
        let program = ProgramInput { program: self.program(), name: self.input.name.clone(), folder: ".".into() };
        let weights_path = self.plan.weights_path();
        let object_path = self.object_path();
        let what = Link {
            linker: self.linker.take().map_or_else(Linker::start, Ok)?,
            programs: vec![program],
            objects: Vec::new(),
            output: self.plan.output,
            weights_path: &weights_path,
            object_path: &object_path,
            weights_home: self.plan.weights_home(),
        };
        let linked = hal_link::link(self.session, what)?;
        hal_link::write_linked(&linked, self.plan.output, self.printer)?;
        cache.map_or(Ok(()), |cache| cache.add(&linked))
    }
}
