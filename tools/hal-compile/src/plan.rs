//! Determines which tools run, in which order, with which flags.
use crate::{CompileArgs, args::CompilePhase, dump_args::Dump, hook::Hook};
use hal_import::WeightsPlace;
use hal_link::WeightsHome;
use halyard_cli::{ModuleFormat, folder_of};
use halyard_diag::{Error, Result};
use halyard_ir::form::Phase;
use std::path::{Path, PathBuf};

/// One command of the pipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// `hal-import`: reads the model, or takes a program of phase `input` up again.
    Import {
        /// Whether the import stops before executables are formed.
        to_input: bool,
    },
    /// `hal-opt` with the stages of a hook point.
    Stages(Hook),
    /// `hal-opt` with the external tools of a hook.
    Preprocess(halyard_preprocess::Hook),
    /// `hal-substitute`, for sources or for objects.
    Substitute(hal_substitute::Only),
    /// `hal-extract`.
    Dump(Dump),
    /// `hal-translate`.
    Translate,
    /// `hal-link`.
    Link,
}

/// The plan of a compilation.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) args: &'a CompileArgs,
    /// The output path.
    pub(crate) output: &'a Path,
    /// Whether the input is a model in MLIR.
    pub(crate) is_model: bool,
    /// Weights lie in files of the folder where the result goes, as far as can be told before the model is imported.
    pub(crate) weights_beside: bool,
    /// The steps in order.
    pub(crate) steps: Vec<Step>,
    /// For each step, the file that keeps its program, if one is requested.
    pub(crate) temps: Vec<Option<PathBuf>>,
}

impl<'a> Plan<'a> {
    /// Makes the plan. `phase` is that of the input, `None` if it is no program yet; `is_mlir` says whether it is MLIR.
    /// Errors: what [`CompileArgs::output`] says.
    pub(crate) fn new(args: &'a CompileArgs, phase: Option<Phase>, is_mlir: bool) -> Result<Self> {
        use halyard_preprocess::Hook as At;
        let output = args.output()?;
        let preprocess = |at| (!args.preprocess.of(at).is_empty()).then_some(Step::Preprocess(at));
        let has = |hook| args.stages.iter().any(|s| s.hook == hook);
        let starts_before = |limit: Phase| phase.is_none_or(|p| p < limit);
        if let (Some(state), Some(is)) =
            (args.states.states.first(), phase.filter(|_| !starts_before(Phase::Executables)))
        {
            return Err(Error::usage(format!(
                "`--state={}` would have no effect: the input is in phase `{}` already",
                state.text,
                is.as_str()
            ))
            .hint("give it to the `hal-import` that makes the program"));
        }
        let mut steps = Vec::new();
        if starts_before(Phase::Executables) {
            // Executables are formed in the same run of `hal-import`, unless something comes before that.
            let on_model = preprocess(At::Input);
            steps.extend(on_model.clone().filter(|_| is_mlir));
            let on_model = on_model.filter(|_| !is_mlir);
            let split =
                has(Hook::Input) || preprocess(At::Global).is_some() || on_model.is_some() || args.save_temps.is_some();
            if split || args.to == Some(CompilePhase::Input) {
                steps.push(Step::Import { to_input: true });
                steps.extend(on_model);
                steps.extend(has(Hook::Input).then_some(Step::Stages(Hook::Input)));
                steps.extend(preprocess(At::Global));
            }
            if args.to != Some(CompilePhase::Input) {
                steps.push(Step::Import { to_input: false });
            }
        }
        let dump = |dump: Dump| args.dump.any(dump).then_some(Step::Dump(dump));
        steps.extend(dump(Dump::Formed));
        let beyond = |to: CompilePhase| args.to.is_none_or(|t| t > to);
        let substitute = |only| args.substitute.any(only).then_some(Step::Substitute(only));
        if starts_before(Phase::Objects) && beyond(CompilePhase::Input) {
            steps.extend(substitute(hal_substitute::Only::Sources));
            steps.extend(preprocess(At::Executable));
            steps.extend(has(Hook::Executables).then_some(Step::Stages(Hook::Executables)));
            if beyond(CompilePhase::Executables) {
                steps.extend(dump(Dump::Compiled));
                steps.push(Step::Translate);
            }
        }
        if beyond(CompilePhase::Executables) {
            steps.extend(substitute(hal_substitute::Only::Objects));
            steps.extend(preprocess(At::Object));
            steps.extend(has(Hook::Objects).then_some(Step::Stages(Hook::Objects)));
        }
        if beyond(CompilePhase::Executables) {
            steps.extend(dump(Dump::Translated));
        }
        if beyond(CompilePhase::Objects) {
            steps.push(Step::Link);
        }
        if let Some(flag) = args.merge.flag()
            && !steps.contains(&Step::Link)
        {
            return Err(
                Error::usage(format!("`{flag}` would have no effect: nothing is linked")).hint("leave out `--to`")
            );
        }
        if let (Some(flag), false) = (args.tuning.words().first(), steps.contains(&Step::Translate)) {
            return Err(Error::usage(format!("`{flag}` would have no effect: no code is generated"))
                .hint("leave it out, or compile a program that has no objects yet, without `--to=executables`"));
        }
        if steps.iter().all(|s| matches!(s, Step::Dump(_))) {
            let is = phase.map_or("input", Phase::as_str);
            return Err(Error::usage(format!("there is nothing to do: the input is in phase `{is}` already"))
                .hint("leave out `--to`, or give a later phase"));
        }
        let mut plan = Self {
            args,
            output,
            is_model: is_mlir && phase.is_none(),
            weights_beside: false,
            steps,
            temps: Vec::new(),
        };
        plan.temps = plan.steps.iter().map(|step| plan.temp(step)).collect();
        Ok(plan)
    }

