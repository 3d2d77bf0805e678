//! The steps of a plan, done with the tools' libraries.
use crate::{
    dump,
    hook::Hook,
    preprocess,
    plan::{Plan, Step, folder_of},
    substitute,
};
use hal_import::{Import, Imported, Pipelines, WeightsPlace};
use hal_link::{Link, Linker, ProgramInput};
use halyard_preprocess::Preprocess;
use halyard_stages::{PipelineOptions, Stages};
use hal_translate::Translation;
use halyard_cli::{Input, Printer, write_output};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Module, Op, Session,
    form::{Program, load_program, verify, write},
};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

/// The program on its way.
pub(crate) struct Work<'s, 'a> {
    pub(crate) session: &'s Session,
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) printer: &'a Printer,
    pub(crate) translation: Translation,
    /// Checked before anything runs.
    pub(crate) stages: BTreeMap<Hook, Stages>,
    /// Checked before anything runs.
    preprocess: Preprocess,
    /// Loads while the program is made.
    linker: Option<Linker>,
    pipelines: Pipelines,
    input: Input,
    module: Option<Module<'s>>,
}

impl<'s, 'a> Work<'s, 'a> {
    /// Starts with an input; one that is a program beyond phase `input` is loaded at once. Errors: malformed targets and
    /// stages.
    pub(crate) fn new(session: &'s Session, plan: &'a Plan<'a>, input: Input, printer: &'a Printer) -> Result<Self> {
        let args = plan.args;
        let targets = if args.target.is_empty() { vec!["cpu".to_owned()] } else { args.target.clone() };
        args.bundles.check(&plan.pipelines(), "this compilation")?;
        let pipelines = Pipelines::parse(session, &args.stage_args, &args.bundles)?;
        let translation = Translation {
            pipeline: Arc::new(Pipeline::parse(session, &args.stage_args, &args.bundles, "cpu")?),
            targets: hal_translate::parse_targets(&targets)?,
            options: hal_translate::Options { opt_level: args.opt_level, fast_math: args.fast_math },
            jobs: args.jobs.jobs,
            containment: args.containment.clone(),
            strip_source: false,
            object_path: args.kernels.executable_object_search_path.clone(),
        };
        args.substitute.check(plan)?;
        let linker = plan.steps.contains(&Step::Link).then(Linker::start).transpose()?;
        let mut stages = BTreeMap::new();
        for hook in Hook::ALL {
            let texts = plan.stages(hook);
            if !plan.steps.contains(&Step::Stages(hook)) && !texts.is_empty() {
                return Err(Error::usage(format!("a stage at `{hook}` would never run: the program is not in that phase on its way")));
            }
            stages.insert(hook, Stages::parse_with(session, &args.stage_args, "--stage", &texts)?.matching(args.kernels.matching()));
        }
        let preprocess = preprocess::parse(session, plan)?;
        let module = match plan.steps.first() {
            Some(Step::Import { .. } | Step::Preprocess(halyard_preprocess::Hook::Input)) => None,
            _ => Some(load_program(session, &input.bytes, &input.name)?.0),
        };
        Ok(Self { session, plan, printer, translation, stages, preprocess, linker, pipelines, input, module })
    }

    fn op(&self) -> Op {
        Op::from(self.module.as_ref().expect("a step before has made the module"))
    }

    /// The program so far.
    pub(crate) fn program(&self) -> Program {
        Program { op: self.op() }
    }

    /// Does a step.
    pub(crate) fn step(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Import { to_input } => self.import(*to_input),
            Step::Stages(hook) => {
                verify(self.session, self.program())?;
                self.stages[hook].run(self.session, self.op(), PipelineOptions::default(), &mut ())?;
                self.session.take_diagnostics().iter().for_each(|d| self.printer.diagnostic(d));
                verify(self.session, self.program())
            }
            Step::Preprocess(hook) => self.preprocess(*hook),
            Step::Dump(when) => dump::dump(self, *when),
            Step::Substitute(only) => substitute::run(self, *only),
            Step::Translate => self.translate(),
            Step::Link => self.link(),
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
        let module = self.preprocess.run_at(hook, session, self.printer, model)?;
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
        // Taking a program up again is an import of its own, as in a pipe.
        let again = self.module.take().map(|module| write(Op::from(&module), true).into());
        let what = Import {
            bytes: again.unwrap_or_else(|| self.input.bytes.clone()),
            name: &self.input.name,
            folder: &folder_of(self.input.path.as_deref().unwrap_or(".".as_ref())),
            kind: None,
            to: if to_input { hal_import::To::Input } else { hal_import::To::Executables },
            weights: args.weights.clone().filter(|_| first).unwrap_or(WeightsPlace::Embed),
            functions: if first { &args.function } else { &[] },
            object_path: &args.kernels.executable_object_search_path,
            layout: args.layout.layout,
            pipelines: &self.pipelines,
            again: !first,
            hooks: None,
        };
        let Imported { module, archive, warnings } = hal_import::import(self.session, &what)?;
        for warning in &warnings {
            self.printer.diagnostic(warning);
        }
        if let (Some((name, bytes)), WeightsPlace::File(path)) = (archive, &what.weights) {
            write_output(&path.with_file_name(name), &bytes)?;
        }
        self.module = Some(module);
        Ok(())
    }

    fn translate(&mut self) -> Result<()> {
        let report = hal_translate::translate(self.session, self.program(), &self.translation)?;
        self.printer.stderr(report.said());
        Ok(())
    }

    /// Where objects are that the program names.
    pub(crate) fn object_path(&self) -> Vec<PathBuf> {
        let mut folders = self.plan.args.kernels.executable_object_search_path.clone();
        folders.push(folder_of(self.input.path.as_deref().unwrap_or(".".as_ref())));
        folders
    }

    fn link(&mut self) -> Result<()> {
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
        };
        let linked = hal_link::link(self.session, what)?;
        hal_link::write_linked(&linked, self.plan.output, self.printer)
    }
}
