//! Stages: what the command line asks to run, checked before anything runs, then run one by one.
//!
//! Stages hold no IR: they can be checked in one session and run in others. [`add`] checks them. A file per kind of stage: [`pass`],
//! [`transform_script`], [`patterns`], [`examples`]; [`load`] tells the latter three apart. How they are written is [`crate::grammar`]'s.

mod add;
mod attributes;
mod choices;
mod condition;
mod example_match;
mod examples;
mod file;
mod kernels;
mod knobs;
mod library;
mod list;
mod load;
mod matchers;
mod observer;
mod packed_file;
mod parameters;
mod pass;
mod pattern_root;
mod patterns;
mod pdl_mismatch;
mod pipeline_file;
mod python;
mod reading;
mod report;
mod sequences;
mod standalone;
mod timing;
mod transform_script;

pub use choices::ScriptKnob;
pub(crate) use observer::plain_name;
pub use observer::{Observer, RunningStage};
pub use packed_file::PackedFile;
pub use reading::StageArgs;
pub(crate) use reading::Unpacked;
pub use report::Matching;
pub use standalone::StandaloneStage;
pub use timing::Timing;

use crate::{
    grammar::{PipelineEntry, Variables},
    steps::{PipelineSpec, Step},
};
pub(crate) use condition::{Condition, OperationNames};
use examples::Examples;
use halyard_diag::{Error, ErrorKind, Result, Source};
use halyard_ir::{Op, PipelineOptions, Session};
pub(crate) use pass::Pass;
use patterns::Patterns;
use python::{Interpreter, Whole};
use reading::Reading;
use std::{borrow::Cow, path::Path, sync::Arc, time::Instant};
use transform_script::TransformScript;

/// Stages that are known to be well-formed.
#[derive(Debug, Default)]
pub struct Stages {
    stages: Vec<Stage>,
    flat: Vec<String>,
    /// Kept for stages that are read later.
    _python: Option<Arc<Interpreter>>,
    matching: Matching,
}

#[derive(Debug)]
pub(crate) enum Stage {
    Pass(Pass),
    TransformScript(TransformScript),
    Patterns(Patterns),
    /// Functions to find and to put in their place.
    Examples(Examples),
    Whole(Whole),
    /// What a default pipeline does in Rust.
    Step(Step),
    /// Stages that run where a condition holds.
    When(Condition, Stages),
}

/// What may stand in stages, and how far they are checked.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Scope {
    /// The steps and conditions of this pipeline.
    pub(crate) place: Option<&'static PipelineSpec>,
    /// Those of all, to be shown.
    pub(crate) any: bool,
    /// It is one of our own: options of passes need no check, and files are those that are built in.
    pub(crate) own: bool,
}

impl Stages {
    /// Checks the stages that a flag gives. Errors: what is wrong with each of them: syntax, unknown passes and options,
    /// files that are not there, sequences that a file does not have.
    pub fn parse(session: &Session, flag: &str, texts: &[String]) -> Result<Self> {
        Self::parse_with(session, &StageArgs::default(), flag, texts)
    }

    /// As [`Stages::parse`], with folders where files are looked for.
    pub fn parse_with(session: &Session, args: &StageArgs, flag: &str, texts: &[String]) -> Result<Self> {
        Self::parse_in(session, args, flag, texts, Scope::default())
    }

    /// As [`Stages::parse_with`], to be shown, not to be run: steps of default pipelines may be among them.
    pub fn parse_to_show(session: &Session, args: &StageArgs, flag: &str, texts: &[String]) -> Result<Self> {
        Self::parse_in(session, args, flag, texts, Scope { any: true, ..Scope::default() })
    }

    pub(crate) fn parse_in(
        session: &Session,
        args: &StageArgs,
        flag: &str,
        texts: &[String],
        scope: Scope,
    ) -> Result<Self> {
        // One for all; it ends with the last stages that keep it.
        let python = Interpreter::shared(args.stage_timeout);
        let mut stages = Self { _python: Some(python.clone()), ..Self::default() };
        let mut failed: Option<Error> = None;
        for text in texts {
            let source = Source::new(flag, text.clone());
            let reading = Reading::new(args, &source, &python).within(scope);
            match (stages.add(session, &reading, 0..text.len()), &mut failed) {
                (Ok(()), _) => {}
                (Err(e), None) => failed = Some(e),
                (Err(e), Some(first)) => {
                    // What is wrong with the command line itself goes first.
                    first.kind =
                        if [first.kind, e.kind].contains(&ErrorKind::Usage) { ErrorKind::Usage } else { first.kind };
                    first.diagnostics.extend(e.diagnostics);
                }
            }
        }
        failed.map_or(Ok(stages), Err)
    }

    /// Checks stages that another kind of file lists, such as the manifest of a plugin, each written as in a pipeline file. Files are
    /// looked for in `folder` first. Errors: as [`Stages::parse_with`], in the file.
    pub fn listed(
        session: &Session,
        args: &StageArgs,
        (source, folder): (&Arc<Source>, Option<&Path>),
        entries: &[PipelineEntry],
        values: &Variables,
    ) -> Result<Self> {
        let python = Interpreter::shared(args.stage_timeout);
        let mut stages = Self { _python: Some(python.clone()), ..Self::default() };
        let reading = Reading { folder: folder.map(Path::to_owned), ..Reading::new(args, source, &python) };
        pipeline_file::add_entries(&mut stages, session, &reading, entries, values)?;
        Ok(stages)
    }