    /// Returns the file that keeps the program after a step: `FOLDER/NAME.PHASE.mlir`, after stages
    /// `FOLDER/NAME.PHASE-stages.mlir`.
    fn temp(&self, step: &Step) -> Option<PathBuf> {
        let folder = self.args.save_temps.as_ref()?;
        let folder = folder.clone().unwrap_or_else(|| self.output.parent().unwrap_or("".as_ref()).to_owned());
        let stem =
            [self.output, &self.args.input].into_iter().find(|p| *p != Path::new("-"))?.file_stem()?.to_string_lossy();
        let after = match step {
            Step::Import { to_input: true } => "input".to_owned(),
            Step::Import { to_input: false } => "executables".into(),
            Step::Stages(hook) => format!("{hook}-stages"),
            // A model that is not imported yet.
            Step::Preprocess(halyard_preprocess::Hook::Input) if self.steps.first() == Some(step) => return None,
            Step::Preprocess(hook) => format!("{}-preprocessed", hook.name()),
            Step::Substitute(hal_substitute::Only::Sources) => "executables-substituted".into(),
            Step::Substitute(_) => "objects-substituted".into(),
            Step::Translate => "objects".into(),
            Step::Dump(_) | Step::Link => return None,
        };
        Some(folder.join(format!("{stem}.{after}.mlir")))
    }

    /// The default pipelines that run, for `--pipeline`.
    pub(crate) fn pipelines(&self) -> Vec<&'static str> {
        let import = |to| self.steps.contains(&Step::Import { to_input: to });
        let mut names = Vec::new();
        names.extend((self.is_model && (import(true) || import(false))).then_some("import"));
        names.extend(import(false).then_some("dispatch"));
        names.extend(self.steps.contains(&Step::Translate).then(hal_translate::pipeline_names).into_iter().flatten());
        names
    }

    /// Whether preprocessors run at a hook.
    pub(crate) fn preprocesses(&self, hook: halyard_preprocess::Hook) -> bool {
        self.steps.contains(&Step::Preprocess(hook))
    }

    /// The stages of a hook point, in order.
    pub(crate) fn stages(&self, hook: Hook) -> Vec<String> {
        self.args.stages.iter().filter(|s| s.hook == hook).map(|s| s.stage.clone()).collect()
    }

    /// Whether the result is bytecode.
    pub(crate) fn bytecode(&self) -> bool {
        match self.args.module_format() {
            Some(kind) => kind == ModuleFormat::Bytecode,
            None => self.output.extension().is_some_and(|e| e == "mlirbc"),
        }
    }

    /// Takes the steps off that are those of a build graph: translation and what follows.
    pub(crate) fn take_graph(&mut self) -> Vec<Step> {
        let dumps = |s: &Step| matches!(s, Step::Dump(_) | Step::Translate | Step::Link);
        let late = |s: &Step| dumps(s) || *s == Step::Substitute(hal_substitute::Only::Objects);
        let rest = self.steps.split_off(self.steps.iter().position(late).unwrap_or(self.steps.len()));
        self.temps.truncate(self.steps.len());
        rest
    }

    /// Notes what the input is: whether it has data in files beside it.
    pub(crate) fn with_data_elsewhere(mut self, elsewhere: bool) -> Self {
        let folder = folder_of(self.output);
        let model = elsewhere && !self.is_model && folder_of(&self.args.input) == folder;
        let given = self.args.weights.files().iter().any(|f| folder_of(f) == folder);
        self.weights_beside = self.steps.contains(&Step::Link) && self.args.input != Path::new("-") && (model || given);
        self
    }

    /// Returns where weights go during compilation: by default, files beside the result stay there.
    pub(crate) fn weights_place(&self) -> Option<WeightsPlace> {
        self.args.weights.place().or_else(|| self.weights_beside.then_some(WeightsPlace::External))
    }

    /// Where the weights of the linked program lie.
    pub(crate) fn weights_home(&self) -> WeightsHome {
        match self.args.weights.place() {
            Some(WeightsPlace::External) => WeightsHome::External,
            Some(WeightsPlace::Embed) => WeightsHome::Embedded,
            _ => WeightsHome::Beside,
        }
    }

    /// Folders of weights that `hal-link` cannot find by itself in a pipe.
    pub(crate) fn weights_path(&self) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        let place = self.weights_place();
        if let Some(WeightsPlace::File(file)) = &place {
            folders.push(folder_of(file).to_owned());
        }
        let external = place == Some(WeightsPlace::External);
        if external {
            folders.extend(self.args.weights.files().iter().map(|f| folder_of(f).to_owned()));
        }
        if self.args.input != Path::new("-") && (external || self.args.input.extension().is_none_or(|e| e != "onnx")) {
            folders.push(folder_of(&self.args.input).to_owned());
        }
        folders.retain(|f| f != Path::new("."));
        folders.dedup();
        folders
    }
}
