//! JSON lines: all of a database as text, for people, other programs and version control.
//!
//! The first line is `{"halyard_tuning":1}`; each further line is a winner or a trial. The same entries give the same text.
use crate::{
    DamagedRow, Database, Interval, Merged, Subject, Trial, TrialOutcome, TunedCode, Winner, merge::Entry, row, schema,
};
use halyard_diag::{Error, Result};
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    io::{BufRead, BufReader, Write},
    path::Path,
};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    halyard_tuning: i32,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Winner(WinnerLine),
    Trial(TrialLine),
}

#[derive(Serialize, Deserialize)]
struct WinnerLine {
    #[serde(flatten)]
    subject: Subject,
    kind: String,
    #[serde(flatten)]
    content: Bytes,
    ratio: Interval,
    trials: u64,
    version: String,
    origin: String,
}

#[derive(Serialize, Deserialize)]
struct TrialLine {
    #[serde(flatten)]
    subject: Subject,
    kind: String,
    #[serde(flatten)]
    content: Bytes,
    #[serde(flatten)]
    outcome: TrialOutcome,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    details: String,
    version: String,
}

/// Text as it is, anything else in hex digits.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Bytes {
    Text(String),
    Hex(String),
}

impl Bytes {
    fn new(bytes: &[u8]) -> Self {
        match row::value(bytes) {
            rusqlite::types::Value::Text(text) => Self::Text(text),
            _ => Self::Hex(bytes.iter().map(|b| format!("{b:02x}")).collect()),
        }
    }

    fn read(self) -> Result<Vec<u8>, String> {
        let hex = match self {
            Self::Text(text) => return Ok(text.into_bytes()),
            Self::Hex(hex) => hex.into_bytes(),
        };
        let digit = |b: u8| (b as char).to_digit(16).and_then(|d| u8::try_from(d).ok());
        let byte = |pair: &[u8]| match *pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        };
        hex.chunks(2).map(byte).collect::<Option<_>>().ok_or_else(|| "`hex` is not pairs of hex digits".into())
    }
}

/// The lines of a file, if it is one of JSON lines: its first byte says so. Errors: it cannot be read.
pub(crate) fn open(path: &Path) -> Result<Option<BufReader<File>>> {
    let error = |e| Error::io("read", path, &e);
    let mut lines = BufReader::new(File::open(path).map_err(error)?);
    let is_lines = lines.fill_buf().map_err(error)?.starts_with(b"{");
    Ok(is_lines.then_some(lines))
}

impl Database {
    /// Writes all entries as JSON lines, sorted; gives those that are damaged and therefore left out. Errors: the database cannot
    /// be read; what `out` says, which `name` names.
    pub fn export(&self, out: &mut dyn Write, name: &str) -> Result<Vec<DamagedRow>> {
        let mut damaged = self.export_winners(out, name, &|_| true)?;
        for trial in self.all_trials()? {
            match trial {
                Ok(trial) => put(out, name, &Line::Trial(trial.into()))?,
                Err(row) => damaged.push(row),
            }
        }
        Ok(damaged)
    }

    /// As [`Database::export`], without trials, and with those winners alone that are asked for: all that a compilation needs.
    pub fn export_winners(
        &self,
        out: &mut dyn Write,
        name: &str,
        wanted: &dyn Fn(&Winner) -> bool,
    ) -> Result<Vec<DamagedRow>> {
        let mut damaged = Vec::new();
        put(out, name, &Header { halyard_tuning: schema::VERSION })?;
        for winner in self.winners()? {
            match winner {
                Ok(winner) if wanted(&winner) => put(out, name, &Line::Winner(winner.into()))?,
                Ok(_) => {}
                Err(row) => damaged.push(row),
            }
        }
        Ok(damaged)
    }

    /// Takes over what [`Database::export`] wrote, as [`Database::merge`] does: all or nothing. Errors: a malformed line, which
    /// is named together with `name`; the file cannot be written.
    pub fn import(&mut self, lines: &mut dyn BufRead, name: &str) -> Result<Merged> {
        let mut entries = Vec::new();
        for (i, line) in lines.lines().enumerate() {
            let line = line.map_err(|e| Error::io("read", name, &e))?;
            let bad = |why: String| {
                let error = Error::input(format!("`{name}`, line {}: {why}", i + 1)).code("bad-tuning");
                error.hint("these are JSON lines of an exported tuning database")
            };
            if i == 0 {
                let header: Header = serde_json::from_str(&line)
                    .map_err(|_| bad("it does not begin with `{\"halyard_tuning\":1}`".into()))?;
                if header.halyard_tuning != schema::VERSION {
                    let version = header.halyard_tuning;
                    let why = format!("version {version}, these tools read version {}", schema::VERSION);
                    return Err(bad(why).code("wrong-version"));
                }
            } else if !line.trim().is_empty() {
                let line: Line = serde_json::from_str(&line).map_err(|e| bad(e.to_string()))?;
                entries.push(Ok(line.read().map_err(bad)?));
            }
        }
        self.take(entries.into_iter())
    }
}

/// Writes a line.
fn put(out: &mut dyn Write, name: &str, line: &impl Serialize) -> Result<()> {
    let line = serde_json::to_string(line).expect("texts and numbers are legal in JSON");
    writeln!(out, "{line}").map_err(|e| Error::io("write", name, &e))
}

impl Line {
    fn read(self) -> Result<Entry, String> {
        Ok(match self {
            Self::Winner(WinnerLine { subject, kind, content, ratio, trials, version, origin }) => {
                let code = TunedCode::read(&kind, content.read()?)?;
                Entry::Winner(Winner { subject, code, ratio, trials, version, origin })
            }
            Self::Trial(TrialLine { subject, kind, content, outcome, details, version }) => {
                Entry::Trial(Trial { subject, kind, candidate: content.read()?, outcome, details, version })
            }
        })
    }
}

impl From<Winner> for WinnerLine {
    fn from(w: Winner) -> Self {
        let (kind, content) = (w.code.kind().to_owned(), Bytes::new(&w.code.bytes()));
        Self {
            subject: w.subject,
            kind,
            content,
            ratio: w.ratio,
            trials: w.trials,
            version: w.version,
            origin: w.origin,
        }
    }
}

impl From<Trial> for TrialLine {
    fn from(t: Trial) -> Self {
        let content = Bytes::new(&t.candidate);
        Self { subject: t.subject, kind: t.kind, content, outcome: t.outcome, details: t.details, version: t.version }
    }
}
