//! The tuning database: trials go in as they are made, winners at the end.
use crate::{
    candidate::KernelSource,
    judge::Judgement,
    trial::{Place, TrialOutcome},
};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_tuning::{Database, Interval, Subject, Trial, TunedCode, Winner};
use std::path::Path;

/// A tuning database.
#[derive(Debug)]
pub(crate) struct Store {
    database: Database,
    /// The target as databases name it.
    target: String,
    /// The machine as databases name it.
    machine: String,
}

impl Store {
    /// Opens a database, or makes one. The warning is about damaged entries, which count as not there. Errors: what [`Database::open`] says;
    /// a file that is damaged beyond its entries: what is written to it may be lost.
    pub(crate) fn open(path: &Path, target: String, machine: String) -> Result<(Self, Option<Diagnostic>)> {
        let database = Database::open(path)?;
        let shown = path.display();
        if let Some(first) = database.check_file()?.first() {
            return Err(Error::input(format!("the tuning database `{shown}` is damaged"))
                .code("bad-tuning")
                .note(first.clone())
                .hint("`hal-tune --tuning=NEW --merge=OLD` copies the undamaged entries into a new database"));
        }
        let (winners, trials) = database.damaged_rows()?;
        let warning = winners.iter().chain(&trials).next().map(|first| {
            let text = match winners.len() + trials.len() {
                1 => format!("1 entry of tuning database `{shown}` is damaged, and counts as not there"),
                n => format!("{n} entries of tuning database `{shown}` are damaged, and count as not there"),
            };
            Diagnostic::warning(text)
                .code("bad-tuning")
                .note(first.to_string())
                .hint("`hal-tune --check` lists the damaged entries; new measurements replace them")
        });
        Ok((Self { database, target, machine }, warning))
    }

    fn subject(&self, place: &Place) -> Subject {
        Subject { key: place.key.clone(), target: self.target.clone(), machine: self.machine.clone() }
    }

    /// The ratio of an earlier trial, `Some(None)` if it was not measured. Errors: the database cannot be read.
    pub(crate) fn earlier(&self, place: &Place, candidate: &KernelSource) -> Result<Option<Option<f64>>> {
        let trial = self.database.trial(&self.subject(place), candidate.kind(), candidate.identity().as_bytes())?;
        Ok(trial.filter(is_ours).map(|trial| ratio(&trial)))
    }

    /// The schedules that were measured, with their ratios. Errors: the database cannot be read.
    pub(crate) fn measured(&self, place: &Place) -> Result<Vec<(f64, String)>> {
        let trials = self.database.trials(&self.subject(place))?;
        let schedule = |trial: &Trial| Some((ratio(trial)?, String::from_utf8(trial.candidate.clone()).ok()?));
        Ok(trials.iter().filter(|t| is_ours(t) && t.kind == "schedule").filter_map(schedule).collect())
    }

    /// Records a trial. What was not tried for reasons of this moment is not recorded. Errors: the database cannot be written.
    pub(crate) fn record(&mut self, place: &Place, candidate: &KernelSource, outcome: &TrialOutcome) -> Result<()> {
        let outcome = match outcome {
            TrialOutcome::Measured(m) => {
                let nanoseconds = interval(m.seconds * 1e9, m.seconds_interval.map(|s| s * 1e9));
                match (nanoseconds, inverse(m.ratio, m.interval)) {
                    (Some(time), Some(ratio)) => halyard_tuning::TrialOutcome::Measured { time, ratio },
                    _ => return Ok(()),
                }
            }
            TrialOutcome::SameCode(other) => {
                halyard_tuning::TrialOutcome::Rejected(format!("same-code: its code is that of {other}"))
            }
            TrialOutcome::Rejected(code, why) => halyard_tuning::TrialOutcome::Rejected(format!("{code}: {why}")),
            TrialOutcome::NotBuilt(why) => halyard_tuning::TrialOutcome::Rejected(format!("not-built: {why}")),
            TrialOutcome::Skipped(_) | TrialOutcome::Known(_) => return Ok(()),
        };
        self.database.record(&Trial {
            subject: self.subject(place),
            kind: candidate.kind().to_owned(),
            candidate: candidate.identity().into_bytes(),
            outcome,
            details: candidate.to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    /// Stores a winner unless the database has a better one. Errors: the database cannot be written.
    pub(crate) fn offer(
        &mut self,
        place: &Place,
        code: TunedCode,
        judgement: &Judgement,
        trials: usize,
    ) -> Result<bool> {
        let Some(ratio) = inverse(judgement.ratio, judgement.interval) else { return Ok(false) };
        self.database.offer(&Winner {
            subject: self.subject(place),
            code,
            ratio,
            trials: trials as u64,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            origin: place.executable.clone(),
        })
    }
}

/// Whether this version of the tool made the trial: another one may make another kernel of the same candidate.
fn is_ours(trial: &Trial) -> bool {
    trial.version == env!("CARGO_PKG_VERSION")
}

/// A candidate's time as a part of the current kernel's.
fn ratio(trial: &Trial) -> Option<f64> {
    match &trial.outcome {
        halyard_tuning::TrialOutcome::Measured { ratio, .. } => Some(1.0 / ratio.value()),
        halyard_tuning::TrialOutcome::Rejected(_) => None,
    }
}

/// The interval of the estimate's inverse: databases have how many times as fast, trials the part of the time.
fn inverse(value: f64, [low, high]: [f64; 2]) -> Option<Interval> {
    interval(1.0 / value, [1.0 / high, 1.0 / low])
}

/// An interval that has the estimate in it: the median of a resample may lie beside that of the sample.
fn interval(value: f64, [low, high]: [f64; 2]) -> Option<Interval> {
    Interval::new(value, low.min(value), high.max(value))
}
