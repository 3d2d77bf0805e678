//! Times of a translation: `--time`, `--time-json`.
use crate::{job::Times, report::TranslationReport};
use halyard_cli::write_output;
use halyard_diag::{Error, Result};
use serde_json::{Value, json};
use std::{
    fmt::Write,
    path::{Path, PathBuf},
    time::Duration,
};

/// How to tell it.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct TimeArgs {
    /// Print the time of each step and each executable on standard error
    #[arg(long)]
    pub time: bool,
    /// Write the time of each step and each executable to FILE as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub time_json: Option<PathBuf>,
}

impl TimeArgs {
    /// Fails if FILE and the output are both standard output.
    pub fn check(&self, output: Option<&Path>) -> Result<()> {
        let stdout = Some(Path::new("-"));
        if self.time_json.as_deref() == stdout && output == stdout {
            return Err(Error::usage("`--time-json` and the output both go to standard output")
                .hint("name a file for one of them"));
        }
        Ok(())
    }

    /// The arguments for a tool with these flags.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let time = self.time.then(|| "--time".to_owned());
        time.into_iter().chain(self.time_json.as_ref().map(|path| format!("--time-json={}", path.display())))
    }

    /// Writes the JSON, if asked for. Errors: FILE cannot be written.
    pub fn write(&self, times: &Value) -> Result<()> {
        let Some(path) = &self.time_json else { return Ok(()) };
        write_output(path, format!("{times:#}\n").as_bytes())
    }
}

fn ms(d: Duration) -> f64 {
    d.as_secs_f64() * 1e3
}

impl TranslationReport {
    /// A table of what workers computed, in milliseconds, the slowest last.
    pub fn times(&self) -> String {
        let mut rows: Vec<_> = self.entries().iter().collect();
        rows.sort_by_key(|e| e.times.total());
        let mut text = format!(
            "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  executable\n",
            "generate", "lower", "optimize", "codegen", "total ms", "bytes"
        );
        let mut row = |t: &Times, bytes: usize, what: &str| {
            let (generate, lower, optimize, codegen) = (ms(t.generate), ms(t.lower), ms(t.optimize), ms(t.codegen));
            let total = ms(t.total());
            let _ = writeln!(
                text,
                "{generate:>9.1} {lower:>9.1} {optimize:>9.1} {codegen:>9.1} {total:>9.1} {bytes:>9}  {what}"
            );
        };
        let mut sum = Times::default();
        for e in rows {
            let from = match &e.host {
                _ if e.cached => ", from the cache".to_owned(),
                Some(host) => format!(", on {host}"),
                None => String::new(),
            };
            row(&e.times, e.size, &format!("@{} for {}{from}", e.executable, e.target));
            sum.generate += e.times.generate;
            sum.lower += e.times.lower;
            sum.optimize += e.times.optimize;
            sum.codegen += e.times.codegen;
        }
        row(&sum, self.entries().iter().map(|e| e.size).sum(), &format!("sum of {}", self.len()));
        text
    }

    /// Returns the times as JSON: a list of executables in order, each with seconds of CPU time.
    pub fn times_json(&self) -> Value {
        let entry = |e: &crate::report::Entry| {
            json!({
                "executable": e.executable, "target": e.target, "bytes": e.size, "cached": e.cached,
                "host": e.host,
                "generate": e.times.generate.as_secs_f64(), "lower": e.times.lower.as_secs_f64(),
                "optimize": e.times.optimize.as_secs_f64(), "codegen": e.times.codegen.as_secs_f64(),
            })
        };
        self.entries().iter().map(entry).collect()
    }
}
