//! A line of JSON for each candidate: written as soon as it is known, read to continue.
//!
//! Lines are appended with one write each, so that several searches may share a file, and a search that is killed loses none. A
//! last line that was cut off is dropped.
use crate::{
    candidate::KernelSource,
    store::Store,
    trial::{Place, TrialOutcome},
};
use halyard_diag::{Diagnostic, Error, Result};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

/// The version of the format.
const VERSION: u64 = 1;

/// Where trials are kept: a file, a database, both, or nowhere.
#[derive(Debug, Default)]
pub(crate) struct Trials {
    file: Option<(File, PathBuf)>,
    /// Of the trials in the file: the candidate, and the ratio if it was measured.
    known: HashMap<String, (String, Option<f64>)>,
    store: Option<Store>,
}

impl Trials {
    /// Opens a file, which need not exist, and reads what is in it. The warnings are about lines that are no trials. Errors: it cannot be read or
    /// written; it is of a later version.
    pub(crate) fn open(path: &Path, store: Option<Store>) -> Result<(Self, Vec<Diagnostic>)> {
        let shown = path.display().to_string();
        let text = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(Error::io("read", &shown, &e)),
        };
        let (mut known, mut warnings) = (HashMap::new(), Vec::new());
        let ends_within_a_line = text.last().is_some_and(|b| *b != b'\n');
        let lines: Vec<&[u8]> = text.split(|b| *b == b'\n').collect();
        for (i, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
            let last = i + 1 == lines.len();
            match serde_json::from_slice::<Value>(line) {
                Ok(trial) if trial["version"].as_u64() == Some(VERSION) => {
                    let candidate = trial["candidate"].as_str().unwrap_or_default().to_owned();
                    known.insert(identity(&trial), (candidate, trial["ratio"].as_f64()));
                }
                Ok(trial) if trial["version"].as_u64().is_some_and(|v| v > VERSION) => {
                    return Err(Error::input(format!(
                        "`{shown}` line {}: it is of version {}, and this is version {VERSION}",
                        i + 1,
                        trial["version"]
                    ))
                    .code("bad-trials")
                    .hint("give a new file, or use the `hal-tune` that wrote it"));
                }
                // A search that was killed wrote a part of it.
                Err(_) if last && ends_within_a_line => {}
                _ => warnings.push(
                    Diagnostic::warning(format!("`{shown}` line {}: it is not a trial, and is ignored", i + 1))
                        .code("bad-trials"),
                ),
            }
        }
        let mut file =
            OpenOptions::new().create(true).append(true).open(path).map_err(|e| Error::io("write", &shown, &e))?;
        if ends_within_a_line {
            file.write_all(b"\n").map_err(|e| Error::io("write", &shown, &e))?;
        }
        Ok((Self { file: Some((file, path.to_owned())), known, store }, warnings))
    }

    /// Trials in a database alone.
    pub(crate) fn in_store(store: Option<Store>) -> Self {
        Self { store, ..Self::default() }
    }

    /// The database.
    pub(crate) fn store(&mut self) -> Option<&mut Store> {
        self.store.as_mut()
    }

    /// What an earlier trial of a candidate gave: `Some(None)` if it was not measured. Errors: the database cannot be read.
    pub(crate) fn earlier(&self, place: &Place, candidate: &KernelSource) -> Result<Option<Option<f64>>> {
        if let Some((_, ratio)) = self.known.get(&identity(&head(place, candidate))) {
            return Ok(Some(*ratio));
        }
        self.store.as_ref().map_or(Ok(None), |store| store.earlier(place, candidate))
    }

    /// The schedules that earlier trials found faster than the current kernel, the fastest one first. Errors: the database cannot be read.
    pub(crate) fn promising(&self, place: &Place, below: f64) -> Result<Vec<String>> {
        let here = words(&json_of(place), &PLACE);
        let own = self.known.iter().filter(|(id, _)| id.starts_with(&here) && id.contains(" \"schedule\" "));
        let mut found: Vec<(f64, String)> =
            own.filter_map(|(_, (text, ratio))| Some((*ratio.as_ref()?, text.clone()))).collect();
        found.extend(self.store.as_ref().map_or(Ok(Vec::new()), |store| store.measured(place))?);
        found.retain(|(ratio, _)| *ratio < below);
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        found.dedup_by(|a, b| a.1 == b.1);
        Ok(found.into_iter().map(|(_, text)| text).collect())
    }

    /// Adds a trial. Errors: it cannot be written.
    pub(crate) fn add(
        &mut self,
        place: &Place,
        candidate: &KernelSource,
        schedule: Option<&str>,
        outcome: &TrialOutcome,
    ) -> Result<()> {
        if let Some(store) = &mut self.store {
            store.record(place, candidate, outcome)?;
        }
        let Some((file, path)) = &mut self.file else { return Ok(()) };
        let mut line = head(place, candidate);
        if let Some(schedule) = schedule {
            line["schedule"] = json!(schedule);
        }
        line["outcome"] = json!(outcome.word());
        outcome.details().into_iter().for_each(|(key, value)| line[key] = value);
        let text = format!("{line}\n");
        file.write_all(text.as_bytes()).map_err(|e| Error::io("write", path.display().to_string(), &e))
    }
}

