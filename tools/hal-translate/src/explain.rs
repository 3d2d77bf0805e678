//! What is said of a translation: `--explain`, `--schedules-json`.
use crate::Report;
use clap::ValueEnum;
use halyard_cli::{Printer, write_output};
use halyard_diag::{Error, Result};
use std::path::{Path, PathBuf};

/// What to say.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ExplainArgs {
    /// Say how each executable was translated, and why, on standard error; without WHAT it is `translation`
    #[arg(long, value_name = "WHAT[,…]", value_enum, num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "translation")]
    pub explain: Vec<Explain>,
    /// Write to FILE as JSON the schedule of each kernel, with the values that each key may have; - is standard output
    #[arg(long, value_name = "FILE")]
    pub schedules_json: Option<PathBuf>,
}

/// What to explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Explain {
    /// The way that each export took, and the reasons, in words
    Translation,
    /// The choices for each kernel, as `hal.schedule` takes them
    Schedule,
    /// The same as JSON, an object in a line for each export, with the values that each key may have
    ScheduleSpace,
}

impl ExplainArgs {
    /// Fails if FILE and the output are both standard output.
    pub fn check(&self, output: Option<&Path>) -> Result<()> {
        let stdout = Some(Path::new("-"));
        if self.schedules_json.as_deref() == stdout && output == stdout {
            return Err(Error::usage("`--schedules-json` and the output both go to standard output")
                .hint("name a file for one of them"));
        }
        Ok(())
    }

    /// The words for a tool that takes these flags.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let name = |what: &Explain| what.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned());
        let explain: Vec<String> = self.explain.iter().map(|what| format!("--explain={}", name(what))).collect();
        explain
            .into_iter()
            .chain(self.schedules_json.as_ref().map(|path| format!("--schedules-json={}", path.display())))
    }

    /// Says what is asked for. Errors: FILE cannot be written.
    pub fn tell(&self, report: &Report, printer: &Printer) -> Result<()> {
        self.explain.iter().for_each(|what| printer.stderr(&report.explain(*what)));
        let Some(path) = &self.schedules_json else { return Ok(()) };
        write_output(path, format!("{:#}\n", report.schedules_json()).as_bytes())
    }
}
