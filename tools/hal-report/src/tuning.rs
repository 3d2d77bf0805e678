//! What `hal-tune` tried for the executables: from a tuning database, or from the lines of `--trials`.
use crate::data::{Executable, Ratio, TrialData, TuningData};
use halyard_diag::{Error, Result};
use halyard_tuning::{Database, Interval, TrialOutcome, TunedCode};
use serde_json::Value;
use std::{collections::HashMap, fs::File, io::Read, path::Path};

/// The most trials of an executable that are shown.
const MOST: usize = 300;
/// The longest text of a candidate that is shown.
const LONGEST: usize = 240;

/// By content key, target and machine.
type Found = Vec<(String, TuningData)>;

/// Adds the trials to the executables that they are of. Errors: the file cannot be read; it has none of them.
pub(crate) fn add(file: &Path, executables: &mut [Executable]) -> Result<()> {
    let found = if is_lines(file)? { of_lines(file)? } else { of_database(file)? };
    let mut any = false;
    for executable in executables.iter_mut().filter(|e| !e.key.is_empty()) {
        let own = found.iter().filter(|(key, _)| *key == executable.key);
        executable.tuning = own.map(|(_, data)| shown(data)).collect();
        any |= !executable.tuning.is_empty();
    }
    if any {
        return Ok(());
    }
    let what = format!("`{}` has no trial of an executable of the program", file.display());
    Err(Error::input(what)
        .code("other-files")
        .note("executables are found by their content keys, which `hal-run PROGRAM --list --executables` prints")
        .hint("tune the model that the program was compiled from: `hal-tune program.mlir --tuning=FILE -o tuned.mlir`"))
}

/// Whether a file has the lines that `--trials` writes. Errors: it cannot be read.
fn is_lines(file: &Path) -> Result<bool> {
    let mut start = [0; 64];
    let read = File::open(file).and_then(|mut f| f.read(&mut start)).map_err(|e| Error::io("read", file, &e))?;
    let start = start[..read].trim_ascii_start();
    Ok(start.starts_with(b"{") && !start.starts_with(b"{\"halyard_tuning\""))
}

fn of_database(file: &Path) -> Result<Found> {
    let database = Database::read_only(file)?;
    let mut groups = Groups::default();
    // Damaged entries are left out, as by searches; `hal-tune --check` lists them.
    for trial in database.all_trials()?.into_iter().flatten() {
        let subject = trial.subject;
        let group = groups.of(&subject.key, &subject.target, &subject.machine, false);
        let (outcome, ratio, seconds) = match trial.outcome {
            TrialOutcome::Measured { time, ratio: r } => {
                ("measured".to_owned(), Some(ratio(r)), Some(time.value() * 1e-9))
            }
            TrialOutcome::Rejected(why) => (why, None, None),
        };
        let candidate = text(&String::from_utf8_lossy(&trial.candidate));
        group.trials.push(TrialData { kind: trial.kind, candidate, outcome, ratio, seconds });
    }
    for winner in database.winners()?.into_iter().flatten() {
        let subject = winner.subject;
        let group = groups.of(&subject.key, &subject.target, &subject.machine, false);
        let code = match &winner.code {
            TunedCode::Schedules(list) => list.iter().flatten().map(String::as_str).collect::<Vec<_>>().join("; "),
            TunedCode::Variant(_) => "a variant with code of its own".into(),
        };
        group.winner = Some((text(&code), ratio(winner.ratio)));
    }
    Ok(groups.all)
}

