//! The default pipelines of tools: pipeline files that are built in, and those that people give in their place.
use crate::{
    History, Matching, StageArgs, Stages,
    grammar::{self, StageText},
    stages::{Condition, OperationNames, Pass, Scope, Stage},
    steps::{PIPELINE_SPECS, PipelineSpec, StepRunner},
};
use clap::Args;
use halyard_diag::{Error, Result, Source, either};
use halyard_ir::{Op, Passes, PipelineOptions, Session};
use std::{cell::RefCell, path::Path, str::FromStr};

/// Replacements of default pipelines.
#[derive(Debug, Clone, Default, Args)]
pub struct PipelineArgs {
    /// Replace a default pipeline (import, dispatch, cpu or vulkan) by that in FILE.yaml; repeatable
    ///
    /// `hal-opt --show-stage=NAME.yaml` prints the built-in one, to copy and edit. `import` lowers a model in MLIR to
    /// functions on tensors, `dispatch` prepares these to be cut into executables, `cpu` lowers an export to the LLVM
    /// dialect (also for CUDA), `vulkan` to the SPIR-V dialect.
    #[arg(long = "pipeline", alias = "bundle", value_name = "NAME=FILE.yaml", help_heading = "Stages")]
    pub pipeline_choices: Vec<PipelineChoice>,
}

/// `NAME=FILE.yaml{VARIABLES}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineChoice {
    /// Which default pipeline.
    pub name: String,
    /// The stage in its place, as `--stage` takes it.
    pub stage: String,
}

impl FromStr for PipelineChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names: Vec<_> = PIPELINE_SPECS.iter().map(|p| p.name).collect();
        let (name, stage) = text
            .split_once('=')
            .filter(|(_, stage)| !stage.trim().is_empty())
            .ok_or_else(|| format!("write NAME=FILE.yaml; NAME is {}", either(&names)))?;
        if !names.contains(&name) {
            return Err(format!("there is no pipeline `{name}`; there is {}", either(&names)));
        }
        Ok(Self { name: name.into(), stage: stage.into() })
    }
}

impl PipelineArgs {
    /// Fails for pipelines that a tool does not run, and for two pipeline files in one place. `whose` says whose pipelines, in words.
    pub fn check(&self, names: &[&str], whose: &str) -> Result<()> {
        for (i, choice) in self.pipeline_choices.iter().enumerate() {
            if !names.contains(&&*choice.name) {
                let error = Error::usage(format!("`--pipeline={}` would never run here", choice.name));
                return Err(error.note(format!("{whose} runs {}", either(names).replace(" or ", " and "))));
            }
            if self.pipeline_choices[..i].iter().any(|other| other.name == choice.name) {
                return Err(Error::usage(format!("`--pipeline={}` is given twice", choice.name))
                    .hint("a pipeline can include others: `- include: FILE.yaml`"));
            }
        }
        Ok(())
    }

    /// Whether a pipeline is not the default one.
    pub fn replaces(&self, name: &str) -> bool {
        self.pipeline_choices.iter().any(|c| c.name == name)
    }

    /// The equivalent command-line arguments for some pipelines.
    pub fn words(&self, names: &[&str]) -> impl Iterator<Item = String> {
        let chosen = self.pipeline_choices.iter().filter(|c| names.contains(&&*c.name));
        chosen.map(|c| format!("--pipeline={}={}", c.name, c.stage))
    }
}

/// A pipeline of a tool that is known to be well-formed. It holds no IR: [`Pipeline::prepare`] sets it up in a session.
#[derive(Debug)]
pub struct Pipeline {
    stages: Stages,
    place: &'static PipelineSpec,
    /// What was given in the place of the default; `None` for that.
    given: Option<String>,
    /// The words of a command line, in any folder, that says the same.
    words: Vec<String>,
}

impl Pipeline {
    /// Reads a pipeline: the one that is given, else the built-in one. Errors: what is wrong with it.
    pub fn parse(session: &Session, args: &StageArgs, pipeline_choices: &PipelineArgs, name: &str) -> Result<Self> {
        let place = PIPELINE_SPECS.iter().find(|p| p.name == name).expect("the tool names a pipeline that there is");
        let given = pipeline_choices.pipeline_choices.iter().find(|c| c.name == name).map(|c| c.stage.clone());
        let scope = Scope { place: Some(place), any: false, own: given.is_none() };
        let text = given.clone().unwrap_or_else(|| format!("{name}.yaml"));
        let flag = format!("--pipeline={name}");
        let stages = Stages::parse_in(session, args, &flag, &[text], scope)?;
        let words = given
            .iter()
            .map(|text| format!("{flag}={}", anywhere(text)))
            .chain(given.iter().flat_map(|_| args.absolute().words().collect::<Vec<_>>()))
            .collect();
        Ok(Self { stages, place, given, words })
    }