    /// Says how matches of transform scripts and patterns are reported, and whether there must be one.
    #[must_use]
    pub fn matching(mut self, matching: Matching) -> Self {
        self.matching = matching;
        self
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// Tells what stages there are, and what they take. Errors: a folder that cannot be read, a file that is malformed.
    pub fn list_all(session: &Session, args: &StageArgs) -> Result<String> {
        list::all(session, args)
    }

    /// Tells what some stages take. Errors: what is malformed or not there.
    pub fn list(session: &Session, args: &StageArgs, texts: &[String]) -> Result<String> {
        list::named(session, args, texts)
    }

    /// What a transform script leaves to a tuner: the knobs and alternatives of the sequence that runs, but for those that the text of the stage sets;
    /// `None` for other stages. Errors: a text that is no stage, a file that is not there, a knob whose values cannot be listed.
    pub fn knobs(session: &Session, args: &StageArgs, flag: &str, text: &str) -> Result<Option<Vec<ScriptKnob>>> {
        choices::of(session, args, flag, text)
    }

    /// What stands in a file that is a stage, found as stages are. Errors: it is nowhere.
    pub fn text_of(args: &StageArgs, name: &str) -> Result<Vec<u8>> {
        list::text(args, name)
    }

    pub(crate) fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The stages, pipeline files taken apart, as each would be written alone.
    pub fn flat(&self) -> &[String] {
        &self.flat
    }

    /// The names and texts of all stages, those included that run where a condition holds.
    pub fn names(&self) -> Vec<(String, String)> {
        let mut names = Vec::new();
        for (stage, text) in self.stages.iter().zip(&self.flat) {
            match stage {
                Stage::When(_, inner) => names.extend(inner.names()),
                stage => names.push((stage.name().into_owned(), text.clone())),
            }
        }
        names
    }

    /// Whether a name, or a number from 1, means one of them; see [`RunningStage::is_called`].
    pub fn has(&self, name: &str) -> bool {
        let names = self.names();
        let numbered = name.parse().is_ok_and(|n: usize| (1..=names.len()).contains(&n));
        numbered || names.iter().any(|(is, text)| observer::is_called(name, is, text))
    }

    /// Runs all stages on a module, or on an executable as if it were one, one at a time. What matched is among what the
    /// session says then. Errors: a stage that fails; IR that does not verify after it; a nesting that matches no operation
    /// of the module, so that nothing would happen; what the observer says.
    pub fn run(
        &self,
        session: &Session,
        module: Op,
        options: PipelineOptions,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        self.run_from(&mut 0, session, module, options, observer)
    }

    fn run_from(
        &self,
        index: &mut usize,
        session: &Session,
        module: Op,
        options: PipelineOptions,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let mut names = OperationNames::of(module);
        for (stage, text) in self.stages.iter().zip(&self.flat) {
            if let Stage::When(condition, inner) = stage {
                if condition.holds(&names, None) {
                    inner.run_from(index, session, module, options, observer)?;
                    names = OperationNames::of(module);
                }
                continue;
            }
            names = OperationNames::of(module);
            let name = stage.name();
            let running = RunningStage { index: *index, name: &name, text, stage };
            *index += 1;
            observer.before(running, module)?;
            let kept = observer.kept().map(|file| format!(" (kept as `{file}`)")).unwrap_or_default();
            let start = Instant::now();
            let result = halyard_exec::naming_crashes(&format!("the stage `{name}`{kept}"), || {
                stage.run(session, module, options, self.matching)
            });
            observer.after(running, module, start.elapsed(), result)?;
        }
        Ok(())
    }
}

impl Stage {
    /// Its name in messages.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Pass(pass) => pass.name().into(),
            Self::TransformScript(script) => (&*script.file.text).into(),
            Self::Patterns(patterns) => (&*patterns.file.text).into(),
            Self::Examples(examples) => (&*examples.file.text).into(),
            Self::Whole(whole) => whole.name().into(),
            Self::Step(step) => step.text().into(),
            Self::When(condition, _) => format!("when[{condition}]").into(),
        }
    }

    /// Runs one that needs no host.
    pub(crate) fn run(
        &self,
        session: &Session,
        module: Op,
        options: PipelineOptions,
        matching: Matching,
    ) -> Result<()> {
        match self {
            Self::Pass(pass) => pass.run(session, module, options),
            Self::TransformScript(script) => script.run(session, module, matching),
            Self::Patterns(patterns) => patterns.run(session, module, matching),
            Self::Examples(examples) => examples.run(session, module, matching),
            Self::Whole(whole) => whole.run(session, module),
            Self::Step(_) | Self::When(..) => {
                unreachable!("steps are refused where they are read, conditions are taken apart")
            }
        }
    }
}
