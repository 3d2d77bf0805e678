//! Seeing what stages do: printed, compared, timed, written to a folder, kept for a reproducer.
//!
//! [`WatchArgs`] are the flags, [`Watch`] is the observer that does what they say; a file per flag.

mod changes;
mod dump;
mod history;
mod print;
mod reproducer;
mod times;

pub use history::History;
pub use reproducer::{Reproducers, StageReproducer};

use crate::{Observer, RunningStage, Stages};
use clap::{
    Args,
    builder::{OsStringValueParser, TypedValueParser},
};
use dump::Dump;
use halyard_cli::Printer;
use halyard_diag::{Error, Result, either, nearest};
use halyard_ir::{Op, PipelineOptions, Session};
use print::Prints;
use std::{path::PathBuf, time::Duration};
use times::Times;

/// How stages are watched.
#[derive(Debug, Clone, Default, Args)]
pub struct WatchArgs {
    /// Print the IR after each stage, or after STAGE, on standard error; large constants are elided
    ///
    /// STAGE is a pass, a file, a stage as `--expand` writes it, or its number from 1; repeatable.
    #[arg(long, value_name = "STAGE", num_args = 0..=1, require_equals = true, default_missing_value = "", help_heading = "Looking inside")]
    pub print_after_stage: Vec<String>,
    /// Print only what a stage changed, as a unified diff; after each stage, or those of --print-after-stage
    #[arg(long, help_heading = "Looking inside")]
    pub print_diff: bool,
    /// Print the time of each stage on standard error, or write it to FILE as JSON
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = maybe_empty(), help_heading = "Looking inside")]
    pub time_stages: Option<PathBuf>,
    /// Write the input and the output of each stage to FOLDER: 00-input.mlir, 01-STAGE.mlir, …
    #[arg(long, value_name = "FOLDER", help_heading = "Looking inside")]
    pub dump_stages_to: Option<PathBuf>,
}

/// How to look at stages that are not watched.
const ALONE: &str =
    "run them alone: `hal-extract NAME --as=mlir`, then `hal-opt --stage=STAGE --print-after-stage` on the file";

/// A path, or nothing.
fn maybe_empty() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

impl WatchArgs {
    /// Fails for what would have no effect: a name that no stage has, a flag where there are no stages. `unwatched` are
    /// the stages that run elsewhere, with what asks for them.
    pub fn check<'s>(&self, stages: impl Iterator<Item = &'s Stages>, unwatched: &[(&str, &Stages)]) -> Result<()> {
        let stages: Vec<&Stages> = stages.collect();
        let known: Vec<String> = stages
            .iter()
            .flat_map(|s| s.names())
            .map(|(_, text)| crate::stages::plain_name(&text).to_owned())
            .collect();
        let flags = [
            ("print-after-stage", !self.print_after_stage.is_empty()),
            ("print-diff", self.print_diff),
            ("time-stages", self.time_stages.is_some()),
            ("dump-stages-to", self.dump_stages_to.is_some()),
        ];
        if let Some((flag, _)) = flags.iter().find(|(_, given)| *given && known.is_empty()) {
            return Err(match unwatched.first() {
                Some((by, _)) => Error::usage(format!("`--{flag}` has no effect: the stages of {by} are not watched"))
                    .note("it sees the stages of `--stage`")
                    .hint(ALONE),
                None => Error::usage(format!("`--{flag}` has no effect: there are no stages"))
                    .hint("`--stage=STAGE` runs one"),
            });
        }
        let mut given = self.print_after_stage.iter().filter(|name| !name.is_empty());
        if let Some(name) = given.find(|name| !stages.iter().any(|s| s.has(name))) {
            let error = Error::usage(format!("`--print-after-stage={name}` has no effect: no stage is called so"))
                .code("unknown-name");
            let elsewhere = unwatched.iter().filter(|_| name.parse::<usize>().is_err()).find(|(_, s)| s.has(name));
            if let Some((by, _)) = elsewhere {
                let text = format!("`--print-after-stage={name}` has no effect: the stages of {by} are not watched");
                return Err(Error::usage(text).note("it sees the stages of `--stage`").hint(ALONE));
            }
            let near = nearest(name, known.iter().map(String::as_str));
            return Err(match near.is_empty() {
                false => error.hint(format!("did you mean {}?", either(&near))),
                true => error.note(format!(
                    "they are {}",
                    known.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
                )),
            });
        }
        Ok(())
    }

    /// The words of a command line that says the same; what is written goes to files of a part.
    pub fn words(&self, part: Option<&str>) -> Vec<String> {
        let flag =
            |name: &str, value: &str| if value.is_empty() { format!("--{name}") } else { format!("--{name}={value}") };
        let mut words: Vec<String> = self.print_after_stage.iter().map(|s| flag("print-after-stage", s)).collect();
        words.extend(self.print_diff.then(|| "--print-diff".to_owned()));
        let file = self.time_stages.as_ref().map(|file| match (part, file.file_name()) {
            (Some(part), Some(name)) => file.with_file_name(format!("{part}-{}", name.to_string_lossy())),
            _ => file.clone(),
        });
        words.extend(file.map(|f| flag("time-stages", &f.display().to_string())));
        let folder = self.dump_stages_to.iter().map(|f| part.map_or(f.clone(), |part| f.join(part)));
        words.extend(folder.map(|f| format!("--dump-stages-to={}", f.display())));
        words
    }

    fn prints(&self, stage: RunningStage<'_>) -> bool {
        let named = self.print_after_stage.iter().any(|name| name.is_empty() || stage.is_called(name));
        named || self.print_diff && self.print_after_stage.is_empty()
    }
}

