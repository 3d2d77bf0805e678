//! `--time-stages`.
use crate::RunningStage;
use serde::Serialize;
use std::{fmt::Write, time::Duration};

/// How long stages took, in the order in which they ran.
#[derive(Debug, Default)]
pub(super) struct Times {
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<String>,
    /// From 1.
    number: usize,
    stage: String,
    seconds: f64,
}

impl Times {
    pub(super) fn add(&mut self, part: Option<&str>, stage: RunningStage<'_>, time: Duration) {
        let (number, stage) = (stage.index + 1, stage.text.to_owned());
        self.rows.push(Row { part: part.map(str::to_owned), number, stage, seconds: time.as_secs_f64() });
    }

    fn total(&self) -> f64 {
        self.rows.iter().map(|r| r.seconds).sum()
    }

    /// A table for people.
    pub(super) fn table(&self) -> String {
        let total = self.total();
        let mut text = String::from("   seconds   share  stage\n");
        for row in &self.rows {
            let share = if total > 0.0 { 100.0 * row.seconds / total } else { 0.0 };
            let part = row.part.as_ref().map(|p| format!("{p} ")).unwrap_or_default();
            let _ = writeln!(text, "{:10.6} {share:6.1} %  {part}{} {}", row.seconds, row.number, row.stage);
        }
        let _ = writeln!(text, "{total:10.6}  100.0 %  all stages");
        text
    }

    /// The same for programs.
    pub(super) fn json(&self) -> String {
        let all = Json { version: 1, stages: &self.rows, seconds: self.total() };
        serde_json::to_string_pretty(&all).expect("strings and numbers serialise") + "\n"
    }
}

#[derive(Serialize)]
struct Json<'a> {
    version: u32,
    stages: &'a [Row],
    seconds: f64,
}