    /// The command-line arguments, valid in any folder, that replace the default pipeline by this one.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The replacement of the default pipeline, if any.
    pub fn replacement(&self) -> Option<&str> {
        self.given.as_deref()
    }

    /// Whether it contains a step, under any condition.
    pub fn has_step(&self, name: &str) -> bool {
        fn among(stages: &[Stage], name: &str) -> bool {
            stages.iter().any(|stage| match stage {
                Stage::Step(step) => step.name() == name,
                Stage::When(_, inner) => among(inner.stages(), name),
                _ => false,
            })
        }
        among(self.stages.stages(), name)
    }

    /// Sets it up in a session, to run on any number of modules. Errors: MLIR's words on options of passes.
    pub fn prepare<'p>(&'p self, session: &'p Session) -> Result<CompiledPipeline<'p>> {
        let own = self.given.is_none();
        let parts = parts(session, &self.stages, (own, own))?;
        Ok(CompiledPipeline { session, parts, pipeline: self, history: None })
    }

    /// Like [`Pipeline::prepare`], but each run notes what each pass and step changes, for [`CompiledPipeline::history`].
    pub fn prepare_watched<'p>(&'p self, session: &'p Session) -> Result<CompiledPipeline<'p>> {
        let parts = parts(session, &self.stages, (self.given.is_none(), false))?;
        Ok(CompiledPipeline { session, parts, pipeline: self, history: Some(RefCell::default()) })
    }
}

/// A stage with the path of its file made absolute, if it is in the working directory.
fn anywhere(text: &str) -> String {
    let source = Source::new("--pipeline", text);
    let Ok(StageText::File(file)) = grammar::stage(&source, 0..text.len()) else { return text.to_owned() };
    let path = Path::new(&file.path.text);
    match std::path::absolute(path) {
        Ok(absolute) if halyard_diag::may_exist(path) => {
            let mut path = absolute.display().to_string();
            if path.contains(['[', '{', '(', ',', ' ', '"', '\'']) {
                path = grammar::quoted(&path);
            }
            format!("{path}{}", &text[file.path.at.end..])
        }
        _ => text.to_owned(),
    }
}

/// A pipeline that is set up in a session.
pub struct CompiledPipeline<'p> {
    session: &'p Session,
    parts: Vec<Part<'p>>,
    pipeline: &'p Pipeline,
    /// The stages of the last run, if they are watched.
    history: Option<RefCell<Option<History>>>,
}

/// What runs in one go.
enum Part<'p> {
    /// Passes, one or several: of a pipeline of ours all that stand together, unverified in between.
    Passes(Passes<'p>, &'p Pass),
    /// Another stage.
    Stage(&'p Stage),
    /// Parts that run where a condition holds.
    When(&'p Condition, Vec<Part<'p>>),
}

/// `own` says that the pipeline is ours, `joined` that neighbouring passes run in one go.
fn parts<'p>(session: &'p Session, stages: &'p Stages, (own, joined): (bool, bool)) -> Result<Vec<Part<'p>>> {
    let mut parts = Vec::new();
    let mut rest = stages.stages();
    while let Some((first, after)) = rest.split_first() {
        let count = match first {
            Stage::Pass(_) if joined => rest.iter().take_while(|s| matches!(s, Stage::Pass(_))).count(),
            _ => 1,
        };
        parts.push(match first {
            Stage::Pass(pass) => {
                let names: Vec<String> = rest[..count].iter().map(|s| s.name().into_owned()).collect();
                let text = format!("builtin.module({})", names.join(","));
                let passes = session.passes(&text, !own).map_err(|said| {
                    Error::usage(format!("the pass pipeline `{text}` is not valid")).code("bad-pipeline").note(said)
                })?;
                Part::Passes(passes, pass)
            }
            Stage::When(condition, inner) => Part::When(condition, self::parts(session, inner, (own, joined))?),
            stage => Part::Stage(stage),
        });
        rest = if count > 1 { &rest[count..] } else { after };
    }
    Ok(parts)
}