/// Watches stages as flags say.
#[derive(Debug)]
pub struct Watch<'a> {
    args: &'a WatchArgs,
    printer: &'a Printer,
    prints: Prints,
    times: Times,
    dump: Option<Dump>,
    reproducers: Option<Reproducers>,
    part: Option<String>,
}

impl<'a> Watch<'a> {
    /// Watches nothing yet.
    pub fn new(args: &'a WatchArgs, printer: &'a Printer) -> Self {
        let dump = args.dump_stages_to.clone().map(Dump::new);
        Self { args, printer, prints: Prints::default(), times: Times::default(), dump, reproducers: None, part: None }
    }

    /// Writes a reproducer of a stage that fails.
    #[must_use]
    pub fn reproducing(mut self, reproducers: Option<Reproducers>) -> Self {
        self.reproducers = reproducers;
        self
    }

    /// Runs stages on a module and watches them. `part` tells one of several runs from the others: it is a folder for what
    /// is dumped. `also` is told of everything, too. Errors: as [`Stages::run`]; a file that cannot be written.
    pub fn run(
        &mut self,
        (stages, part): (&Stages, Option<&str>),
        session: &Session,
        module: Op,
        options: PipelineOptions,
        also: &mut dyn Observer,
    ) -> Result<()> {
        self.part = part.map(str::to_owned);
        if let Some(dump) = self.dump.as_mut().filter(|_| !stages.is_empty()) {
            dump.input(part, module)?;
        }
        stages.run(session, module, options, &mut Both { watch: self, also })
    }

    /// Tells how long it all took, if that is asked for. Errors: a file that cannot be written.
    pub fn finish(&self) -> Result<()> {
        match &self.args.time_stages {
            None => Ok(()),
            Some(file) if file.as_os_str().is_empty() => {
                self.printer.stderr(&self.times.table());
                Ok(())
            }
            Some(file) => halyard_cli::write_atomically(file, self.times.json().as_bytes()),
        }
    }
}

struct Both<'w, 'a, 'o> {
    watch: &'w mut Watch<'a>,
    also: &'o mut dyn Observer,
}

impl Observer for Both<'_, '_, '_> {
    fn before(&mut self, stage: RunningStage<'_>, module: Op) -> Result<()> {
        self.also.before(stage, module)?;
        let watch = &mut *self.watch;
        if watch.args.print_diff && watch.args.prints(stage) {
            watch.prints.before(module);
        }
        match &mut watch.reproducers {
            Some(reproducers) => reproducers.before(watch.part.as_deref(), stage, module),
            None => Ok(()),
        }
    }

    fn kept(&self) -> Option<String> {
        self.watch.reproducers.as_ref().and_then(Reproducers::kept)
    }

    fn after(&mut self, stage: RunningStage<'_>, module: Op, time: Duration, result: Result<()>) -> Result<()> {
        let watch = &mut *self.watch;
        let part = watch.part.as_deref();
        watch.times.add(part, stage, time);
        if watch.args.prints(stage) {
            let text = watch.prints.after(stage, module, watch.args.print_diff, result.is_err());
            watch.printer.stderr(&text);
        }
        if let Some(dump) = &mut watch.dump {
            dump.after(part, stage, module, result.is_err())?;
        }
        let result = match &mut watch.reproducers {
            Some(reproducers) => reproducers.after(stage, result),
            None => result,
        };
        self.also.after(stage, module, time, result)
    }
}