fn json_of(place: &Place) -> Value {
    json!({
        "version": VERSION,
        "tool": env!("CARGO_PKG_VERSION"),
        "key": place.key,
        "executable": place.executable,
        "export": place.export,
        "target": place.target,
        "machine": place.machine,
        "threads": place.threads,
    })
}

fn head(place: &Place, candidate: &KernelSource) -> Value {
    let mut line = json_of(place);
    line["kind"] = json!(candidate.kind());
    line["candidate"] = json!(candidate.text());
    line["hash"] = json!(candidate.identity());
    line
}

/// What trials of one search have in common. Another tool may make another kernel of the same candidate.
const PLACE: [&str; 5] = ["tool", "key", "target", "machine", "threads"];

/// What makes two trials the same.
fn identity(trial: &Value) -> String {
    words(trial, &PLACE) + " " + &words(trial, &["kind", "hash"])
}

fn words(trial: &Value, keys: &[&str]) -> String {
    keys.iter().map(|key| trial[*key].to_string()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{candidate::Candidate, trial::Measured};
    use halyard_ir::form::ScheduleSetting;

    fn lanes(n: i64) -> KernelSource {
        KernelSource::Schedule(Candidate::default().with(0, "lanes", ScheduleSetting::Number(n)))
    }

    fn place() -> Place {
        Place {
            key: "0123".into(),
            executable: "e".into(),
            export: "f".into(),
            target: "cpu:znver4".into(),
            machine: "m".into(),
            threads: 2,
        }
    }

    #[test]
    fn what_was_written_is_known_even_after_a_kill() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trials.jsonl");
        let (mut trials, warnings) = Trials::open(&path, None).unwrap();
        assert!(warnings.is_empty());
        trials
            .add(
                &place(),
                &lanes(8),
                Some("{lanes = 8}"),
                &TrialOutcome::Measured(Measured {
                    ratio: 0.5,
                    interval: [0.4, 0.6],
                    seconds: 1e-3,
                    seconds_interval: [1e-3, 1e-3],
                    hot: Vec::new(),
                }),
            )
            .unwrap();
        trials.add(&place(), &lanes(4), None, &TrialOutcome::NotBuilt("no".into())).unwrap();
        // The last line is cut off, another one is damaged.
        let mut text = fs::read_to_string(&path).unwrap();
        text += "nonsense\n{\"version\":1,\"key\":\"01";
        fs::write(&path, text).unwrap();
        let (mut trials, warnings) = Trials::open(&path, None).unwrap();
        assert_eq!(warnings.len(), 1);
        assert_eq!(trials.earlier(&place(), &lanes(8)).unwrap(), Some(Some(0.5)));
        assert_eq!(trials.earlier(&place(), &lanes(4)).unwrap(), Some(None));
        assert_eq!(trials.earlier(&place(), &lanes(2)).unwrap(), None);
        assert_eq!(trials.promising(&place(), 0.9).unwrap(), ["{lanes = 8}"]);
        assert!(trials.promising(&Place { target: "cpu:znver4 -O1".into(), ..place() }, 0.9).unwrap().is_empty());
        assert_eq!(trials.earlier(&Place { threads: 1, ..place() }, &lanes(8)).unwrap(), None);
        trials.add(&place(), &lanes(2), None, &TrialOutcome::Skipped("no".into())).unwrap();
        assert_eq!(Trials::open(&path, None).unwrap().0.known.len(), 3);
        fs::write(&path, "{\"version\":2}\n").unwrap();
        assert!(Trials::open(&path, None).unwrap_err().to_string().contains("version 2"));
    }
}
