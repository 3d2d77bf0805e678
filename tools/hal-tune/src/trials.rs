//! A line of JSON for each candidate: written as soon as it is known, read to continue.
//!
//! Lines are appended with one write each, so that several searches may share a file, and a search that is killed loses none. A
//! last line that was cut off is dropped.
use crate::candidate::KernelSource;
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

/// What came of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TrialOutcome {
    /// It is right: its time, as a part of the present kernel's, and the seconds of a call.
    Measured { ratio: f64, seconds: f64 },
    /// The same code as that of the present kernel, or of another candidate, which is named.
    SameCode(String),
    /// It is wrong, or did what kernels must not do: the code of the reason, and the reason.
    Rejected(String, String),
    /// No kernel could be made of it: why.
    NotBuilt(String),
    /// Nothing can be said of it here: why.
    Skipped(String),
}

/// What all candidates of a kernel have in common.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) key: String,
    pub(crate) executable: String,
    pub(crate) export: String,
    pub(crate) target: String,
    pub(crate) machine: String,
    pub(crate) threads: usize,
}

/// The file of trials, if one is kept.
#[derive(Debug, Default)]
pub(crate) struct Trials {
    file: Option<(File, PathBuf)>,
    /// The ratios of earlier trials; `None` where a candidate was not measured.
    known: HashMap<String, Option<f64>>,
}

impl Trials {
    /// Opens a file, which need not exist, and reads what is in it. The warnings are about lines that are no trials. Errors: it cannot be read or
    /// written; it is of a later version.
    pub(crate) fn open(path: &Path) -> Result<(Self, Vec<Diagnostic>)> {
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
                    known.insert(identity(&trial), trial["ratio"].as_f64());
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
                    Diagnostic::warning(format!("`{shown}` line {}: it is no trial, and is ignored", i + 1))
                        .code("bad-trials"),
                ),
            }
        }
        let mut file =
            OpenOptions::new().create(true).append(true).open(path).map_err(|e| Error::io("write", &shown, &e))?;
        if ends_within_a_line {
            file.write_all(b"\n").map_err(|e| Error::io("write", &shown, &e))?;
        }
        Ok((Self { file: Some((file, path.to_owned())), known }, warnings))
    }

    /// What an earlier trial of a candidate gave: `Some(None)` if it was not measured.
    pub(crate) fn earlier(&self, place: &Place, candidate: &KernelSource) -> Option<Option<f64>> {
        self.known.get(&identity(&head(place, candidate))).copied()
    }

    /// Adds a trial. Errors: it cannot be written.
    pub(crate) fn add(
        &mut self,
        place: &Place,
        candidate: &KernelSource,
        schedule: Option<&str>,
        outcome: &TrialOutcome,
    ) -> Result<()> {
        let Some((file, path)) = &mut self.file else { return Ok(()) };
        let mut line = head(place, candidate);
        if let Some(schedule) = schedule {
            line["schedule"] = json!(schedule);
        }
        let (what, more) = match outcome {
            TrialOutcome::Measured { ratio, seconds } => {
                ("measured", vec![("ratio", json!(ratio)), ("seconds", json!(seconds))])
            }
            TrialOutcome::SameCode(other) => ("same-code", vec![("as", json!(other))]),
            TrialOutcome::Rejected(code, why) => ("rejected", vec![("code", json!(code)), ("reason", json!(why))]),
            TrialOutcome::NotBuilt(why) => ("not-built", vec![("reason", json!(why))]),
            TrialOutcome::Skipped(why) => ("skipped", vec![("reason", json!(why))]),
        };
        line["outcome"] = json!(what);
        more.into_iter().for_each(|(key, value)| line[key] = value);
        let text = format!("{line}\n");
        file.write_all(text.as_bytes()).map_err(|e| Error::io("write", path.display().to_string(), &e))
    }
}

fn head(place: &Place, candidate: &KernelSource) -> Value {
    json!({
        "version": VERSION,
        "key": place.key,
        "executable": place.executable,
        "export": place.export,
        "target": place.target,
        "machine": place.machine,
        "threads": place.threads,
        "kind": candidate.kind(),
        "candidate": candidate.to_string(),
    })
}

/// What makes two trials the same.
fn identity(trial: &Value) -> String {
    ["key", "target", "machine", "threads", "kind", "candidate"].map(|key| trial[key].to_string()).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Candidate;
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
        let (mut trials, warnings) = Trials::open(&path).unwrap();
        assert!(warnings.is_empty());
        trials
            .add(&place(), &lanes(8), Some("{lanes = 8}"), &TrialOutcome::Measured { ratio: 0.5, seconds: 1e-3 })
            .unwrap();
        trials.add(&place(), &lanes(4), None, &TrialOutcome::NotBuilt("no".into())).unwrap();
        // The last line is cut off, another one is damaged.
        let mut text = fs::read_to_string(&path).unwrap();
        text += "nonsense\n{\"version\":1,\"key\":\"01";
        fs::write(&path, text).unwrap();
        let (mut trials, warnings) = Trials::open(&path).unwrap();
        assert_eq!(warnings.len(), 1);
        assert_eq!(trials.earlier(&place(), &lanes(8)), Some(Some(0.5)));
        assert_eq!(trials.earlier(&place(), &lanes(4)), Some(None));
        assert_eq!(trials.earlier(&place(), &lanes(2)), None);
        assert_eq!(trials.earlier(&Place { threads: 1, ..place() }, &lanes(8)), None);
        trials.add(&place(), &lanes(2), None, &TrialOutcome::Skipped("no".into())).unwrap();
        assert_eq!(Trials::open(&path).unwrap().0.known.len(), 3);
        fs::write(&path, "{\"version\":2}\n").unwrap();
        assert!(Trials::open(&path).unwrap_err().to_string().contains("version 2"));
    }
}
