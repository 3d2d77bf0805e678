//! Rows of the tables, checked as they are read.
use crate::{Interval, Subject, Trial, TrialOutcome, TunedCode, Winner, digest};
use rusqlite::{
    Row, ToSql,
    types::{Value, ValueRef},
};
use std::fmt;

/// A row that does not hold what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedRow {
    /// Its subject, as far as it can be read.
    pub subject: Subject,
    /// The defect.
    pub reason: String,
}

impl fmt::Display for DamagedRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subject { key, target, machine } = &self.subject;
        write!(f, "the entry of `{key}` for `{target}` on `{machine}`: {}", self.reason)
    }
}

/// The columns of a winner, in the order in which [`winner`] reads them.
pub(crate) const WINNER: &str = "key, target, machine, kind, content, content_hash, ratio, ratio_low, ratio_high, trials, version, origin, checksum";
/// The columns of a trial, in the order in which [`trial`] reads them.
pub(crate) const TRIAL: &str = "key, target, machine, kind, candidate, id, rejected, time_ns, time_low, time_high, ratio, ratio_low, ratio_high, \
     details, version, checksum";

/// Reads a row of the columns [`WINNER`].
pub(crate) fn winner(row: &Row<'_>) -> Result<Winner, DamagedRow> {
    let subject = subject(row);
    let read = || -> Result<Winner, String> {
        let kind: String = get(row, 3)?;
        let content = bytes(row, 4)?;
        let hash = digest::content(&kind, &content);
        let ratio = interval(row, 6)?.ok_or("it has no ratio")?;
        let trials = u64::try_from(get::<i64>(row, 9)?).map_err(|_| "it has a negative number of trials")?;
        let (version, origin, checksum) = (get(row, 10)?, get(row, 11)?, get::<String>(row, 12)?);
        let code = TunedCode::read(&kind, content)?;
        let winner = Winner { subject: subject.clone(), code, ratio, trials, version, origin };
        if get::<String>(row, 5)? != hash || digest::winner(&winner, &hash) != checksum {
            return Err("it is damaged: its checksum does not fit".into());
        }
        Ok(winner)
    };
    read().map_err(|reason| DamagedRow { subject: subject.clone(), reason })
}

/// Reads a row of the columns [`TRIAL`].
pub(crate) fn trial(row: &Row<'_>) -> Result<Trial, DamagedRow> {
    let subject = subject(row);
    let read = || -> Result<Trial, String> {
        let (kind, candidate): (String, _) = (get(row, 3)?, bytes(row, 4)?);
        let outcome = match (get::<Option<String>>(row, 6)?, interval(row, 7)?, interval(row, 10)?) {
            (Some(why), None, None) => TrialOutcome::Rejected(why),
            (None, Some(time), Some(ratio)) => TrialOutcome::Measured { time, ratio },
            _ => return Err("it is neither measured nor rejected".into()),
        };
        let (details, version, checksum) = (get(row, 13)?, get(row, 14)?, get::<String>(row, 15)?);
        let id = digest::trial_id(&subject, &kind, &candidate);
        let trial = Trial { subject: subject.clone(), kind, candidate, outcome, details, version };
        if get::<String>(row, 5)? != id || digest::trial(&trial, &id) != checksum {
            return Err("it is damaged: its checksum does not fit".into());
        }
        Ok(trial)
    };
    read().map_err(|reason| DamagedRow { subject: subject.clone(), reason })
}

/// The first three columns.
fn subject(row: &Row<'_>) -> Subject {
    let text = |i: usize| bytes(row, i).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
    Subject { key: text(0), target: text(1), machine: text(2) }
}

fn get<T: rusqlite::types::FromSql>(row: &Row<'_>, i: usize) -> Result<T, String> {
    row.get(i).map_err(|e| format!("it is damaged: {e}"))
}

/// Three columns from `i` on; `None` if the first has no value.
fn interval(row: &Row<'_>, i: usize) -> Result<Option<Interval>, String> {
    let Some(value) = get::<Option<f64>>(row, i)? else { return Ok(None) };
    Interval::try_from([value, get(row, i + 1)?, get(row, i + 2)?]).map(Some)
}

fn bytes(row: &Row<'_>, i: usize) -> Result<Vec<u8>, String> {
    match row.get_ref(i).map_err(|e| format!("it is damaged: {e}"))? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(bytes.to_vec()),
        other => Err(format!("it is damaged: a value of type {} where bytes are expected", other.data_type())),
    }
}

/// Bytes as a value: text where they are text, so that SQLite's shell shows it.
pub(crate) fn value(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Value::Text(text.to_owned()),
        _ => Value::Blob(bytes.to_vec()),
    }
}

/// The values of a winner for the columns [`WINNER`].
pub(crate) fn winner_values(winner: &Winner) -> Vec<Box<dyn ToSql>> {
    let Winner { subject: Subject { key, target, machine }, code, ratio, trials, version, origin } = winner;
    let (kind, content) = (code.kind(), code.bytes());
    let hash = digest::content(kind, &content);
    let checksum = digest::winner(winner, &hash);
    let trials = i64::try_from(*trials).unwrap_or(i64::MAX);
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    values.extend([key, target, machine].map(|text| Box::new(text.clone()) as Box<dyn ToSql>));
    values.extend([Box::new(kind) as Box<dyn ToSql>, Box::new(value(&content)), Box::new(hash)]);
    values.extend([ratio.value(), ratio.low(), ratio.high()].map(|x| Box::new(x) as Box<dyn ToSql>));
    values.extend([Box::new(trials) as Box<dyn ToSql>, Box::new(version.clone()), Box::new(origin.clone())]);
    values.push(Box::new(checksum));
    values
}

/// The values of a trial for the columns [`TRIAL`].
pub(crate) fn trial_values(trial: &Trial) -> Vec<Box<dyn ToSql>> {
    let Trial { subject: Subject { key, target, machine }, kind, candidate, outcome, details, version } = trial;
    let id = digest::trial_id(&trial.subject, kind, candidate);
    let checksum = digest::trial(trial, &id);
    let (rejected, time, ratio) = match outcome {
        TrialOutcome::Measured { time, ratio } => (None, Some(*time), Some(*ratio)),
        TrialOutcome::Rejected(why) => (Some(why.clone()), None, None),
    };
    let numbers = |i: Option<Interval>| [i.map(Interval::value), i.map(Interval::low), i.map(Interval::high)];
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    values.extend([key, target, machine, kind].map(|text| Box::new(text.clone()) as Box<dyn ToSql>));
    values.extend([Box::new(value(candidate)) as Box<dyn ToSql>, Box::new(id), Box::new(rejected)]);
    values.extend(numbers(time).into_iter().chain(numbers(ratio)).map(|x| Box::new(x) as Box<dyn ToSql>));
    values.extend([details.clone(), version.clone(), checksum].map(|text| Box::new(text) as Box<dyn ToSql>));
    values
}

/// `?, ?, …` for columns.
pub(crate) fn marks(columns: &str) -> String {
    vec!["?"; columns.split(',').count()].join(", ")
}
