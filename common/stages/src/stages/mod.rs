//! Stages: what the command line asks to run, checked before anything runs, then run one by one.
//!
//! Stages hold no IR: they can be checked in one session and run in others. A file per kind of stage: [`pass`],
//! [`schedule`], [`patterns`]; [`file`] tells the latter two apart. How they are written is [`crate::grammar`]'s.

mod attributes;
mod bundle;
mod file;
mod kernels;
mod knobs;
mod library;
mod list;
mod matchers;
mod near;
mod observer;
mod parameters;
mod pass;
mod patterns;
mod python;
mod reading;
mod report;
mod schedule;
mod timing;

pub use bundle::{Entry, EntryKind, Variables, is_name};
pub use observer::{Observer, Running};
pub use reading::StageArgs;
pub use report::Matching;
pub use timing::Timing;

use crate::grammar::{self, FileKind, StageText};
use file::FileStage;
use halyard_diag::{Error, Kind, Result, Source};
use halyard_ir::{Op, PipelineOptions, Session};
use pass::Pass;
use patterns::Patterns;
use python::{Interpreter, Made, Whole};
use reading::{Found, Reading};
use schedule::Schedule;
use std::{borrow::Cow, ops::Range, path::Path, sync::Arc, time::Instant};

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
enum Stage {
    Pass(Pass),
    Schedule(Schedule),
    Patterns(Patterns),
    Whole(Whole),
}

impl Stages {
    /// Checks the stages that a flag gives. Errors: what is wrong with each of them: syntax, unknown passes and options,
    /// files that are not there, sequences that a file does not have.
    pub fn parse(session: &Session, flag: &str, texts: &[String]) -> Result<Self> {
        Self::parse_with(session, &StageArgs::default(), flag, texts)
    }

    /// As [`Stages::parse`], with folders where files are looked for.
    pub fn parse_with(session: &Session, args: &StageArgs, flag: &str, texts: &[String]) -> Result<Self> {
        // One for all; it ends with the last stages that keep it.
        let python = Interpreter::shared(args.stage_timeout);
        let mut stages = Self { _python: Some(python.clone()), ..Self::default() };
        let mut failed: Option<Error> = None;
        for text in texts {
            let source = Source::new(flag, text.clone());
            let reading = Reading { args, folder: None, source: &source, python: &python, chain: Vec::new() };
            match (stages.add(session, &reading, 0..text.len()), &mut failed) {
                (Ok(()), _) => {}
                (Err(e), None) => failed = Some(e),
                (Err(e), Some(first)) => {
                    // What is wrong with the command line itself goes first.
                    first.kind = if [first.kind, e.kind].contains(&Kind::Usage) { Kind::Usage } else { first.kind };
                    first.diagnostics.extend(e.diagnostics);
                }
            }
        }
        failed.map_or(Ok(stages), Err)
    }

    /// Checks stages that another kind of file lists, such as the manifest of a plugin, each written as in a bundle. Files are
    /// looked for in `folder` first. Errors: as [`Stages::parse_with`], in the file.
    pub fn listed(
        session: &Session,
        args: &StageArgs,
        (source, folder): (&Arc<Source>, Option<&Path>),
        entries: &[Entry],
        values: &Variables,
    ) -> Result<Self> {
        let python = Interpreter::shared(args.stage_timeout);
        let mut stages = Self { _python: Some(python.clone()), ..Self::default() };
        let reading = Reading { args, folder: folder.map(Path::to_owned), source, python: &python, chain: Vec::new() };
        bundle::add_entries(&mut stages, session, &reading, entries, values)?;
        Ok(stages)
    }

    /// Says how matches of schedules and patterns are reported, and whether there must be one.
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

    /// Reads one stage in part of a text, and what it leads to.
    fn add(&mut self, session: &Session, reading: &Reading<'_>, range: Range<usize>) -> Result<()> {
        let stage = grammar::stage(reading.source, range)?;
        self.add_stage(session, reading, stage)
    }

    fn add_stage(&mut self, session: &Session, reading: &Reading<'_>, stage: StageText) -> Result<()> {
        let text = match stage {
            StageText::Passes(elements) => {
                for pass in Pass::collect(session, reading.source, elements)? {
                    self.push(pass.name(), Stage::Pass(pass));
                }
                return Ok(());
            }
            StageText::File(text) => text,
        };
        let found = reading.find(&text.path.text, text.path.at.clone())?;
        let flat = format!("{}{}", flat_path(&found), &reading.source.text[text.path.at.end..text.at.end]);
        match text.kind {
            FileKind::Mlir => {
                let file = FileStage::new(reading, &text, found.path);
                self.push(flat, file.load(session, found.bytes.into_owned())?);
                Ok(())
            }
            FileKind::Python => {
                let stage = match python::make(reading.python, reading, &text, &found)? {
                    Made::Schedule(file, bytes) => file.load(session, bytes)?,
                    Made::Whole(whole) => Stage::Whole(whole),
                };
                self.push(flat, stage);
                Ok(())
            }
            FileKind::Bundle => bundle::add(self, session, reading, &text, &found),
        }
    }

    fn push(&mut self, flat: String, stage: Stage) {
        self.flat.push(flat);
        self.stages.push(stage);
    }

    /// The stages, bundles taken apart, as each would be written alone.
    pub fn flat(&self) -> &[String] {
        &self.flat
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
        for (index, (stage, text)) in self.stages.iter().zip(&self.flat).enumerate() {
            let name = stage.name();
            let running = Running { index, name: &name, text };
            observer.before(running, module)?;
            let start = Instant::now();
            let result = halyard_exec::naming_crashes(&format!("the stage `{name}`"), || match stage {
                Stage::Pass(pass) => pass.run(session, module, options),
                Stage::Schedule(schedule) => schedule.run(session, module, self.matching),
                Stage::Patterns(patterns) => patterns.run(session, module, self.matching),
                Stage::Whole(whole) => whole.run(session, module),
            });
            observer.after(running, module, start.elapsed(), result)?;
        }
        Ok(())
    }
}

impl Stage {
    /// What messages call it.
    fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Pass(pass) => pass.name().into(),
            Self::Schedule(schedule) => schedule.name().into(),
            Self::Patterns(patterns) => patterns.name().into(),
            Self::Whole(whole) => whole.name().into(),
        }
    }
}

/// The path of a file as a stage names it.
fn flat_path(found: &Found) -> String {
    let path = found.path.display().to_string();
    let plain = !path.contains(['[', ']', '{', '}', '(', ',', '"', '\'', ' ']);
    if plain && grammar::names_file(&path) {
        return path;
    }
    if plain { format!("file:{path}") } else { format!("file:{}", grammar::quoted(&path)) }
}