/// Errors: a line that is none of a trial.
fn of_lines(file: &Path) -> Result<Found> {
    let text_of_file = std::fs::read_to_string(file).map_err(|e| Error::io("read", file, &e))?;
    let mut groups = Groups::default();
    let lines: Vec<&str> = text_of_file.lines().collect();
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            // A search that was killed wrote a part of it.
            Err(_) if i + 1 == lines.len() && !text_of_file.ends_with('\n') => continue,
            Err(e) => return Err(no_trial(file, i, &e.to_string())),
        };
        let word = |key: &str| value[key].as_str().map(str::to_owned);
        let (Some(key), Some(outcome)) = (word("key"), word("outcome")) else {
            return Err(no_trial(file, i, "it lacks `key` or `outcome`"));
        };
        let place = |name: &str| word(name).unwrap_or_default();
        let group = groups.of(&key, &place("target"), &place("machine"), true);
        let reason = word("reason").or_else(|| word("code")).map_or(outcome.clone(), |r| format!("{outcome}: {r}"));
        // The lines have the time of the candidate by that of the present kernel.
        let number = |value: &Value| value.as_f64().filter(|x| *x > 0.0);
        let ratio = number(&value["ratio"]).filter(|_| outcome == "measured").map(|r| {
            let end = |i: usize| number(&value["interval"][i]).unwrap_or(r);
            Ratio { speedup: 1.0 / r, interval: [1.0 / end(1), 1.0 / end(0)], same: false }
        });
        group.trials.push(TrialData {
            kind: place("kind"),
            candidate: text(&place("candidate")),
            outcome: reason,
            ratio,
            seconds: number(&value["seconds"]),
        });
    }
    Ok(groups.all)
}

fn no_trial(file: &Path, line: usize, why: &str) -> Error {
    Error::input(format!("`{}` line {}: it is not a trial: {why}", file.display(), line + 1))
        .code("bad-trials")
        .hint("`hal-tune --trials=FILE` writes such lines, `--tuning=FILE` a database")
}

fn ratio(interval: Interval) -> Ratio {
    Ratio { speedup: interval.value(), interval: [interval.low(), interval.high()], same: false }
}

/// A text of one line.
fn text(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// Trials by subject, in the order of their first ones.
#[derive(Default)]
struct Groups {
    all: Found,
    places: HashMap<(String, String, String), usize>,
}

impl Groups {
    fn of(&mut self, key: &str, target: &str, machine: &str, in_order: bool) -> &mut TuningData {
        let subject = (key.to_owned(), target.to_owned(), machine.to_owned());
        let at = *self.places.entry(subject).or_insert_with(|| {
            let (target, machine) = (target.to_owned(), machine.to_owned());
            let none = TuningData { target, machine, in_order, trials: Vec::new(), left_out: 0, winner: None };
            self.all.push((key.to_owned(), none));
            self.all.len() - 1
        });
        &mut self.all[at].1
    }
}

/// What is shown of a group: the fastest trials; in their order, if it is known.
fn shown(data: &TuningData) -> TuningData {
    let mut order: Vec<usize> = (0..data.trials.len()).collect();
    let speed = |i: &usize| data.trials[*i].ratio.map_or(0.0, |r| r.speedup);
    order.sort_by(|a, b| speed(b).total_cmp(&speed(a)).then(a.cmp(b)));
    let left_out = order.len().saturating_sub(MOST);
    order.truncate(MOST);
    if data.in_order {
        order.sort_unstable();
    }
    let trial = |i: usize| {
        let TrialData { kind, candidate, outcome, ratio, seconds } = &data.trials[i];
        let (kind, candidate, outcome) = (kind.clone(), candidate.clone(), outcome.clone());
        TrialData { kind, candidate, outcome, ratio: *ratio, seconds: *seconds }
    };
    TuningData {
        target: data.target.clone(),
        machine: data.machine.clone(),
        in_order: data.in_order,
        trials: order.into_iter().map(trial).collect(),
        left_out,
        winner: data.winner.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_one_line() {
        assert_eq!(text("{tile =\n  [4]}"), "{tile = [4]}");
        assert_eq!(text(&"ä".repeat(LONGEST + 5)).chars().count(), LONGEST + 1);
    }

    #[test]
    fn the_fastest_trials_are_shown() {
        let trial = |i: usize| TrialData {
            kind: "schedule".into(),
            candidate: i.to_string(),
            outcome: "measured".into(),
            ratio: Some(Ratio { speedup: i as f64, interval: [0.0, 0.0], same: false }),
            seconds: None,
        };
        let trials: Vec<TrialData> = (1..=MOST + 10).map(trial).collect();
        let mut data = TuningData {
            target: String::new(),
            machine: String::new(),
            in_order: false,
            trials,
            left_out: 0,
            winner: None,
        };
        let found = shown(&data);
        assert_eq!((found.left_out, &*found.trials[0].candidate), (10, "310"));
        data.in_order = true;
        assert_eq!(shown(&data).trials[0].candidate, "11");
    }
}