impl CompiledPipeline<'_> {
    /// Runs it on a module; `runner` does the steps. Errors: a stage that fails, with its name where it is not one of ours.
    pub fn run(&self, module: Op, runner: &mut dyn StepRunner) -> Result<()> {
        if let Some(history) = &self.history {
            history.replace(Some(History::new("before", module)));
        }
        self.run_parts(&self.parts, module, runner)
    }

    /// Runs it like [`CompiledPipeline::run`], and notes what its stages change in a history that began before it. It must be
    /// watched.
    pub fn run_noting(&self, history: History, module: Op, runner: &mut dyn StepRunner) -> Result<History> {
        let noted = self.history.as_ref().expect("the pipeline is watched");
        noted.replace(Some(history));
        self.run_parts(&self.parts, module, runner)?;
        Ok(noted.take().expect("it was put there"))
    }

    /// The stages of the last run, if they are watched.
    pub fn history(&self) -> Option<History> {
        self.history.as_ref().and_then(|history| history.take())
    }

    /// Notes what a stage changed, or with no name that what changed is no stage's doing.
    fn note(&self, stage: Option<&str>, module: Op) {
        let Some(history) = &self.history else { return };
        match (history.borrow_mut().as_mut(), stage) {
            (Some(history), Some(stage)) => history.add(stage, module),
            (Some(history), None) => history.rebase(module),
            (None, _) => {}
        }
    }

    /// The replacement of the default pipeline, if any.
    pub fn replacement(&self) -> Option<&str> {
        self.pipeline.replacement()
    }

    fn run_parts(&self, parts: &[Part<'_>], module: Op, runner: &mut dyn StepRunner) -> Result<()> {
        let own = self.pipeline.given.is_none();
        let mut names = OperationNames::of(module);
        for part in parts {
            runner.before(module);
            self.note(None, module);
            match part {
                Part::When(condition, _) if !condition.holds(&names, Some(&*runner)) => continue,
                _ => names = OperationNames::of(module),
            }
            match part {
                Part::When(_, inner) => self.run_parts(inner, module, runner)?,
                Part::Passes(passes, _) if own => passes.run(module)?,
                Part::Passes(passes, first) => self.named(&first.name(), || {
                    // Whether there are functions depends on what is compiled; other kinds of operations are a mistake.
                    if !first.is_on_functions() {
                        first.check_nesting(module)?;
                    }
                    passes.run(module)
                })?,
                Part::Stage(Stage::Step(step)) => self.named(step.name(), || runner.step(step, module))?,
                Part::Stage(stage) => self.named(&stage.name(), || {
                    stage.run(self.session, module, PipelineOptions::default(), Matching::default())
                })?,
            }
            match part {
                Part::When(..) => {}
                Part::Passes(_, pass) => self.note(Some(&pass.name()), module),
                Part::Stage(stage) => self.note(Some(&stage.name()), module),
            }
        }
        Ok(())
    }

    /// Runs a stage, and says which one of whose pipeline failed or crashed, unless it is ours.
    fn named(&self, stage: &str, run: impl FnOnce() -> Result<()>) -> Result<()> {
        let Some(given) = self.replacement() else { return run() };
        let place = self.pipeline.place;
        let stage = format!("stage `{stage}` of `{given}`");
        halyard_exec::naming_crashes(&stage, run).map_err(|e| {
            e.note(format!("in {stage}, which runs in place of the pipeline `{}` of {}", place.name, place.tool))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_pipelines_are_sound() {
        let session = Session::new();
        for place in PIPELINE_SPECS {
            let (args, pipeline_choices) = (StageArgs::default(), PipelineArgs::default());
            let own = Pipeline::parse(&session, &args, &pipeline_choices, place.name).unwrap();
            own.prepare(&session).unwrap();
            // With all the checks that those of other people get.
            let same = PipelineChoice { name: place.name.into(), stage: format!("{}.yaml", place.name) };
            let given =
                Pipeline::parse(&session, &args, &PipelineArgs { pipeline_choices: vec![same] }, place.name).unwrap();
            given.prepare(&session).unwrap();
            assert_eq!(own.stages.flat(), given.stages.flat());
        }
    }

    #[test]
    fn choices_name_pipelines() {
        assert!("cpu=a.yaml{x=1}".parse::<PipelineChoice>().is_ok_and(|c| c.name == "cpu" && c.stage == "a.yaml{x=1}"));
        for bad in ["cpu", "cpu=", "gpu=a.yaml", "=a.yaml", ""] {
            assert!(bad.parse::<PipelineChoice>().is_err(), "{bad}");
        }
    }
}
